"""Web of Science: plain text, tables and workbooks; docs/formats/bibliometric.md has the map.

Each record with a page has the text by which others cite it as an identifier (see
`bibliography.wos_reference`), so that `merge` finds the cited papers.
"""

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path

from specter_graph.loaders import identifiers
from specter_graph.loaders.corpus_files import read_head
from specter_graph.loaders.format_api import Count, Format, ParseResult, Results
from specter_graph.loaders.formats import bibliography, field_map, known_fields
from specter_graph.loaders.parsing.delimited import read_header, read_rows
from specter_graph.loaders.parsing.field_values import paper_converter
from specter_graph.loaders.parsing.tagged_lines import Record, TagLayout, read_tagged
from specter_graph.loaders.records import Affiliation, Author, Identifier, Paper

SOURCE = "wos"
LISTS = frozenset({"AU", "AF", "BA", "BF", "CA", "BE", "GP", "C1", "C3", "CR", "RP"})
"""Tags of which each line is a value; in tables they are separated by semicolons."""

_TAG = re.compile(r"(?P<tag>[A-Z][A-Z0-9])(?: (?P<value>.*))?")
_LAYOUT = TagLayout(_TAG, "PT", "ER", "UT", LISTS, frozenset({"FN", "VR", "EF"}))
_START = re.compile(rb"\s*FN (?:ISI|Clarivate|Thomson|Web of)[^\n]*\n\s*VR |\s*PT [A-Z]\r?\n")
_COLUMNS = frozenset({"pt", "au", "ti", "so", "ut"})
_NAMED_COLUMNS = frozenset({"article title", "source title", "ut (unique wos id)"})
"""Columns of an Excel workbook that was saved as CSV."""
_UT = re.compile(r"([A-Z]{2,10}):(\S+)")
_PLACE = re.compile(r"(?:\[([^\]]*)\]\s*)?(.+)")
_ENTRY = re.compile(r"[^;]+")
_ADDRESS = re.compile(r"(?:\[[^\[\]]*+\]|[^;])++")
"""An entry of C1, which has names between brackets."""


def read_wos(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the papers of a file, each with the first line of its record, and RecordIssues."""
    known = known_fields("wos")
    head = read_head(path)[0]
    if _START.match(head):
        return read_tagged(path, count, _LAYOUT, convert, known)
    tags, title = {tag.lower(): tag for tag in known}, "ti"
    if _NAMED_COLUMNS.issubset(read_header(head)):
        tags, title = field_map("wos-columns"), "article title"
    row = partial(_convert_row, tags)
    return read_rows(path, count, row, frozenset(tags), frozenset({title}))


def _convert_row(tags: Mapping[str, str], row: dict[str, str]) -> Iterator[ParseResult]:
    """Return the results of a row of a table; `tags` has the tag of each column."""
    record = Record(1)
    for column, value in row.items():
        tag = tags[column]
        entry = _ADDRESS if tag == "C1" else _ENTRY
        parts = entry.findall(value) if tag in LISTS else [value]
        record.values[tag] = ["\n".join(map(str.strip, parts))]
    return convert(record)


@paper_converter
def convert(record: Record, omitted: list[str]) -> Paper:
    """Return the paper of a record."""
    date = bibliography.date(record.first("PY", "EA"), record.first("PD"))
    ids = [*filter(None, _read_identifiers(record, date[0]))]
    others = [known.scheme for known in ids if known.scheme != bibliography.WOS_SCHEME]
    keys = [bibliography.wos_reference(line) for line in record.listed("CR")]
    if unmatched := keys.count(None):
        omitted.append(f"cited references without a DOI or a page: {unmatched}")
    return bibliography.make_paper(
        SOURCE,
        record.first,
        omitted,
        paper_id=_read_accession(record),
        key=identifiers.first_key(ids, others),
        date=date,
        retracted="Retracted Publication" in record.first("DT"),
        ids=ids,
        authors=_read_authors(record, omitted),
        fields=bibliography.labels_of_row(SOURCE, record.first),
        references=filter(None, keys),
        elsewhere=() if "CR" in record.values else ("references",),
    )


def detect(name: str, head: bytes) -> str | None:
    """Detect the first lines of an export, or the columns of a table."""
    if _START.match(head):
        return "Web of Science, plain text"
    columns = set(read_header(head))
    if columns >= _NAMED_COLUMNS:
        return "Web of Science, Excel"
    return "Web of Science, tab-delimited" if columns >= _COLUMNS else None


def _read_accession(record: Record) -> str | None:
    """Return the accession number as an id: `wos:000221807500020`, `pmid:16842170`."""
    match = _UT.fullmatch(record.first("UT"))
    if not match:
        return None
    scheme = {"ISI": SOURCE, "MEDLINE": "pmid"}.get(match[1], match[1].lower())
    return f"{scheme}:{match[2]}"


def _read_identifiers(record: Record, year: int | None) -> Iterator[Identifier | None]:
    yield identifiers.pubmed(record.first("PM"))
    if record.first("DT").startswith("Book") and record.first("PT") == "B":
        yield from bibliography.isbns(record.first("BN"))
    first = next(iter(record.listed("AU")), "").replace(",", "").replace(".", "")
    volume, page = record.first("VL"), record.first("BP", "AR")
    written = f"V{volume}, P{page}" if volume else f"P{page}"
    journal = record.first("J9")
    if first and year and journal and page:
        key = bibliography.wos_reference(f"{first}, {year}, {journal}, {written}")
        yield Identifier(bibliography.WOS_SCHEME, key.partition(":")[2]) if key else None


def _read_authors(record: Record, omitted: list[str]) -> tuple[Author, ...]:
    """Return the authors by full names, if there are any, with their affiliations."""
    written = [part for line in record.listed("AF", "AU", "CA") for part in line.split("; ")]
    places: dict[str, list[Affiliation]] = {}
    for line in record.listed("C1"):
        if match := _PLACE.fullmatch(line):
            name = match[2].split(",")[0].strip(" .")
            if place := bibliography.make_affiliation(SOURCE, name, omitted):
                for author in (match[1] or (written[0] if len(written) == 1 else "")).split("; "):
                    places.setdefault(author.strip(), []).append(place)
    return bibliography.unique(
        bibliography.make_author(
            SOURCE, bibliography.name_in_order(name), omitted, affiliations=places.get(name, ())
        )
        for name in written
    )


FORMAT = Format(SOURCE, "Web of Science", read_wos, detect)
