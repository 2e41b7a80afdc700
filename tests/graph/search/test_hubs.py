"""What hybrid search reads of papers that are cited by very many."""

from collections.abc import Iterator
from typing import Any

from specter_graph.cypher import statement
from specter_graph.graph.connection import Database
from specter_graph.graph.load import load_papers
from specter_graph.graph.search.filters import Filters, resolve, spliced
from specter_graph.graph.search.hybrid import MOST_CITATIONS
from specter_graph.loaders.records import Paper

CITING = 3_000
SEEDS = 5


def hits(plan: dict[str, Any]) -> Iterator[int]:
    yield plan["args"].get("DbHits", 0)
    for child in plan.get("children", []):
        yield from hits(child)


def test_the_citations_of_a_hub_are_counted_without_reading_them(graph: Database):
    """Each seed cites the hub: what is read grows with the citations followed, not with all."""
    papers = [
        Paper(f"p{number}", "T", references=("hub", "other") if number < 20 else ("hub",))
        for number in range(CITING)
    ]
    load_papers(graph, [*papers, Paper("hub", "T"), Paper("other", "T")])
    filters = resolve(graph, Filters())
    text = spliced(statement("search/citations").text, filters)
    result = graph.driver.execute_query(
        f"PROFILE {text}",
        seeds=[{"id": f"p{number}", "weight": 1.0, "own": False} for number in range(SEEDS)],
        most=MOST_CITATIONS,
        passed=[],
        held_out=0,
        k=10,
    )
    [coupled] = [row for row in result.records if row["signal"] == "coupled"]
    assert len(coupled["papers"]) == 10
    assert sum(hits(result.summary.profile)) < SEEDS * CITING
