"""What the layouts of arXiv's metadata have in common: from an entry to a paper."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from specter_graph.loaders import identifiers
from specter_graph.loaders.format_api import RecordError
from specter_graph.loaders.parsing.dates import exact_date
from specter_graph.loaders.parsing.field_values import clean_name
from specter_graph.loaders.records import Author, Field, Identifier, Paper, Venue

SOURCE = "arxiv"
CATEGORY = "arxiv"

_CATEGORY = re.compile(r"[a-z]+(?:-[a-z]+)*(?:\.[A-Za-z]+(?:-[A-Za-z]+)*)?", re.ASCII)
_MSC = re.compile(r"(?<![\w.])\d\d(?:[A-Z]\d\d|[A-Z]xx|-\d\d|-XX)(?!\w)")
_ACM = re.compile(r"(?<![\w.])[A-K]\.(?:\d|m)(?:\.(?:\d\d?|m))?(?!\w)")
_ISO_DAY = re.compile(r"(\d{4})-(\d\d)-(\d\d)(?!\d)", re.ASCII)
_MAIL_DAY = re.compile(r"(?:\w{3}, )?(?P<day>\d\d?) (?P<month>[A-Z][a-z]{2}) (?P<year>\d{4})\b")
_YEAR_OF_ID = re.compile(r"(?:[a-z-]+/)?(\d\d)(?:0[1-9]|1[0-2])", re.ASCII)
_FIRST_YEAR = 91
_WITHDRAWN = re.compile(r"\b(?:has been|have been|is|was) withdrawn\b|^\W*withdrawn\b", re.I)
_VENUE_ENDS = re.compile(r"(?:[\s,;:(\[]|\b(?:vol|volume|no|issue)\b\.?){1,9}\Z", re.IGNORECASE)
_NO_VENUE = re.compile(r"(?:in )?(?:the|proc\.?|proceedings)?(?: of)?(?: the)?", re.IGNORECASE)
_LONGEST_VENUE = 150


@dataclass(slots=True)
class Entry:
    """The metadata of a paper, as texts; `created` is when its first version came.

    `labels` are categories and classes of MSC and ACM, mixed or not; `subjects` are plain words.
    """

    id: str
    title: str
    abstract: str
    authors: tuple[Author, ...]
    labels: tuple[str, ...] = ()
    subjects: tuple[str, ...] = ()
    created: str = ""
    doi: str = ""
    journal: str = ""
    comments: str = ""
    url: str | None = None


def paper_of(entry: Entry, wrong: list[str]) -> Paper:
    """The paper; raises RecordError where the id is none of arXiv's, or the title is missing."""
    found = identifiers.arxiv(entry.id)
    if not found:
        raise RecordError(f"{entry.id:.100} is no arXiv id" if entry.id else "id is missing")
    key = f"{SOURCE}:{found.value}"
    title = " ".join(entry.title.split())
    if not title:
        raise RecordError("title is missing", key)
    year, published = _date(entry.created, found.value, wrong)
    return Paper(
        id=key,
        title=title,
        abstract=" ".join(entry.abstract.split()) or None,
        year=year,
        published=published,
        url=entry.url,
        source=SOURCE,
        retracted=bool(_WITHDRAWN.search(entry.comments[:200])) or None,
        identifiers=(found, *_dois(entry.doi, wrong)),
        authors=entry.authors,
        venue=_venue(entry.journal),
        fields=tuple({(f.scheme, f.id): f for f in _fields(entry, wrong)}.values()),
        elsewhere=("references",),
    )


def _date(created: str, number: str, wrong: list[str]) -> tuple[int | None, str | None]:
    """The year and the day of the first version; without it the year that the id tells."""
    if found := _ISO_DAY.match(created):
        return int(found[1]), found[0]
    if found := _MAIL_DAY.match(created):
        year = int(found["year"])
        return year, exact_date(year, found["month"], found["day"])
    if created:
        wrong.append(f"{created:.40} is no date")
    found = _YEAR_OF_ID.match(number)
    if not found:
        return None, None
    short = int(found[1])
    return (1900 if short >= _FIRST_YEAR else 2000) + short, None


def _dois(written: str, wrong: list[str]) -> tuple[Identifier, ...]:
    """A paper may have several, with spaces between them."""
    found: dict[Identifier, None] = {}
    for part in written.replace(";", " ").split():
        known = identifiers.dois(part)
        if not known:
            wrong.append(f"doi {part:.100} is none")
        found |= dict.fromkeys(one for one in known if one.scheme == "doi")
    return tuple(found)


def _fields(entry: Entry, wrong: list[str]) -> Iterator[Field]:
    for label in entry.labels:
        if _CATEGORY.fullmatch(label):
            archive = label.split(".")[0]
            yield Field(CATEGORY, label, label, (archive,) if archive != label else ())
            continue
        classes = [("msc", code) for code in _MSC.findall(label)]
        classes += [("acm", code) for code in _ACM.findall(label)]
        yield from (Field(scheme, code, code) for scheme, code in classes)
        if not classes:
            wrong.append(f"category {label:.60} is none")
    for name in map(clean_name, entry.subjects):
        if name:
            yield Field("keyword", name, name)


def _venue(journal: str) -> Venue | None:
    """The words before the first number of a journal reference: in "Phys.Rev.D76:1" Phys.Rev.D."""
    name = re.split(r"\d", journal[:_LONGEST_VENUE], maxsplit=1)[0]
    name = _VENUE_ENDS.sub("", clean_name(name))
    letters = sum(map(str.isalpha, name))
    if letters < 3 or _NO_VENUE.fullmatch(name):
        return None
    return Venue(f"{SOURCE}:{name}", name)
