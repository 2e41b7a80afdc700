"""Mine several sources in one run."""

import pydantic
import pytest

from specter_graph.core.triplet_settings import MultitaskTriplets
from specter_graph.graph.database import Database
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.triplets.mine import mine_triplets
from specter_graph.graph.triplets.sources import mixed
from specter_graph.graph.triplets.sources.candidates import Candidates
from tests.graph.citation_graphs import random_papers, reload, truth
from tests.graph.triplets.sources.reference_counts import (
    by_query,
    co_citations,
    co_readings,
    random_readings,
    rows,
)

PAPERS = random_papers(200, 8)
READINGS = random_readings(200, 80)


def test_every_triplet_is_of_one_of_the_sources(graph: Database):
    reload(graph, [*PAPERS, *READINGS])
    stream = mine_triplets(graph, MultitaskTriplets())
    result = rows(stream)
    facts = truth(PAPERS, 0.1)
    counts = {
        "co_view": co_readings(facts, READINGS, "VIEWED"),
        "co_read": co_readings(facts, READINGS, "SAVED"),
        "co_citation": co_citations(facts),
    }
    related = {
        query: {paper for each in counts.values() for paper in each[query]}
        for query in facts.training
    }
    assert {*by_query(result)} == {query for query in facts.training if related[query]}
    for query, positive, negative, hard in result:
        assert positive in related[query]
        smallest = {
            paper
            for each in counts.values()
            for paper, times in each[query].items()
            if times == min(each[query].values())
        }
        assert negative in smallest if hard else negative not in related[query] | {query}
    for query, triplets in by_query(result).items():
        positives = {positive for _, positive, _, _ in triplets}
        negatives = [negative for _, _, negative, _ in triplets]
        assert positives.isdisjoint(negatives), query
        assert len({*negatives}) == 5
    assert sum(stream.report.by_source.values()) == stream.report.triplets == len(result)
    reload(graph, [*READINGS[::-1], *PAPERS[::-1]])
    assert rows(mine_triplets(graph, MultitaskTriplets())) == result


def test_sources_are_drawn_by_the_distribution(graph: Database):
    """For queries with positives in each source, three in four triplets are of one source."""
    load_papers(graph, [*PAPERS, *READINGS])
    stream = mine_triplets(
        graph, MultitaskTriplets(distribution={"co_read": 3, "citations": 1}), holdout=0
    )
    result = rows(stream)
    facts = truth(PAPERS, 0)
    stored = co_readings(facts, READINGS, "SAVED")
    both = {query for query in facts.training if stored[query] and facts.references(query)}
    pairs = [(query, positive) for query, positive, _, _ in result if query in both]
    separate = [(q, p) for q, p in pairs if (p in stored[q]) != (p in facts.cites[q])]
    share = sum(positive in stored[query] for query, positive in separate) / len(separate)
    assert len(separate) > 500
    assert 0.70 < share < 0.80
    only = {query for query in facts.training if facts.references(query) and not stored[query]}
    assert only <= {query for query, *_ in result}
    rest = mine_triplets(
        graph, MultitaskTriplets(distribution={"co_read": 0, "coupling": 2}), holdout=0
    )
    rows(rest)
    assert {*rest.report.by_source} == {"coupling"}


def test_a_source_without_data_is_named(graph: Database):
    load_papers(graph, PAPERS)
    calls = []
    stream = mine_triplets(graph, MultitaskTriplets(), progress=lambda *call: calls.append(call))
    count = len(rows(stream))
    assert stream.report.by_source == {"co_view": 0, "co_read": 0, "co_citation": count}
    assert ("triplets from co_view", 0, 0) in calls
    assert ("triplets from co_citation", count, count) in calls


def test_the_triplets_of_a_query_follow_the_draws():
    one = Candidates("q", 1, ["a", "b"], ["c", "x"], ["a", "b", "c", "x"])
    two = Candidates("q", 1, ["x"], ["y", "c"], ["x", "y", "c"])
    drawn = ["two", "one", "one", "two", "one"]
    # x is a positive in source two, so it is no hard negative in source one, which has only c
    assert mixed({"one": one, "two": two}, drawn, 3) == [
        ("x", "y", "two"),
        ("a", "c", "one"),
        ("b", None, "one"),
        ("x", None, "two"),
        ("a", None, "one"),
    ]


@pytest.mark.parametrize(
    "wrong", [{}, {"co_view": 0}, {"co_view": -1}, {"neighbors": 1}, {"co_view": float("nan")}]
)
def test_a_distribution_without_sources_is_refused(wrong: dict[str, float]):
    with pytest.raises(pydantic.ValidationError):
        MultitaskTriplets(distribution=wrong)
