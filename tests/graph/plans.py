"""Return the query plan of a statement, and the cost of running it."""

from collections.abc import Iterator
from typing import Any

import neo4j

from specter_graph.cypher import query_text, statement
from specter_graph.graph.database import Database

SCANS = {"AllNodesScan", "NodeByLabelScan", "UnionNodeByLabelsScan", "CartesianProduct"}
"""Operators that read the whole graph or multiply rows."""


def operators(database: Database, name: str) -> list[str]:
    """Return the operators of the plan of a statement, such as "NodeUniqueIndexSeek"."""
    return operators_of(database, statement(name).text)


def operators_of(database: Database, text: str, /, **parameters: object) -> list[str]:
    """Return the operators of the plan of a query."""
    result = database.driver.execute_query(f"EXPLAIN {text}", parameters_=parameters)
    assert result.summary.plan is not None
    return list(_operators(result.summary.plan))


def _operators(plan: dict[str, Any]) -> Iterator[str]:
    yield plan["operatorType"].partition("@")[0]
    for child in plan.get("children", ()):
        yield from _operators(child)


class Counted(Database):
    """Database that profiles its reads; `hits` has the db hits of each statement, in order."""

    hits: list[int]

    def __init__(self, driver: neo4j.Driver) -> None:
        super().__init__(driver)
        object.__setattr__(self, "hits", [])

    def read(self, text: str, **parameters: object) -> list[dict[str, Any]]:
        """Profile a read statement."""
        text = query_text(text)
        version = "CYPHER 25 " if text.startswith("CYPHER 25 ") else ""
        profiled = f"{version}PROFILE {text.removeprefix(version)}"
        result = self.driver.execute_query(profiled, parameters)
        assert result.summary.profile is not None
        self.hits.append(sum_hits(result.summary.profile))
        return [record.data() for record in result.records]

    def value(self, text: str, **parameters: object) -> Any:
        """Profile a read statement with one row and one column."""
        [row] = self.read(text, **parameters)
        [results] = row.values()
        return results


def sum_hits(plan: dict[str, Any]) -> int:
    """Return the db hits of a plan and of all plans below it."""
    return plan.get("dbHits", 0) + sum(map(sum_hits, plan.get("children", ())))
