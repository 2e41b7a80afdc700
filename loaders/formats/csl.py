"""CSL-JSON: an array of items; docs/formats/library.md has the field map."""

import re
from collections.abc import Iterator
from pathlib import Path

from specter_graph.loaders import identifiers
from specter_graph.loaders.format_api import Count, Format, RecordError, Results
from specter_graph.loaders.formats import bibliography, known_fields
from specter_graph.loaders.parsing.field_values import JsonRecord, full_name, json_converter
from specter_graph.loaders.parsing.json import read_array
from specter_graph.loaders.records import Identifier, Paper

SOURCE = "csl"
BOOKS = frozenset({"book", "periodical", "collection"})
_FAMILY = ("dropping-particle", "non-dropping-particle", "family")
_BEGINNING = re.compile(rb'\s*(?:\{\s*"items"\s*:\s*)?\[\s*\{')
_OTHER_FORMATS = (b'"itemType"', b'"is-referenced-by-count"')
_TYPE = re.compile(rb'"type"\s*:\s*"([a-z_-]+)"')


def read_csl(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the papers of a file, each with the line where its item begins, and RecordIssues."""
    return read_array(path, count, convert, known_fields("csl"))


@json_converter
def convert(item: JsonRecord) -> Paper:
    """Return the paper of an item; raise RecordError without an id."""
    keyword = item.text("keyword")
    return bibliography.make_paper(
        SOURCE,
        item.first_text,
        item.omitted,
        paper_id=_read_id(item),
        date=_read_date(item),
        ids=_read_identifiers(item),
        authors=bibliography.authors(_read_names(item), SOURCE, item.omitted),
        fields=bibliography.keywords([*([keyword] if keyword else []), *item.texts("categories")]),
    )


def detect(name: str, head: bytes) -> str | None:
    """Detect an array with a type of CSL near its beginning, or an item of doi.org (DataCite)."""
    is_item = head.lstrip().startswith(b"{") and b'"issued"' in head
    is_csl = b'"id"' in head and (is_item or _BEGINNING.match(head))
    if not is_csl or any(key in head for key in _OTHER_FORMATS):
        return None
    kind = _TYPE.search(head)
    if not kind or kind[1].decode() not in known_fields("csl-types"):
        return None
    return f"CSL-JSON, {kind[1].decode()}"


def _read_id(item: JsonRecord) -> str:
    written, doi = item.text_or_number("id"), item.get("DOI")
    if "//doi.org/" in written:  # DataCite has "https://doi.org/10.5281/zenodo.1"
        return identifiers.doi_id(written) or written
    if written:
        return written
    if type(doi) is str and (known := identifiers.doi(doi)):
        return f"doi:{known.value}"
    raise RecordError("id is missing")


def _read_date(item: JsonRecord) -> tuple[int | None, str | None]:
    """Return year and date from the three notations of CSL: parts, text and EDTF."""
    issued = item.get("issued")
    if type(issued) is str:
        issued = {"raw": issued}
    if type(issued) is not dict:
        if issued is not None:
            item.omitted.append("issued is not a date")
        return None, None
    parts = issued.get("date-parts")
    if type(parts) is list and parts and type(parts[0]) is list:
        texts = [str(part) for part in parts[0][:3] if type(part) in (int, str)]
        written = "-".join(texts)
    else:
        written = next(
            (issued[k] for k in ("edtf", "raw", "literal") if type(issued.get(k)) is str), ""
        )
    year, published = bibliography.date(written)
    if year is None and issued:
        item.omitted.append(f"issued {written:.100} is not a date".replace("  ", " "))
    return year, published


def _read_names(item: JsonRecord) -> Iterator[str]:
    for name in item.objects("author"):
        family = " ".join(map(name.first_text, _FAMILY))
        written = full_name(name.text("given"), family, name.text("suffix"))
        yield written or name.first_text("literal")


def _read_identifiers(item: JsonRecord) -> Iterator[Identifier | None]:
    yield bibliography.from_url(item.text_or_number("id"))
    yield identifiers.pubmed(item.text_or_number("PMID"))
    yield identifiers.pmc(item.text_or_number("PMCID"))
    yield bibliography.from_arxiv_name(item.text_or_number("number"))
    yield bibliography.from_url(item.first_text("URL"))
    if item.text("type") in BOOKS:
        yield from bibliography.isbns(item.text_or_number("ISBN"))
    yield from bibliography.from_notes([item.first_text("note")])


FORMAT = Format(SOURCE, "CSL-JSON", read_csl, detect)
