"""Mine hard negatives from a model's own space."""

import numpy as np
import pytest

from specter_graph.core.errors import InputError, LeakError
from specter_graph.core.triplet_settings import CitationTriplets, MultitaskTriplets
from specter_graph.graph.database import Database
from specter_graph.graph.triplets.mine import mine_triplets
from specter_graph.graph.triplets.sources.vector_sources import match_negatives
from tests.graph.algorithms.small_graphs import load_references, write_vectors_of
from tests.graph.citation_graphs import random_papers, reload, truth
from tests.graph.triplets.sources.reference_counts import by_query, co_citations, rows

PAPERS = random_papers(200, 6)
NAMES = [paper.id for paper in PAPERS]
VECTORS = np.random.default_rng(0).normal(size=(200, 4)).astype(np.float32)
MINED = CitationTriplets(hard_from="own", hard_among=120)


def embedded(graph: Database, **record: object) -> None:
    reload(graph, PAPERS)
    write_vectors_of(graph, "own", dict(zip(NAMES, VECTORS, strict=True)), **record)


def test_hard_negatives_are_near_unrelated_and_farther_than_the_positive(graph: Database):
    embedded(graph)
    stream = mine_triplets(graph, MINED)
    result = by_query(rows(stream))
    facts = truth(PAPERS, 0.1)
    cocited = co_citations(facts)
    vectors = dict(zip(NAMES, VECTORS, strict=True))
    fallbacks = 0
    for query, triplets in result.items():
        others = facts.training - {query}
        distance = {p: np.linalg.norm(vectors[p] - vectors[query]) for p in others}
        near = sorted(distance, key=lambda paper: distance[paper])[:120]
        citing = {paper for paper in facts.training if query in facts.cites[paper]}
        related = facts.references(query) | citing | {*cocited[query]}
        free = [paper for paper in near if paper not in related]
        for _, positive, negative, hard in triplets:
            if hard:
                assert negative in free
                assert distance[negative] >= 1.05 * distance[positive] * (1 - 1e-5)
                nearer = free[: free.index(negative)]
                bound = 1.05 * distance[positive] * (1 + 1e-5)
                skipped = [paper for paper in nearer if distance[paper] >= bound]
                assert {*skipped} <= {n for _, _, n, is_hard in triplets if is_hard}
            else:
                assert negative not in facts.cites[query]
        assert {positive for _, positive, _, _ in triplets} <= facts.references(query)
        fallbacks += sum(not hard for *_, hard in triplets) - 3
    assert stream.report.hard > 100
    assert stream.report.fallbacks == fallbacks


def test_a_small_line_gives_the_expected_triplets(graph: Database):
    """On a line from q: its positive p at 2, cited c at 2.5; r cites q, s is cited with q."""
    load_references(graph, {"q": "pc", "r": "qs", **dict.fromkeys("pcsabdz", "")})
    places = {"q": 0, "a": 1, "p": 2, "b": 2.05, "c": 2.5, "r": 2.6, "s": 2.7, "d": 3, "z": 9}
    write_vectors_of(graph, "own", {paper: (place, 1) for paper, place in places.items()})
    source = CitationTriplets(hard_from="own", per_query=2, hard=2, hard_among=7)
    result = by_query(rows(mine_triplets(graph, source, holdout=0)))["q"]
    # a is nearer than the positives, b slightly farther than p, z not among the seven nearest
    assert sum(hard for *_, hard in result) == 1
    assert [row[2] for row in result if row[3]] == ["d"]
    strict = source.model_copy(update={"hard_margin": 0.02, "hard_among": 8})
    result = by_query(rows(mine_triplets(graph, strict, holdout=0)))["q"]
    assert {row[1:] for row in result} == {("p", "b", True), ("c", "d", True)}


def test_other_sources_can_be_self_mined(graph: Database):
    embedded(graph)
    mixed = MultitaskTriplets(distribution={"citations": 1, "coupling": 1}, hard_from="own")
    stream = mine_triplets(graph, mixed)
    result = rows(stream)
    assert {*stream.report.by_source} == {"citations", "coupling"}
    assert sum(stream.report.by_source.values()) == len(result)
    assert stream.report.hard > 100


def test_a_space_that_has_seen_other_papers_is_refused_and_so_are_validation_triplets(
    graph: Database,
):
    embedded(graph, sees_edges=True, holdout=0.05)
    with pytest.raises(LeakError, match="'own'"):
        rows(mine_triplets(graph, MINED))
    with pytest.raises(InputError, match="validation triplets are not mined"):
        mine_triplets(graph, MINED, split="validation")


def test_candidates_are_taken_once_and_from_the_nearest():
    candidates = np.array([1, 4, 9, 16], np.float32)
    assert match_negatives(candidates, np.array([1, 1, 9, 25], np.float32), 0.5) == [1, 2, -1, -1]
    assert match_negatives(candidates, np.array([4, 1], np.float32), 0) == [1, 0]
    assert match_negatives(candidates, np.array([np.inf], np.float32), 0) == [-1]
