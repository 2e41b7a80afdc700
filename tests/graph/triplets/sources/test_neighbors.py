"""Mine neighbors in a space that is computed from citations."""

import numpy as np
import pydantic
import pytest

from specter_graph.core.errors import GraphError, InputError, LeakError
from specter_graph.core.triplet_settings import NeighborTriplets
from specter_graph.graph.algorithms.fastrp import fastrp
from specter_graph.graph.database import Database
from specter_graph.graph.triplets import mine
from specter_graph.graph.triplets.mine import mine_triplets
from specter_graph.graph.triplets.sources.vector_sources import negative_rank_range, scaled_rank
from specter_graph.loaders.records import Paper
from tests.graph.algorithms.small_graphs import load_references, write_vectors_of
from tests.graph.citation_graphs import random_papers, reload, truth
from tests.graph.triplets.sources.reference_counts import by_query, rows

PAPERS = random_papers(150, 6)
SMALL = NeighborTriplets(space="placed", nearest=3, farthest=5, hard_rank=12)


def place(graph: Database, papers: list[Paper] = PAPERS, **record: object) -> dict[str, np.ndarray]:
    """Write a space with a position for each paper except p7."""
    reload(graph, papers)
    vectors = np.random.default_rng(0).normal(size=(len(PAPERS), 5)).astype(np.float32)
    vectors[7] = 0
    named = {paper.id: vector for paper, vector in zip(PAPERS, vectors, strict=True)}
    given = {"kind": "fastrp", "model": "", "sees_edges": True, "holdout": 0.1}
    write_vectors_of(graph, "placed", named, **given | record)
    return named


def test_positives_and_hard_negatives_lie_in_their_bands(graph: Database):
    vectors = place(graph)
    stream = mine_triplets(graph, SMALL)
    result = by_query(rows(stream))
    facts = truth(PAPERS, 0.1)
    placed = sorted(facts.training - {"p7"})
    assert sorted(result) == placed
    assert "p7" in facts.training
    fallbacks = 0
    for query, triplets in result.items():
        distances = {p: np.linalg.norm(vectors[p] - vectors[query]) for p in placed if p != query}
        ranked = sorted(distances, key=lambda paper: distances[paper])
        citing = {paper for paper in facts.training if query in facts.cites[paper]}
        cited = facts.references(query) | citing
        assert {positive for _, positive, _, _ in triplets} == {*ranked[2:5]}
        hard = {negative for _, _, negative, is_hard in triplets if is_hard}
        candidates = {*ranked[9:14]} - cited  # ranks 10 to 14: two around 12
        assert hard <= candidates
        assert len(hard) == min(2, len(candidates))
        fallbacks += 2 - len(hard)
        easy = {negative for _, _, negative, is_hard in triplets if not is_hard}
        assert easy <= facts.training - cited - {*ranked[:5], query}
    assert stream.report.fallbacks == fallbacks
    assert rows(mine_triplets(graph, SMALL, seed=1)) != rows(stream)


def test_neither_loading_order_nor_batches_make_a_difference(
    graph: Database, monkeypatch: pytest.MonkeyPatch
):
    place(graph)
    first = rows(mine_triplets(graph, SMALL))
    monkeypatch.setattr(mine, "_BATCH", 7)
    place(graph, PAPERS[::-1])
    assert rows(mine_triplets(graph, SMALL)) == first


def test_a_space_of_the_graph_algorithms_can_be_mined_and_has_seen_no_held_out_citation(
    graph: Database,
):
    """The positives of a paper are in its own group, which is separate from the other."""
    groups = {f"{g}{i}": [f"{g}{j}" for j in range(i)] for g in "ab" for i in range(12)}
    load_references(graph, groups)
    fastrp(graph, dimension=64, holdout=0, seed=0)
    source = NeighborTriplets(space="fastrp", nearest=1, farthest=4, hard_rank=14, hard=1)
    result = rows(mine_triplets(graph, source, holdout=0))
    assert len(result) == 24 * 5
    assert {positive[0] == query[0] for query, positive, _, _ in result} == {True}
    assert {negative[0] == query[0] for query, _, negative, hard in result if hard} == {False}
    with pytest.raises(LeakError, match="'fastrp'"):
        rows(mine_triplets(graph, source, holdout=0.1))


def test_spaces_of_other_citations_are_rejected(graph: Database):
    place(graph, sees_edges=False)
    with pytest.raises(InputError, match="made from texts"):
        rows(mine_triplets(graph, SMALL))
    with pytest.raises(GraphError, match="no embedding space 'other'"):
        rows(mine_triplets(graph, SMALL.model_copy(update={"space": "other"})))


def test_the_rank_of_hard_negatives_grows_with_the_root_of_the_corpus():
    """SciNCL: 4,000 for 52.4 million papers; a corpus of a hundredth of this size has 400."""
    assert scaled_rank(52_400_000, 25) == 4_000
    assert scaled_rank(524_000, 25) == 400
    assert scaled_rank(9_300, 25) == 53
    assert scaled_rank(100, 25) == 50
    assert negative_rank_range(4_000, 2, 25) == range(3_800, 4_201)
    assert negative_rank_range(53, 2, 25) == range(51, 56)
    assert negative_rank_range(26, 8, 25) == range(26, 35)


@pytest.mark.parametrize("wrong", [{"nearest": 26}, {"hard_rank": 25}, {"nearest": 0}])
def test_bands_in_another_order_are_refused(wrong: dict[str, int]):
    with pytest.raises(pydantic.ValidationError):
        NeighborTriplets(space="s", **wrong)
