"""EndNote: libraries in XML and in tagged text; docs/formats/library.md has the field map."""

import re
from collections.abc import Iterator
from pathlib import Path

from specter_graph.loaders import identifiers
from specter_graph.loaders.corpus_files import read_head
from specter_graph.loaders.format_api import Count, Format, ParseResult, Results
from specter_graph.loaders.formats import bibliography, known_fields
from specter_graph.loaders.identifiers import language_code
from specter_graph.loaders.parsing.field_values import paper_converter
from specter_graph.loaders.parsing.plain_text import paragraphs, strip_markup
from specter_graph.loaders.parsing.tagged_lines import Record, TagLayout, read_tagged
from specter_graph.loaders.parsing.xml import Element, read_records, text_of
from specter_graph.loaders.records import Identifier, Paper

SOURCE = "endnote"
BOOKS = frozenset({"Book", "Edited Book", "Electronic Book"})

_TAG = re.compile(r"(?P<tag>%[0-9A-Z@!#$^&+=<>()\[\]~?*|:;'\",./\\-])(?:[ \t](?P<value>.*))?")
_LAYOUT = TagLayout(_TAG, "%0", key="%F", lists=frozenset({"%K", "%X", "%U"}), other_start="%T")
_XML = re.compile(rb"\s*(?:<\?xml[^>]*>\s*)?<xml>\s*<records>")
_TAGGED = re.compile(rb"\s*%[0T] \w+[^\n]*\n\s*%[0-9A-Z@] ")
_TAGS_OF_ELEMENTS = {
    "%A": "contributors/authors/author",
    "%T": "titles/title",
    "%J": "periodical/full-title",
    "%B": "titles/secondary-title",
    "%D": "dates/year",
    "%8": "dates/pub-dates/date",
    "%K": "keywords/keyword",
    "%X": "abstract",
    "%R": "electronic-resource-num",
    "%U": "urls/*/url",
    "%M": "accession-num",
    "%W": "remote-database-name",
    "%@": "isbn",
    "%2": "custom2",
    "%G": "language",
    "%Z": "notes",
}
"""The tag that has the contents of an element of XML."""


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
    for tag, place in _TAGS_OF_ELEMENTS.items():
        texts = [text_of(child) for child in element.iterfind(place)]
        record.values[tag] = [text for text in texts if text]
    return convert(record)


@paper_converter
def convert(record: Record, omitted: list[str]) -> Paper:
    """Return the paper of a record."""
    title = strip_markup(record.first("%T"))
    ids = bibliography.distinct(_identifiers(record))
    names = (bibliography.name_in_order(name.rstrip(",")) for name in record.all("%A"))
    authors = bibliography.authors(names, SOURCE)
    when = record.first("%D")
    year, published = bibliography.date(when, record.first("%8"))
    if year is None:
        year, published = bibliography.date(record.first("%8"))
    if when and year is None:
        omitted.append(f"year {when:.100} is not a year")
    keywords = [line for value in record.all("%K") for line in value.split("\n")]
    return Paper(
        id=identifiers.make_id(SOURCE, ids, title, year, authors),
        title=title,
        abstract=paragraphs(record.first("%X").replace("\n", " ")),
        year=year,
        published=published,
        language=language_code(record.first("%G")),
        url=next((url for url in record.listed("%U") if url.startswith("http")), None),
        source=SOURCE,
        identifiers=ids,
        authors=authors,
        venue=bibliography.make_venue(SOURCE, strip_markup(record.first("%J", "%B"))),
        fields=bibliography.labels(keywords)
        if len(keywords) > 1
        else bibliography.keywords(keywords),
    )


def detect(name: str, head: bytes) -> str | None:
    """Detect the records of EndNote in XML, or a first line `%0 TYPE` or `%T TITLE`."""
    if _XML.match(head):
        return "EndNote XML"
    return "EndNote's tags" if _TAGGED.match(head) else None


def _identifiers(record: Record) -> Iterator[Identifier | None]:
    yield identifiers.doi(record.first("%R"))
    if record.first("%W").lower() in ("medline", "nlm", "pubmed"):
        yield identifiers.pubmed(record.first("%M"))
    if record.first("%2").upper().startswith("PMC"):
        yield identifiers.pmc(record.first("%2"))
    for url in record.listed("%U"):
        yield bibliography.from_url(url)
    for name in record.all("%J", "%B", "%M"):
        yield bibliography.from_arxiv_name(name)
    if record.first("%0") in BOOKS:
        yield from bibliography.isbns(" ".join(record.all("%@")))
    for note in record.all("%Z"):
        yield from bibliography.from_note(note)


FORMAT = Format(SOURCE, "EndNote XML and .enw", read_endnote, detect)
