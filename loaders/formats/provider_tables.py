"""Tables of Scopus, Lens, Dimensions and OpenAlex; docs/formats/bibliometric.md has the maps."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from specter_graph.loaders import identifiers
from specter_graph.loaders.format_api import ParseResult
from specter_graph.loaders.formats import bibliography
from specter_graph.loaders.identifiers import language_code
from specter_graph.loaders.parsing.field_values import paper_converter
from specter_graph.loaders.parsing.plain_text import paragraphs, strip_markup
from specter_graph.loaders.parsing.tabular import Row, cell
from specter_graph.loaders.records import Author, Identifier, Paper

Names = tuple[str, ...]

_WITH_NUMBER = re.compile(r"(.+)\((\d+)\)")
_COMMAS = re.compile(r"(?<=\.),\s*")


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderTable:
    """The columns of a provider, in lower case; the first of several that has a value counts.

    Attributes:
        source: The name of the provider, with which the ids begin.
        marks: Columns that only this provider's tables have.
        identifiers: Columns of ids, by scheme.
        keywords: Columns of labels, separated by semicolons or vertical bars, by scheme.
        reference: Matches the id of a cited paper in the column `references`; None for texts with
            DOIs.
    """

    source: str
    marks: frozenset[str]
    id: str
    title: str = "title"
    abstract: str = "abstract"
    date: Names
    venue: Names
    authors: Names
    identifiers: dict[str, str]
    keywords: dict[str, str]
    references: str
    reference: re.Pattern[str] | None
    url: str = ""
    language: str = ""
    isbn: str = ""


TABLES = (
    ProviderTable(
        source="scopus",
        marks=frozenset({"eid", "source title", "authors"}),
        id="eid",
        date=("year",),
        venue=("source title",),
        authors=("author full names", "authors"),
        identifiers={"doi": "doi", "pmid": "pubmed id"},
        keywords={"keyword": "author keywords", "scopus-index": "index keywords"},
        references="references",
        reference=None,
        url="link",
        language="language of original document",
    ),
    ProviderTable(
        source="lens",
        marks=frozenset({"lens id", "author/s"}),
        id="lens id",
        date=("date published", "publication year"),
        venue=("source title",),
        authors=("author/s",),
        identifiers={
            "doi": "doi", "pmid": "pmid", "pmcid": "pmcid", "mag": "microsoft academic id",
        },
        keywords={
            "keyword": "keywords", "mag": "fields of study", "mesh": "mesh terms",
        },
        references="references",
        reference=re.compile(r"\d{3}-\d{3}-\d{3}-\d{3}-\d{2}[\dX]"),
        url="external url",
    ),
    ProviderTable(
        source="dimensions",
        marks=frozenset({"publication id", "pubyear"}),
        id="publication id",
        date=("publication date", "publication date (print)", "pubyear"),
        venue=("source title", "source title/anthology title", "anthology title"),
        authors=("authors",),
        identifiers={"doi": "doi", "pmid": "pmid", "pmcid": "pmcid"},
        keywords={
            "mesh": "mesh terms", "anzsrc": "fields of research (anzsrc 2020)",
        },
        references="cited references",
        reference=re.compile(r"pub\.\d+"),
        url="dimensions url",
    ),
    ProviderTable(
        source="openalex",
        marks=frozenset({"display_name", "authorships.author.display_name"}),
        id="id",
        title="display_name",
        date=("publication_date", "publication_year"),
        venue=("primary_location.source.display_name",),
        authors=("authorships.author.display_name",),
        identifiers={"doi": "doi", "pmid": "ids.pmid", "mag": "ids.mag"},
        keywords={"keyword": "keywords.display_name"},
        references="referenced_works",
        reference=re.compile(r"W\d+"),
        url="primary_location.landing_page_url",
        language="language",
    ),
)  # fmt: skip


def find_table(columns: Iterable[str]) -> ProviderTable | None:
    """Return the provider whose columns a table has."""
    names = set(columns)
    return next((table for table in TABLES if names >= table.marks), None)


def converter(table: ProviderTable) -> Callable[[Row], Iterator[ParseResult]]:
    """Return a function that yields the paper of a row."""

    @paper_converter
    def convert(row: Row, omitted: list[str]) -> Paper:
        title = strip_markup(cell(row, table.title))
        year, published = bibliography.date(cell(row, *table.date))
        ids = bibliography.distinct(_identifiers(table, row))
        authors = bibliography.unique(_authors(table, row, omitted))
        if written := cell(row, "doi"):
            bibliography.read_dois(written, omitted)
        key = cell(row, table.id)
        key = key.rpartition("/")[2] if "://" in key else key  # https://openalex.org/W2741809807
        paper_id = f"{table.source}:{key}" if key else ""
        return Paper(
            id=paper_id or identifiers.make_id(table.source, ids, title, year, authors),
            title=title,
            abstract=paragraphs(_present(cell(row, table.abstract))),
            year=year,
            published=published,
            language=language_code(cell(row, table.language)),
            url=cell(row, table.url) or None,
            source=table.source,
            identifiers=ids,
            authors=authors,
            venue=bibliography.make_venue(table.source, strip_markup(cell(row, *table.venue))),
            fields=tuple(
                label
                for scheme, column in table.keywords.items()
                for label in bibliography.labels(re.split("[;|]", cell(row, column)), scheme)
            ),
            references=tuple(dict.fromkeys(_references(table, row))),
            elsewhere=() if table.references in row else ("references",),
        )

    return convert


def _present(value: str) -> str:
    """Return a value, or "" if it says that there is none."""
    return "" if value.casefold() == "[no abstract available]" else value


def _identifiers(table: ProviderTable, row: Row) -> Iterator[Identifier | None]:
    for scheme, column in table.identifiers.items():
        if value := cell(row, column):
            yield identifiers.parse_identifier(f"{scheme}:{value}")


def _authors(table: ProviderTable, row: Row, omitted: list[str]) -> Iterator[Author | None]:
    """Yield authors; Scopus has their numbers, and separated them by commas before 2023."""
    written = cell(row, *table.authors)
    if written.startswith("[No author"):
        return
    is_listed = ";" in written or "|" in written
    parts = re.split("[;|]", written) if is_listed else _COMMAS.split(written)
    for part in map(str.strip, parts):
        if not part:
            continue
        match = _WITH_NUMBER.fullmatch(part)
        name = bibliography.name_in_order(match[1] if match else part)
        key = f"{table.source}:{match[2]}" if match else None
        yield bibliography.make_author(table.source, name, omitted, key=key)


def _references(table: ProviderTable, row: Row) -> Iterator[str]:
    written = cell(row, table.references)
    if table.reference is None:
        return bibliography.scopus_references(written)
    return (f"{table.source}:{reference}" for reference in table.reference.findall(written))
