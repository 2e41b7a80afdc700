"""Use citations in both directions as positives."""

from specter_graph.core.triplet_settings import CitationTriplets
from specter_graph.graph.database import Database
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.triplets.mine import mine_triplets
from specter_graph.graph.triplets.sources.path_sources import batch_text
from specter_graph.loaders.records import Paper
from tests.graph.citation_graphs import random_papers, reload, truth
from tests.graph.plans import operators_of
from tests.graph.triplets.sources.reference_counts import by_query, rows

PAPERS = random_papers(300, 6)
BOTH = CitationTriplets(cited_by=True)


def test_positives_cite_or_are_cited_and_negatives_do_neither(graph: Database):
    load_papers(graph, PAPERS)
    result = by_query(rows(mine_triplets(graph, BOTH)))
    facts = truth(PAPERS, 0.1)
    near = facts.linked()
    assert {*result} == {paper for paper, others in near.items() if others}
    for query, triplets in result.items():
        second = {paper for first in near[query] for paper in near[first]} - near[query] - {query}
        positives = {positive for _, positive, _, _ in triplets}
        hard = {negative for _, _, negative, is_hard in triplets if is_hard}
        negatives = {negative for _, _, negative, _ in triplets}
        assert positives <= near[query]
        assert len(positives) == min(5, len(near[query]))
        assert hard <= second
        assert len(hard) == min(2, len(second))
        assert negatives <= facts.training - near[query] - {query}
        assert len(negatives) == 5


def test_each_citation_has_one_triplet_as_in_the_arxiv_protocol(graph: Database):
    load_papers(graph, PAPERS)
    result = rows(mine_triplets(graph, CitationTriplets(cited_by=True, per_query=0, hard=0)))
    near = truth(PAPERS, 0.1).linked()
    pairs = sorted((query, positive) for query, positive, _, _ in result)
    assert pairs == sorted((query, other) for query, others in near.items() for other in others)
    assert all(negative not in near[query] | {query} for query, _, negative, _ in result)


def test_a_chain_gives_the_expected_triplets(graph: Database):
    """a -> b -> c -> d: the positives of b are a and c, its only hard negative is d."""
    papers = [
        Paper("a", "a", references=("b",)),
        Paper("b", "b", references=("c",)),
        Paper("c", "c", references=("d", "b")),
        Paper("d", "d"),
        Paper("e", "e"),
    ]
    for order in (papers, papers[::-1]):
        reload(graph, order)
        stream = mine_triplets(
            graph, CitationTriplets(cited_by=True, per_query=2, hard=2), holdout=0
        )
        result = by_query(rows(stream))["b"]
        assert {positive for _, positive, _, _ in result} == {"a", "c"}
        assert [(negative, hard) for _, _, negative, hard in result] == [("d", True), ("e", False)]


def test_the_statement_seeks_without_scans(graph: Database):
    plan = operators_of(graph, batch_text(cited_by=True))
    assert "NodeUniqueIndexSeek" in plan
    assert not {"AllNodesScan", "NodeByLabelScan", "CartesianProduct"} & {*plan}
