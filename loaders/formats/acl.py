"""The ACL Anthology: the XML files of its repository, one for each collection of volumes.

The elements are those of the Anthology's schema (data/xml/schema.rnc) and its Python library;
docs/formats/acl.md has the field map.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from specter_graph.loaders.format_api import Count, Format, ParseResult, RecordError, Results
from specter_graph.loaders.formats import known_fields
from specter_graph.loaders.formats.bibliography import (
    exact_date,
    make_author,
    make_venue,
    read_dois,
    read_orcid,
    unique,
)
from specter_graph.loaders.identifiers import language_code
from specter_graph.loaders.parsing.field_values import clean_name, full_name, paper_converter
from specter_graph.loaders.parsing.xml import (
    Element,
    Parts,
    iter_children,
    parts_of,
    read_records,
    text_of,
)
from specter_graph.loaders.records import Author, Identifier, Paper, Venue

SOURCE = "acl"

_NEW_STYLE = re.compile(r"\d{4}\.\w+", re.ASCII)
_OLD_STYLE = re.compile(r"[A-Z]\d\d", re.ASCII)
_YEAR = re.compile(r"\d{4}", re.ASCII)
_NUMBER = re.compile(r"\d+", re.ASCII)
_FIRST_YEAR = 60
_LETTERS = re.compile(r"[A-Za-z]+")
_WORKSHOP = "ws"
"""The venue of all workshops; another venue of a volume is preferred."""
_ROOT = re.compile(rb'<collection\s[^<>]*\bid="|<volume\s[^<>]*\bid="[A-Z]\d\d"')


def read_acl(path: Path, count: Count = lambda size: None) -> Results:
    """Yield the papers of a file, each with the line where it begins."""
    return read_records(
        path,
        count,
        Volumes().convert,
        ("paper", "meta"),
        openings=("collection", "volume", "event"),
        known=known_fields("acl"),
    )


class Volumes:
    """Converts papers one by one, and remembers their volume."""

    def __init__(self) -> None:
        self._collection = ""
        self._volume = ""
        self._meta: Parts = {}

    def convert(self, element: Element) -> Iterator[ParseResult]:
        """Yield the paper of a `paper`; remember the elements around papers.

        Raises:
            RecordError: The id or the title of a paper is missing.
        """
        if element.tag == "collection":
            self._collection, self._volume, self._meta = element.get("id", ""), "", {}
        elif element.tag == "volume":
            self._volume, self._meta = element.get("id", ""), {}
        elif element.tag == "event":
            self._volume, self._meta = "", {}
        elif element.tag == "meta":
            self._meta = parts_of(element)
        else:
            yield from paper_converter(self._convert_paper)(element)

    def _convert_paper(self, element: Element, omitted: list[str]) -> Paper:
        number = anthology_id(self._collection, self._volume, element.get("id", "").strip())
        parts = parts_of(element)
        year, published = _read_date(parts, self._meta, omitted)
        year = year or _parse_year(number)
        return Paper(
            id=f"{SOURCE}:{number}",
            title=text_of(parts.get("title")),
            abstract=text_of(parts.get("abstract")) or None,
            year=year,
            published=published,
            language=language_code(text_of(parts.get("language"))),
            url=_read_url(parts),
            source=SOURCE,
            retracted="retracted" in parts or "removed" in parts or None,
            identifiers=(Identifier("acl", number), *_read_doi(parts, omitted)),
            authors=unique(
                _read_author(author, omitted) for author in iter_children(parts.get("author"))
            ),
            venue=_read_venue(parts, self._meta),
            elsewhere=("references",),
        )


def anthology_id(collection: str, volume: str, paper: str) -> str:
    """Return the id of a paper: 2020.acl-main.207, or P18-1001 until 2019.

    In old ids, a volume has one digit and a paper three; for workshops (W), C69, and D19 from its
    fifth volume, both have two. In the oldest layout, the id of the volume is P18, and papers have
    four digits.

    Raises:
        RecordError: A part is missing or not valid.
    """
    if not paper or not volume:
        raise RecordError("the paper has no id" if volume else "the paper is in no volume")
    if _NEW_STYLE.fullmatch(collection):
        return f"{collection}-{volume}.{paper}"
    old = collection or volume
    numbers = (paper, volume) if collection else (paper,)
    if not _OLD_STYLE.fullmatch(old) or not all(map(_NUMBER.fullmatch, numbers)):
        raise RecordError(f"{old}-{volume}.{paper} is not an id of the Anthology"[:200])
    if not collection:
        return f"{old}-{int(paper[:9]):04}"
    two = old.startswith("W") or old == "C69" or (old == "D19" and int(volume[:9]) >= 5)
    return f"{old}-{int(volume[:9]):0{2 if two else 1}}{int(paper[:9]):0{2 if two else 3}}"


def _read_date(parts: Parts, meta: Parts, omitted: list[str]) -> tuple[int | None, str | None]:
    """Return year and month of the paper, or else of the volume."""
    for place in (parts, meta):
        year = text_of(place.get("year"))
        if _YEAR.fullmatch(year):
            words = _LETTERS.findall(text_of(place.get("month")))
            return int(year), exact_date(int(year), words[0] if words else "", "")
        if year:
            omitted.append(f"year {year:.40} is not valid")
    return None, None


def _parse_year(number: str) -> int | None:
    """Return the year in an id: 2020.acl-main.207, C00-1001 or J79-1001."""
    if match := _YEAR.match(number):
        return int(match[0])
    short = int(number[1:3])
    return short + (1900 if short >= _FIRST_YEAR else 2000)


def _read_doi(parts: Parts, omitted: list[str]) -> tuple[Identifier, ...]:
    """Return the DOI; some papers of 2007 and 2008 have a handle in its place."""
    written = text_of(parts.get("doi"))
    return () if "hdl.handle.net" in written else read_dois(written, omitted)


def _read_url(parts: Parts) -> str | None:
    """Return the URL of a paper on another site; other papers have only a name there."""
    url = text_of(parts.get("url"))
    return url if url.startswith(("http://", "https://")) else None


def _read_author(element: Element, omitted: list[str]) -> Author | None:
    """Return an author, with an id if the Anthology has verified the author."""
    parts = parts_of(element)
    name = full_name(text_of(parts.get("first")), text_of(parts.get("last"))) or text_of(element)
    author_id = element.get("id", "").strip()
    return make_author(
        SOURCE,
        name,
        omitted,
        key=f"{SOURCE}:{author_id}" if author_id else None,
        orcid=read_orcid([element.get("orcid", "")], omitted),
        institutions=[text_of(parts.get("affiliation"))],
    )


def _read_venue(parts: Parts, meta: Parts) -> Venue | None:
    """Return the venue by the Anthology's short name, or else the journal or the volume's title."""
    venues = [text_of(venue) for venue in iter_children(meta.get("venue"))]
    venues = [name for name in venues if name != _WORKSHOP] or venues
    journal = parts.get("journal"), meta.get("journal-title"), meta.get("booktitle")
    names = [*venues, *map(text_of, journal), text_of(parts.get("booktitle"))]
    return make_venue(SOURCE, next(filter(None, map(clean_name, names)), None))


def detect(name: str, head: bytes) -> str | None:
    """Detect a collection of volumes of papers, or a volume of the old layout."""
    if _ROOT.search(head) and b"<paper" in head:
        return "ACL Anthology XML"
    return None


FORMAT = Format("acl", "ACL Anthology XML", read_acl, detect)
