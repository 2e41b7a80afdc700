"""Read and write files of Microsoft CMT: papers, reviewers, bids, quotas, assignments."""

from io import StringIO
from pathlib import Path

import pytest

from specter_graph.core.errors import InputError
from specter_graph.graph.database import Database
from specter_graph.graph.reviewing.assignments import write_assigned
from specter_graph.graph.reviewing.conflict_detection import find_conflicts
from specter_graph.graph.reviewing.venue_data import read_bids as stored_bids
from specter_graph.loaders.review_records import AssignedPair, Bid, Reviewer, Submission
from specter_graph.matching.io.cmt import write_assignment
from specter_graph.matching.io.lists import read_bids, read_reviewers
from specter_graph.matching.io.rows import ReadReport
from specter_graph.matching.io.score_files import names_at
from specter_graph.matching.io.submissions import read_submissions
from specter_graph.venue import ReviewVenue

HEADER = (
    "Paper ID", "Created", "Last Modified", "Paper Title", "Abstract",
    "Primary Contact Author Name", "Primary Contact Author Email", "Authors", "Author Names",
    "Author Emails", "Track Name",
    "Primary Subject Area", "Secondary Subject Areas", "Conflicts", "Domains", "Assigned",
    "Completed", "% Completed", "Bids", "Discussion", "Status",
)  # fmt: skip


def row(key: int, title: str, emails: str, status: str = "Awaiting Decision") -> list[str]:
    cells = dict.fromkeys(HEADER, "")
    cells |= {"Paper ID": str(key), "Paper Title": title, "Abstract": "Text & more."}
    cells |= {"Author Emails": emails, "Status": status, "Primary Subject Area": "Graphs -> Trees"}
    cells |= {"Secondary Subject Areas": "Law;Botany", "Track Name": "Main"}
    return [*cells.values()]


ROWS = [
    row(10, "On graphs", "Ann@example.org*; bob@example.org"),
    row(11, "On <trees>", "cara@example.org*"),
    row(12, "Gone", "cara@example.org*", "Desk Reject"),
]
REVIEWERS = (
    "First Name\tMiddle Initial (optional)\tLast Name\tEmail\tOrganization\tPrimary Subject Area\t"
    "Secondary Subject Areas\tAssigned\tCompleted\tPercent Completed\n"
    "Ann\tB\tSmith\tann@example.org\tX\tGraphs\tLaw;Botany\t0\t0\t0\n"
    "Dan\t\tRay\tdan@example.org\tY\tGraphs\t\t0\t0\t0\n"
)
BIDS = """<?xml version="1.0"?>
<bids>
  <submission submissionId="10">
    <user email="Dan@example.org" bid="3 - Eager" />
  </submission>
  <submission submissionId="11">
    <user email="ann@example.org" bid="In A Pinch" />
    <user email="dan@example.org" bid="Not Entered" />
  </submission>
</bids>
"""
PAPERS = (
    Submission(
        "10",
        "On graphs",
        "Text & more.",
        authors=("ann@example.org", "bob@example.org"),
        topics=("Graphs -> Trees", "Law", "Botany"),
        track="Main",
    ),
    Submission(
        "11",
        "On <trees>",
        "Text & more.",
        authors=("cara@example.org",),
        topics=("Graphs -> Trees", "Law", "Botany"),
        track="Main",
    ),
)


def sheet(*rows: list[str]) -> str:
    """Return XML Spreadsheet 2003 in the form of CMT: a title above the header, gaps as indexes."""
    lines = []
    for cells in rows:
        written, skipped = [], False
        for place, cell in enumerate(cells, 1):
            text = cell.replace("&", "&amp;").replace("<", "&lt;")
            index = f' ss:Index="{place}"' if skipped else ""
            skipped = not cell
            if cell:
                data = f'<Data ss:Type="String">{text}</Data>'
                written.append(f"<Cell{index}>{data}</Cell>")
        lines.append(f"<Row>{''.join(written)}</Row>")
    return (
        '<?xml version="1.0"?>\n<?mso-application progid="Excel.Sheet"?>\n'
        '<Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"'
        ' xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">\n'
        '<Worksheet ss:Name="Papers"><Table>\n<Row><Cell><Data>V 2027</Data></Cell></Row>\n'
        + "\n".join(lines)
        + "\n</Table></Worksheet></Workbook>"
    )


@pytest.fixture
def files(tmp_path: Path) -> Path:
    table = "\n".join("\t".join(cells) for cells in (HEADER, *ROWS))
    (tmp_path / "Papers.txt").write_text(table + "\n")
    (tmp_path / "Papers.xls").write_text(sheet([*HEADER], *ROWS))
    (tmp_path / "Reviewers.txt").write_text(REVIEWERS)
    (tmp_path / "Bids.xml").write_text(BIDS)
    (tmp_path / "Quotas.txt").write_text("# Email\tQuota\nDan@example.org\t2\n")
    return tmp_path


@pytest.mark.parametrize("name", ["Papers.txt", "Papers.xls"])
def test_papers_are_in_a_spreadsheet_or_tab_separated(files: Path, name: str):
    report = ReadReport()
    assert read_submissions(files / name, report) == [*PAPERS]
    assert report.ignored == [f"{name}: desk reject (rows: 1)"]


def test_reviewers_are_identified_by_address(files: Path):
    expected = [
        Reviewer("ann@example.org", email="ann@example.org", name="Ann Smith"),
        Reviewer("dan@example.org", email="dan@example.org", name="Dan Ray"),
    ]
    assert read_reviewers(files / "Reviewers.txt") == expected
    (files / "old.txt").write_text(REVIEWERS.replace("\tEmail\t", "\tE-mail\t"))
    assert read_reviewers(files / "old.txt") == expected


def test_a_conference_is_imported_assigned_and_exported(files: Path, graph: Database):
    venue = ReviewVenue(graph, "V", lambda _: None)
    venue.load(
        submissions=files / "Papers.xls",
        reviewers=files / "Reviewers.txt",
        bids=files / "Bids.xml",
        quotas=files / "Quotas.txt",
    )
    assert stored_bids(graph, "V") == [
        Bid("dan@example.org", "10", 1),
        Bid("ann@example.org", "11", -0.5),
    ]
    assert [each.reviewer.maximum for each in venue.reviewers()] == [None, 2]
    conflicts = [each for each in find_conflicts(graph, "V") if each.kind == "author"]
    assert [(each.reviewer, each.submission) for each in conflicts] == [("ann@example.org", "10")]
    file = StringIO()
    pairs = [AssignedPair(f"{name}@example.org", "11", 0.5) for name in ("ann", "dan")]
    write_assignment(file, pairs, names_at("cmt", venue.reviewers()))
    assert file.getvalue().splitlines() == [
        '<?xml version="1.0" encoding="utf-8"?>',
        "<assignments>",
        '  <submission submissionId="11">',
        '    <user email="ann@example.org" />',
        '    <user email="dan@example.org" />',
        "  </submission>",
        "</assignments>",
    ]


def test_a_submission_that_is_withdrawn_later_is_removed(files: Path, graph: Database):
    venue = ReviewVenue(graph, "V", lambda _: None)
    lists = {"submissions": files / "Papers.txt", "reviewers": files / "Reviewers.txt"}
    assert venue.load(**lists).withdrawn == 0
    write_assigned(graph, "V", [AssignedPair("dan@example.org", key, 0.5) for key in ("10", "11")])
    text = (files / "Papers.txt").read_text()
    (files / "Papers.txt").write_text(text.replace("Awaiting Decision", "Withdrawn", 1))
    (files / "conflicts.csv").write_text("reviewer,submission\ndan@example.org,10\n")
    summary = venue.load(submissions=files / "Papers.txt", conflicts=files / "conflicts.csv")
    assert (summary.submissions, summary.withdrawn, summary.conflicts) == (1, 1, 0)
    assert [each.submission for each in venue.assigned()] == ["11"]


@pytest.mark.parametrize(
    ("name", "old", "new", "message"),
    [
        ("Papers.txt", "Paper Title", "Name", "line 1: the header has no column paper title"),
        ("Papers.xls", "Paper Title", "Name", "line 2: the header has no column paper title"),
        (
            "Papers.xls",
            "</Table></Worksheet></Workbook>",
            "",
            "Papers.xls, line 10: the document ends inside <Workbook>",
        ),
        ("Papers.xls", "<Cell>", '<Cell ss:Index="x">', "the index x is not a number up to"),
        ("Reviewers.txt", "Email", "Mail", "line 1: the header has no column"),
        ("Bids.xml", "3 - Eager", "Keen", "line 3, 'Dan@example.org': the bid Keen is none of"),
        ("Bids.xml", ' submissionId="11"', "", "line 6: a bid lacks its submissionId"),
        ("Bids.xml", "</submission>\n</bids>", "", "line 6"),
    ],
)
def test_an_invalid_file_is_named_with_its_line(
    files: Path, name: str, old: str, new: str, message: str
):
    path = files / name
    path.write_text(path.read_text().replace(old, new, 1))
    read = {"P": read_submissions, "R": read_reviewers, "B": read_bids}[name[0]]
    with pytest.raises(InputError, match=message):
        read(path)


def test_a_binary_file_of_excel_has_a_hint(tmp_path: Path):
    (tmp_path / "Papers.xls").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(100))
    with pytest.raises(InputError, match="neither a workbook") as refused:
        read_submissions(tmp_path / "Papers.xls")
    assert "save it as .xlsx" in (refused.value.hint or "")


def test_three_columns_of_a_csv_export_are_a_header(tmp_path: Path):
    papers, report = tmp_path / "Papers.csv", ReadReport()
    papers.write_text("Paper ID,Paper Title,Status\n1,Reefs,Submitted\n2,Algae,Withdrawn\n")
    assert read_submissions(papers, report) == [Submission("1", "Reefs")]
    assert report.withdrawn == ["2"]
