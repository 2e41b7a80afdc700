"""Writes a batch of paper records in one transaction: all that they say, or nothing."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import neo4j

from specter_graph.cypher import statement
from specter_graph.graph.connection import Database
from specter_graph.loaders.records import Author, Paper, draw

_PROPERTIES = ("title", "abstract", "year", "published", "doi", "language", "url", "source")


@dataclass(frozen=True, slots=True)
class Entry:
    """A record on its way to the graph, its references made clean.

    `record` is a digest of all that the record says, kept on the paper: what carries it already
    need not be written.
    """

    paper: Paper
    references: tuple[str, ...]
    record: int


@dataclass(frozen=True, slots=True)
class Written:
    """How many records of a batch were new to the graph, changed and already there."""

    new: int
    changed: int
    unchanged: int


@dataclass(slots=True)
class _Forgotten:
    """What changed records said before: citations that stay, and what may have become orphaned."""

    kept: dict[str, set[str]] = field(default_factory=dict)
    stubs: set[str] = field(default_factory=set)
    authors: set[str] = field(default_factory=set)
    venues: set[str] = field(default_factory=set)
    fields: set[tuple[str, str]] = field(default_factory=set)


def write_batch(db: Database, entries: Sequence[Entry]) -> Written:
    """Write records, at most one of each paper, replacing what earlier records of theirs said.

    The embeddings of a paper and what other programs keep on it stay. Retried on deadlocks.
    """
    by_id = {entry.paper.id: entry for entry in sorted(entries, key=lambda e: e.paper.id)}

    def work(tx: neo4j.ManagedTransaction) -> Written:
        rows = _run(tx, "load/papers", papers=[_paper_row(entry) for entry in by_id.values()])
        written = [by_id[row["id"]] for row in rows]
        changed = [by_id[row["id"]] for row in rows if row["replaced"]]
        forgotten = _forget(tx, changed) if changed else _Forgotten()
        if written:
            _connect(tx, written, forgotten.kept)
        if changed:
            _delete_orphans(tx, forgotten)
        return Written(len(written) - len(changed), len(changed), len(by_id) - len(written))

    return db.transaction(work)


def _run(tx: neo4j.ManagedTransaction, name: str, **parameters: object) -> list[dict[str, Any]]:
    return tx.run(statement(name).text, parameters).data()


def _paper_row(entry: Entry) -> dict[str, object]:
    paper = entry.paper
    return {
        "id": paper.id,
        "draw": draw(paper.id),
        "record": entry.record,
        "properties": {name: getattr(paper, name) for name in _PROPERTIES},
    }


def _forget(tx: neo4j.ManagedTransaction, changed: Iterable[Entry]) -> _Forgotten:
    papers = [{"id": entry.paper.id, "references": entry.references} for entry in changed]
    forgotten = _Forgotten()
    for row in _run(tx, "load/forget", papers=papers):
        forgotten.kept[row["id"]] = set(row["kept"])
        forgotten.stubs.update(row["uncited"])
        forgotten.authors.update(row["authors"])
        forgotten.venues.update(row["venues"])
        forgotten.fields.update((scheme, key) for scheme, key in row["fields"])
    return forgotten


def _connect(
    tx: neo4j.ManagedTransaction, written: Sequence[Entry], kept: dict[str, set[str]]
) -> None:
    """Make the relationships of records, but for the citations in `kept`.

    The statements name the papers of the batch by their number, and everything else comes in
    order, so that two loads at once lock in the same order.
    """
    papers = [entry.paper.id for entry in written]
    _run(tx, "load/citations", papers=papers, cited=_cited(written, kept))
    _run(tx, "load/authors", papers=papers, authors=_authors(written))
    _run(tx, "load/venues", papers=papers, venues=_venues(written))
    _run(tx, "load/fields", papers=papers, fields=_fields(written))


def _cited(written: Sequence[Entry], kept: dict[str, set[str]]) -> list[dict[str, object]]:
    by: dict[str, list[int]] = defaultdict(list)
    for number, entry in enumerate(written):
        there = kept.get(entry.paper.id, set())
        for reference in entry.references:
            if reference not in there:
                by[reference].append(number)
    return [{"id": key, "draw": draw(key), "by": by[key]} for key in sorted(by)]


def _authors(written: Sequence[Entry]) -> list[dict[str, object]]:
    known: dict[str, Author] = {}
    wrote: dict[str, dict[int, int]] = defaultdict(dict)
    for number, entry in enumerate(written):
        for position, author in enumerate(entry.paper.authors, 1):
            wrote[author.id].setdefault(number, position)
            known[author.id] = max(known.get(author.id, author), author, key=lambda a: a.name)
    return [
        {
            "id": key,
            "name": known[key].name,
            "identified": known[key].identified,
            "papers": list(wrote[key]),
            "positions": list(wrote[key].values()),
        }
        for key in sorted(wrote)
    ]


def _venues(written: Sequence[Entry]) -> list[dict[str, object]]:
    papers: dict[str, list[int]] = defaultdict(list)
    for number, entry in enumerate(written):
        if entry.paper.venue:
            papers[entry.paper.venue].append(number)
    return [{"id": key, "name": key, "papers": papers[key]} for key in sorted(papers)]


def _fields(written: Sequence[Entry]) -> list[dict[str, object]]:
    names: dict[tuple[str, str], str] = {}
    papers: dict[tuple[str, str], dict[int, None]] = defaultdict(dict)
    for number, entry in enumerate(written):
        for label in entry.paper.fields:
            key = label.scheme, label.id
            names[key] = max(names.get(key, label.name), label.name)
            papers[key][number] = None
    return [
        {"scheme": scheme, "id": key, "name": names[scheme, key], "papers": list(numbers)}
        for (scheme, key), numbers in sorted(papers.items())
    ]


def _delete_orphans(tx: neo4j.ManagedTransaction, forgotten: _Forgotten) -> None:
    _run(
        tx,
        "load/orphans",
        stubs=sorted(forgotten.stubs),
        authors=sorted(forgotten.authors),
        venues=sorted(forgotten.venues),
        fields=sorted(forgotten.fields),
    )
