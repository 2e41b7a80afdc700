"""Read and write files of HotCRP: submissions with conflicts, preferences, bulk assignments."""

import json
from io import StringIO
from pathlib import Path

import pytest

from specter_graph.core.errors import InputError
from specter_graph.graph.database import Database
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.reviewing.conflict_detection import find_conflicts
from specter_graph.graph.reviewing.venue_data import read_bids as stored_bids
from specter_graph.loaders.records import Author, Paper
from specter_graph.loaders.review_records import AssignedPair, Bid, Conflict, Submission
from specter_graph.matching.io.hotcrp import write_assignment
from specter_graph.matching.io.lists import read_bids, read_conflicts, read_reviewers
from specter_graph.matching.io.rows import ReadReport
from specter_graph.matching.io.score_files import names_at
from specter_graph.matching.io.submissions import read_submission_conflicts, read_submissions
from specter_graph.venue import ReviewVenue

PAPERS = [
    {
        "object": "paper", "pid": 17, "title": "On graphs", "abstract": "We walk.",
        "authors": [{"email": "x@other.org", "first": "X", "last": "Y"}],
        "topics": ["Graphs", "Trees"], "pc_conflicts": {"bob@example.org": "collaborator"},
    },
    {"object": "paper", "pid": 18, "title": "On trees", "topics": {"Trees": True, "Law": False}},
]  # fmt: skip
PREFERENCES = """paper,title,first,last,email,preference,topic_score,conflict
17,On graphs,Ann,A,Ann@example.org,10,2,
17,On graphs,Bob,B,bob@example.org,,0,conflict
18,On trees,Bob,B,bob@example.org,-100,,
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "papers.json").write_text(json.dumps(PAPERS))
    (tmp_path / "prefs.csv").write_text(PREFERENCES)
    (tmp_path / "pc.csv").write_text("id,email\nann,ann@example.org\nbob,bob@example.org\n")
    return tmp_path


def test_submissions_come_with_topics_and_conflicts(files: Path):
    assert read_submissions(files / "papers.json") == [
        Submission("17", "On graphs", "We walk.", ("x@other.org",), topics=("Graphs", "Trees")),
        Submission("18", "On trees", topics=("Trees",)),
    ]
    assert read_submission_conflicts(files / "papers.json") == [
        Conflict("bob@example.org", "17", "declared", "collaborator")
    ]


def test_submissions_that_are_not_reviewed_are_skipped_and_counted(tmp_path: Path):
    states = ["withdrawn", "draft", "deskrejected", "submitted", "rejected"]
    papers = [{**PAPERS[0], "pid": n, "status": state} for n, state in enumerate(states, 1)]
    (tmp_path / "papers.json").write_text(json.dumps(papers))
    report = ReadReport()
    assert [each.id for each in read_submissions(tmp_path / "papers.json", report)] == ["4", "5"]
    assert report.ignored == [f"papers.json: {state} (rows: 1)" for state in states[:3]]
    conflicts = read_submission_conflicts(tmp_path / "papers.json")
    assert [each.submission for each in conflicts] == ["4", "5"]


def test_conflicts_of_pc_members_are_read(tmp_path: Path):
    header = "paper,title,given_name,family_name,email,conflicttype"
    (tmp_path / "c.csv").write_text(f"{header}\n17,On graphs,Bob,B,bob@example.org,Advisor\n")
    assert read_conflicts(tmp_path / "c.csv") == [
        Conflict("bob@example.org", "17", "declared", "Advisor")
    ]


def test_preferences_are_bids(files: Path):
    report = ReadReport()
    assert read_bids(files / "prefs.csv", report) == [
        Bid("Ann@example.org", "17", 0.5),
        Bid("bob@example.org", "18", -1),
    ]
    assert report.ignored == ["prefs.csv: conflicts, read only from a file of conflicts (rows: 1)"]
    assert read_conflicts(files / "prefs.csv", report) == [
        Conflict("bob@example.org", "17", "declared", "declared")
    ]
    assert len(report.ignored) == 1
    bad = PREFERENCES.replace("-100", "much")
    (files / "bad.csv").write_text(bad)
    with pytest.raises(InputError, match="line 4: the preference much is not a number"):
        read_bids(files / "bad.csv")


def test_reviewers_are_identified_by_their_addresses(files: Path, graph: Database):
    load_papers(graph, [Paper(n, n, authors=(Author(n, n),)) for n in ("ann", "bob")])
    venue = ReviewVenue(graph, "V", lambda _: None)
    venue.load(
        submissions=files / "papers.json", reviewers=files / "pc.csv", bids=files / "prefs.csv"
    )
    assert stored_bids(graph, "V") == [Bid("ann", "17", 0.5), Bid("bob", "18", -1)]
    assert [(each.reviewer, each.evidence) for each in find_conflicts(graph, "V")] == [
        ("bob", "collaborator")
    ]
    assert names_at("hotcrp", venue.reviewers()) == {
        "ann": ("ann@example.org", "ann"),
        "bob": ("bob@example.org", "bob"),
    }


def test_the_names_of_pc_members_are_read_from_the_columns_of_any_version(tmp_path):
    for first, last in (("given_name", "family_name"), ("first", "last")):
        (tmp_path / "pc.csv").write_text(f"{last},{first},email\nRay,Dan,dan@example.org\n")
        [reviewer] = read_reviewers(tmp_path / "pc.csv")
        assert (reviewer.id, reviewer.name) == ("dan@example.org", "Dan Ray")


def test_an_author_with_the_address_of_a_reviewer_has_a_conflict(files: Path, graph: Database):
    papers = [
        {
            **PAPERS[1],
            "authors": [{"email": "Ann@example.org"}, {"email": "new@a.edu"}, {"last": "B"}],
        }
    ]
    (files / "papers.json").write_text(json.dumps(papers))
    (files / "pc.csv").write_text("given_name,family_name,email\nÁnn,A,ann@example.org\n")
    venue = ReviewVenue(graph, "V", lambda _: None)
    summary = venue.load(submissions=files / "papers.json", reviewers=files / "pc.csv")
    assert summary.unknown_authors == ()
    assert [(each.id, each.name) for each in venue.reviewers()] == [("ann@example.org", "Ánn A")]
    assert [(each.reviewer, each.kind) for each in venue.conflicts()] == [
        ("ann@example.org", "author")
    ]


def test_a_bulk_assignment_names_reviewers_by_address():
    file = StringIO()
    pairs = [AssignedPair("ann", "17", 0.5)]
    write_assignment(file, pairs, {"ann": ("ann@example.org", "Ann")})
    assert file.getvalue().splitlines() == [
        "paper,action,email",
        "17,primaryreview,ann@example.org",
    ]


def test_conflicts_of_a_late_submission_keep_the_others(files: Path, graph: Database):
    load_papers(graph, [Paper(n, n, authors=(Author(n, n),)) for n in ("ann", "bob")])
    venue = ReviewVenue(graph, "V", lambda _: None)
    venue.load(submissions=files / "papers.json", reviewers=files / "pc.csv")
    (files / "own.csv").write_text("reviewer,submission,reason\nann,18,spouse\n")
    venue.load(conflicts=files / "own.csv")
    late = {"pid": 19, "title": "Late", "pc_conflicts": {"ann@example.org": "advisor"}}
    (files / "late.json").write_text(json.dumps([late]))
    assert venue.load(submissions=files / "late.json").conflicts == 1
    corrected = [{**PAPERS[0], "pc_conflicts": {"ann@example.org": "recent"}}]
    (files / "corrected.json").write_text(json.dumps(corrected))
    venue.load(submissions=files / "corrected.json")
    conflicts = {(each.reviewer, each.submission, each.evidence) for each in venue.conflicts()}
    assert conflicts == {("ann", "17", "recent"), ("ann", "18", "spouse"), ("ann", "19", "advisor")}
