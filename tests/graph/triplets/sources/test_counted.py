"""Sources whose positives share readers or citations with the query."""

from dataclasses import replace

import numpy as np
import pytest

from specter_graph.core.triplet_settings import (
    CitationTriplets,
    CooccurrenceTriplets,
    MultitaskTriplets,
)
from specter_graph.graph.database import Database
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.split import held_out_below
from specter_graph.graph.triplets.mine import mine_triplets
from specter_graph.graph.triplets.sources.path_sources import (
    cooccurrence_text,
    rank_by_cooccurrence,
)
from specter_graph.loaders.records import SAMPLE_PRIME, Paper, Reading, sample_key
from tests.graph.citation_graphs import random_papers, reload, truth
from tests.graph.plans import operators_of
from tests.graph.triplets.sources.reference_counts import (
    Counts,
    by_query,
    co_citations,
    co_readings,
    couplings,
    random_readings,
    rows,
)

PAPERS = [
    replace(paper, references=paper.references[: 2 if number % 3 == 0 else 8])
    for number, paper in enumerate(random_papers(200, 8))
]
READINGS = random_readings(200, 80)
SOURCES = ["co_view", "co_read", "co_citation", "coupling"]


def counts_of(source: str, papers: list[Paper], holdout: float) -> Counts:
    facts = truth(papers, holdout)
    if source == "co_citation":
        return co_citations(facts)
    if source == "coupling":
        return couplings(facts)
    return co_readings(facts, READINGS, "VIEWED" if source == "co_view" else "SAVED")


@pytest.fixture(scope="module")
def corpus(fresh_graph: Database) -> Database:
    load_papers(fresh_graph, [*PAPERS, *READINGS])
    return fresh_graph


@pytest.mark.parametrize("source", SOURCES)
def test_positives_share_more_than_hard_negatives(corpus: Database, source: str):
    stream = mine_triplets(corpus, CooccurrenceTriplets(source=source))
    result = by_query(rows(stream))
    expected = counts_of(source, PAPERS, 0.1)
    linked = truth(PAPERS, 0.1).linked()
    assert {*result} == {query for query, counts in expected.items() if counts}
    expected_fallbacks = 0
    for query, triplets in result.items():
        counts = expected[query]
        smallest = {paper for paper, times in counts.items() if times == min(counts.values())}
        above = sorted((counts[paper] for paper in {*counts} - smallest), reverse=True)
        best = above or [min(counts.values())] * len(counts)
        positives = {positive for _, positive, _, _ in triplets}
        assert sorted((counts[paper] for paper in positives), reverse=True) == best[:5]
        hard = {negative for _, _, negative, is_hard in triplets if is_hard}
        assert hard <= smallest - linked[query]
        assert len(hard) == (min(2, len(smallest - linked[query])) if above else 0)
        easy = {negative for _, _, negative, is_hard in triplets if not is_hard}
        assert len(hard | easy) == len(triplets) == 5
        assert easy.isdisjoint({*counts, query} | linked[query])
        assert easy <= {*expected}
        expected_fallbacks += 2 - len(hard)
    report = stream.report
    assert report.fallbacks == expected_fallbacks
    assert report.by_source == {source: report.triplets}
    assert report.skipped == len(expected) - len(result)
    assert report.mined["source"] == source


@pytest.mark.parametrize(
    "source",
    [
        CooccurrenceTriplets(source="co_read"),
        CooccurrenceTriplets(source="co_citation"),
        MultitaskTriplets(distribution={"co_read": 1, "co_citation": 1}),
        CitationTriplets(per_query=0, hard=0, cited_by=True),
    ],
    ids=lambda source: source.source,
)
def test_validation_triplets_of_a_signal_are_of_validation_papers(corpus: Database, source):
    facts = truth(PAPERS, 0.1)
    validation = {each.id for each in PAPERS if facts.hides(each.id)} & {
        each.id for each in PAPERS if sample_key(each.id) >= held_out_below(0.05)
    }
    result = rows(mine_triplets(corpus, source, split="validation"))
    queries = {query for query, *_ in result}
    assert queries
    assert queries <= validation
    assert queries - facts.validation, "a minimum number of references does not apply"
    assert {paper for _, *others, _ in result for paper in others} <= facts.training
    if source.source == "citations":
        near = {q: {p for p in facts.training if q in facts.cites[p]} for q in validation}
        pairs = {(query, positive) for query, positive, *_ in result}
        assert pairs == {(q, p) for q in validation for p in near[q] | facts.references(q)}


def test_a_session_separates_views_and_a_small_graph_gives_the_expected_triplets(graph: Database):
    """r1 views a, b, c together and d later; r2 and r3 view q, a together; r2 also views b."""
    sessions = {"r1 1": "q a b c", "r1 2": "d", "r2 1": "q a b", "r3 1": "q a", "r4 1": "e q"}
    readings = [
        Reading(name.split()[0], paper, "VIEWED", at, session=name.split()[1])
        for name, papers in sessions.items()
        for paper in papers.split()
        for at in ("early", "late")  # two views in a session count once
    ]
    load_papers(graph, [*(Paper(name, name) for name in "qabcdef"), *readings])
    stream = mine_triplets(
        graph, CooccurrenceTriplets(source="co_view", per_query=4, hard=2), holdout=0
    )
    result = by_query(rows(stream))["q"]
    # with q: a three times, b twice, c and e once
    assert [positive for _, positive, _, _ in result] == ["a", "b", "a", "b"]
    assert [hard for _, _, _, hard in result] == [True, True, False, False]
    assert {negative for _, _, negative, hard in result if hard} == {"c", "e"}
    assert {negative for _, _, negative, hard in result if not hard} == {"d", "f"}


@pytest.mark.parametrize("source", ["co_view", "co_citation", "coupling"])
def test_neither_loading_order_nor_held_out_papers_make_a_difference(graph: Database, source: str):
    settings = CooccurrenceTriplets(source=source, weighted=True)
    # With times, the last reading of a reader, which is held out, may be of a held-out paper.
    readings = [replace(reading, at=None) for reading in READINGS]
    reload(graph, [*PAPERS, *readings])
    stream = mine_triplets(graph, settings)
    first = rows(stream)
    reload(graph, [*readings[::-1], *PAPERS[::-1]])
    assert rows(mine_triplets(graph, settings)) == first
    graph.write(
        "MATCH (p:Paper)-[edge:CITES|VIEWED|SAVED]-() WHERE p.sample_key < $below DELETE edge",
        below=held_out_below(0.1),
    )
    assert rows(stream) == first
    assert rows(mine_triplets(graph, settings, seed=1)) != first


def test_weighted_positives_are_drawn_in_proportion_to_their_counts():
    counts = np.array([1, 2, 4, 6])
    drawn = np.zeros(4)
    rng = np.random.default_rng(0)
    for _ in range(4000):
        positives, hard = rank_by_cooccurrence(
            counts, rng.integers(SAMPLE_PRIME, size=4), weighted=True
        )
        assert sorted([*positives, *hard]) == [0, 1, 2, 3]
        assert hard.tolist() == [0]
        drawn[positives[0]] += 1
    np.testing.assert_allclose(drawn / 4000, [0, 2 / 12, 4 / 12, 6 / 12], atol=0.03)


def test_papers_with_equal_counts_are_positives_in_the_order_of_the_keys():
    positives, hard = rank_by_cooccurrence(np.array([3, 3, 3]), np.array([7, 1, 4]))
    assert positives.tolist() == [1, 2, 0]
    assert hard.tolist() == []
    assert [len(each) for each in rank_by_cooccurrence(np.array([], int), np.array([], int))] == [
        0,
        0,
    ]


def test_counts_are_in_descending_order_then_keys_in_ascending_order():
    positives, hard = rank_by_cooccurrence(np.array([1, 5, 2, 5, 1]), np.array([9, 8, 1, 2, 3]))
    assert positives.tolist() == [3, 1, 2]
    assert hard.tolist() == [4, 0]


@pytest.mark.parametrize("source", ["co_read", "co_citation", "coupling"])
def test_the_statements_seek_without_scans(graph: Database, source: str):
    plan = operators_of(graph, cooccurrence_text(source))
    assert "NodeUniqueIndexSeek" in plan
    assert not {"AllNodesScan", "NodeByLabelScan", "CartesianProduct"} & {*plan}
