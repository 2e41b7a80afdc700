"""Turns records of papers into the rows of the statements that write them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TypeAlias

from specter_graph.graph.loading.properties import citation_properties, paper_properties
from specter_graph.loaders.records import Author, Field, Paper, draw

Statements: TypeAlias = dict[str, dict[str, object]]
"""Names of statements, in the order in which they run, with their parameters."""


PARTS = ("abstract", "references")
"""Parts of a paper that a record may leave to other records (`Paper.elsewhere`)."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A record on its way to the graph.

    `record` is its rank (the longer record of a paper counts) and a digest of all that it says,
    kept on the paper: what carries it already need not be written. `parts` holds the rank of the
    record that a part was taken from, where it is another one; 0 where no record has the part.
    """

    paper: Paper
    references: tuple[str, ...]
    record: int
    parts: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, paper: Paper, record: int) -> "Entry":
        """Make the entry of a record that has this rank."""
        if not paper.elsewhere:
            return cls(paper, _references(paper), record)
        parts = dict.fromkeys((part for part in PARTS if part in paper.elsewhere), 0)
        if "references" in parts and (paper.references or paper.citations):
            paper = replace(paper, references=(), citations=())
        return cls(paper, _references(paper), record, parts)

    def completed(self, other: "Entry") -> "Entry":
        """Take the parts that this entry has not from another, or from a better record of it."""
        entry = self
        for part, rank in self.parts.items():
            others = other.parts.get(part, other.record)
            if others > rank:
                entry = entry._with(part, other, others)
        return entry

    def _with(self, part: str, other: "Entry", rank: int) -> "Entry":
        elsewhere = tuple(each for each in self.paper.elsewhere if each != part)
        parts = {**self.parts, part: rank}
        told = other.paper
        if part == "abstract":
            paper = replace(self.paper, abstract=told.abstract, elsewhere=elsewhere)
            return Entry(paper, self.references, self.record, parts)
        paper = replace(
            self.paper, references=told.references, citations=told.citations, elsewhere=elsewhere
        )
        return Entry(paper, other.references, self.record, parts)


def combined(one: Entry, other: Entry) -> Entry:
    """Make one entry of two records of a paper: the better one, completed by the other."""
    return one.completed(other) if one.record >= other.record else other.completed(one)


def _references(paper: Paper) -> tuple[str, ...]:
    return tuple(key for key in dict.fromkeys(paper.references) if key != paper.id)


class Prepared:
    """Records of papers, one of each, and the rows that write them to where nothing is known.

    The rows are made when they are needed, or before the transaction begins.
    """

    def __init__(self, entries: Iterable[Entry]) -> None:
        self.by_id = {entry.paper.id: entry for entry in sorted(entries, key=lambda e: e.paper.id)}

    def make(self) -> None:
        """Make all rows now."""
        _ = self.papers, self.connections

    @cached_property
    def papers(self) -> list[dict[str, object]]:
        """The rows of `loading/papers`."""
        return [
            {
                "id": key,
                "draw": draw(key),
                "record": entry.record,
                "abstract": entry.paper.abstract,
                "properties": paper_properties(entry.paper),
                **{f"{part}_record": rank for part, rank in entry.parts.items()},
            }
            for key, entry in self.by_id.items()
        ]

    @cached_property
    def connections(self) -> Statements:
        """What connects all of the papers, where none of them is known."""
        return connections([*self.by_id.values()])


def connections(
    written: Sequence[Entry],
    *,
    kept: Mapping[str, Collection[str]] = MappingProxyType({}),
    labels: Mapping[str, Collection[tuple[str, str]]] = MappingProxyType({}),
    merged: Mapping[str, str] = MappingProxyType({}),
) -> Statements:
    """The statements that make the relationships of records; none of those without any rows.

    `kept` are references and `labels` fields (scheme, id) that papers are connected with already,
    `merged` references that mean other papers. The statements name the papers of the batch by
    their number, and everything else comes in order, so that two loads at once lock in the same
    order.
    """
    papers = [entry.paper.id for entry in written]
    fields = _fields(written)
    affiliations, affiliated = _affiliations(written)
    rows: list[tuple[str, str, list[dict[str, object]]]] = [
        ("citations", "cited", _cited(written, kept, merged)),
        ("authors", "authors", _authors(written)),
        ("venues", "venues", _venues(written)),
        ("fields", "fields", _field_rows(fields, written, labels)),
        ("identifiers", "identifiers", _identifiers(written)),
        ("citation_details", "citations", _details(written, merged)),
        ("broader", "fields", _broader(fields)),
        ("affiliations", "affiliations", affiliations),
    ]
    statements: Statements = {name: {each: of} for name, each, of in rows if of}
    for name in ("citations", "authors", "venues", "fields", "identifiers"):
        if name in statements:
            statements[name]["papers"] = papers
    if affiliations:
        statements["affiliations"]["authors"] = affiliated
    return statements


def _cited(
    written: Sequence[Entry], kept: Mapping[str, Collection[str]], merged: Mapping[str, str]
) -> list[dict[str, object]]:
    by: dict[str, list[int]] = defaultdict(list)
    for number, entry in enumerate(written):
        there = kept.get(entry.paper.id, ())
        for reference in entry.references:
            if reference not in there and reference not in merged:
                by[reference].append(number)
    return [{"id": key, "draw": draw(key), "by": by[key]} for key in sorted(by)]


def _details(written: Sequence[Entry], merged: Mapping[str, str]) -> list[dict[str, object]]:
    return [
        {"citing": entry.paper.id, "cited": citation.cited, "properties": details}
        for entry in written
        for citation in sorted(entry.paper.citations, key=lambda c: c.cited)
        if citation.cited not in merged and (details := citation_properties(citation))
    ]


def _authors(written: Sequence[Entry]) -> list[dict[str, object]]:
    known: dict[str, Author] = {}
    orcids: dict[str, str] = {}
    positions: dict[str, dict[int, int]] = defaultdict(dict)
    affiliations: dict[tuple[str, int], dict[str, None]] = defaultdict(dict)
    for number, entry in enumerate(written):
        for position, author in enumerate(entry.paper.authors, 1):
            positions[author.id].setdefault(number, position)
            affiliations[author.id, number].update((a.id, None) for a in author.affiliations)
            known[author.id] = max(known.get(author.id, author), author, key=lambda a: a.name)
            if author.orcid:
                orcids[author.id] = max(orcids.get(author.id, ""), author.orcid)
    return [
        {
            "id": key,
            "name": known[key].name,
            "identified": known[key].identified,
            "orcid": orcids.get(key),
            "papers": list(papers),
            "positions": list(papers.values()),
            "affiliations": [list(affiliations[key, number]) or None for number in papers],
        }
        for key, papers in sorted(positions.items())
    ]


def _affiliations(
    written: Sequence[Entry],
) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    names: dict[str, str] = {}
    years: dict[tuple[str, str], list[int]] = defaultdict(list)
    for entry in written:
        for author in entry.paper.authors:
            for affiliation in author.affiliations:
                known = names.get(affiliation.id, affiliation.name)
                names[affiliation.id] = max(known, affiliation.name)
                year = entry.paper.year
                years[author.id, affiliation.id] += [year] if year is not None else []
    numbers = {key: number for number, key in enumerate(sorted(names))}
    return (
        [{"id": key, "name": names[key]} for key in numbers],
        [
            {
                "id": author,
                "affiliation": numbers[affiliation],
                "first": min(when, default=None),
                "last": max(when, default=None),
            }
            for (author, affiliation), when in sorted(years.items())
        ],
    )


def _venues(written: Sequence[Entry]) -> list[dict[str, object]]:
    names: dict[str, str] = {}
    papers: dict[str, list[int]] = defaultdict(list)
    for number, entry in enumerate(written):
        if venue := entry.paper.venue:
            names[venue.id] = max(names.get(venue.id, venue.name), venue.name)
            papers[venue.id].append(number)
    return [{"id": key, "name": names[key], "papers": papers[key]} for key in sorted(papers)]


def _fields(written: Sequence[Entry]) -> dict[tuple[str, str], Field]:
    """Every field by scheme and id, with the last of its names and all that are broader."""
    fields: dict[tuple[str, str], Field] = {}
    for entry in written:
        for label in entry.paper.fields:
            key = label.scheme, label.id
            fields[key] = joined(fields[key], label) if key in fields else label
    return dict(sorted(fields.items()))


def joined(one: Field, other: Field) -> Field:
    """What two records say of one field."""
    if one is other or one == other:
        return one
    broader = tuple(sorted({*one.broader, *other.broader}))
    name = max(one.name, other.name, key=lambda name: (name != one.id, name))
    return Field(one.scheme, one.id, name, broader)


def _field_rows(
    fields: dict[tuple[str, str], Field],
    written: Sequence[Entry],
    labels: Mapping[str, Collection[tuple[str, str]]],
) -> list[dict[str, object]]:
    papers: dict[tuple[str, str], dict[int, None]] = defaultdict(dict)
    for number, entry in enumerate(written):
        there = labels.get(entry.paper.id, ())
        for label in entry.paper.fields:
            if (label.scheme, label.id) not in there:
                papers[label.scheme, label.id][number] = None
    return [
        {"scheme": field.scheme, "id": field.id, "name": field.name, "papers": list(papers[key])}
        for key, field in fields.items()
    ]


def _broader(fields: dict[tuple[str, str], Field]) -> list[dict[str, object]]:
    return [
        {"scheme": field.scheme, "id": field.id, "broader": sorted(field.broader)}
        for field in fields.values()
        if field.broader
    ]


def _identifiers(written: Sequence[Entry]) -> list[dict[str, object]]:
    papers: dict[tuple[str, str], list[int]] = defaultdict(list)
    for number, entry in enumerate(written):
        for identifier in dict.fromkeys(entry.paper.identifiers):
            papers[identifier.scheme, identifier.value].append(number)
    return [
        {"scheme": scheme, "value": value, "papers": numbers}
        for (scheme, value), numbers in sorted(papers.items())
    ]
