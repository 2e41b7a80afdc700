"""Tables of Scopus, Lens, Dimensions and OpenAlex; docs/formats/bibliometric.md has the maps."""

import re
from collections.abc import Callable, Iterable, Iterator

from specter_graph.loaders import identifiers
from specter_graph.loaders.format_api import ParseResult
from specter_graph.loaders.formats import bibliography, field_map
from specter_graph.loaders.parsing.field_values import paper_converter
from specter_graph.loaders.parsing.tabular import Row, cell
from specter_graph.loaders.records import Author, Identifier, Paper

_PROVIDERS = ("scopus", "lens", "dimensions", "openalex")
_WITH_NUMBER = re.compile(r"(.+)\((\d+)\)")
_COMMAS = re.compile(r"(?<=\.),\s*")


def find_provider(columns: Iterable[str]) -> str | None:
    """Return the provider whose columns a table has."""
    names = set(columns)
    return next((name for name in _PROVIDERS if names.issuperset(field_map(name)["marks"])), None)


def converter(provider: str) -> Callable[[Row], Iterator[ParseResult]]:
    """Return a function that yields the paper of a row of a provider's table."""
    table = field_map(provider)

    @paper_converter
    def convert(row: Row, omitted: list[str]) -> Paper:
        def first(*columns: str) -> str:
            value = cell(row, *columns)
            return "" if value.casefold() == "[no abstract available]" else value

        url = first(*table["url"])
        key = cell(row, *table["id"]).rpartition("/")[2]  # https://openalex.org/W2741809807
        return bibliography.make_paper(
            provider,
            first,
            omitted,
            paper_id=f"{provider}:{key}" if key else None,
            date=bibliography.date(cell(row, *table["date"])),
            ids=(*_read_identifiers(table["identifiers"], row), bibliography.from_url(url)),
            authors=_read_authors(provider, cell(row, *table["authors"]), omitted),
            fields=bibliography.labels_of_row(provider, first),
            references=_read_references(provider, cell(row, table["references"])),
            elsewhere=() if table["references"] in row else ("references",),
        )

    return convert


def _read_identifiers(columns: dict[str, str], row: Row) -> Iterator[Identifier | None]:
    for scheme, column in columns.items():
        if value := cell(row, column):
            yield identifiers.parse_identifier(f"{scheme}:{value}")


def _read_authors(provider: str, written: str, omitted: list[str]) -> Iterator[Author | None]:
    """Yield authors; Scopus has their numbers, and separated them by commas before 2023."""
    if written.startswith("[No author"):
        return
    is_listed = ";" in written or "|" in written
    parts = re.split("[;|]", written) if is_listed else _COMMAS.split(written)
    for part in filter(None, map(str.strip, parts)):
        match = _WITH_NUMBER.fullmatch(part)
        name = bibliography.name_in_order(match[1] if match else part)
        key = f"{provider}:{match[2]}" if match else None
        yield bibliography.make_author(provider, name, omitted, key=key)


def _read_references(provider: str, written: str) -> Iterator[str]:
    pattern = field_map(provider).get("reference")
    if pattern is None:
        return bibliography.scopus_references(written)
    return (f"{provider}:{reference}" for reference in re.findall(pattern, written))
