"""What the sources tell of a paper under one id: taken from the graph, and kept as JSON."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from operator import itemgetter
from typing import Any

import neo4j
import orjson
from pydantic import TypeAdapter

from specter_graph.graph.deduplication.into import run
from specter_graph.graph.deduplication.tellings import Telling, as_json, told_citations
from specter_graph.loaders.records import (
    Abstract,
    Affiliation,
    Author,
    Citation,
    Field,
    Identifier,
    Item,
    Labels,
    Paper,
    Venue,
)


@dataclass(frozen=True, slots=True)
class Apart:
    """A citation that was told apart from records, to the id `cited`."""

    cited: str
    telling: Telling


@dataclass(frozen=True, slots=True)
class Told:
    """What the graph says of a paper, but for who cites and who reads it.

    `paper` is its record, None of a stub, with the abstract that counts. `abstract`, `citations`
    and `labels` were told apart. `parts` are the ranks of the records that the abstract and the
    references of the record are of, where those are others.
    """

    id: str
    paper: Paper | None = None
    abstract: str | None = None
    citations: tuple[Apart, ...] = ()
    labels: tuple[Field, ...] = ()
    parts: tuple[int | None, int | None] | None = None


@dataclass(frozen=True, slots=True)
class Member:
    """A paper, as one of several that are the same.

    `record` is the rank and digest of its record, None of a stub, and `load` the load that wrote
    it.
    """

    told: Told
    record: int | None
    load: int | None

    @property
    def id(self) -> str:
        """The id under which it was told."""
        return self.told.id

    @property
    def paper(self) -> Paper | None:
        """Its record, if it has one."""
        return self.told.paper

    @property
    def source(self) -> str:
        """Whence its record came; for records that do not say it, the prefix of the id, or ""."""
        if self.paper and self.paper.source:
            return self.paper.source
        prefix, colon, _ = self.id.partition(":")
        return prefix if colon else ""


def members(tx: neo4j.ManagedTransaction, ids: Iterable[str]) -> list[Member]:
    """What the graph says of papers that are not merged; locks them."""
    rows = run(tx, "told", ids=sorted(set(ids)))
    return [Member(_told(row), row["record"], row["load"]) for row in rows]


def member(row: dict[str, Any]) -> Member:
    """A member as it is remembered, from a row with record, load and told."""
    return Member(_adapter("Told").validate_json(row["told"]), row["record"], row["load"])


def encoded(told: Told) -> str:
    """As JSON."""
    return as_json(told)


def encoded_item(item: Item) -> str:
    """An item as JSON, with its kind."""
    return as_json((type(item).__name__, item))


def decoded_item(text: str) -> Item:
    """The item of `encoded_item`."""
    kind, fields = orjson.loads(text)
    item: Item = _adapter(kind).validate_python(fields)
    return item


@cache
def _adapter(kind: str) -> TypeAdapter[Any]:
    kinds = (Told, Paper, Abstract, Citation, Labels)
    return TypeAdapter({each.__name__: each for each in kinds}[kind])


def _told(row: dict[str, Any]) -> Told:
    told = (told_citations(each["id"], each["properties"]) for each in row["citations"])
    citations = sorted((pair for each in told for pair in each.items()), key=itemgetter(0))
    of_record = {named: each for named, each in citations if each.apart is None}
    apart = tuple(Apart(*each) for each in citations if each[1].apart is not None)
    fields = sorted(row["fields"], key=lambda field: (field["scheme"], field["id"]))
    labels = tuple(_field(each) for each in fields if each["apart"])
    key = row["id"]
    stub = row["record"] is None
    abstract = row["properties"]["abstract"] if stub or row["abstract_apart"] else None
    if stub:
        return Told(key, None, abstract, apart, labels)
    paper = Paper(
        id=key,
        **{
            name: value
            for name, value in row["properties"].items()
            if name not in ("doi", "arxiv_id", "pubmed_id")
        },
        identifiers=_identifiers(row),
        authors=_authors(row["authors"]),
        venue=next((Venue(*venue) for venue in sorted(row["venues"])), None),
        fields=tuple(_field(each) for each in fields if not each["apart"]),
        references=tuple(of_record),
        citations=tuple(
            Citation(key, cited, telling.intents or (), telling.influential, telling.contexts or ())
            for cited, telling in of_record.items()
            if telling != Telling()
        ),
    )
    parts = tuple(row["parts"]) if row["parts"] else None
    return Told(key, paper, abstract, apart, labels, parts)


def _field(row: dict[str, Any]) -> Field:
    return Field(row["scheme"], row["id"], row["name"])


def _identifiers(row: dict[str, Any]) -> tuple[Identifier, ...]:
    """In order, but the paper's own doi and the like before others of their schemes."""
    properties = row["properties"]
    first = {
        ("doi", properties["doi"]),
        ("arxiv", properties["arxiv_id"]),
        ("pmid", properties["pubmed_id"]),
    }
    pairs = sorted(map(tuple, row["identifiers"]), key=lambda pair: (pair not in first, pair))
    return tuple(Identifier(*pair) for pair in pairs)


def _authors(rows: Sequence[dict[str, Any]]) -> tuple[Author, ...]:
    """In the order of their positions; who stands in a list twice has left a gap in them."""
    authors: list[Author] = []
    for row in sorted(rows, key=lambda row: row["position"]):
        while len(authors) + 1 < row["position"]:
            authors.append(authors[0])
        affiliations = tuple(Affiliation(*each) for each in row["affiliations"])
        authors.append(
            Author(row["id"], row["name"], row["identified"], row["orcid"], affiliations)
        )
    return tuple(authors)
