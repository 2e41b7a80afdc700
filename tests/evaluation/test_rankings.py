"""Test the candidates of queries: related ones are relevant, unrelated ones not, none leak."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from specter_graph.evaluation import HeldOutData
from specter_graph.evaluation.protocols.held_out import NEGATIVES, POSITIVES, HeldOutRow, rankings

CANDIDATES = [f"t{i}" for i in range(60)]
TIMES = {paper: 1 + number % 7 for number, paper in enumerate(CANDIDATES)}
DATES = {paper: f"{1990 + number % 20}" for number, paper in enumerate(CANDIDATES) if number % 6}
DATES |= {"held1": "2000-05-01T10:07:46Z", "held2": "1995"}
subsets = st.sets(st.sampled_from(CANDIDATES), max_size=45)
others = st.sampled_from(["stub", "held1", "held2"])
rows = st.dictionaries(
    st.sampled_from(["held1", "held2", "held3"]),
    st.tuples(*(st.builds(lambda ids, other: ids | {other}, subsets, others) for _ in range(3))),
    min_size=1,
)


def build(data, order=1):
    listed = [
        HeldOutRow(
            paper,
            cites,
            cited_by,
            {other: TIMES.get(other, 1) for other in sorted(cocited)[::order]},
        )
        for paper, (cites, cited_by, cocited) in data.items()
    ]
    return HeldOutData.build(CANDIDATES[::order], listed[::order], DATES)


def ids_of_ranking(data, ranking):
    """Return the query of a ranking, the ids of relevant papers, and the other ids."""
    among = np.arange(len(data.candidates)) if ranking.among is None else ranking.among
    right = {data.candidates[among[i]] for i in ranking.relevant}
    older = data.older(ranking.before) if ranking.before else np.ones(60, bool)
    ids = [data.candidates[i] for i in among if older[i]]
    assert ids == sorted(set(ids))
    assert right <= set(ids)
    return data.papers[ranking.query].id, right, set(ids) - right


@given(rows, st.integers(0, 3))
def test_cite_ranks_cited_papers_among_unlinked_ones(held_out, seed):
    data = build(held_out)
    for ranking in rankings(data, seed)["cite"]:
        query, right, wrong = ids_of_ranking(data, ranking)
        cites, cited_by, _ = held_out[query]
        known = cites & set(CANDIDATES)
        assert right <= known
        assert len(right) == min(POSITIVES, len(known))
        assert not wrong & (cites | cited_by)
        unlinked = set(CANDIDATES) - cites - cited_by
        assert wrong <= unlinked
        assert len(wrong) == min(NEGATIVES, len(unlinked))


@given(rows, st.integers(0, 3))
def test_cocite_ranks_cocited_papers_among_unrelated_ones_without_citations(held_out, seed):
    data = build(held_out)
    for ranking in rankings(data, seed)["cocite"]:
        query, right, wrong = ids_of_ranking(data, ranking)
        cites, cited_by, cocited = held_out[query]
        possible = (cocited & set(CANDIDATES)) - cites - cited_by
        assert right <= possible
        assert len(right) == min(POSITIVES, len(possible))
        unrelated = set(CANDIDATES) - cites - cited_by - cocited
        assert wrong <= unrelated
        assert len(wrong) == min(NEGATIVES, len(unrelated))


@given(rows)
def test_retrieval_ranks_all_candidates_for_all_citations(held_out):
    data = build(held_out)
    for ranking in rankings(data, 0)["retrieval"]:
        query, right, wrong = ids_of_ranking(data, ranking)
        assert right == held_out[query][0] & set(CANDIDATES)
        assert right | wrong == set(CANDIDATES)


@given(rows, st.integers(0, 3))
def test_a_query_is_skipped_only_without_relevant_or_without_irrelevant_papers(held_out, seed):
    data = build(held_out)
    query_ids = {
        task: {data.papers[r.query].id for r in rs} for task, rs in rankings(data, seed).items()
    }
    for query, related in held_out.items():
        cites, cited_by, cocited = (ids & set(CANDIDATES) for ids in related)
        linked = cites | cited_by
        assert (query in query_ids["cite"]) == bool(cites and len(linked) < 60)
        assert (query in query_ids["cocite"]) == bool(
            cocited - linked and len(linked | cocited) < 60
        )
        assert (query in query_ids["retrieval"]) == bool(cites)


@given(rows, st.integers(0, 3))
def test_the_choice_depends_on_seed_and_ids_not_on_their_order(held_out, seed):
    data, turned = build(held_out), build(held_out, order=-1)
    chosen, again = rankings(data, seed), rankings(turned, seed)
    for task in chosen:
        assert [ids_of_ranking(data, r) for r in chosen[task]] == [
            ids_of_ranking(turned, r) for r in again[task]
        ]


def test_another_seed_chooses_others():
    data = build({"held1": ({"t1", "t2"}, set(), {"t5"})})
    first, second = (rankings(data, seed)["cite"][0] for seed in (0, 1))
    assert ids_of_ranking(data, first)[2] != ids_of_ranking(data, second)[2]


@given(rows, st.integers(0, 3))
def test_the_older_variants_have_only_candidates_that_are_older_than_the_query(held_out, seed):
    data = build(held_out)
    tasks = rankings(data, seed, variants=True)
    older = {
        query: {paper for paper in CANDIDATES if DATES.get(paper, "9") < DATES[query]}
        for query in ("held1", "held2")
    }
    for task in ("cite-older", "cocite-older", "retrieval-older"):
        for ranking in tasks.get(task, ()):
            query, right, wrong = ids_of_ranking(data, ranking)
            assert right | wrong <= older[query]
            if task == "retrieval-older":
                assert right == held_out[query][0] & older[query]
                assert right | wrong == older[query]


@given(rows, st.integers(0, 3))
def test_frequently_cocited_papers_are_relevant_as_in_scidocs(held_out, seed):
    data = build(held_out)
    for ranking in rankings(data, seed, variants=True).get("cocite-high", ()):
        query, right, wrong = ids_of_ranking(data, ranking)
        cocited = held_out[query][2] & set(CANDIDATES)
        assert len(right) == min(POSITIVES, len(cocited))
        assert min(TIMES[p] for p in right) >= max((TIMES[p] for p in cocited - right), default=0)
        assert not wrong & cocited
