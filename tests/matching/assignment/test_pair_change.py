"""Test the cost of changing a pair, the change, and its undo, on a stored assignment."""

from pathlib import Path

import pytest

from specter_graph.core.errors import GraphError, InputError
from specter_graph.graph.database import Database
from specter_graph.graph.reviewing.assignments import change_assigned
from specter_graph.loaders.review_records import AssignedPair
from specter_graph.matching.assignment.venue_assignment import AssignSettings
from specter_graph.venue import ReviewVenue
from tests.fake_encoders import LetterCounts
from tests.matching.venue_files import write_venue_files

ANN, BOB = "~Ann1", "~Bob1"


@pytest.fixture
def venue(graph: Database, tmp_path: Path) -> ReviewVenue:
    """Assign submission 1 to Ann and 2 to Bob, each the best match; each may have one."""
    model = LetterCounts(base="base")
    venue = ReviewVenue(graph, "V", lambda _: model)
    (tmp_path / "bids.csv").write_text(f"reviewer,submission,value\n{BOB},1,-1\n")
    venue.load(**write_venue_files(tmp_path), bids=tmp_path / "bids.csv")
    venue.assign(AssignSettings(per_submission=1, max_load=1, min_load=1, min_affinity=0.0))
    return venue


def test_the_cost_is_the_affinity_and_the_demands_that_are_violated(venue: ReviewVenue):
    scores = venue.score()
    change = venue.evaluate_change("1", removed=ANN, added=BOB)
    lost, gained = scores.affinity[0]
    assert (change.lost, change.gained) == pytest.approx((lost, gained), abs=1e-5)
    assert change.difference == pytest.approx(gained - lost, abs=1e-5)
    assert change.total == pytest.approx(sum(pair.affinity for pair in venue.assigned()))
    assert [each.kind for each in change.violations] == ["load", "load", "bid"]
    added = venue.evaluate_change("1", added=BOB)
    assert [each.kind for each in added.violations] == ["load", "number", "bid"]
    removed = venue.evaluate_change("1", removed=ANN)
    assert [each.kind for each in removed.violations] == ["load", "number"]
    assert removed.difference == -removed.lost


def test_a_change_names_reviewers_by_their_email_addresses(venue: ReviewVenue, tmp_path: Path):
    (tmp_path / "r.csv").write_text(f"id,email\n{ANN},ann@x.org\n{BOB},bob@x.org\n")
    venue.load(reviewers=tmp_path / "r.csv")
    change = venue.change("1", removed="Ann@x.org", added="bob@x.org")
    assert (change.removed, change.added) == (ANN, BOB)
    assert [pair.reviewer for pair in venue.assigned() if pair.submission == "1"] == [BOB]


def test_tracks_regions_and_affiliations_are_demands_too(venue: ReviewVenue, tmp_path: Path):
    (tmp_path / "r.csv").write_text(f"id,tracks,region\n{ANN},Theory,EU\n{BOB},Vision,EU\n")
    (tmp_path / "s.csv").write_text("id,title,track\n1,aa,Theory\n2,bb,\n")
    venue.load(reviewers=tmp_path / "r.csv", submissions=tmp_path / "s.csv")
    settings = AssignSettings(per_submission=1, max_per_region=1, no_reciprocal=True)
    venue.assign(settings, replace=True)
    change = venue.evaluate_change("1", added=BOB)
    kinds = [each.kind for each in change.violations]
    assert kinds == ["number", "track", "region", "bid"]
    assert not venue.evaluate_change("2", removed=BOB, added=ANN).violations


def test_a_change_is_stored_and_undone_and_reassign_keeps_it(venue: ReviewVenue):
    before = venue.assigned()
    first = venue.change("1", removed=ANN, added=BOB)
    assert AssignedPair(BOB, "1", first.gained, locked=True) in venue.assigned()
    venue.change("2", removed=BOB, added=ANN)
    assert [(each.submission, each.added.reviewer) for each in venue.changes()] == [
        ("1", BOB),
        ("2", ANN),
    ]
    stored = {(pair.submission, pair.reviewer) for pair in venue.reassign(dry_run=True)}
    assert stored == {("1", BOB), ("2", ANN)}
    assert venue.undo().submission == "2"
    venue.undo()
    assert venue.assigned() == before
    with pytest.raises(GraphError, match="no change to undo"):
        venue.undo()


def test_each_named_assignment_has_its_own_changes(venue: ReviewVenue, graph: Database):
    before = venue.assigned()
    venue.assign(AssignSettings(per_submission=1, max_load=2), name="other")
    stored = venue.assigned("other")
    change = venue.change("1", removed=ANN, added=BOB, name="other")
    assert [each.kind for each in change.violations] == ["bid"]  # by the settings of "other"
    assert AssignedPair(BOB, "1", change.gained, locked=True) in venue.assigned("other")
    assert (venue.assigned(), venue.changes()) == (before, [])
    venue.assign(AssignSettings(per_submission=1), replace=True)
    assert len(venue.changes("other")) == 1  # only a new assignment of the same name ends the list
    with pytest.raises(GraphError, match="'reviewer' of 'V' has no change"):
        venue.undo()
    assert venue.undo("other").submission == "1"
    assert venue.assigned("other") == stored
    venue.change("1", removed=ANN, added=BOB, name="other")
    venue.delete_assignment("other")
    assert venue.changes("other") == []
    with pytest.raises(GraphError, match="has no assignment 'other'"):
        venue.evaluate_change("1", added=BOB, name="other")
    with pytest.raises(GraphError, match="has no venue 'W'; its venues are: V"):
        ReviewVenue(graph, "W", venue._open_encoder).delete_assignment("other")


def test_the_people_of_an_earlier_assignment_count_for_regions(venue: ReviewVenue, tmp_path: Path):
    lists = tmp_path / "r.csv"
    lists.write_text(f"id,region,role\n{ANN},EU,area chair\n{BOB},US,\n")
    venue.load(reviewers=lists)
    venue.assign(AssignSettings(per_submission=1, role="area chair"))
    settings = AssignSettings(per_submission=1, max_per_region=1, after="area chair")
    venue.assign(settings, replace=True)
    assert venue.change("1", removed=BOB).removed == BOB
    assert [each.kind for each in venue.evaluate_change("1", added=BOB).violations] == ["bid"]
    lists.write_text(f"id,region,role\n{ANN},EU,area chair\n{BOB},EU,\n")
    venue.load(reviewers=lists)
    region, bid = venue.evaluate_change("1", added=BOB).violations
    assert (region.kind, bid.kind) == ("region", "bid")
    assert "2 reviewers of the region EU" in region.text


def test_a_reviewer_who_gets_another_role_is_reported_and_replaced(
    venue: ReviewVenue, tmp_path: Path
):
    settings = AssignSettings(per_submission=1, min_seniors=1, one_per_affiliation=True)
    (tmp_path / "r.csv").write_text(f"id,senior,role\n{ANN},yes,\n{BOB},yes,\n")
    venue.load(reviewers=tmp_path / "r.csv")
    venue.assign(settings, replace=True)
    (tmp_path / "r.csv").write_text(f"id,role\n{ANN},area chair\n")
    venue.load(reviewers=tmp_path / "r.csv")
    venue.report(tmp_path / "report.html")
    assert ANN in (tmp_path / "report.html").read_text()
    assert not venue.evaluate_change("1", added=BOB).lost
    assert venue.change("1", removed=ANN, added=BOB).removed == ANN


def test_a_venue_without_submissions_has_no_assignment(graph: Database, tmp_path: Path):
    venue = ReviewVenue(graph, "V", lambda _: LetterCounts(base="base"))
    venue.load(archives=write_venue_files(tmp_path)["archives"])
    with pytest.raises(GraphError, match="'V' has 0 submissions"):
        venue.assign(AssignSettings())
    (tmp_path / "scores.csv").touch()
    with pytest.raises(InputError, match=r"scores\.csv has no scores"):
        venue.assign(AssignSettings(), scores=tmp_path / "scores.csv")


def test_a_change_of_an_assignment_by_a_file_reports_computed_affinities(
    venue: ReviewVenue, tmp_path: Path
):
    scores = tmp_path / "mine.csv"
    scores.write_text(f"1,{ANN},90\n2,{BOB},80\n")
    settings = AssignSettings(per_submission=1, bid_weight=1)
    venue.assign(settings, scores=scores, replace=True)
    change = venue.evaluate_change("1", removed=ANN, added=BOB)
    lost, gained = venue.score().affinity[0]
    assert (change.total, change.scores_file) == (170, "mine.csv")
    assert (change.lost, change.gained) == pytest.approx((lost, gained), abs=1e-5)
    with pytest.raises(InputError, match=r"has the affinities of a file, mine\.csv"):
        venue.reassign()
    assert venue.reassign(scores=scores) == venue.assigned()


def test_a_certain_conflict_forbids_a_change(venue: ReviewVenue, tmp_path: Path):
    (tmp_path / "conflicts.csv").write_text(f"reviewer,submission,reason\n{BOB},1,a talk\n")
    venue.load(conflicts=tmp_path / "conflicts.csv")
    change = venue.evaluate_change("1", removed=ANN, added=BOB)
    assert not change.is_possible
    assert "certain conflict of interest: declared" in [e.text for e in change.violations][2]
    with pytest.raises(InputError, match="impossible"):
        venue.change("1", removed=ANN, added=BOB)
    assert venue.changes() == []


def test_a_change_of_an_assignment_that_has_changed_meanwhile_writes_nothing(
    venue: ReviewVenue, graph: Database
):
    before = venue.assigned()
    pair = AssignedPair(BOB, "1", 0.5)
    with pytest.raises(GraphError, match="in the meantime"):
        change_assigned(graph, "V", "1", pair, None, "reviewer")  # Bob is not assigned
    with pytest.raises(GraphError, match="in the meantime"):
        change_assigned(graph, "V", "2", None, pair, "reviewer")  # Bob is assigned
    assert venue.assigned() == before
    venue.change("1", removed=ANN, added=BOB)
    venue.assign(AssignSettings(per_submission=1), replace=True)
    assert venue.changes() == []
