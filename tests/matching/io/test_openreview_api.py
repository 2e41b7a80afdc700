"""Pull a venue of OpenReview, and push assignments to a server that answers as its APIs do."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from specter_graph.cli import cli
from specter_graph.core.errors import InputError
from specter_graph.graph.database import Database
from specter_graph.graph.reviewing.assignments import write_assigned
from specter_graph.graph.reviewing.conflict_detection import find_conflicts
from specter_graph.graph.reviewing.venue_data import read_bids as stored_bids
from specter_graph.graph.reviewing.venue_import import VenueRecords, import_venue
from specter_graph.graph.server import Instance
from specter_graph.loaders.records import Author
from specter_graph.loaders.review_records import AssignedPair, Bid, Reviewer, Submission
from specter_graph.matching.io.openreview_api import OpenReviewVenue
from specter_graph.venue import ReviewVenue
from tests.environment import server_environment
from tests.matching.io.openreview_server import PASSWORD, REVIEWERS, VENUE, OpenReviewServer
from tests.servers import running

PROPOSED = f"{REVIEWERS}/-/Proposed_Assignment"
SCORES = f"{REVIEWERS}/-/Affinity_Score"


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenReviewServer]:
    with running(OpenReviewServer()) as server:
        monkeypatch.setenv("OPENREVIEW_USERNAME", "chair@x.org")
        monkeypatch.setenv("OPENREVIEW_PASSWORD", PASSWORD)
        monkeypatch.setenv("OPENREVIEW_API_BASEURL_V2", server.address)
        monkeypatch.setenv("OPENREVIEW_API_BASEURL", f"{server.address}/v1")
        yield server


@pytest.fixture
def venue(server: OpenReviewServer) -> OpenReviewVenue:
    first = f"{server.address}/v1"
    return OpenReviewVenue(VENUE, "chair@x.org", PASSWORD, url=server.address, first_url=first)


def run(*arguments: object) -> Result:
    return CliRunner().invoke(cli, ["match", *map(str, arguments)])


def test_a_venue_is_written_to_files_for_match_load(
    venue: OpenReviewVenue, tmp_path: Path, graph: Database
):
    summary = venue.pull(tmp_path)
    assert (summary.submissions, summary.reviewers, summary.papers) == (2, 2, 3)
    assert (summary.bids, summary.conflicts, summary.quotas) == (1, 1, 1)
    assert summary.without_profile == ("new@x.org",)
    ann = (tmp_path / "archives/~Ann_Smith1.jsonl").read_text().splitlines()
    assert [json.loads(line)["id"] for line in ann] == ["p1", "d1"]  # only public ones
    loaded = ReviewVenue(graph, "V", lambda _: None)
    loaded.load(
        submissions=tmp_path / "submissions.json",
        archives=tmp_path / "archives",
        bids=tmp_path / "bids.csv",
        conflicts=tmp_path / "conflicts.csv",
        quotas=tmp_path / "quotas.csv",
    )
    assert [(each.id, each.reviewer.maximum) for each in loaded.reviewers()] == [
        ("~Ann_Smith1", None),
        ("~Bob1", 2),
    ]
    assert stored_bids(graph, "V") == [Bid("~Bob1", "s1", 1)]
    assert {(each.reviewer, each.submission, each.kind) for each in find_conflicts(graph, "V")} == {
        ("~Ann_Smith1", "s2", "author"),
        ("~Ann_Smith1", "s2", "declared"),
        ("~Bob1", "s2", "coauthor"),
    }


def test_an_interrupted_pull_continues(
    server: OpenReviewServer, venue: OpenReviewVenue, tmp_path: Path
):
    venue.pull(tmp_path)
    (tmp_path / "archives/~Bob1.jsonl").unlink()
    server.received.clear()
    server.faults = [
        ("429", {"Retry-After": "0"}),
        ("500", {}),
    ]  # openreview-py repeats these requests
    assert venue.pull(tmp_path).papers == 1
    assert not any("Ann" in path for _, path in server.received)


def test_a_proposed_assignment_is_shown_and_then_posted(
    server: OpenReviewServer, venue: OpenReviewVenue
):
    plan = venue.plan([("s1", "~Bob1", 0.512345)], "assignment", "round-1")
    edge = {
        "invitation": PROPOSED,
        "head": "s1",
        "tail": "~Bob1",
        "weight": 0.5123,
        "readers": [VENUE, f"{VENUE}/Submission4/ACs", "~Bob1"],
        "nonreaders": [f"{VENUE}/Submission4/Authors"],
        "writers": [VENUE],
        "signatures": [f"{VENUE}/Program_Chairs"],
        "label": "round-1",
    }
    assert (plan.edges, plan.present) == ([edge], 0)
    assert not any(method != "GET" for method, path in server.received if path.startswith("/edges"))
    venue.push(plan)
    assert server.edges[-1] == edge
    again = venue.plan([("s2", "~Bob1", 0.5)], "assignment", "round-1")
    assert again.present == 1
    venue.push(again)
    posted = [each for each in server.edges if each["invitation"] == PROPOSED]
    assert [(each["head"], each["label"]) for each in posted] == [("s2", "round-1")]


def test_a_push_that_loses_edges_is_an_error(server: OpenReviewServer, venue: OpenReviewVenue):
    server.lost = 1
    plan = venue.plan([("s1", "~Bob1", 0.5), ("s2", "~Bob1", -0.5)], "affinity")
    assert [edge["weight"] for edge in plan.edges] == [0.5, 0]
    with pytest.raises(InputError, match="OpenReview has 1 of 2 edges"):
        venue.push(plan)


def test_unknown_names_and_a_wrong_account_are_errors(
    server: OpenReviewServer, venue: OpenReviewVenue, monkeypatch: pytest.MonkeyPatch
):
    with pytest.raises(InputError, match="no reviewer s9, ~Zoe1"):
        venue.plan([("s9", "~Bob1", 1), ("s1", "~Zoe1", 1)], "assignment", "x")
    done = run("pull", "Y.org", "-o", "y")
    assert "OpenReview answers: Group Not Found" in str(done.exception)
    monkeypatch.setenv("OPENREVIEW_PASSWORD", "battery staple")
    done = run("pull", VENUE, "-o", "y")
    assert "OpenReview answers: Invalid username or password" in str(done.exception)
    monkeypatch.delenv("OPENREVIEW_PASSWORD")
    assert "OpenReview needs an account" in str(run("pull", VENUE, "-o", "y").exception)


def test_an_assignment_with_another_name_is_pushed(
    server: OpenReviewServer, graph: Database, local_instance: Instance
):
    bob, paper = Author("openreview:~Bob1", "Bob"), Submission("s1", "S")
    import_venue(
        graph,
        "V",
        VenueRecords(submissions=[paper], reviewers=[Reviewer("~Bob1")], newcomers=[bob]),
    )
    write_assigned(graph, "V", [AssignedPair("~Bob1", "s1", 0.5)], "fair")
    push = ("push", "V", VENUE, "--dry-run")
    with server_environment(local_instance):
        assert "'V' has no assignment 'reviewer'" in str(run(*push).exception)
        assert "edges               1" in run(*push, "--name", "fair").output


def test_the_commands_post_only_after_a_confirmation_and_show_no_password(
    server: OpenReviewServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
):
    caplog.set_level(logging.DEBUG)
    (tmp_path / "scores.csv").write_text("s1,~Bob1,0.25\ns2,~Bob1,0.75\n")
    push = ("push", "V", VENUE, "--affinities", tmp_path / "scores.csv")
    shown = run(*push, "--dry-run")
    assert shown.exit_code == 0, shown.output
    assert "edges               2" in shown.output
    assert run(*push).exit_code == 1  # without a confirmation
    assert not any(edge["invitation"] == SCORES for edge in server.edges)
    posted = run(*push, "--yes")
    assert posted.exit_code == 0, posted.output
    assert [edge["weight"] for edge in server.edges if edge["invitation"] == SCORES] == [0.25, 0.75]
    assert "OpenReview has 2 such edges already" in str(run(*push, "--yes").exception)
    assert run(*push, "--yes", "--replace").exit_code == 0
    assert sum(edge["invitation"] == SCORES for edge in server.edges) == 2
    assert PASSWORD not in caplog.text + shown.output + posted.output
