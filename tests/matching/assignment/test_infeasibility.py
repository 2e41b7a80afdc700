"""The counts of explanations are true, and the suggested relaxations help."""

from dataclasses import replace

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from specter_graph.matching.assignment.infeasibility import explain
from specter_graph.matching.assignment.optimal import assign
from specter_graph.matching.assignment.problem import AssignmentProblem, InfeasibleError


def is_feasible(problem):
    try:
        assign(problem)
    except InfeasibleError:
        return False
    return True


@settings(max_examples=200)
@given(st.integers(0, 100_000))
def test_explanations_are_true_and_their_relaxations_help(tiny, seed):
    problem = tiny(seed)
    doubted = np.argwhere(~problem.allowed)
    result = explain(problem, uncertain=doubted)
    assert is_feasible(problem) == (not result.shortages)
    assert not (result.relaxations and is_feasible(problem))
    for shortage in result.shortages:
        assert shortage.places < shortage.needed
    for relaxation in result.relaxations:
        assert is_feasible(relaxation.problem)


@settings(max_examples=100)
@given(st.integers(0, 100_000))
def test_a_shortage_has_the_correct_counts_of_reviewers_places_and_reviews(tiny, seed):
    problem = replace(tiny(seed), locked=np.empty((0, 2), np.int64), minimum=0)
    shortages = explain(problem).shortages
    assert len({(each.kind, *each.papers) for each in shortages}) == len(shortages)
    for shortage in shortages:
        senior = np.isin(shortage.papers, shortage.senior)[:, None]
        counts = problem.allowed[shortage.papers] & (problem.senior | ~senior)
        counts &= problem.maximum > 0
        places = np.minimum(counts.sum(0), problem.maximum).sum()
        needed = np.where(senior[:, 0], problem.seniors_per_paper, 9)
        needed = np.minimum(problem.needed[shortage.papers], needed).sum()
        assert (shortage.places, shortage.needed) == (places, needed)
        assert shortage.reviewers.tolist() == np.flatnonzero(counts.any(0)).tolist()


def narrow():
    """Twelve papers of a topic that only two reviewers may have, and thirty others."""
    allowed = np.ones((42, 40), bool)
    allowed[:12, 2:] = False
    allowed[12:, :2] = False
    return AssignmentProblem(np.ones((42, 40)), 1, 5, allowed), [["quantum"]] * 12 + [
        ["graphs"]
    ] * 30


def test_a_topic_short_of_reviewers_is_reported_in_counts():
    problem, topics = narrow()
    result = explain(problem, topics)
    assert str(result).splitlines() == [
        "12 papers (most common topic: quantum) have 2 eligible reviewers with 10 places; "
        "they need 12",
        "drop 2 reviews of 2 papers",
        "raise the maximum load of every reviewer by 1 paper",
    ]


def test_the_smallest_number_of_uncertain_conflicts_is_lifted():
    problem, _ = narrow()
    doubted = [[paper, 10 + paper] for paper in range(5)]
    lifted = [
        one for one in explain(problem, uncertain=doubted).relaxations if one.kind == "conflicts"
    ]
    assert [one.amount for one in lifted] == [2]
    assert is_feasible(lifted[0].problem)
    assert (lifted[0].problem.allowed != problem.allowed).sum() == 2


def test_the_raise_of_loads_is_the_smallest():
    problem = AssignmentProblem(np.zeros((10, 4)), 3, 6)  # 30 required reviews, but only 24 places
    raised = [one for one in explain(problem).relaxations if one.kind == "maximum"]
    assert [one.amount for one in raised] == [2]
    assert not is_feasible(replace(problem, maximum=problem.maximum + 1))


def test_all_submissions_without_enough_reviewers_are_reported():
    allowed = np.ones((20, 10), bool)
    allowed[:2] = False
    allowed[:2, 0] = True
    problem = AssignmentProblem(np.zeros((20, 10)), 3, 5, allowed)
    assert [str(one) for one in explain(problem).shortages] == [
        "2 papers have 1 eligible reviewer with 2 places; they need 6",
        "20 papers have 10 eligible reviewers with 50 places; they need 60",
    ]


def test_submissions_that_all_lack_reviewers_are_listed_once():
    problem = AssignmentProblem(np.zeros((4, 2)), 3, 1)
    assert [str(one) for one in explain(problem).shortages] == [
        "4 papers have 2 eligible reviewers with 2 places; they need 12"
    ]


def test_a_lack_of_seniors_differs_from_a_lack_of_reviewers():
    senior = np.arange(10) < 2
    result = explain(
        AssignmentProblem(np.zeros((20, 10)), 3, 8, senior=senior, seniors_per_paper=1)
    )
    assert str(result.shortages[0]) == (
        "20 papers have 2 eligible senior reviewers with 16 places; they need 20"
    )
    assert {"seniors", "maximum"} == {one.kind for one in result.relaxations}


def test_minimum_loads_that_cannot_be_met_are_reported():
    allowed = np.ones((6, 4), bool)
    allowed[2:, :2] = False
    result = explain(AssignmentProblem(np.zeros((6, 4)), 1, 6, allowed, [2, 2, 0, 0]))
    assert str(result).splitlines() == [
        "minimum loads: 2 reviewers must have at least 4 reviews, but can only have 2 papers with "
        "2 places",
        str(result.relaxations[0]),
    ]
    assert result.relaxations[0].amount == 2


def test_locked_pairs_beyond_a_load_are_reported_and_a_minimum_unlocked():
    locked = [[paper, 0] for paper in range(5)]
    result = explain(AssignmentProblem(np.zeros((5, 9)), 2, 3, locked=locked))
    assert str(result).splitlines() == [
        "locked pairs: 1 reviewer with 5 locked pairs and 3 places",
        "unlock 2 pairs of 2 papers and 1 reviewer",
    ]


def test_a_problem_that_has_an_assignment_has_no_explanation(skewed):
    result = explain(AssignmentProblem(skewed(50, 50), 3, 4))
    assert (result.shortages, result.relaxations, str(result)) == ((), (), "")
