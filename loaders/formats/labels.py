"""Subject labels: of papers, or a vocabulary with its hierarchy; docs/formats/labels.md.

| file | columns |
|---|---|
| labels of papers | paper (or paper_id), label (or field), and, if wanted, name and scheme |
| the same, of one scheme | paper, and a column that the scheme names: paper,mesh |
| a vocabulary | id (or code), name, parent (or broader), and, if wanted, scheme |

The scheme of a row without one is the name of the file: snomed.csv. Several labels or parents of a
row are separated by semicolons. MeSH's own files, d2025.bin and mtrees2025.bin, are vocabularies.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from specter_graph.loaders.files import DamagedFileError, read_contents
from specter_graph.loaders.format_api import Count, Format, Found, Problem, RecordError
from specter_graph.loaders.formats import mesh_files
from specter_graph.loaders.parsing.csv import read_header
from specter_graph.loaders.parsing.tables import Row, cell, column_names, entries, read_table
from specter_graph.loaders.records import Field, Labels

PAPER = ("paper", "paper_id")
LABEL = ("label", "field")
CODE = ("id", "code")
PARENT = ("parent", "parents", "broader")
SCHEMES = frozenset({"arxiv", "cui", "keyword", "mag", "mesh", "snomed", "umls"})
"""Columns of labels that are known without being told."""
LABELS = frozenset((*PAPER, *LABEL, "name", "scheme"))
VOCABULARY = frozenset((*CODE, *PARENT, "name", "scheme"))


def read_labels(path: Path, count: Count = lambda size: None) -> Iterator[tuple[int, Found]]:
    """The labels of a file, with their lines, and what in it cannot be used."""
    try:
        head = next(read_contents(path, lambda size: None), b"")
    except (DamagedFileError, OSError):
        head = b""
    if mesh_files.looks_like_ascii(head):
        yield from mesh_files.read_ascii(path, count)
    elif mesh_files.looks_like_tree(head):
        yield from mesh_files.read_tree(path, count)
    else:
        yield from _read_table(path, count)


def recognise(name: str, head: bytes) -> str | None:
    """A header of these columns and no others, or MeSH's own files."""
    if mesh_files.looks_like_ascii(head):
        return "MeSH, ASCII"
    if mesh_files.looks_like_tree(head):
        return "MeSH, tree"
    columns = set(read_header(head))
    if len(columns) == 2 and columns.intersection(PAPER) and columns.intersection(SCHEMES):
        return f"labels of papers, {', '.join(columns.intersection(SCHEMES))}"
    if columns.intersection(PAPER) and columns.intersection(LABEL) and columns <= LABELS:
        return "labels of papers, one a row"
    if columns.intersection(CODE) and columns.intersection(PARENT) and columns <= VOCABULARY:
        return "a vocabulary of labels, one a row"
    return None


def scheme_of(path: Path) -> str:
    """The scheme that a file is named after: "snomed" for snomed.csv.gz."""
    return path.name.split(".")[0].strip().lower()


def _read_table(path: Path, count: Count) -> Iterator[tuple[int, Found]]:
    columns = column_names(path)
    of_papers = set(columns).intersection(PAPER)
    others = sorted(set(columns) - of_papers)
    if (
        of_papers
        and not set(columns).intersection(LABEL)
        and len(others) == 1
        and len(columns) == 2
    ):
        [scheme] = others
        yield from read_table(path, count, _labels(scheme, (scheme,)), frozenset(columns))
    elif of_papers and set(columns).intersection(LABEL):
        yield from read_table(path, count, _labels(scheme_of(path), LABEL), LABELS)
    elif not columns or set(columns).intersection(CODE):
        yield from read_table(path, count, _vocabulary(scheme_of(path)), VOCABULARY)
    else:
        reason = "neither columns paper and label, nor id and name: the file is not loaded"
        yield 1, Problem(reason, record=", ".join(columns)[:10_000])


def _labels(scheme: str, label: tuple[str, ...]) -> Callable[[Row], Iterator[Found]]:
    def convert(row: Row) -> Iterator[Found]:
        paper = cell(row, *PAPER)
        if not paper:
            raise RecordError("the paper is missing")
        keys = next((keys for column in label if (keys := entries(row, column))), [])
        if not keys:
            raise RecordError("the label is missing", paper)
        own = cell(row, "scheme") or scheme
        name = cell(row, "name") if len(keys) == 1 else ""
        yield Labels(paper, tuple(Field(own, key, name or key) for key in dict.fromkeys(keys)))

    return convert


def _vocabulary(scheme: str) -> Callable[[Row], Iterator[Found]]:
    def convert(row: Row) -> Iterator[Found]:
        key = cell(row, *CODE)
        if not key:
            raise RecordError("id is missing")
        broader = [parent for column in PARENT for parent in entries(row, column) if parent != key]
        own = cell(row, "scheme") or scheme
        yield Field(own, key, cell(row, "name") or key, tuple(dict.fromkeys(broader)))

    return convert


FORMAT = Format("labels", "subject labels of papers, and vocabularies", read_labels, recognise)
