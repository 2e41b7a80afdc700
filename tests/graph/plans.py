"""What the planner makes of a statement."""

from collections.abc import Iterator
from typing import Any

from specter_graph.cypher import statement
from specter_graph.graph.connection import Database


def operators(database: Database, name: str) -> list[str]:
    """The operators of the plan of a statement, such as "NodeUniqueIndexSeek"."""
    return operators_of(database, statement(name).text)


def operators_of(database: Database, text: str) -> list[str]:
    """The operators of the plan of a query."""
    result = database.driver.execute_query(f"EXPLAIN {text}")
    assert result.summary.plan is not None
    return list(_operators(result.summary.plan))


def _operators(plan: dict[str, Any]) -> Iterator[str]:
    yield plan["operatorType"].partition("@")[0]
    for child in plan.get("children", ()):
        yield from _operators(child)
