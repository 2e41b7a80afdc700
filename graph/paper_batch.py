"""Writes the records of papers within a transaction."""

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

import neo4j

from specter_graph.cypher import statement
from specter_graph.graph.merging.into import merged_into, unnamed_wait
from specter_graph.graph.merging.names import curated, tell_references, told_apart
from specter_graph.graph.merging.tellings import CitedAs
from specter_graph.graph.paper_rows import Entry, Prepared, connections
from specter_graph.graph.turns import NotAloneError


@dataclass(frozen=True, slots=True)
class Written:
    """What became of the records of a batch: their number by state, as `load/papers` names it."""

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

    The embeddings of a paper, what was told apart from records, and what other programs keep on it
    stay. Raises NotAloneError where there is something to replace and `replace` is false.
    """
    prepared = entries if isinstance(entries, Prepared) else Prepared(entries)
    by_id = prepared.by_id
    rows = run(tx, "papers", papers=prepared.papers, load=load)
    states: Counter[str] = Counter()
    new, known = set[str](), set[str]()
    for row in rows:
        states[row["state"]] += len(row["ids"])
        if row["state"] in ("new", "changed", "better"):
            new.update(row["ids"])
            known.update(row["ids"] if row["known"] else ())
    if known and not replace:
        raise NotAloneError
    forgotten = _forget(tx, [by_id[key] for key in by_id if key in known]) if known else Forgotten()
    if new:
        _connect(tx, prepared, new, forgotten)
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
    return tx.run(statement(f"load/{name}").text, parameters).data()


def _forget(tx: neo4j.ManagedTransaction, known: Iterable[Entry]) -> Forgotten:
    papers = [
        {
            "id": entry.paper.id,
            "references": None if "references" in entry.paper.elsewhere else entry.references,
        }
        for entry in known
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
    tx: neo4j.ManagedTransaction, prepared: Prepared, new: Collection[str], forgotten: Forgotten
) -> None:
    """Make the relationships of those records that are new, but for those that are there."""
    entries = [entry for key, entry in prepared.by_id.items() if key in new]
    written = curated(tx, entries)
    merged = merged_into(tx, (key for entry in written for key in entry.references))
    if written is entries and len(new) == len(prepared.by_id) and not merged and not forgotten:
        statements = prepared.connections
    else:
        statements = connections(
            written, kept=forgotten.kept, labels=forgotten.labels, merged=merged
        )
    for name, parameters in statements.items():
        run(tx, name, **parameters)
    tell_references(tx, [entry.paper for entry in written], forgotten.retold, merged)


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
