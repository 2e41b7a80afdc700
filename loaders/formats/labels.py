"""Subject labels of papers, or vocabularies with their hierarchy; see docs/formats/labels.md.

| file | columns |
|---|---|
| labels of papers | paper (or paper_id), label (or field), optional name and scheme |
| labels of one scheme | paper, and a column with the name of the scheme: paper,mesh |
| a vocabulary | id (or code), name, parent (or broader), optional scheme |

The default scheme is the name of the file: snomed.csv. Several labels or parents in a row are
separated by semicolons. MeSH's own files, d2025.bin and mtrees2025.bin, are vocabularies.
"""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from specter_graph.loaders.corpus_files import read_head
from specter_graph.loaders.format_api import (
    Count,
    Format,
    ParseResult,
    RecordError,
    RecordIssue,
    Results,
)
from specter_graph.loaders.parsing.delimited import read_header
from specter_graph.loaders.parsing.plain_text import read_text_lines
from specter_graph.loaders.parsing.tabular import Row, cell, column_names, entries, read_table
from specter_graph.loaders.parsing.tagged_lines import TagLayout, read_tagged_records
from specter_graph.loaders.records import Field, Labels

PAPER = ("paper", "paper_id")
LABEL = ("label", "field")
CODE = ("id", "code")
PARENT = ("parent", "parents", "broader")
SCHEMES = frozenset({"arxiv", "cui", "keyword", "mag", "mesh", "snomed", "umls"})
"""Known names of schemes, which may be names of columns."""
LABELS = frozenset((*PAPER, *LABEL, "name", "scheme"))
VOCABULARY = frozenset((*CODE, *PARENT, "name", "scheme"))

_MESH = "mesh"

_NEW = "*NEWRECORD"
_TAG = re.compile(r"\s*(?P<tag>\*NEWRECORD|[A-Z][A-Z0-9_ ]*(?= = ))(?: = (?P<value>.*))?")
_LAYOUT = TagLayout(_TAG, _NEW, key="UI")
_NAMES = ("MH", "SH", "NM")
_TREE = re.compile(rb"(?:[^;\r\n]+;[A-Z]\d\d(?:\.\d{3})*\r?\n){2}")
_NODE = re.compile(r"(.+);([A-Z]\d\d(?:\.\d+)*)")


def read_labels(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the labels of a file with their lines, and RecordIssues."""
    head, _ = read_head(path)
    if head.lstrip().startswith(_NEW.encode()):
        yield from _read_mesh_ascii(path, count)
    elif _TREE.match(head):
        yield from _read_mesh_tree(path, count)
    else:
        yield from _read_table(path, count)


def detect(name: str, head: bytes) -> str | None:
    """Detect a header of these columns and no others, or MeSH's own files."""
    if head.lstrip().startswith(_NEW.encode()):
        return "MeSH, ASCII"
    if _TREE.match(head):
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
    """Return the default scheme of a file: "snomed" for snomed.csv.gz."""
    return path.name.split(".")[0].strip().lower()


def _read_table(path: Path, count: Count) -> Results:
    names = column_names(path)
    columns = set(names)
    [scheme] = columns - set(PAPER) if len(columns - set(PAPER)) == 1 else [""]
    if not columns.isdisjoint(PAPER) and not columns.isdisjoint(LABEL):
        convert = partial(_convert_labels, scheme_of(path), LABEL)
        yield from read_table(path, count, convert, LABELS)
    elif scheme and len(names) == 2:
        convert = partial(_convert_labels, scheme, (scheme,))
        yield from read_table(path, count, convert, frozenset(columns))
    elif not columns or not columns.isdisjoint(CODE):
        yield from read_table(path, count, partial(_convert_term, scheme_of(path)), VOCABULARY)
    else:
        reason = "no columns paper and label, or id and name: the file is not loaded"
        yield 1, RecordIssue(reason, record=", ".join(names)[:10_000])


def _convert_labels(scheme: str, label: tuple[str, ...], row: Row) -> Iterator[ParseResult]:
    """Yield the labels of a paper in a row."""
    paper = cell(row, *PAPER)
    if not paper:
        raise RecordError("the paper is missing")
    keys = next((keys for column in label if (keys := entries(row, column))), [])
    if not keys:
        raise RecordError("the label is missing", paper)
    scheme = cell(row, "scheme") or scheme
    name = cell(row, "name") if len(keys) == 1 else ""
    yield Labels(paper, tuple(Field(scheme, key, name or key) for key in dict.fromkeys(keys)))


def _convert_term(scheme: str, row: Row) -> Iterator[ParseResult]:
    """Yield the label of a vocabulary in a row."""
    key = cell(row, *CODE)
    if not key:
        raise RecordError("id is missing")
    broader = [parent for column in PARENT for parent in entries(row, column) if parent != key]
    scheme = cell(row, "scheme") or scheme
    yield Field(scheme, key, cell(row, "name") or key, tuple(dict.fromkeys(broader)))


def _read_mesh_ascii(path: Path, count: Count) -> Results:
    """Yield headings (MH), qualifiers (SH) or supplementary concepts (NM) by unique id (UI).

    The broader headings follow from the tree numbers (MN) of all records, which are read first.
    """
    headings: list[tuple[int, Field, list[str]]] = []
    places: dict[str, str] = {}
    for line, record in read_tagged_records(path, count, _LAYOUT):
        if isinstance(record, RecordIssue):
            yield line, record
            continue
        key, name = record.first("UI"), record.first(*_NAMES)
        if not key or not name:
            yield line, RecordIssue("UI or name is missing", key or None, str(record)[:10_000])
            continue
        numbers = record.all("MN")
        places.update(dict.fromkeys(numbers, key))
        headings.append((line, Field(_MESH, key, name), numbers))
    for line, field, numbers in headings:
        yield line, Field(_MESH, field.id, field.name, _find_broader(numbers, places, field.id))


def _read_mesh_tree(path: Path, count: Count) -> Results:
    """Yield the headings of mtrees, identified by their names because the file has no ids."""
    headings: dict[str, tuple[int, list[str]]] = {}
    places: dict[str, str] = {}
    for line, text in read_text_lines(path, count):
        if isinstance(text, RecordIssue):
            yield line, text
        elif node := _NODE.fullmatch(text.strip()):
            name = node[1].strip()
            headings.setdefault(name, (line, []))[1].append(node[2])
            places[node[2]] = name
        elif text.strip():
            yield line, RecordIssue("the line is not name;number", record=text[:10_000])
    for name, (line, numbers) in headings.items():
        yield line, Field(_MESH, name, name, _find_broader(numbers, places, name))


def _find_broader(numbers: list[str], places: dict[str, str], itself: str) -> tuple[str, ...]:
    """Return the headings at the tree numbers directly above these."""
    above = (places.get(number.rpartition(".")[0]) for number in numbers)
    return tuple(dict.fromkeys(key for key in above if key and key != itself))


FORMAT = Format("labels", "subject labels of papers, and vocabularies", read_labels, detect)
