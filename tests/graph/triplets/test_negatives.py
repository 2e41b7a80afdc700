import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from specter_graph.graph.triplets.sampler import NegativePool

IDS = [f"p{number:02}" for number in range(40)]
DRAWS = st.integers(0, 2**31 - 2)


@given(
    draw=DRAWS,
    required=st.integers(0, 8),
    cited=st.sets(st.sampled_from(IDS)),
    used=st.sets(st.sampled_from(IDS), max_size=3),
)
def test_cited_papers_are_never_drawn_and_papers_repeat_only_if_necessary(
    draw, required, cited, used
):
    used -= cited
    pool = NegativePool([IDS[:15], IDS[15:]], seed=3)
    [candidates] = pool.candidates(np.array([draw]), required)
    picked = pool.pick(candidates, draw, required, cited, used)
    fresh = {*IDS} - cited - used
    assert len(picked) == (required if {*IDS} - cited else 0)
    assert not {*picked} & cited
    if len(fresh) >= required:
        assert len({*picked} - used) == required
    else:
        assert fresh <= {*picked}


@given(draws=st.lists(DRAWS, min_size=1, max_size=5))
def test_candidates_do_not_depend_on_the_other_queries_of_the_batch(draws):
    pool = NegativePool([IDS], seed=0)
    together = pool.candidates(np.array(draws), 4)
    assert together == [pool.candidates(np.array([draw]), 4)[0] for draw in draws]


def test_candidates_are_uniform_over_the_pool():
    pool = NegativePool([IDS], seed=5)
    draws = np.random.default_rng(0).integers(0, 2**31 - 1, 4_000)
    names, counts = np.unique(np.concatenate(pool.candidates(draws, 5)), return_counts=True)
    assert names.tolist() == IDS
    expected = counts.sum() / len(IDS)
    assert ((counts - expected) ** 2 / expected).sum() < 72.1  # chi-square, 39 degrees, 0.999


def test_an_empty_pool_has_no_candidates():
    pool = NegativePool([], seed=0)
    assert len(pool) == 0
    assert pool.candidates(np.array([1]), 5) == [[]]
    assert pool.pick([], 1, 5, set(), set()) == []


def test_the_last_papers_of_a_large_pool_are_drawn_if_all_others_are_cited():
    ids = [f"p{number:04}" for number in range(3_000)]
    pool = NegativePool([ids], seed=0)
    order = pool.pick([], 7, 3_000, set(), set())
    assert sorted(order) == ids
    assert pool.pick([], 7, 4, {*order[:2_997]}, {order[2_998]}) == [
        order[2_997],
        order[2_999],
        order[2_997],
        order[2_998],
    ]
