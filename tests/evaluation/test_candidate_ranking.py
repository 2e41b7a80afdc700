"""Compare ranking by distance with hand computation and with the method of SciDocs."""

import time

import numpy as np
import pytest
import pytrec_eval

from specter_graph.core.errors import InputError
from specter_graph.evaluation.protocols.candidate_ranking import rank_candidates
from specter_graph.evaluation.protocols.dataset import PaperVectors


def on_a_line(**places):
    return PaperVectors.build(list(places), np.array([[each] for each in places.values()], float))


def test_map_and_ndcg_by_hand():
    rated = {"q": {"a": 1, "b": 0, "c": 1}}
    result = rank_candidates(rated, on_a_line(q=0, a=1, b=2, c=-3), "citation")
    # a, b, c: relevant at ranks 1 and 3
    assert result.metrics["map"].value() == pytest.approx((1 + 2 / 3) / 2)
    assert result.metrics["ndcg"].value() == pytest.approx(1.5 / (1 + 1 / np.log2(3)))
    assert len(result.items) == result.total
    assert not result.missing
    assert result.notes == ()


def test_equally_near_papers_are_ordered_by_descending_id():
    vectors = on_a_line(q=0, a=1, b=-1.000001)  # equal to five decimals
    assert (
        rank_candidates({"q": {"a": 1, "b": 0}}, vectors, "citation").metrics["map"].value() == 0.5
    )
    assert rank_candidates({"q": {"a": 0, "b": 1}}, vectors, "citation").metrics["map"].value() == 1


def test_papers_without_vectors_are_treated_as_in_scidocs_and_reported():
    rated = {
        "gone": {"a": 1, "b": 0},
        "q": {"a": 1, "no": 1, "b": 0},  # a relevant paper without a vector
        "r": {"b": 1, "nil": 0},  # an irrelevant one
    }
    result = rank_candidates(rated, on_a_line(q=0, r=0, a=1, b=2), "citation")
    assert result.items == ("q", "r")
    assert result.metrics["map"].values.tolist() == [0.5, 1.0]
    assert (result.total, result.papers, result.missing) == (3, 7, 3)
    assert result.missing or len(result.items) < result.total
    assert result.notes == (
        "1 query without a vector, excluded from the mean",
        "1 relevant candidate without a vector, counted as missed",
        "1 other candidate without a vector, not ranked",
    )


def test_vectors_without_any_query_are_refused():
    with pytest.raises(InputError, match="none of the 2 queries has a vector, such as 'q'"):
        rank_candidates({"r": {"a": 1}, "q": {"a": 1}}, on_a_line(a=0), "citation")
    with pytest.raises(InputError, match="none of the 0 queries"):
        rank_candidates({}, on_a_line(a=0), "citation")


def test_values_are_those_of_a_run_file_as_scidocs_writes_it():
    rng = np.random.default_rng(0)
    names = [f"p{i}" for i in range(300)]
    vectors = PaperVectors.build(names, rng.integers(0, 3, (300, 4)).astype(float))
    rated = {
        q: {str(p): int(i < 4) for i, p in enumerate(rng.choice(names, 20, replace=False))}
        for q in names[:25]
    }
    qrel = [f"{q} 0 {p} {r}" for q, some in rated.items() for p, r in some.items()]
    run = [
        f"{q} 0 {p} 0 {-np.round(np.linalg.norm(np.subtract(*vectors.get([q, p]))), 5)} n/a"
        for q, some in rated.items()
        for p in some
    ]
    golden = pytrec_eval.RelevanceEvaluator(pytrec_eval.parse_qrel(qrel), {"map", "ndcg"}).evaluate(
        pytrec_eval.parse_run(run)
    )
    result = rank_candidates(rated, vectors, "citation")
    for metric in ("map", "ndcg"):
        expected = np.mean([golden[q][metric] for q in golden])
        assert result.metrics[metric].value() == pytest.approx(expected, abs=1e-6)


def test_a_thousand_queries_of_thirty_candidates_take_less_than_a_second():
    rng = np.random.default_rng(0)
    names = [f"p{i}" for i in range(31_000)]
    vectors = PaperVectors.build(names, rng.normal(size=(31_000, 768)))
    rated = {
        names[31 * q]: {names[31 * q + i]: int(i <= 5) for i in range(1, 31)} for q in range(1_000)
    }
    started = time.process_time()
    assert len(rank_candidates(rated, vectors, "citation").items) == 1_000
    assert time.process_time() - started < 1
