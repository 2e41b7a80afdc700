"""Read and write files of EasyChair: submissions, authors, topics, committee, bids, assignments."""

from io import StringIO
from pathlib import Path

import openpyxl
import pytest

from specter_graph.cli.match_assign import read_names
from specter_graph.core.errors import GraphError, InputError
from specter_graph.graph.database import Database
from specter_graph.graph.reviewing.conflict_detection import find_conflicts
from specter_graph.graph.reviewing.venue_data import read_bids as stored_bids
from specter_graph.loaders.review_records import AssignedPair, Bid, Reviewer, Submission
from specter_graph.matching.io.easychair import write_assignment
from specter_graph.matching.io.lists import read_bids, read_reviewers
from specter_graph.matching.io.rows import ReadReport
from specter_graph.matching.io.score_files import names_at
from specter_graph.matching.io.submissions import read_submissions
from specter_graph.venue import ReviewVenue

SUBMISSIONS = """#,title,authors,submitted,last updated,form fields,keywords,decision,notified,\
reviews sent,abstract,deleted?
1,On graphs,Ann Smith and Bob Jones,2024-11-19 12:50,2024-11-19 12:50,,"graphs
trees",no decision,no,no,"We walk.
Far.",no
2,On trees,Cara Lee,2024-11-19 12:50,2024-11-19 12:50,,trees,no decision,no,no,We climb.,no
3,Gone,Cara Lee,2024-11-19 12:50,2024-11-19 12:50,,,desk reject,no,no,No.,no
4,Deleted,Cara Lee,2024-11-19 12:50,2024-11-19 12:50,,,no decision,no,no,No.,yes
"""
AUTHORS = """submission #,first name,last name,email,country,affiliation,Web page,person #,\
corresponding?
1,Ann,Smith,Ann@example.org,Peru,X,,7,yes
1,Bob,Jones,bob@example.org,Peru,X,,8,no
2,Cara,Lee,cara@example.org,Peru,X,,9,yes
"""
TOPICS = "submission #,topic\n2,Botany\n2,Law\n"
COMMITTEE = """#,person #,first name,last name,email,country,affiliation,Web page,role
21,7,Ann,Smith,ann@example.org,Peru,X,,PC member
22,30,Dan,Ray,dan@example.org,Peru,Y,,senior PC member
23,31,Eve,Poe,eve@example.org,Peru,Y,,associate chair
"""
BIDS = "member #,member name,submission #,bid\n21,Ann Smith,2,yes\n22,Dan Ray,1,maybe\n"


@pytest.fixture
def files(tmp_path: Path) -> Path:
    for name, contents in (
        ("submission", SUBMISSIONS), ("author", AUTHORS), ("submission_topic", TOPICS),
        ("committee", COMMITTEE), ("bidding", BIDS),
    ):  # fmt: skip
        (tmp_path / f"{name}.csv").write_text(contents)
    return tmp_path


def test_submissions_are_read_with_the_files_of_authors_and_topics(files: Path):
    report = ReadReport()
    one = Submission(
        "1",
        "On graphs",
        "We walk.\nFar.",
        authors=("ann@example.org", "bob@example.org"),
        topics=("graphs", "trees"),
    )
    two = Submission(
        "2", "On trees", "We climb.", authors=("cara@example.org",), topics=("Botany", "Law")
    )
    assert read_submissions(files / "submission.csv", report) == [one, two]
    assert report.ignored == [
        "submission.csv: desk reject (rows: 1)",
        "submission.csv: deleted (rows: 1)",
    ]


def test_missing_authors_are_reported(files: Path):
    (files / "author.csv").unlink()
    report = ReadReport()
    assert read_submissions(files / "submission.csv", report)[0].authors == ()
    assert report.ignored[-1] == "submission.csv: authors (no author.csv beside it)"


def test_reviewers_and_bids(files: Path):
    report = ReadReport()
    assert read_reviewers(files / "committee.csv", report) == [
        Reviewer("ann@example.org", email="ann@example.org", member="21", name="Ann Smith"),
        Reviewer(
            "dan@example.org", senior=True, email="dan@example.org", member="22", name="Dan Ray"
        ),
    ]
    assert report.ignored == ["committee.csv: role associate chair (rows: 1)"]
    assert read_bids(files / "bidding.csv") == [
        Bid("easychair:21", "2", 1),
        Bid("easychair:22", "1", 0.5),
    ]


def test_columns_that_chairs_add_to_the_tables_are_read(files: Path):
    heads = "#,person #,first name,last name,email,role,maximum,tracks\n"
    (files / "own.csv").write_text(heads + "21,7,Ann,Smith,a@x.org,PC member,0,Main;Demos\n")
    assert read_reviewers(files / "own.csv", ReadReport()) == [
        Reviewer("a@x.org", None, 0, email="a@x.org", tracks=("Main", "Demos"), member="21",
                 name="Ann Smith")
    ]  # fmt: skip
    heads, row = "#,title,authors,abstract", "1,On graphs,Ann Smith,We walk."
    for columns, cells in (
        (",track,demand", ",Main,2"),
        (",track #,track name,demand", ",7,Main,2"),
    ):
        (files / "papers.csv").write_text(f"{heads}{columns}\n{row}{cells}\n")
        [paper] = read_submissions(files / "papers.csv", ReadReport())
        assert (paper.track, paper.demand) == ("Main", 2)


def test_a_spreadsheet_is_read_like_a_csv_file(files: Path):
    book = openpyxl.Workbook()
    book.active.title = "Notes"
    sheet = book.create_sheet("Bids")
    sheet.append(["All bids of the conference"])
    sheet.append(["member #", "member name", "submission #", "bid", "remark"])
    sheet.append([21, "Ann Smith", 2.0, "yes", None])
    sheet.append([22, "Dan Ray", 1, "often", None])
    book.save(files / "bids.xlsx")
    with pytest.raises(InputError, match=r"bids.xlsx, line 4, 'easychair:22': the bid often is no"):
        read_bids(files / "bids.xlsx")
    sheet.delete_rows(4)
    book.save(files / "bids.xlsx")
    report = ReadReport()
    assert read_bids(files / "bids.xlsx", report) == [Bid("easychair:21", "2", 1)]
    assert report.ignored == ["bids.xlsx: remark"]
    (files / "bad.xlsx").write_bytes((files / "bids.xlsx").read_bytes()[:2000])
    with pytest.raises(InputError, match=r"bad.xlsx is not a workbook that can be read"):
        read_bids(files / "bad.xlsx")


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("submission", "#,title", "#,name", "line 1: the header has no column title"),
        ("committee", "email,c", "mail,c", "line 1: the header has no column email"),
        ("committee", "22,30,Dan,Ray,dan@", "22,30,Dan,Ray,ann@", "line 3, 'ann@example.org': the"),
        ("bidding", "2,yes", "2,perhaps", "line 2, 'easychair:21': the bid perhaps is none of yes"),
        ("author", "submission #", "paper", "author.csv, line 1: the header has no column submi"),
    ],
)
def test_an_invalid_file_is_named_with_its_line(
    files: Path, name: str, old: str, new: str, message: str
):
    path = files / f"{name}.csv"
    path.write_text(path.read_text().replace(old, new, 1))
    read = {"committee": read_reviewers, "bidding": read_bids}.get(name, read_submissions)
    with pytest.raises(InputError, match=message):
        read(files / ("submission.csv" if name == "author" else path.name))


def test_a_conference_is_imported_assigned_and_exported(files: Path, graph: Database):
    venue = ReviewVenue(graph, "V", lambda _: None)
    summary = venue.load(
        submissions=files / "submission.csv",
        reviewers=files / "committee.csv",
        bids=files / "bidding.csv",
    )
    assert (summary.submissions, summary.reviewers, summary.bids) == (2, 2, 2)
    assert stored_bids(graph, "V") == [
        Bid("dan@example.org", "1", 0.5),
        Bid("ann@example.org", "2", 1),
    ]
    # Ann reviews with the address in author.csv.
    conflicts = [each for each in find_conflicts(graph, "V") if each.kind == "author"]
    assert [(each.reviewer, each.submission) for each in conflicts] == [("ann@example.org", "1")]
    file = StringIO()
    pairs = [AssignedPair("dan@example.org", "1", 0.5), AssignedPair("ann@example.org", "2", 0.5)]
    write_assignment(file, pairs, names_at("easychair", venue.reviewers()))
    assert file.getvalue().splitlines() == [
        "member #,member name,submission #",
        "22,Dan Ray,1",
        "21,Ann Smith,2",
    ]
    # A chair who does not review needs no number, except in an assignment.
    graph.write("CREATE (:Author {id: 'eve', name: 'Eve'})")
    (files / "chair.csv").write_text("id,maximum\neve,0\n")
    venue.load(reviewers=files / "chair.csv")
    assert len(read_names(venue, "reviewer", "easychair")) == 2
    with pytest.raises(InputError, match="1 reviewer has no number at EasyChair: eve"):
        names_at("easychair", venue.reviewers())


def test_a_committee_adds_to_the_reviewers_with_the_same_addresses(files: Path, graph: Database):
    graph.write("CREATE (:Author {id: 'a', name: 'A. Smith', orcid: '0000-0002-1825-0097'})")
    (files / "own.csv").write_text(
        "orcid,email,maximum\nhttps://orcid.org/0000-0002-1825-0097,Ann@example.org,4\n"
    )
    venue = ReviewVenue(graph, "V", lambda _: None)
    venue.load(reviewers=files / "own.csv")
    venue.load(reviewers=files / "committee.csv")
    assert [(each.author, each.reviewer) for each in venue.reviewers()] == [
        ("a", Reviewer("0000-0002-1825-0097", maximum=4, email="Ann@example.org", member="21")),
        (
            "email:dan@example.org",
            Reviewer("dan@example.org", senior=True, email="dan@example.org", member="22"),
        ),
    ]


def test_a_changed_list_of_addresses_changes_the_reviewers(tmp_path: Path, graph: Database):
    venue, path = ReviewVenue(graph, "V", lambda _: None), tmp_path / "own.csv"
    path.write_text("email,maximum,tracks\nann@example.org,4,Main\n")
    venue.load(reviewers=path)
    path.write_text("email,maximum,tracks\nAnn@example.org,0,\n")
    venue.load(reviewers=path)
    [person] = venue.reviewers()
    assert (person.reviewer.maximum, person.reviewer.tracks) == (0, ("Main",))


def test_a_reviewer_does_not_get_a_second_id(files: Path, graph: Database):
    graph.write("CREATE (:Author {id: 'a', name: 'A. Smith'})")
    (files / "own.csv").write_text("id,email\na,Ann@example.org\n")
    venue = ReviewVenue(graph, "V", lambda _: None)
    venue.load(reviewers=files / "committee.csv")
    with pytest.raises(InputError, match=r"own.csv, line 2: 'a' reviews already under the address"):
        venue.load(reviewers=files / "own.csv")


def test_nothing_is_written_if_a_name_is_unknown(files: Path, graph: Database):
    venue = ReviewVenue(graph, "V", lambda _: None)
    (files / "conflicts.csv").write_text("reviewer,submission\nann@example.org,1\nzoe@x.org,2\n")
    lists = {"submissions": files / "submission.csv", "reviewers": files / "committee.csv"}
    with pytest.raises(
        GraphError, match=r"conflicts.csv, line 3: 1 declared conflict .*: zoe@x.org, 2"
    ):
        venue.load(**lists, conflicts=files / "conflicts.csv")
    (files / "quotas.csv").write_text("reviewer,maximum\nann@example.org,1\nzoe@x.org,2\n")
    with pytest.raises(
        InputError, match=r"quotas.csv, line 3: the quota of 'zoe@x.org' has no reviewer"
    ):
        venue.load(**lists, quotas=files / "quotas.csv")
    (files / "own.csv").write_text("id\nzoe\n")
    with pytest.raises(GraphError, match=r"own.csv, line 2: 1 of 1 reviewer is not in the graph"):
        venue.load(reviewers=files / "own.csv")
    assert graph.value("MATCH (n:Submission|Reviewer|ReviewVenue) RETURN count(n)") == 0
    (files / "bidding.csv").write_text(BIDS + "99,Zoe,1,yes\n")
    summary = venue.load(**lists, bids=files / "bidding.csv")
    assert summary.first_unknown_bid == f"{files / 'bidding.csv'}, line 4, easychair:99, 1"
