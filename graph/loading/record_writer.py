"""Write the records of papers within a transaction."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any

import neo4j

from specter_graph.graph.database import run_statement
from specter_graph.graph.loading.record_rows import paper_rows, relationships
from specter_graph.graph.loading.source_records import (
    SUPPLEMENTS,
    RankedRecord,
    canonical_papers,
    derive_citations,
    store_pending,
    supplemented_paper,
)
from specter_graph.graph.loading.summary import COUNTED_AS, WriteCounts
from specter_graph.graph.loading.supplement_writer import write_others
from specter_graph.graph.loading.write_transactions import Batch, Exclusive
from specter_graph.loaders.records import Paper

_LOST = ("stubs", "authors", "affiliated", "venues", "fields", "identifiers")


@dataclass(slots=True)
class Orphans:
    """Nodes that lost a relationship when records were replaced, and relationships that remain.

    The nodes are deleted if they have no relationship at the end of the transaction.

    Attributes:
        remaining: Ids of the papers that a paper still cites, by paper.
        named: Papers that still cite SourceRecords.
        labels: Fields (scheme, id) of a paper that remain, by paper.
        stubs: Ids of stubs and SourceRecords.
        authors: Ids of authors.
        affiliated: Ids of authors whose affiliations must be derived again.
        venues: Ids of venues.
        fields: Fields (scheme, id).
        identifiers: Identifiers (scheme, value).
    """

    remaining: dict[str, set[str]] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)
    labels: dict[str, set[tuple[str, str]]] = field(default_factory=dict)
    stubs: set[str] = field(default_factory=set)
    authors: set[str] = field(default_factory=set)
    affiliated: set[str] = field(default_factory=set)
    venues: set[str] = field(default_factory=set)
    fields: set[tuple[str, str]] = field(default_factory=set)
    identifiers: set[tuple[str, str]] = field(default_factory=set)

    def add(self, other: "Orphans") -> None:
        """Add the nodes of another one, but not the relationships that remain."""
        for nodes in _LOST:
            getattr(self, nodes).update(getattr(other, nodes))

    def add_former_relationships(self, row: Mapping[str, Any]) -> None:
        """Add the relationships of a paper, as the statements that delete them return them."""
        self.authors.update(row["authors"])
        self.affiliated.update(row["affiliated"])
        self.venues.update(row["venues"])
        self.fields.update((scheme, key) for scheme, key in row["fields"])
        self.identifiers.update((scheme, value) for scheme, value in row["identifiers"])


def write_batch(
    tx: neo4j.ManagedTransaction, exclusive: Exclusive, batch: Batch, load: int
) -> WriteCounts:
    """Write the papers of a batch, and then its other items."""
    papers: Collection[RankedRecord] = batch.papers.values()
    others = batch.others
    written = WriteCounts(duplicates=batch.duplicates)
    supplements = [item for kind in SUPPLEMENTS for item in others.get(kind, ())]
    if records := canonical_papers(tx, chain(batch.papers, map(supplemented_paper, supplements))):
        exclusive()
        pending = [entry for key, entry in batch.papers.items() if key in records]
        items = [item for item in supplements if supplemented_paper(item) in records]
        written += store_pending(tx, pending, items, load)
        papers = [entry for key, entry in batch.papers.items() if key not in records]
        others = others | {
            kind: [item for item in others.get(kind, ()) if supplemented_paper(item) not in records]
            for kind in SUPPLEMENTS
        }
    if papers:
        written += write_papers(tx, papers, load, exclusive=exclusive)
    if others:
        exclusive()
        written += write_others(tx, others)
    return written


def write_papers(
    tx: neo4j.ManagedTransaction,
    entries: Iterable[RankedRecord],
    load: int,
    orphans: Orphans | None = None,
    *,
    exclusive: Exclusive = lambda: None,
) -> WriteCounts:
    """Write records, one for each paper, and replace the earlier records of the papers.

    A part that a record leaves to other records is not replaced by other loads, nor by records of
    lower rank of this load. Embeddings, supplements and properties of other programs remain.

    Args:
        tx: The transaction.
        entries: The records.
        load: The number of the load.
        orphans: Collects the nodes that lost a relationship; by default those without another
            relationship are deleted.
        exclusive: Called before earlier records are replaced.

    Returns:
        The counts of the written records.
    """
    by_id = {entry.paper.id: entry for entry in sorted(entries, key=lambda e: e.paper.id)}
    counts = WriteCounts()
    parts: dict[str, tuple[bool, bool]] = {}
    known = set[str]()
    for row in run_statement(tx, "loading/papers", papers=paper_rows(by_id.values()), load=load):
        counts[COUNTED_AS[row["state"]]] += len(row["ids"])
        is_written = row["state"] in ("new", "changed", "better")
        if is_written or row["cites"]:
            parts.update(dict.fromkeys(row["ids"], (is_written, row["cites"])))
            known.update(row["ids"] if row["known"] else ())
    lost = Orphans()
    if known:
        exclusive()
        lost = _forget_records(tx, [(by_id[key], *parts[key]) for key in by_id if key in known])
    if parts:
        written = [_select_part(by_id[key], *parts[key]) for key in by_id if key in parts]
        create_relationships(tx, written, lost, exclusive=exclusive)
    if orphans is not None:
        orphans.add(lost)
    elif known:
        delete_orphans(tx, lost)
    return counts


def _select_part(entry: RankedRecord, counts: bool, cites: bool) -> RankedRecord:
    """Return the part of an entry that is to be written: all but its references, or these alone."""
    if counts and (cites or not entry.references):
        return entry
    paper = entry.paper
    if counts:
        return replace(entry, paper=replace(paper, references=(), citations=()), references=())
    cited = Paper(paper.id, paper.title, references=paper.references, citations=paper.citations)
    return replace(entry, paper=cited)


def _forget_records(
    tx: neo4j.ManagedTransaction, replaced: Iterable[tuple[RankedRecord, bool, bool]]
) -> Orphans:
    papers = [
        {"id": entry.paper.id, "counts": counts, "references": entry.references if cites else None}
        for entry, counts, cites in replaced
    ]
    orphans = Orphans()
    for row in run_statement(tx, "loading/forget", papers=papers):
        orphans.remaining[row["id"]] = {*row["remaining"]}
        orphans.named.update([row["id"]] if row["named"] else ())
        orphans.labels[row["id"]] = {(scheme, key) for scheme, key in row["labels"]}
        orphans.stubs.update(row["uncited"])
        orphans.add_former_relationships(row)
    return orphans


def create_relationships(
    tx: neo4j.ManagedTransaction,
    entries: Sequence[RankedRecord],
    orphans: Orphans,
    *,
    cited: Collection[str] = (),
    exclusive: Exclusive = lambda: None,
) -> None:
    """Create the relationships of entries, except those that remain from earlier records.

    Args:
        tx: The transaction.
        entries: The records of the papers, which exist.
        orphans: Has the relationships that remain.
        cited: Papers whose incoming citations are derived again.
        exclusive: Called before citations of SourceRecords are written.
    """
    written = _replace_curated_authors(tx, entries)
    records = canonical_papers(tx, (key for entry in written for key in entry.references))
    if records:
        exclusive()
    statements = relationships(
        written, remaining=orphans.remaining, labels=orphans.labels, records=records
    )
    for name, parameters in statements.items():
        run_statement(tx, f"loading/{name}", **parameters)
    derived = {entry.paper.id for entry in written if not {*entry.references}.isdisjoint(records)}
    derive_citations(tx, citing=derived | orphans.named, cited=cited)


def _replace_curated_authors(
    tx: neo4j.ManagedTransaction, entries: Sequence[RankedRecord]
) -> Sequence[RankedRecord]:
    """Give authors the ids that the curated lists of authors have for them."""
    if not run_statement(tx, "loading/has_curated_authors")[0]["present"]:
        return entries
    ids = {author.id for entry in entries for author in entry.paper.authors}
    curated = {
        r["id"]: r["author"] for r in run_statement(tx, "loading/curated_authors", ids=sorted(ids))
    }

    def with_curated(paper: Paper) -> Paper:
        authors = (
            replace(each, id=curated[each.id], identified=True) if each.id in curated else each
            for each in paper.authors
        )
        return replace(paper, authors=tuple(authors))

    return [replace(entry, paper=with_curated(entry.paper)) for entry in entries]


def delete_orphans(tx: neo4j.ManagedTransaction, orphans: Orphans) -> set[str]:
    """Delete the nodes of `orphans` that no longer have a relationship.

    Returns the ids of the deleted stubs.
    """
    lost = {nodes: sorted(getattr(orphans, nodes)) for nodes in _LOST}
    if orphans.affiliated:
        run_statement(tx, "loading/forget_affiliations", authors=lost["affiliated"])
    [row] = run_statement(tx, "loading/orphans", **lost)
    return {*row["deleted"]}
