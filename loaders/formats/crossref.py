"""Crossref works in the format of its REST API: one a line, in pages, or the public data file.

The fields are those of Crossref's documentation ("REST API JSON format", and the schema of the
API); docs/formats/crossref.md has the field map.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from specter_graph.loaders import identifiers
from specter_graph.loaders.format_api import Count, Format, ParseResult, RecordError, Results
from specter_graph.loaders.formats import known_fields
from specter_graph.loaders.formats.bibliography import (
    distinct,
    labels,
    make_author,
    make_journal,
    make_venue,
    unique,
)
from specter_graph.loaders.identifiers import language_code
from specter_graph.loaders.parsing.field_values import (
    Json,
    JsonRecord,
    clean_name,
    describe_value,
    full_name,
    json_converter,
)
from specter_graph.loaders.parsing.json import convert_page, read_json
from specter_graph.loaders.parsing.plain_text import paragraphs, strip_markup
from specter_graph.loaders.records import Affiliation, Author, Identifier, Paper, Venue

SOURCE = "crossref"
_QUERY = frozenset({"start-index", "search-terms"})
KEYS = known_fields("crossref")

_DATES = ("issued", "published", "published-online", "published-print", "published-other")
_OTHER_DATES = ("posted", "content-created")
_BOOKS = frozenset({"book", "edited-book", "monograph", "reference-book", "proceedings", "report"})
_RETRACTIONS = frozenset({"retraction", "withdrawal", "removal"})
_RETRACTED = re.compile(r"(?:RETRACTED|WITHDRAWN)(?: ARTICLE| CHAPTER| PAPER)?\s*:")
_SAME = ("is-same-as", "is-identical-to")
_OPENING = re.compile(rb"\s*[\[{]")
_PARTS_OF_VOLUMES = frozenset({"book-chapter", "proceedings-article"})
_PAGE_HEAD = re.compile(rb'\s*\{\s*"status"\s*:\s*"ok"\s*,\s*"message-type"\s*:\s*"work(?:-list)?"')


def read_crossref(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the works of a file, each with the line where it begins."""
    return read_json(path, count, convert, KEYS)


def convert(record: Json) -> Iterator[ParseResult]:
    """Yield the paper of a work, or the papers of a page of works.

    Raises:
        RecordError: The DOI or the title of a work is missing.
    """
    if record and record.keys() <= _QUERY:
        return  # the object after the works of a page
    page = record.get("message", record)
    if not isinstance(page, dict):
        raise RecordError("message must be an object")
    works = page.get("items")
    if "DOI" in page or not isinstance(works, list):
        yield from _convert_paper(page)
    else:
        yield from convert_page(works, _convert_paper)


@json_converter
def _convert_paper(record: JsonRecord) -> Paper:
    doi, title = _read_doi(record), _read_title(record)
    year, published = _read_date(record)
    abstract = record.text("abstract")
    return Paper(
        id=f"doi:{doi.value}",
        title=title,
        abstract=paragraphs(abstract) if abstract else None,
        year=year,
        published=published,
        language=language_code(record.text("language")),
        url=record.text("URL"),
        source=SOURCE,
        retracted=_is_retracted(record, doi, title) or None,
        identifiers=distinct(_read_identifiers(record, doi)),
        authors=unique(_read_author(entry) for entry in record.objects("author")),
        venue=_read_venue(record),
        fields=labels(record.texts("subject"), "crossref-subject"),
        references=_read_references(record),
    )


def _read_doi(record: JsonRecord) -> Identifier:
    value = record.get("DOI")
    if not value:
        raise RecordError("DOI is missing")
    doi = identifiers.doi(value) if isinstance(value, str) else None
    if doi is None:
        raise RecordError(f"DOI {describe_value(value):.100} is not a DOI")
    return doi


def _read_title(record: JsonRecord) -> str:
    """Return the title with its subtitle, or else the title in the original language."""
    title, subtitle = _read_first(record, "title"), _read_first(record, "subtitle")
    if not title:
        title = _read_first(record, "original-title")
    if title and subtitle and subtitle.lower() not in title.lower():
        return f"{title}{' ' if title.endswith((':', '?', '!')) else ': '}{subtitle}"
    return title


def _read_first(record: JsonRecord, key: str) -> str:
    """Return the first string of a list, or a single string, as plain text; or ""."""
    return next(iter(_read_all(record, key)), "")


def _read_all(record: JsonRecord, key: str) -> list[str]:
    value = record.get(key)
    listed = [value] if isinstance(value, str) else record.texts(key)
    return [name for name in map(strip_markup, listed) if name]


def _read_date(record: JsonRecord) -> tuple[int | None, str | None]:
    """Return year and date, as far as it is known, of the first date that has a year."""
    for key in _DATES + _OTHER_DATES:
        dated = record.get(key)
        listed = dated.get("date-parts") if isinstance(dated, dict) else None
        parts = listed[0] if isinstance(listed, list) and listed else None
        numbers: list[int] = []
        for value in parts if isinstance(parts, list) else ():
            written = describe_value(value)
            if not written.isdecimal() or len(written) > 4:
                break
            numbers.append(int(written))
        if numbers and numbers[0]:
            return numbers[0], "-".join(f"{number:02}" for number in numbers[:3])
    return None, None


def _is_retracted(record: JsonRecord, doi: Identifier, title: str) -> bool:
    """Return True if an update of this work, or its title, reports a retraction."""
    kinds = {update.get("type") for update in _read_updates(record, "updated-by")}
    for update in _read_updates(record, "update-to"):
        target = update.get("DOI")
        if isinstance(target, str) and identifiers.doi(target) == doi:
            kinds.add(update.get("type"))
    return not kinds.isdisjoint(_RETRACTIONS) or bool(_RETRACTED.match(title))


def _read_updates(record: JsonRecord, key: str) -> list[JsonRecord]:
    return [u for u in record.objects(key) if isinstance(u.get("type"), str)]


def _read_identifiers(record: JsonRecord, doi: Identifier) -> Iterator[Identifier | None]:
    yield doi
    yield from map(identifiers.doi, record.texts("aliases"))
    if record.text("type") in _BOOKS:  # the ISBN of a chapter is that of the book
        for written in record.texts("ISBN"):
            isbn = identifiers.isbn(written.rpartition("/")[2])
            if not isbn:
                record.omitted.append(f"ISBN {written:.100} is not an ISBN")
            yield isbn
    relations = record.part("relation")
    for relation in _SAME:
        for other in relations.objects(relation):
            value = other.text("id") or ""
            if other.get("id-type") == "doi":
                yield identifiers.doi(value)
            elif other.get("id-type") == "arxiv":
                yield identifiers.arxiv(value)


def _read_author(entry: JsonRecord) -> Author | None:
    given = f"{entry.first_text('prefix')} {entry.first_text('given')}"
    name = full_name(given, entry.text("family"), entry.text("suffix")) or entry.text("name") or ""
    orcid = identifiers.orcid(entry.text("ORCID") or "")
    places = unique(_read_affiliations(entry))
    return make_author(SOURCE, strip_markup(name), entry.omitted, orcid=orcid, affiliations=places)


def _read_affiliations(author: JsonRecord) -> Iterator[Affiliation]:
    """Yield affiliations, identified by their ROR ids or else their names."""
    for entry in author.objects("affiliation"):
        name = clean_name(strip_markup(entry.text("name") or ""))
        if not name:
            author.omitted.append("an affiliation without a name")
            continue
        addresses = entry.inner_texts("id", "id")
        rors = (identifiers.ror(address) for address in addresses if "ror.org" in address.lower())
        ror = next(filter(None, rors), None)
        yield Affiliation(f"ror:{ror}" if ror else f"{SOURCE}:{name}", name)


def _read_venue(record: JsonRecord) -> Venue | None:
    """Return the container of a work: a journal by its ISSN, anything else by its name.

    A volume in a series (LNCS) has two titles, first that of the series, which has the ISSN. The
    venue is the volume.
    """
    titles = _read_all(record, "container-title")
    if len(titles) > 1 and record.get("type") in _PARTS_OF_VOLUMES:
        return make_venue(SOURCE, titles[-1])
    name = next(iter(titles), "")
    if not name and record.get("type") == "posted-content":
        places = record.inner_texts("institution", "name")
        name = next(iter(places), None) or _read_first(record, "group-title")
    if not name:
        name = strip_markup(record.part("event").text("name") or "")
    if not name:
        return None
    written = record.texts("ISSN") + record.inner_texts("issn-type", "value")
    return make_journal(SOURCE, name, written)


def _read_references(record: JsonRecord) -> tuple[str, ...]:
    """Return the references with a DOI; the others have no id."""
    written = record.inner_texts("reference", "DOI")
    results = [doi for doi in map(identifiers.doi_id, written) if doi]
    if len(results) < len(written):
        record.omitted.append(f"references whose DOI is not valid: {len(written) - len(results)}")
    return tuple(results)


def detect(name: str, head: bytes) -> str | None:
    """Detect works or a page of works, also those that doi.org gives as CSL-JSON."""
    if _PAGE_HEAD.match(head):
        return "Crossref, an answer of the REST API"
    marks = (b'"is-referenced-by-count"', b'"indexed"')
    if _OPENING.match(head) and b'"DOI"' in head and any(mark in head for mark in marks):
        return "Crossref works, JSON"
    return None


FORMAT = Format("crossref", "Crossref works", read_crossref, detect)
