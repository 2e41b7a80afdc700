"""EndNote: libraries in XML and in tagged text; docs/formats/library.md has the field map."""

import re
from collections.abc import Iterator
from pathlib import Path

from specter_graph.loaders import identifiers
from specter_graph.loaders.corpus_files import read_head
from specter_graph.loaders.format_api import Count, Format, ParseResult, Results
from specter_graph.loaders.formats import bibliography, field_map, known_fields
from specter_graph.loaders.parsing.field_values import paper_converter
from specter_graph.loaders.parsing.tagged_lines import Record, TagLayout, read_tagged
from specter_graph.loaders.parsing.xml import Element, read_records, text_of
from specter_graph.loaders.records import Identifier, Paper

SOURCE = "endnote"
BOOKS = frozenset({"Book", "Edited Book", "Electronic Book"})

_TAG = re.compile(r"(?P<tag>%[0-9A-Z@!#$^&+=<>()\[\]~?*|:;'\",./\\-])(?:[ \t](?P<value>.*))?")
_LAYOUT = TagLayout(_TAG, "%0", key="%F", lists=frozenset({"%K", "%X", "%U"}), other_start="%T")
_XML = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?<xml>\s*<records>")
_TAGGED = re.compile(rb"\s*%[0T] \S[^\n]*\n\s*%[0-9A-Z@] ")


def read_endnote(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the papers of a file, each with the first line of its record, and RecordIssues."""
    if read_head(path)[0].lstrip().startswith(b"<"):
        return read_records(path, count, _convert_xml, ("record",), known=known_fields("endnote"))
    return read_tagged(path, count, _LAYOUT, convert, known_fields("enw"))


def _convert_xml(element: Element) -> Iterator[ParseResult]:
    """Return the results of an element."""
    record = Record(1)
    kind = element.find("ref-type")
    record.values["%0"] = [kind.get("name", "") if kind is not None else ""]
    for tag, place in field_map("endnote-elements").items():
        texts = [text_of(child) for child in element.iterfind(place)]
        record.values[tag] = [text for text in texts if text]
    return convert(record)


@paper_converter
def convert(record: Record, omitted: list[str]) -> Paper:
    """Return the paper of a record."""
    names = (name.rstrip(",") for name in record.all("%A"))
    day = record.first("%8")
    return bibliography.make_paper(
        SOURCE,
        lambda *tags: record.first(*tags).replace("\n", " "),
        omitted,
        date=bibliography.read_date(omitted, record.first("%D"), day, month=day),
        url=next((url for url in record.listed("%U") if url.startswith("http")), ""),
        ids=_read_identifiers(record),
        authors=bibliography.authors(bibliography.names_in_order(names), SOURCE),
        fields=bibliography.split_keywords(record.all("%K")),
    )


def detect(name: str, head: bytes) -> str | None:
    """Detect the records of EndNote in XML, or a first line `%0 TYPE` or `%T TITLE`."""
    if _XML.match(head):
        return "EndNote XML"
    return "EndNote's tags" if _TAGGED.match(head) else None


def _read_identifiers(record: Record) -> Iterator[Identifier | None]:
    if record.first("%W").lower() in ("medline", "nlm", "pubmed"):
        yield identifiers.pubmed(record.first("%M"))
    if record.first("%2").upper().startswith("PMC"):
        yield identifiers.pmc(record.first("%2"))
    yield from map(bibliography.from_url, record.listed("%U"))
    yield from map(bibliography.from_arxiv_name, record.all("%J", "%B", "%M"))
    if record.first("%0") in BOOKS:
        yield from bibliography.isbns(" ".join(record.all("%@")))
    yield from bibliography.from_notes(record.all("%Z"))


FORMAT = Format(SOURCE, "EndNote XML and .enw", read_endnote, detect)
