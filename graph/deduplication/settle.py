"""Moves citations and readings to the papers that their ids mean now."""

from collections import defaultdict
from typing import Any

import neo4j

from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.deduplication.into import merged_into, run
from specter_graph.graph.deduplication.tellings import (
    CitedAs,
    named_by,
    read_as,
    reading_of,
    tell_citations,
    tell_readings,
    told_citations,
)
from specter_graph.loaders.records import Reading

_NODES, _ROWS, _STUBS = 5_000, 5_000, 10_000


def settle(db: Database) -> None:
    """Go through the papers labelled Unsettled, some citations and readings in a transaction.

    Killed, it goes on when it is run again. Stubs that nothing names any more are deleted.
    """
    while db.read(statement("deduplication/unsettled").text)[0]["left"]:
        db.transaction(_settle_some)
    db.commit(statement("deduplication/prune").text, rows=_STUBS)


def _settle_some(tx: neo4j.ManagedTransaction) -> None:
    run(tx, "settled", nodes=_NODES)
    _tell_citations_again(tx, run(tx, "move_citations", nodes=_NODES, rows=_ROWS))
    _tell_readings_again(tx, run(tx, "move_readings", nodes=_NODES, rows=_ROWS))


def _tell_citations_again(tx: neo4j.ManagedTransaction, rows: list[dict[str, Any]]) -> None:
    tellings = [
        (row["citing"], named, telling)
        for row in rows
        for named, telling in told_citations(row["cited"], row["properties"]).items()
    ]
    into = merged_into(tx, (named for _, named, _ in tellings))
    told: dict[tuple[str, str], CitedAs] = defaultdict(dict)
    for citing, named, telling in tellings:
        told[citing, into.get(named, named)][named] = telling
    if told:
        tell_citations(tx, told)


def _tell_readings_again(tx: neo4j.ManagedTransaction, rows: list[dict[str, Any]]) -> None:
    readings = [
        (reading_of(row), named)
        for row in rows
        for named in sorted(named_by(row["paper"], row["properties"]))
    ]
    into = merged_into(tx, (named for _, named in readings))
    told = read_as(
        (
            Reading(each.reader, into.get(named, named), each.kind, each.at, each.session),
            named,
        )
        for each, named in readings
    )
    if told:
        tell_readings(tx, told)
