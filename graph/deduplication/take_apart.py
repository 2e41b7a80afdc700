"""Takes merged papers apart: the graph says again what each source tells under its own ids."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import neo4j

from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.deduplication.into import few, merged_into, run
from specter_graph.graph.deduplication.settle import settle
from specter_graph.graph.deduplication.tellings import CitedAs, tell_citations
from specter_graph.graph.deduplication.told import Member, decoded_item, member
from specter_graph.graph.loading.batch import write_apart
from specter_graph.graph.loading.record_rows import Entry
from specter_graph.graph.loading.record_writer import write_papers
from specter_graph.loaders.records import Abstract, Item, Labels, Paper

_PAPERS = 200
_NO_LOAD, _NO_RECORD = -1, 1
"""Differ from those of any record, so that a record that waits replaces the one before."""


def take_apart(db: Database) -> int:
    """Take apart all merged papers labelled Waiting, and write what waits; how many they were.

    A transaction for each few of them; killed, it goes on when it is run again.
    """
    taken = 0
    while papers := few(db.read(statement("deduplication/waiting").text, limit=_PAPERS)):
        taken += db.transaction(partial(_take_apart, papers=sorted(papers)))
    settle(db)
    return taken


def _take_apart(tx: neo4j.ManagedTransaction, papers: Sequence[str]) -> int:
    rows = run(tx, "members", papers=papers)
    absorbed = sorted(row["id"] for row in rows if row["id"] != row["paper"])
    again = {row["id"] for row in run(tx, "restore_absorbed", ids=absorbed)} | {*papers}
    run(tx, "restore_own", ids=papers)
    waiting = [row["id"] for row in rows if row["waiting"]]
    _write_again(tx, [member(row) for row in rows if row["id"] in again], {*waiting})
    _write_waiting(tx, rows)
    return len(papers)


def _write_again(
    tx: neo4j.ManagedTransaction, members: Sequence[Member], replaced: set[str]
) -> None:
    """Write what was told before; the records of some are about to be replaced.

    What was told apart comes first: so no citation seems to be told by nobody, even for a moment.
    """
    _tell_apart(tx, members)
    entries, loads = [], []
    for each in members:
        if each.paper:
            waits = each.id in replaced
            assert each.record is not None
            record = _NO_RECORD if waits else each.record
            entries.append(Entry(each.paper, each.paper.references, record))
            parts = each.told.parts if each.told.parts and not waits else (None, None)
            loads.append(
                {
                    "id": each.id,
                    "load": _NO_LOAD if waits else each.load,
                    "abstract_record": parts[0],
                    "references_record": parts[1],
                }
            )
    write_papers(tx, entries, _NO_LOAD)
    run(tx, "restore_loads", papers=loads)


def _tell_apart(tx: neo4j.ManagedTransaction, members: Iterable[Member]) -> None:
    items: list[Item] = []
    told: dict[tuple[str, str], CitedAs] = defaultdict(dict)
    members = list(members)
    into = merged_into(tx, (apart.cited for each in members for apart in each.told.citations))
    for each in members:
        if each.told.abstract:
            items.append(Abstract(each.id, each.told.abstract))
        if each.told.labels:
            items.append(Labels(each.id, each.told.labels))
        for apart in each.told.citations:
            told[each.id, into.get(apart.cited, apart.cited)][apart.cited] = apart.telling
    if told:
        tell_citations(tx, told)
    write_apart(tx, items)


def _write_waiting(tx: neo4j.ManagedTransaction, rows: Iterable[dict[str, Any]]) -> None:
    """Write the records and the other items that came after the merge."""
    records: dict[int, list[Entry]] = defaultdict(list)
    items: list[Item] = []
    for row in rows:
        items += map(decoded_item, row["items"] or ())
        if row["waiting"]:
            paper = decoded_item(row["waiting"])
            assert isinstance(paper, Paper)
            records[row["load"]].append(Entry.of(paper, row["record"]))
    for load, entries in sorted(records.items()):
        write_papers(tx, entries, load)
    write_apart(tx, items)
