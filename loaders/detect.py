"""The list of formats, and the detection of the format of a file."""

from importlib import import_module
from pathlib import Path

from specter_graph.core.errors import InputError, extra
from specter_graph.loaders.files import read_head
from specter_graph.loaders.format_api import Format

NAMES = (
    "s2orc", "s2", "openalex", "pubmed", "jats", "arxiv", "acl", "crossref", "opencitations",
    "zotero", "csl", "dblp", "bibtex", "ris", "readers", "labels", "csv", "jsonl",
)  # fmt: skip
"""In the order in which `load auto` tries them: the specific before the general."""


def find_format(name: str) -> Format:
    """Load the format of that name, one of NAMES."""
    with extra("formats"):
        module = import_module(f"specter_graph.loaders.formats.{name}")
    known: Format = module.FORMAT
    return known


def detect_format(path: Path) -> tuple[Format, str]:
    """Return the format of a file and a description of its contents.

    Raises:
        InputError: No format fits.
    """
    head, damage = read_head(path)
    for name in NAMES:
        file_format = find_format(name)
        if description := file_format.detect(path.name, head):
            return file_format, description
    raise InputError(
        f"no format is recognised in {path}{damage and ': '}{damage}",
        f"name its format, one of {', '.join(NAMES)}",
    )
