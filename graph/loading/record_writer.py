"""Writes the records of papers within a transaction."""

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from dataclasses import replace as replace_fields
from operator import is_
from typing import Any

import neo4j

from specter_graph.cypher import statement
from specter_graph.graph.deduplication.into import merged_into, unnamed_wait
from specter_graph.graph.deduplication.names import curated, tell_references, told_apart
from specter_graph.graph.deduplication.tellings import CitedAs
from specter_graph.graph.loading.record_rows import Entry, Prepared, connections
from specter_graph.graph.loading.transaction_queue import NotAloneError
from specter_graph.loaders.records import Paper


@dataclass(frozen=True, slots=True)
class Written:
    """Count the records of a batch by state, as `loading/papers` names it."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0
    duplicates: int = 0


@dataclass(slots=True)
class Forgotten:
    """What papers said before: what stays connected, and what may have become orphaned.

    `retold` are citations of merged papers that were told apart from records and must be made
    again.
    """

    kept: dict[str, set[str]] = field(default_factory=dict)
    retold: dict[str, CitedAs] = field(default_factory=dict)
    labels: dict[str, set[tuple[str, str]]] = field(default_factory=dict)
    stubs: set[str] = field(default_factory=set)
    authors: set[str] = field(default_factory=set)
    affiliated: set[str] = field(default_factory=set)
    venues: set[str] = field(default_factory=set)
    fields: set[tuple[str, str]] = field(default_factory=set)
    identifiers: set[tuple[str, str]] = field(default_factory=set)

    def __bool__(self) -> bool:
        return bool(self.kept)


def write_papers(
    tx: neo4j.ManagedTransaction,
    entries: Prepared | Iterable[Entry],
    load: int,
    *,
    replace: bool = True,
) -> Written:
    """Write records, one of each paper, replacing what earlier records of theirs said.

    What a record leaves elsewhere is replaced by no other load, and by a lesser record of this one.

    The embeddings of a paper, what was told apart from records, and what other programs keep on it
    stay. Raises NotAloneError where there is something to replace and `replace` is false.
    """
    prepared = entries if isinstance(entries, Prepared) else Prepared(entries)
    by_id = prepared.by_id
    rows = run(tx, "papers", papers=prepared.papers, load=load)
    states: Counter[str] = Counter()
    parts: dict[str, tuple[bool, bool]] = {}
    known = set[str]()
    for row in rows:
        states[row["state"]] += len(row["ids"])
        counts = row["state"] in ("new", "changed", "better")
        if counts or row["cites"]:
            parts.update(dict.fromkeys(row["ids"], (counts, row["cites"])))
            known.update(row["ids"] if row["known"] else ())
    if known and not replace:
        raise NotAloneError
    forgotten = Forgotten()
    if known:
        replaced = [(by_id[key], *parts[key]) for key in by_id if key in known]
        forgotten = _forget(tx, replaced)
    if parts:
        entries = [_part(by_id[key], *parts[key]) for key in by_id if key in parts]
        _connect(tx, prepared, entries, forgotten)
    if known:
        delete_orphans(tx, forgotten)
    return Written(
        new=states["new"],
        changed=states["changed"],
        unchanged=states["same"],
        duplicates=states["better"] + states["worse"],
    )


def run(tx: neo4j.ManagedTransaction, name: str, **parameters: object) -> list[dict[str, Any]]:
    """Run the statement load/NAME in a transaction; all rows."""
    return tx.run(statement(f"loading/{name}").text, parameters).data()


def _part(entry: Entry, counts: bool, cites: bool) -> Entry:
    """Return the part of an entry that is to be written: all but its references, or these alone."""
    if counts and (cites or not entry.references):
        return entry
    paper = entry.paper
    if counts:
        return replace_fields(
            entry, paper=replace_fields(paper, references=(), citations=()), references=()
        )
    cited = Paper(paper.id, paper.title, references=paper.references, citations=paper.citations)
    return replace_fields(entry, paper=cited)


def _forget(
    tx: neo4j.ManagedTransaction, replaced: Iterable[tuple[Entry, bool, bool]]
) -> Forgotten:
    papers = [
        {
            "id": entry.paper.id,
            "counts": counts,
            "references": entry.references if cites else None,
        }
        for entry, counts, cites in replaced
    ]
    forgotten = Forgotten()
    for row in run(tx, "forget", papers=papers):
        forgotten.retold[row["id"]] = retold = told_apart(row["tellings"])
        forgotten.kept[row["id"]] = {*row["kept"], *retold}
        forgotten.labels[row["id"]] = {(scheme, key) for scheme, key in row["labels"]}
        forgotten.stubs.update(row["uncited"])
        forgotten.authors.update(row["authors"])
        forgotten.affiliated.update(row["affiliated"])
        forgotten.venues.update(row["venues"])
        forgotten.fields.update((scheme, key) for scheme, key in row["fields"])
        forgotten.identifiers.update((scheme, value) for scheme, value in row["identifiers"])
    return forgotten


def _connect(
    tx: neo4j.ManagedTransaction,
    prepared: Prepared,
    entries: Sequence[Entry],
    forgotten: Forgotten,
) -> None:
    """Make the relationships of entries, but for those that are there."""
    written = curated(tx, entries)
    merged = merged_into(tx, (key for entry in written for key in entry.references))
    if not merged and not forgotten and _same(written, prepared.by_id.values()):
        statements = prepared.connections
    else:
        statements = connections(
            written, kept=forgotten.kept, labels=forgotten.labels, merged=merged
        )
    for name, parameters in statements.items():
        run(tx, name, **parameters)
    tell_references(tx, [entry.paper for entry in written], forgotten.retold, merged)


def _same(some: Collection[Entry], others: Collection[Entry]) -> bool:
    return len(some) == len(others) and all(map(is_, some, others))


def delete_orphans(tx: neo4j.ManagedTransaction, forgotten: Forgotten) -> None:
    """Delete what nothing names any more, of that which papers said before."""
    unnamed_wait(tx, forgotten.stubs)
    if forgotten.affiliated:
        run(tx, "forget_affiliations", authors=sorted(forgotten.affiliated))
    run(
        tx,
        "orphans",
        stubs=sorted(forgotten.stubs),
        authors=sorted(forgotten.authors),
        venues=sorted(forgotten.venues),
        fields=sorted(forgotten.fields),
        identifiers=sorted(forgotten.identifiers),
    )
