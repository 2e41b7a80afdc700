"""Combine the papers of a group into one paper, and restore them: one undoes the other.

Both are atomic: a transaction changes all of a group or nothing of it.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any

import neo4j

from specter_graph.graph.deduplication.combine import Preference, combine
from specter_graph.graph.deduplication.members import Member, member_of_row, run
from specter_graph.graph.loading.record_precedence import RankedRecord
from specter_graph.graph.loading.record_writer import Orphans, delete_orphans, write_papers
from specter_graph.graph.loading.source_records import (
    derive_citations,
    record_from_json,
    supplement_from_json,
    to_json,
)
from specter_graph.graph.loading.supplement_writer import write_supplements
from specter_graph.loaders.records import sample_key

IDS = 500
"""Ids whose groups change in one transaction, about."""
_COMBINED, _RESTORED = 0, -1
"""Stand for the load that wrote a combined paper, and a record that is about to be replaced."""
_LOWEST_RANK = 1


def combine_groups(
    tx: neo4j.ManagedTransaction, groups: Iterable[Sequence[Member]], preference: Preference
) -> None:
    """Write one paper for each group, and a SourceRecord for each of its members."""
    entries, canonical, absorbed = [], [], []
    connected = Orphans()
    for members in groups:
        paper = combine(members, preference).paper
        entries.append(
            RankedRecord(paper, paper.references, max(source.record or 0 for source in members))
        )
        smallest = min(sample_key(source.id) for source in members)
        for member in sorted(members, key=lambda source: source.id):
            _add_connections(connected, member)
            row = {
                "id": member.id,
                "paper": paper.id,
                "sample_key": sample_key(member.id),
                "record_version": member.record,
                "load": member.load,
                "json": to_json(member.content),
            }
            if member.id == paper.id:
                canonical.append(row | {"smallest_key": smallest})
            else:
                absorbed.append(row)
    run(tx, "absorb", records=absorbed)
    run(tx, "detach_record", records=canonical)
    papers = [entry.paper.id for entry in entries]
    derive_citations(tx, cited=papers)
    run(tx, "derive_readings", papers=papers)
    write_papers(tx, entries, _COMBINED)
    delete_orphans(tx, connected)


def _add_connections(connected: Orphans, member: Member) -> None:
    labels = (*member.content.labels, *(member.paper.fields if member.paper else ()))
    connected.fields.update((label.scheme, label.id) for label in labels)
    if paper := member.paper:
        connected.authors.update(author.id for author in paper.authors)
        connected.affiliated.update(person.id for person in paper.authors if person.affiliations)
        connected.venues.update([paper.venue.id] if paper.venue else [])


def restore_groups(tx: neo4j.ManagedTransaction, papers: Sequence[str]) -> list[str]:
    """Write the members of combined papers as they were, and then their pending records.

    Returns the ids of the members.
    """
    rows = run(tx, "members", papers=papers)
    replaced = {row["id"] for row in run(tx, "restore", papers=papers) if row["replaced"]}
    members = [(row, member_of_row(row)) for row in rows if row["id"] not in replaced]
    entries, properties = [], []
    for row, member in members:
        if member.paper:
            pending = row["pending_record"]
            rank = member.record if member.record and not pending else _LOWEST_RANK
            entries.append(RankedRecord(member.paper, member.paper.references, rank))
            abstract, references = (not pending and member.content.parts) or (None, None)
            properties.append(
                {
                    "id": member.id,
                    "load": _RESTORED if pending else member.load,
                    "abstract_version": abstract,
                    "references_version": references,
                }
            )
    write_papers(tx, entries, _RESTORED)
    run(tx, "restore_properties", papers=properties)
    write_supplements(tx, chain.from_iterable(m.content.supplements() for _, m in members))
    _write_pending(tx, rows)
    delete_orphans(tx, Orphans(stubs={row["id"] for row in rows}))
    return [row["id"] for row in rows]


def _write_pending(tx: neo4j.ManagedTransaction, rows: Iterable[dict[str, Any]]) -> None:
    entries: dict[int, list[RankedRecord]] = defaultdict(list)
    for row in rows:
        if row["pending_record"]:
            paper = record_from_json(row["pending_record"])
            entries[row["load"]].append(RankedRecord.of(paper, row["record_version"]))
    for load, of_load in sorted(entries.items()):
        write_papers(tx, of_load, load)
    items = (item for row in rows for item in row["pending_items"] or ())
    write_supplements(tx, map(supplement_from_json, items))
