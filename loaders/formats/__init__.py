"""The formats, a module each: `FORMAT` says how it is called, recognised and read."""

from importlib import import_module

from specter_graph.loaders.format_api import Format

NAMES = (
    "s2orc",
    "s2",
    "openalex",
    "pubmed",
    "jats",
    "arxiv",
    "acl",
    "crossref",
    "opencitations",
    "zotero",
    "csl",
    "dblp",
    "bibtex",
    "ris",
    "readers",
    "labels",
    "csv",
    "jsonl",
)
"""In the order in which `load auto` tries them: the specific before the general."""


def find_format(name: str) -> Format:
    """The format of that name, one of NAMES."""
    module = import_module(f"specter_graph.loaders.formats.{name}")
    found: Format = module.FORMAT
    return found
