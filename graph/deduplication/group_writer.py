"""Combine the papers of a group into one paper, and restore them: one undoes the other.

Both are atomic: a transaction changes all of a group or nothing of it.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

import neo4j

from specter_graph.graph.database import run_statement
from specter_graph.graph.deduplication.combine import (
    CombinedRecord,
    Member,
    Preference,
    combine,
    list_labels,
    member_of_row,
)
from specter_graph.graph.loading.record_rows import paper_properties
from specter_graph.graph.loading.record_writer import (
    Orphans,
    create_relationships,
    delete_orphans,
    write_papers,
)
from specter_graph.graph.loading.source_records import (
    RankedRecord,
    record_from_json,
    supplement_from_json,
    to_json,
)
from specter_graph.graph.loading.supplement_writer import write_supplements
from specter_graph.loaders.records import Paper

IDS = 500
"""Ids whose groups change in one transaction, about."""
_RESTORED = -1
"""Stands for the load of a record that is about to be replaced."""
_LOWEST_RANK = 1


def combine_groups(
    tx: neo4j.ManagedTransaction, groups: Iterable[Sequence[Member]], preference: Preference
) -> None:
    """Write one paper for each group, and a SourceRecord for each of its members.

    The node of the canonical member becomes the paper. Its relationships that the combined record
    has, too, are not written again.
    """
    entries, canonical, absorbed = [], [], []
    orphans = Orphans()
    for members in groups:
        combined = combine(members, preference)
        for member in sorted(members, key=lambda source: source.id):
            _add_former_relationships(orphans, member)
            row = {
                "id": member.id,
                "paper": combined.paper.id,
                "sample_key": member.sample_key,
                "record_version": member.record,
                "load": member.load,
                "json": to_json(member.content),
            }
            if member.id != combined.paper.id:
                absorbed.append(row)
                continue
            new = _omit_own_parts(combined, member)
            rank = max(source.record or 0 for source in members)
            entries.append(RankedRecord(new, new.references, rank))
            remaining = {*combined.paper.references} - {*new.references}
            orphans.labels[member.id] = {(label.scheme, label.id) for label in list_labels(member)}
            canonical.append(
                row
                | {
                    "rank": rank,
                    "smallest_key": min(source.sample_key for source in members),
                    "properties": paper_properties(combined.paper)
                    | {"abstract": combined.paper.abstract},
                    "uncited": sorted(_list_cited(member) - remaining),
                    "authors": bool(new.authors),
                    "venue": bool(new.venue),
                }
            )
    run_statement(tx, "deduplication/absorb", records=absorbed)
    run_statement(tx, "deduplication/detach_record", records=canonical)
    papers = [entry.paper.id for entry in entries]
    run_statement(tx, "deduplication/derive_readings", papers=papers)
    create_relationships(tx, entries, orphans, cited=papers)
    delete_orphans(tx, orphans)


def _omit_own_parts(combined: CombinedRecord, member: Member) -> Paper:
    """Return the part of a combined record that the record of its canonical member lacks."""
    paper, own = combined.paper, member.paper
    if own is None:
        return paper
    known, details = ({citation.cited: citation for citation in p.citations} for p in (own, paper))
    remaining = {cited for cited in own.references if known.get(cited) == details.get(cited)}
    return replace(
        paper,
        authors=() if combined.origins.get("authors") == own.id else paper.authors,
        venue=None if combined.origins.get("venue") == own.id else paper.venue,
        identifiers=tuple(
            identifier for identifier in paper.identifiers if identifier not in own.identifiers
        ),
        references=tuple(cited for cited in paper.references if cited not in remaining),
        citations=tuple(each for each in paper.citations if each.cited not in remaining),
    )


def _list_cited(member: Member) -> set[str]:
    references = member.paper.references if member.paper else ()
    return {*references, *(citation.cited for citation in member.content.citations)}


def _add_former_relationships(orphans: Orphans, member: Member) -> None:
    orphans.fields.update((label.scheme, label.id) for label in list_labels(member))
    if paper := member.paper:
        orphans.authors.update(author.id for author in paper.authors)
        orphans.affiliated.update(person.id for person in paper.authors if person.affiliations)
        orphans.venues.update([paper.venue.id] if paper.venue else [])


def restore_groups(tx: neo4j.ManagedTransaction, papers: Sequence[str]) -> dict[str, list[str]]:
    """Write the members of combined papers as they were, and then their pending records.

    Papers that are not combined are ignored. Returns the ids of the members by combined paper,
    without stubs that nothing cites, which are deleted.
    """
    rows = run_statement(tx, "deduplication/members", papers=papers)
    restored: dict[str, list[str]] = {row["paper"]: [] for row in rows}
    if not restored:
        return restored
    papers = sorted(restored)
    replaced = {
        row["id"]
        for row in run_statement(tx, "deduplication/restore", papers=papers)
        if row["replaced"]
    }
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
    # A node that gets the label Paper and is deleted in one transaction remains in its index, and
    # a later MATCH or MERGE of its id fails. So all orphans are deleted at the end.
    orphans = Orphans(stubs={row["id"] for row in rows})
    write_papers(tx, entries, _RESTORED, orphans=orphans)
    run_statement(tx, "deduplication/restore_properties", papers=properties)
    write_supplements(tx, chain.from_iterable(m.content.supplements() for _, m in members))
    _write_pending(tx, rows, orphans)
    deleted = delete_orphans(tx, orphans)
    for row in rows:
        if row["id"] not in deleted:
            restored[row["paper"]].append(row["id"])
    return restored


def _write_pending(
    tx: neo4j.ManagedTransaction, rows: Iterable[dict[str, Any]], orphans: Orphans
) -> None:
    entries: dict[int, list[RankedRecord]] = defaultdict(list)
    for row in rows:
        if row["pending_record"]:
            paper = record_from_json(row["pending_record"])
            entries[row["load"]].append(RankedRecord.of(paper, row["record_version"]))
    for load, of_load in sorted(entries.items()):
        write_papers(tx, of_load, load, orphans=orphans)
    items = (item for row in rows for item in row["pending_items"] or ())
    write_supplements(tx, map(supplement_from_json, items))
