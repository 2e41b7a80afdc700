"""What ids mean in a graph in which papers and authors were merged."""

from collections.abc import Iterable, Mapping
from typing import Any

import neo4j

from specter_graph.cypher import statement

IDS = 500
"""Of papers whose merging changes, in a transaction: about so many."""


def run(tx: neo4j.ManagedTransaction, name: str, **parameters: object) -> list[dict[str, Any]]:
    """Run the statement merge/NAME in a transaction; all rows."""
    return tx.run(statement(f"deduplication/{name}").text, parameters).data()


def few(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """The first of some merged papers, from rows with `id` and `ids`, their number of ids.

    As many as a transaction should hold; if there are any, one at least.
    """
    papers: list[str] = []
    size = 0
    for row in rows:
        size += row["ids"]
        if papers and size > IDS:
            break
        papers.append(row["id"])
    return papers


def merged_into(tx: neo4j.ManagedTransaction, ids: Iterable[str]) -> dict[str, str]:
    """Of the ids of papers those that are told of a merged paper, with the id of that paper.

    A merged paper's own id is among them. Where nothing is merged this costs one look at a count.
    """
    if not run(tx, "any")[0]["papers"]:
        return {}
    return {row["id"]: row["paper"] for row in run(tx, "into", ids=sorted(set(ids)))}


def unnamed_wait(tx: neo4j.ManagedTransaction, ids: Iterable[str]) -> None:
    """Have merged anew what was merged with stubs that nothing names any more.

    `ids` are those that records named before.
    """
    run(tx, "unnamed_wait", ids=sorted(ids))


def authors_into(tx: neo4j.ManagedTransaction, ids: Iterable[str]) -> dict[str, str]:
    """Of the ids of authors those that a curated list names, with the id that is kept."""
    if not run(tx, "any")[0]["authors"]:
        return {}
    return {row["id"]: row["author"] for row in run(tx, "authors_into", ids=sorted(set(ids)))}
