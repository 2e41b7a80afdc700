"""Run every Python block of the documentation on a small corpus; exceptions are listed."""

import gzip
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest
from click.testing import CliRunner

from specter_graph.cli import cli
from specter_graph.evaluation import HeldOutRow
from specter_graph.graph.embeddings.spaces import delete_space, read_vectors
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.loaders.records import PaperText
from specter_graph.loaders.synthetic import synthetic_papers
from specter_graph.service.app import build_service
from specter_graph.service.service_settings import ServiceSettings
from tests.docs.pages import DOCS, python
from tests.servers import serving

NAMED = ["hep-ph/9901001", "hep-ph/9810316", "hep-ph/0001001"]
NOT_RUN = {
    "OpenAlexApi(": "asks OpenAlex; tests/loaders has a server that answers like it",
    "intfloat/": "downloads a model; tests/graph/embeddings/test_prompts.py",
    "RayWorkers(": "needs a cluster; tests/scale/test_ray.py",
    "torch.onnx": "needs onnxscript, which is not among our libraries",
    "torch_geometric": "a library that is not among ours",
}
WRITTEN = [
    (path.name, block)
    for path in DOCS
    for block in python(path.read_text())
    if path.name != "README.md" and not any(mark in block for mark in NOT_RUN)
]
(README,) = python(DOCS[0].read_text())


@pytest.fixture(scope="module")
def workspace(server, tmp_path_factory) -> Iterator[Path]:
    """Return a folder with the files of the pages; the README's own lines fill the graph."""
    folder = tmp_path_factory.mktemp("desk")
    server.chdir(folder)
    papers = list(synthetic_papers(60))
    ids = dict(zip((each.id for each in papers[30:]), NAMED, strict=False))
    with gzip.open("papers.jsonl.gz", "wb") as file:
        for each in papers:
            record = {
                "id": ids.get(each.id, each.id),
                "title": each.title,
                "abstract": (each.abstract or "")[:60],
                "year": each.year,
                "references": [ids.get(reference, reference) for reference in each.references],
            }
            file.write(orjson.dumps(record) + b"\n")
    Path("mine.bib").write_text(f"@article{{mine, title={{{papers[30].title}}}}}\n")
    Path("draft.tex").write_text(r"\title{Neutrino masses} \cite{hep-ph/9901001}")
    exec(README, {})
    for words in [
        ["embed-files", "jsonl", "papers.jsonl.gz", "-o", "vectors.parquet", "--dtype", "int8"],
        ["export", "model", "model", "-o", "for-sentence-transformers"],
        ["export", "graph", "-o", "graph.graphml"],
    ]:
        assert CliRunner().invoke(cli, words, catch_exceptions=False).exit_code == 0
    return folder


@pytest.fixture(scope="module")
def names(workspace) -> Iterator[dict[str, Any]]:
    """Return the variables that earlier blocks of the pages define."""
    with LiteratureGraph.open() as graph:
        ids, vectors = read_vectors(graph.database, "specter")
        yield {
            "graph": graph,
            "driver": graph.database.driver,
            "papers": [PaperText("a", "Neutrino masses", "We study the seesaw mechanism.")],
            "candidates": ids[1:],
            "rows": [HeldOutRow(ids[0], ids[1:6], [], {})],
            "ids": ids,
            "vectors": vectors,
        }
        for space in ("base", "specter"):
            delete_space(graph.database, space)


@pytest.fixture(scope="module")
def address(names) -> Iterator[str]:
    """Return the address of a service of the graph."""
    with serving(build_service(names["graph"], ServiceSettings())) as served:
        yield served


@pytest.mark.parametrize(("page", "block"), WRITTEN, ids=[name for name, _ in WRITTEN])
def test_a_snippet_runs(page, block, names, address, monkeypatch):
    first_place = {"url": "NEO4J_URI", "username": "NEO4J_USERNAME", "password": "NEO4J_PASSWORD"}
    for name, variable in first_place.items():
        block = block.replace(f"{name}=...", f"{name}={os.environ[variable]!r}")
    block = block.replace('"neo4j://localhost:7687", auth=("neo4j", "password")', "")
    block = block.replace("http://127.0.0.1:8000", address)
    lines = [line for line in block.splitlines() if not line.startswith("%")]  # an IPython command
    exec(compile("\n".join(lines), page, "exec"), dict(names))


def test_the_lines_of_the_readme_create_a_model_and_its_space(names, workspace):
    assert (workspace / "model" / "specter-graph.json").exists()
    assert {each.name for each in names["graph"].spaces.list()} == {"base", "specter"}


def test_the_exceptions_are_still_in_the_documentation():
    text = "\n".join(path.read_text() for path in DOCS)
    assert [mark for mark in NOT_RUN if mark not in text] == []
