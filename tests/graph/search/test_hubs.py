"""Test the reads of hybrid search around papers with many citations."""

from collections.abc import Iterator
from typing import Any

from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.search.search_filters import Filters, render_filters, resolve
from specter_graph.loaders.records import Paper

CITING = 3_000


def hits(plan: dict[str, Any]) -> Iterator[int]:
    yield plan["args"].get("DbHits", 0)
    for child in plan.get("children", []):
        yield from hits(child)


def test_the_citations_of_a_hub_are_not_read(graph: Database):
    """The best papers all cite the hub; the reads do not grow with its citations."""
    papers = [Paper(f"p{number}", "T", references=("hub",)) for number in range(CITING)]
    load_papers(graph, [*papers, Paper("hub", "T")])
    filters = resolve(graph, Filters())
    result = graph.driver.execute_query(
        f"PROFILE {render_filters(statement('search/candidates').text, filters)}",
        ids=[f"p{number}" for number in range(100)],
        best=[f"p{number}" for number in range(10)],
        vector=None,
        space=None,
        compared=[],
        min_citing=2,
    )
    [row] = result.records
    [cited_by] = [cited_by for id, _, cited_by, _ in row["papers"] if id == "hub"]
    assert len(cited_by) == 10
    assert sum(hits(result.summary.profile)) < CITING / 2
