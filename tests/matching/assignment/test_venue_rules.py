"""Test each rule of a venue on affinities for which the rule changes the assignment."""

import numpy as np
import pytest

from specter_graph.core.errors import InputError
from specter_graph.graph.reviewing.venue_data import VenueReviewer
from specter_graph.loaders.review_records import Conflict, Reviewer, Submission
from specter_graph.matching.affinity.scoring import AffinityMatrix
from specter_graph.matching.assignment.venue_assignment import AssignSettings, venue_problem

AFFINITY = np.array([[0.9, 0.8, 0.1, 0.2], [1.0, 0.7, 0.3, 0.1]], np.float32)


SUBMISSIONS = Submission("1", "T"), Submission("2", "T")
REVIEWERS = tuple(map(Reviewer, "abcd"))


def assigned(
    submissions=SUBMISSIONS,
    reviewers=REVIEWERS,
    conflicts=(),
    affiliations=((),) * 4,
    affinity=AFFINITY,
    per_submission=2,
    **settings,
):
    """Return the reviewers of each submission."""
    people = [
        VenueReviewer(reviewer, reviewer.id, reviewer.id, own)
        for reviewer, own in zip(reviewers, affiliations, strict=True)
    ]
    demands = AssignSettings(per_submission=per_submission, **settings)
    matrix = AffinityMatrix(submissions, people, affinity)
    pairs = venue_problem(matrix, demands, conflicts).assign()
    return ["".join(p.reviewer for p in pairs if p.submission == s.id) for s in submissions]


def test_without_rules_the_best_reviewers_are_assigned():
    assert assigned() == ["ab", "ab"]


def test_a_track_has_its_own_reviewers_and_reviewers_without_a_track():
    reviewers = (
        Reviewer("a", tracks=("Vision",)),
        Reviewer("b", tracks=("vision", "Language  Models")),
        Reviewer("c", tracks=("language models",)),
        Reviewer("d"),
    )
    submissions = Submission("1", "T", track="Language models"), Submission("2", "T")
    assert assigned(submissions, reviewers) == ["bd", "ab"]


def test_a_track_without_enough_reviewers_is_named_with_its_submissions():
    reviewers = tuple(Reviewer(name, tracks=("vision",)) for name in "abcd")
    submissions = Submission("1", "T", track="speech"), Submission("2", "T")
    with pytest.raises(InputError, match=r"1 paper has 0 eligible reviewers.* needs 2 \(1\)"):
        assigned(submissions, reviewers)


def test_a_region_has_a_maximum_and_reviewers_without_a_region_have_none():
    regions = ("Asia", "asia", "Europe", None)
    reviewers = tuple(Reviewer(n, region=r) for n, r in zip("abcd", regions, strict=True))
    assert assigned(reviewers=reviewers, max_per_region=1) == ["ad", "ac"]
    assert assigned(reviewers=reviewers, max_per_region=2) == ["ab", "ab"]
    assert assigned(reviewers=reviewers, max_per_region=2, per_submission=3) == ["abd", "abc"]


def test_an_affiliation_has_one_reviewer():
    affiliations = ("ror:1",), ("ror:1", "ror:2"), ("ror:3",), ("ror:2",)
    assert assigned(affiliations=affiliations, one_per_affiliation=True) == ["ad", "ac"]


def test_two_authors_do_not_review_each_other():
    conflicts = (
        Conflict("a", "1", "author", "a is an author"),
        Conflict("b", "2", "author", "b is an author"),
    )
    plain, fair = (
        assigned(conflicts=conflicts, no_reciprocal=rule, per_submission=1)
        for rule in (False, True)
    )
    assert plain == ["b", "a"]
    assert fair == ["d", "a"]
    affinity = AFFINITY + np.float32([[0, 0.3, 0, 0], [0, 0, 0, 0]])
    assert assigned(
        conflicts=conflicts, no_reciprocal=True, per_submission=1, affinity=affinity
    ) == ["b", "c"]


@pytest.mark.parametrize("method", ["fair", "random"])
def test_flow_methods_name_the_settings_that_they_do_not_support(method):
    with pytest.raises(InputError, match="max_per_region and no_reciprocal"):
        AssignSettings(method=method, max_per_region=1, no_reciprocal=True)


def test_an_unknown_method_is_refused():
    with pytest.raises(InputError, match="unknown method 'fare'"):
        AssignSettings(method="fare")


@pytest.mark.parametrize("name", ["per_submission", "max_load", "min_seniors", "max_per_region"])
def test_a_number_of_people_is_an_integer(name):
    for wrong in (3.5, -1, float("nan"), "3"):
        with pytest.raises(InputError, match=f"{name} is {wrong!r}"):
            AssignSettings(**{name: wrong})


def test_infeasible_rules_name_their_settings():
    reviewers = tuple(Reviewer(name, region="asia") for name in "abcd")
    with pytest.raises(InputError) as error:
        assigned(reviewers=reviewers, max_per_region=1)
    assert error.value.hint == "leave out max_per_region"
