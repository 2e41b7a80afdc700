"""Test FastRP spaces: the citations they see, their records, and determinism."""

import json

import numpy as np
import pytest

from specter_graph.core.errors import GraphError, InputError, LeakError
from specter_graph.graph.algorithms.fastrp import fastrp
from specter_graph.graph.embeddings.spaces import get_space, list_spaces, read_vectors
from tests.graph.algorithms.small_graphs import load_references, projections, write_vectors_of
from tests.graph.citation_graphs import held_out_ids

# Two groups with dense citations within each, and `alone` without citations.
GROUPS = {
    **{f"a{i}": [f"a{j}" for j in range(i)] for i in range(8)},
    **{f"b{i}": [f"b{j}" for j in range(i)] for i in range(8)},
    "alone": [],
}


@pytest.fixture
def corpus(graph):
    load_references(graph, GROUPS)
    texts = np.random.default_rng(0).normal(size=(len(GROUPS), 6))
    write_vectors_of(graph, "base", dict(zip(GROUPS, texts, strict=True)))
    return graph


def created(graph, **given):
    """Return the ids and vectors of a new FastRP space."""
    record = fastrp(graph, **{"dimension": 16, "holdout": 0, "seed": 3} | given)
    assert record == get_space(graph, "fastrp")
    return read_vectors(graph, "fastrp")


@pytest.mark.parametrize("base", ["base", None])
def test_every_paper_has_a_vector_of_length_one_and_runs_repeat(corpus, base):
    ids, vectors = created(corpus, space=base)
    assert ids == sorted(GROUPS)
    expected = np.ones(len(ids))
    if base is None:
        expected[ids.index("alone")] = 0
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(expected, abs=1e-5)
    assert np.array_equal(created(corpus, space=base)[1], vectors)
    assert projections(corpus) == []


def test_papers_that_cite_one_another_are_near(corpus):
    # Random vectors are nearly orthogonal in 256 dimensions.
    ids, vectors = created(corpus, dimension=256)
    of_a, of_b = (np.array([i.startswith(group) for i in ids]) for group in ("a", "b"))
    of_a[ids.index("alone")] = False
    similarity = vectors @ vectors.T
    assert similarity[np.ix_(of_a, of_a)].mean() > 2 * abs(similarity[np.ix_(of_a, of_b)].mean())


def test_the_citations_of_held_out_papers_are_not_seen(corpus):
    """Without features, a vector depends only on citations: it is zero if none is seen."""
    ids, vectors = created(corpus, holdout=0.4)
    held_out = held_out_ids(corpus, 0.4)
    seen = "MATCH (p)-[:CITES]-(q) WHERE NOT p.id IN $ids AND NOT q.id IN $ids RETURN p.id AS id"
    assert held_out
    assert {paper for paper, vector in zip(ids, vectors, strict=True) if vector.any()} == {
        row["id"] for row in corpus.read(seen, ids=[*held_out])
    }


def test_another_seed_gives_other_vectors(corpus):
    assert not np.array_equal(created(corpus)[1], created(corpus, seed=4)[1])


def test_the_record_states_the_hold_out_and_the_source(corpus):
    created(corpus, space="base", holdout=0.4)
    record = get_space(corpus, "fastrp")
    assert (record.kind, record.dimension, record.model) == ("fastrp", 16, "")
    assert (record.holdout, record.learned_from) == (0.4, ("citations",))
    assert record.sees_edges
    assert json.loads(record.sources)["space"] == "base"
    created(corpus, space="base", holdout=0)
    assert get_space(corpus, "fastrp").holdout == 0
    assert get_space(corpus, "fastrp").digest != record.digest


def test_a_base_that_has_seen_hidden_citations_leaks(corpus):
    seen = {"sees_edges": True, "holdout": 0.2}
    write_vectors_of(corpus, "seen", dict.fromkeys(GROUPS, (1.0, 2.0)), **seen)
    with pytest.raises(LeakError, match=r"'seen' \(hold-out 0.2\)"):
        fastrp(corpus, "seen", holdout=0.4)
    fastrp(corpus, "seen", holdout=0.1)


def test_a_paper_without_a_vector_in_the_base_is_reported(corpus):
    load_references(corpus, {"late": "a"})
    with pytest.raises(GraphError, match="1 paper has no vector in 'base'"):
        fastrp(corpus, "base")


def test_a_space_of_another_kind_is_not_replaced(corpus):
    with pytest.raises(InputError, match="'base' has vectors of base, which fastrp would replace"):
        fastrp(corpus, output_space="base")
    assert [each.name for each in list_spaces(corpus)] == ["base"]
