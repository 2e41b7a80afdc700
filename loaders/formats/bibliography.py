"""Parts of records in several formats: names, dates, keywords, identifiers, cited references.

Exports of Scopus and Web of Science have cited references as texts. Scopus:
`Ide, A., Salt (2019) J. Sea, 4, pp. 1-9. , https://doi.org/10.1000/s.1; ...`, often without a DOI.
Web of Science: lines such as `GNATENKO YP, 2003, J APPL PHYS, V94, P4896, DOI 10.1063/1.2`.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import TypeVar

from specter_graph.loaders import identifiers
from specter_graph.loaders.formats import field_map
from specter_graph.loaders.identifiers import is_cjk, language_code, split_suffix
from specter_graph.loaders.parsing.field_values import clean_name, full_name
from specter_graph.loaders.parsing.plain_text import COMMA, SEMICOLON, paragraphs, strip_markup
from specter_graph.loaders.records import (
    Affiliation,
    Author,
    Citation,
    Field,
    Identifier,
    Paper,
    PaperText,
    Venue,
)
from specter_graph.loaders.validation import MAX_NAME_LENGTH

Named = TypeVar("Named", Affiliation, Author, PaperText)

KEYWORD = "keyword"
"""The scheme of keywords."""
WOS_SCHEME = "wosref"
"""The scheme of cited references as Web of Science writes them."""

_SCOPUS_DOI = re.compile(r"(?<![\w.])10\.\d{4,9}/[^\s;,]+")
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_DATE = re.compile(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?!\d)")
_DATE_OF_DIGITS = re.compile(r"([12]\d{3})([01]\d)([0-3]\d)")
_DAY = re.compile(r"0?[1-9]|[12]\d|3[01]", re.ASCII)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_INITIALS = re.compile(r"(?:[A-Z]\.?[ -]?){1,4}")
_INITIALS_FIRST = re.compile(r"(?:[A-Z]\.[ -]?)+\w[^.,]+")
_INITIALS_LAST = re.compile(r"\w.* (?:[A-Z]\.?-?){1,3}")
_NOTED = re.compile(r"(?im)^[^\S\n]*(DOI|PMID|PMCID|arXiv)\s*:\s*(\S+)")
_ARXIV = re.compile(r"arxiv", re.IGNORECASE)
_SITES = (
    (re.compile(r"//(?:\w+\.)?arxiv\.org/(?:abs|pdf|html)/(.+)"), identifiers.arxiv),
    (re.compile(r"//pubmed\.ncbi\.nlm\.nih\.gov/(\d+)"), identifiers.pubmed),
    (re.compile(r"//(?:www\.)?ncbi\.nlm\.nih\.gov/pubmed/(\d+)"), identifiers.pubmed),
    (re.compile(r"ncbi\.nlm\.nih\.gov/(?:pmc/)?articles/(PMC\d+)"), identifiers.pmc),
    (re.compile(r"//(?:www\.)?aclanthology\.org/([^/?#]+?)(?:\.pdf|\.bib)?/?$"), identifiers.acl),
    (  # the first URL after the last /book/; its start is atomic, or the time would be quadratic
        re.compile(
            r"(?s)\A(?>.*/(?:book|series|toc)/)?+(?>.*?(?=https?://))(https?://.*[/=:]10\.\d{4}.*)"
        ),
        identifiers.doi,
    ),
    (re.compile(r"//dblp\.(?:uni-trier\.de|org|dagstuhl\.de)/rec/(.+)"), identifiers.dblp),
)
_KEY = re.compile(r"([^,]+), (\d{4}), ([^,]+)((?:, V[^,\s]+)?, P[^,\s]+)(?:, .*)?")
_FULL_STOP = re.compile(r"\.\s*\n\s*|(?<=\S\S)\.\s+(?=[^,]{2,60},\s+\d{4},\s)")
_ARTICLE = re.compile(r", ARTN (?=[^,\s])")


def make_paper(
    source: str,
    first: Callable[..., str],
    omitted: list[str],
    *,
    date: tuple[int | None, str | None],
    authors: Iterable[Author | None],
    ids: Iterable[Identifier | None],
    title: str = "",
    venue: Venue | None = None,
    fields: Iterable[Field] = (),
    references: Iterable[str] = (),
    url: str = "",
    paper_id: str | None = None,
    key: str | None = None,
    retracted: bool = False,
    elsewhere: tuple[str, ...] = (),
) -> Paper:
    """Return a paper of a library or a database, with the values that its field map names.

    Args:
        source: The section of field_maps.toml, with which ids begin.
        first: Returns the value of the first of several names that has one, or "".
        omitted: Gets descriptions of values that are left out.
        date: The year and the date of publication; see `date`.
        authors: The authors; None and repeated ones are left out.
        ids: The identifiers after the DOI of the field map.
        title: The title, by default from the field map.
        venue: The venue, by default from the field map.
        fields: The subject labels.
        references: The ids of cited papers.
        url: The address of the paper, by default from the field map.
        paper_id: The id of the paper, by default the DOI or else the key or a digest.
        key: An id that two papers may have.
        retracted: Whether the paper was retracted.
        elsewhere: See `Paper`.
    """
    names = field_map(source)

    def get(name: str) -> str:
        return first(*names.get(name, ()))

    title = strip_markup(title or get("title"))
    known = distinct(chain(read_dois(get("doi"), omitted), ids))
    year, published = date
    people = unique(authors)
    return Paper(
        id=paper_id or identifiers.make_id(source, known, title, year, people, key),
        title=title,
        abstract=paragraphs(get("abstract")),
        year=year,
        published=published,
        language=language_code(get("language")),
        url=url or get("url") or None,
        source=source,
        retracted=retracted or None,
        identifiers=known,
        authors=people,
        venue=venue or make_venue(source, strip_markup(get("venue"))),
        fields=tuple(fields),
        references=tuple(dict.fromkeys(references)),
        elsewhere=elsewhere,
    )


def unique(records: Iterable[Named | None]) -> tuple[Named, ...]:
    """Return the first record of each id, in order."""
    first: dict[str, Named] = {}
    for record in records:
        if record:
            first.setdefault(record.id, record)
    return tuple(first.values())


def make_author(
    source: str,
    name: str | None,
    omitted: list[str],
    *,
    key: str | None = None,
    orcid: str | None = None,
    affiliations: Iterable[Affiliation | None] = (),
    institutions: Iterable[str] = (),
) -> Author | None:
    """Return an author identified by the key, the ORCID iD or the name; None without a name.

    `institutions` are names of further affiliations.

    Without a key, a name without a letter is none: arXiv has ":" among the authors of
    collaborations.
    """
    name = clean_name(name or "")
    if not name or not (key or any(map(str.isalpha, name))):
        omitted.append("an author without a name")
        return None
    key = key or (f"orcid:{orcid}" if orcid else None)
    places: tuple[Affiliation, ...] = ()
    if affiliations or institutions:
        named = (make_affiliation(source, place, omitted) for place in institutions)
        places = unique(chain(affiliations, named))
    return Author(key or f"{source}:{name}", name, key is not None, orcid, places)


def make_affiliation(
    source: str, name: str, omitted: list[str], key: str | None = None
) -> Affiliation | None:
    """Return an affiliation identified by the key or the name; None without a usable name."""
    name = clean_name(name)
    if len(name) > MAX_NAME_LENGTH:
        omitted.append(f"an affiliation of more than {MAX_NAME_LENGTH:,} characters")
        return None
    return Affiliation(key or f"{source}:{name}", name) if name else None


def make_venue(source: str, name: str | None, key: str | None = None) -> Venue | None:
    """Return a venue identified by the key or the name; None without a name."""
    name = clean_name(name or "")
    return Venue(key or f"{source}:{name}", name) if name else None


def make_journal(
    source: str, name: str | None, issns: Iterable[str], key: str | None = None
) -> Venue | None:
    """Return a journal identified by its smallest ISSN, or else by the key or the name."""
    issn = min(filter(None, map(identifiers.issn, issns)), default=None)
    return make_venue(source, name, f"issn:{issn}" if issn else key)


def name_in_order(name: str) -> str:
    """Return "Martin King Jr." for "King, Martin, Jr." and for "King, Martin Jr."."""
    last, first, suffix = [*name.split(","), "", ""][:3]
    if not suffix:
        first, suffix = split_suffix(first)
    return full_name(first, last, suffix)


def names_in_order(lines: Iterable[str]) -> Iterator[str]:
    """Yield the names in lines that should have one each, in natural order.

    A line may have several between semicolons, or as `split_at_commas` finds them.
    """
    for line in lines:
        for part in SEMICOLON.split(line) if "&" not in line else [line]:  # "M&uuml;ller"
            yield from map(name_in_order, split_at_commas(part))


def split_names(written: str, *, by_comma: bool = False) -> list[str]:
    """Return the names in a list that has no semicolon, each in natural order.

    "and" separates names with commas: "Ide, Ann and Orr, Bo". With `by_comma`, commas always
    separate names; otherwise see `split_at_commas`.
    """
    if "|" in written:
        return [*map(name_in_order, written.split("|"))]
    names = written.split(" and ")
    if len(names) > 1 and all("," in name for name in names):
        return [*map(name_in_order, names)]
    if by_comma:
        written = written.removesuffix("...").removesuffix("…").rstrip(", ")  # Publish or Perish
        written = written.removesuffix(".") if written.count(".") == 1 else written  # PubMed
        return [*map(str.strip, written.split(","))]
    if ", " not in written and all(" " in name for name in written.split(",")):
        return written.split(",")
    return [*map(name_in_order, split_at_commas(written))]


def split_at_commas(written: str) -> list[str]:
    """Return the names between commas, or the string if it can be one name.

    They are several full names ("Ann Ide, Bo Orr, Cy Ash", "张伟, 李娜, 王芳", or "Ann Ide, Bo
    Orr," before "and"), names that begin or end with initials ("A. Ide, B. Orr", "Ide AB, Orr C"),
    or family names with initials ("Ide, A., Orr, B."). "and" or "&" may be before the last name.
    """
    listed = written.replace(" and ", ", ").replace(" & ", ", ") if "," in written else written
    parts = [part for piece in listed.split(",") if (part := piece.strip())]
    is_full = len(parts) > 2 or written.endswith(",")
    is_full = is_full or any(
        all(map(pattern.fullmatch, parts)) for pattern in (_INITIALS_FIRST, _INITIALS_LAST)
    )
    if len(parts) > 1 and is_full and all(map(_is_full_name, parts)) and "{" not in written:
        return parts
    if len(parts) > 3 and len(parts) % 2 == 0 and all(map(_INITIALS.fullmatch, parts[1::2])):
        return [", ".join(parts[at : at + 2]) for at in range(0, len(parts), 2)]
    return [written.removesuffix(",")]


def _is_full_name(name: str) -> bool:
    return " " in name or (len(name) > 1 and is_cjk(name))


def authors(
    names: Iterable[str], source: str, omitted: list[str] | None = None
) -> tuple[Author, ...]:
    """Return authors in order, each once, identified by their names, which have a letter."""
    notes = [] if omitted is None else omitted
    return unique(make_author(source, name, notes) for name in names)


def keywords(values: Iterable[str]) -> tuple[Field, ...]:
    """Return the keywords in strings, separated by semicolons or line ends, or else by commas."""
    names: list[str] = []
    for value in values:
        parts = SEMICOLON.split(value.replace("\n", ";"))
        names += parts if len(parts) > 1 else COMMA.split(value)
    return labels(names)


def split_keywords(lines: Iterable[str]) -> tuple[Field, ...]:
    """Return the keywords in several lines, which may contain commas, or in a single one.

    An asterisk before a keyword, with which PubMed and Ovid mark major topics, is removed.
    """
    lines = [line.strip().lstrip("*") for value in lines for line in value.split("\n")]
    if len(lines) > 1:  # "Diabetes Mellitus, Type 2"
        return labels(name for line in lines for name in SEMICOLON.split(line))
    return keywords(lines)


def labels(names: Iterable[str], scheme: str = KEYWORD) -> tuple[Field, ...]:
    """Return subject labels identified by their names, each once."""
    distinct_names = dict.fromkeys(filter(None, map(clean_name, names)))
    return tuple(Field(scheme, name, name) for name in distinct_names)


def labels_of_row(source: str, first: Callable[..., str]) -> Iterator[Field]:
    """Yield the labels of a row or a record, separated by `;` or `|`; see `make_paper`."""
    for scheme, name in field_map(source)["fields"].items():
        yield from labels(SEMICOLON.split(first(name).replace("|", ";")), scheme)


def distinct_labels(fields: Iterable[Field | None]) -> tuple[Field, ...]:
    """Return the last label of each scheme and id, in order."""
    return tuple({(field.scheme, field.id): field for field in fields if field}.values())


def date(value: str, month: str = "") -> tuple[int | None, str | None]:
    """Return the year of a date, and the date as 2020-07-05 or 2020-07 if the month is known.

    The input may be "2020-07-05", "2020/7", "20200705", "2020", "July 2020" or similar.
    """
    if match := _DATE_OF_DIGITS.fullmatch(value) or _DATE.search(value):
        parts = [int(part) for part in match.groups() if part]
        for index, maximum in ((1, 12), (2, 31)):  # ADS and others write 2020-07-00
            if len(parts) > index and not 1 <= parts[index] <= maximum:
                del parts[index:]
    elif match := _YEAR.search(value):
        parts = [int(match[0])]
    else:
        return None, None
    if len(parts) == 1 and (number := month_number(month or value.replace(match[0], ""))):
        parts.append(number)
    written = "-".join([f"{parts[0]:04}", *(f"{part:02}" for part in parts[1:])])
    return parts[0], written if len(parts) > 1 else None


def read_date(omitted: list[str], *written: str, month: str = "") -> tuple[int | None, str | None]:
    """Return year and date of the first string that has a year; see `date`."""
    given = [*filter(None, written)]
    for value in given:
        year, published = date(value, month)
        if year:
            return year, published
    omitted += [f"year {value:.100} is not a year" for value in given[:1]]
    return None, None


def exact_date(year: int, month: str, day: str) -> str:
    """Return a date with its known parts: "2018-12-05", "2018-12" or "2018".

    The month is a number, or an English name or its beginning.
    """
    number = month_number(month)
    if number is None:
        return str(year)
    return f"{year}-{number:02}-{day:0>2}" if _DAY.fullmatch(day) else f"{year}-{number:02}"


def month_number(value: str) -> int | None:
    """Return the month in a string: an English name, or only a number."""
    if value.strip().isdecimal():
        number = int(value) if len(value.strip()) <= 2 else 0
        return number if 1 <= number <= 12 else None
    match = re.search(r"[A-Za-z]{3,}", value)
    name = match[0][:3].lower() if match else ""
    return _MONTHS.index(name) + 1 if name in _MONTHS else None


def read_dois(written: str | None, omitted: list[str]) -> tuple[Identifier, ...]:
    """Return the DOI, and the arXiv id if arXiv issued the DOI."""
    dois = identifiers.dois(written or "")
    if written and not dois:
        omitted.append(f"doi {written:.100} is not a DOI")
    return dois


def read_orcid(written: Iterable[str], omitted: list[str]) -> str | None:
    """Return the first ORCID iD in several strings."""
    for value in filter(None, written):
        if orcid := identifiers.orcid(value):
            return orcid
        omitted.append(f"orcid {value:.60} is not valid")
    return None


def distinct(result: Iterable[Identifier | None]) -> tuple[Identifier, ...]:
    """Return identifiers, each once, with the arXiv ids of DOIs that arXiv issued."""
    distinct_ids: dict[Identifier, None] = {}
    for known in filter(None, result):
        distinct_ids |= dict.fromkeys(
            identifiers.dois(known.value) if known.scheme == "doi" else (known,)
        )
    return tuple(distinct_ids)


def isbns(written: str) -> Iterator[Identifier | None]:
    """Yield the ISBNs in a string."""
    return map(identifiers.isbn, re.split(r"[,;\s]+", written))


def citations_in(paper_id: str, sentences: Mapping[str, Iterable[str]]) -> tuple[Citation, ...]:
    """Return the citations in a full text, given the sentences that cite each paper id."""
    return tuple(
        Citation(paper_id, cited, contexts=tuple(dict.fromkeys(texts)))
        for cited, texts in sentences.items()
        if texts and cited != paper_id
    )


def from_url(url: str) -> Identifier | None:
    """Return the identifier in the URL of a paper on a known site."""
    for pattern, normalize in _SITES:
        if match := pattern.search(url):
            return normalize(match[1])
    return None


def from_notes(notes: Iterable[str]) -> Iterator[Identifier | None]:
    """Yield identifiers in lines of notes such as "PMID: 1", as Zotero writes them."""
    for scheme, value in chain.from_iterable(map(_NOTED.findall, notes)):
        yield identifiers.parse_identifier(f"{scheme}:{value}")


def from_arxiv_name(value: str) -> Identifier | None:
    """Return the arXiv id in a string such as "arXiv preprint arXiv:2004.07180"."""
    return identifiers.arxiv(value) if _ARXIV.search(value) else None


def scopus_references(written: str) -> Iterator[str]:
    """Yield the paper ids of the cited references of Scopus that have a DOI."""
    for doi in _SCOPUS_DOI.findall(written):
        if known := identifiers.doi(doi):
            yield f"doi:{known.value}"


def wos_references(written: str) -> Iterator[str]:
    """Yield the paper ids of the cited references in BibTeX of Web of Science.

    Each ends with a full stop at the end of a line; JabRef and others break the lines elsewhere.
    """
    for reference in _FULL_STOP.split(written.strip().removesuffix(".")):
        if key := wos_reference(reference):
            yield key


def wos_reference(reference: str) -> str | None:
    """Return the paper id of a cited reference of Web of Science; None without a DOI or a page.

    With a DOI it is the paper `doi:...`. Otherwise it is `wosref:` and its text up to the page,
    which may be an article number (`ARTN 061102` is `P061102`).
    """
    written = reference.partition(", DOI ")[2].lstrip("[")
    if known := identifiers.doi(written.split(", ")[0].rstrip("]")):
        return f"doi:{known.value}"
    match = _KEY.fullmatch(_ARTICLE.sub(", P", " ".join(reference.split())))
    if not match:
        return None
    author = match[1].replace(".", "").upper()
    return f"{WOS_SCHEME}:{author}, {match[2]}, {match[3].upper()}{match[4].upper()}"
