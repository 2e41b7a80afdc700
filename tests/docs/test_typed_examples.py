"""Check the Python of the README and of the docs with mypy."""

import subprocess
import sys

from tests.docs.pages import DOCS, python

ROOT = DOCS[0].parent
UNCHECKED = ("%", "torch.onnx", "torch_geometric", "networkx", "found.items[0]", "=...")
"""Blocks with IPython magic, libraries without types, or placeholders."""
NAMES = """
from typing import Any
import neo4j
from specter_graph import LiteratureGraph
from specter_graph.loaders.records import PaperText
graph: LiteratureGraph
driver: neo4j.Driver
papers: list[PaperText]
candidates: Any
rows: Any
ids: list[str]
vectors: Any
"""
"""Names that earlier blocks of a page define."""


def test_examples_are_typed(tmp_path):
    files = []
    for page in DOCS:
        for number, block in enumerate(python(page.read_text("utf-8"))):
            if not any(mark in block for mark in UNCHECKED):
                file = tmp_path / f"{page.stem.replace('-', '_')}_{number}.py"
                file.write_text(NAMES + block)
                files.append(str(file))
    assert len(files) > 10
    checked = subprocess.run(
        [sys.executable, "-m", "mypy", *files],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    assert checked.returncode == 0, checked.stdout
