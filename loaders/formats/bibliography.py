"""What the formats of people's own libraries share: names, dates, keywords, identifiers."""

import re
from collections.abc import Iterable, Iterator

from specter_graph.loaders import identifiers
from specter_graph.loaders.parsing.field_values import clean_name
from specter_graph.loaders.records import Author, Field, Identifier

KEYWORD = "keyword"
"""The scheme of keywords."""

_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_DATE = re.compile(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?!\d)")
_MONTHS = {
    "jan": 1, "feb": 2, "mar": 3, "apr": 4, "may": 5, "jun": 6,
    "jul": 7, "aug": 8, "sep": 9, "oct": 10, "nov": 11, "dec": 12,
}  # fmt: skip
_NOTED = re.compile(r"(?im)^\s*(DOI|PMID|PMCID|arXiv)\s*:\s*(\S+)")
_ARXIV_DOI = re.compile(r"10\.48550/arxiv\.(\S+)")
_ARXIV = re.compile(r"arxiv", re.IGNORECASE)
_SITES = (
    (re.compile(r"//(?:dx\.)?doi\.org/(.+)"), identifiers.doi),
    (re.compile(r"//(?:\w+\.)?arxiv\.org/(?:abs|pdf|html)/(.+)"), identifiers.arxiv),
    (re.compile(r"//pubmed\.ncbi\.nlm\.nih\.gov/(\d+)"), identifiers.pubmed),
    (re.compile(r"//(?:www\.)?ncbi\.nlm\.nih\.gov/pubmed/(\d+)"), identifiers.pubmed),
    (re.compile(r"ncbi\.nlm\.nih\.gov/(?:pmc/)?articles/(PMC\d+)"), identifiers.pmc),
    (re.compile(r"//(?:www\.)?aclanthology\.org/([^/?#]+?)(?:\.pdf|\.bib)?/?$"), identifiers.acl),
    (re.compile(r"//dblp\.(?:uni-trier\.de|org|dagstuhl\.de)/rec/(.+)"), identifiers.dblp),
)


def person(last: str, first: str = "", suffix: str = "") -> str:
    """The name of a person in the order of speech: "Martin Luther King Jr."."""
    return clean_name(f"{first} {last} {suffix}")


def person_in_order(name: str) -> str:
    """The same of "King, Martin Luther, Jr."; without a comma it stands as it is."""
    last, *rest = name.split(",")
    return person(last, *(part for part in rest[:2]))


def authors(names: Iterable[str], source: str) -> tuple[Author, ...]:
    """Authors in order, each once, known by their names only."""
    distinct = dict.fromkeys(name for name in map(clean_name, names) if name)
    return tuple(Author(f"{source}:{name}", name) for name in distinct)


def keywords(values: Iterable[str]) -> tuple[Field, ...]:
    """Keywords out of texts that hold several each, with `;`, line ends or else `,` between."""
    names: list[str] = []
    for value in values:
        parts = re.split(r"[;\n]", value)
        names += parts if len(parts) > 1 else value.split(",")
    return labels(names)


def labels(names: Iterable[str], scheme: str = KEYWORD) -> tuple[Field, ...]:
    """Subject labels that have only names, each once."""
    distinct = dict.fromkeys(name for name in map(clean_name, names) if name)
    return tuple(Field(scheme, name, name) for name in distinct)


def date(value: str, month: str = "") -> tuple[int | None, str | None]:
    """The year of a date, and the date with its month and day, if it says them.

    Dates are "2020-07-05", "2020/7", "2020", "July 2020" and the like; the second is written
    2020-07-05 or 2020-07 then.
    """
    if found := _DATE.search(value):
        parts = [int(part) for part in found.groups() if part]
        for at, most in ((1, 12), (2, 31)):  # ADS and others write 2020-07-00
            if len(parts) > at and not 1 <= parts[at] <= most:
                del parts[at:]
    elif found := _YEAR.search(value):
        parts = [int(found[0])]
    else:
        return None, None
    if len(parts) == 1 and (number := month_number(month or value.replace(found[0], ""))):
        parts.append(number)
    written = "-".join([f"{parts[0]:04}", *(f"{part:02}" for part in parts[1:])])
    return parts[0], written if len(parts) > 1 else None


def month_number(value: str) -> int | None:
    """The month that a text names, in English or as a number by itself."""
    if value.strip().isdecimal():
        number = int(value) if len(value.strip()) <= 2 else 0
        return number if 1 <= number <= 12 else None
    found = re.search(r"[A-Za-z]{3,}", value)
    return _MONTHS.get(found[0][:3].lower()) if found else None


def distinct(found: Iterable[Identifier | None]) -> tuple[Identifier, ...]:
    """Identifiers, each once; a DOI that arXiv gave is also an arXiv id."""
    kept: dict[Identifier, None] = {}
    for identifier in found:
        if identifier is None:
            continue
        kept[identifier] = None
        own = identifier.scheme == "doi" and _ARXIV_DOI.fullmatch(identifier.value)
        if own and (arxiv := identifiers.arxiv(own[1])):
            kept[arxiv] = None
    return tuple(kept)


def from_url(url: str) -> Identifier | None:
    """The identifier that the address of a paper holds, at the sites that we know."""
    for pattern, normalise in _SITES:
        if found := pattern.search(url):
            return normalise(found[1])
    return None


def from_note(note: str) -> Iterator[Identifier | None]:
    """Identifiers that Zotero and others keep as lines of a note, such as "PMID: 1"."""
    for scheme, value in _NOTED.findall(note):
        normalise = {
            "doi": identifiers.doi,
            "pmid": identifiers.pubmed,
            "pmcid": identifiers.pmc,
            "arxiv": identifiers.arxiv,
        }[scheme.lower()]
        yield normalise(value)


def from_arxiv_name(value: str) -> Identifier | None:
    """The arXiv id in a text that names arXiv: "arXiv preprint arXiv:2004.07180"."""
    return identifiers.arxiv(value) if _ARXIV.search(value) else None
