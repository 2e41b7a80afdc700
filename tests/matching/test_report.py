"""Test the content of the report of a matching."""

from dataclasses import replace
from pathlib import Path
from time import process_time

import lxml.html
import pytest

from specter_graph.loaders.review_records import Conflict
from specter_graph.matching.affinity.aggregation import AffinityScale
from specter_graph.matching.assignment_report import (
    AssignedReviewer,
    MatchingReport,
    ReviewerRow,
    SubmissionRow,
    TopicRow,
    write_report,
)

HOSTILE = "<script>alert(1)</script>"

REPORT = MatchingReport(
    venue=f"ICML {HOSTILE}",
    settings=("2 reviewers per submission",),
    submissions=[
        SubmissionRow(
            "good",
            "Well served",
            ("graphs",),
            (AssignedReviewer("a", "Ann", 0.8, ("On x",), ("both cite: On y",)),),
        ),
        SubmissionRow(
            "poor",
            HOSTILE,
            ("law",),
            (AssignedReviewer("a", "Ann", 0.1), AssignedReviewer("b", "Bob", 0.3)),
        ),
        SubmissionRow("none", "Unserved", (), ()),
    ],
    reviewers=[
        ReviewerRow("b", "Bob", True, 1, 0, 2, 0.3),
        ReviewerRow("a", "Ann", False, 2, 1, 3, 0.45),
    ],
    conflicts=[
        Conflict("a", "good", "coauthor", f"wrote {HOSTILE} together", certain=False),
        Conflict("b", "good", "coauthor", "wrote y together"),
        Conflict("b", "poor", "author", "is the author"),
    ],
    topics=[TopicRow("graphs", 1, 2, 3, 4, 0.8), TopicRow("law", 1, 2, 1, 1, 0.2)],
    scale=AffinityScale([rank / 100 for rank in range(101)], 40),
)


@pytest.fixture
def page(tmp_path: Path) -> lxml.html.HtmlElement:
    write_report(REPORT, tmp_path / "report.html")
    return lxml.html.fromstring((tmp_path / "report.html").read_text(encoding="utf-8"))


def rows(page: lxml.html.HtmlElement, heading: str) -> list[list[str]]:
    [table] = page.xpath(f"(//h2[text()='{heading}']/following::table)[1]")
    return [
        [" ".join(cell.text_content().split()) for cell in row.iter("td")]
        for row in table.iterfind("tbody/tr")
    ]


def test_submissions_without_a_good_reviewer_come_first_with_the_reasons_of_each_pair(
    page: lxml.html.HtmlElement,
):
    result = rows(page, "Submissions, those without a good reviewer first")
    assert [row[0].split()[0] for row in result] == ["Unserved", HOSTILE, "Well"]
    assert ["no good reviewer" in row[0] for row in result] == [False, False, False]
    assert [row[1] for row in result] == ["0.000", "0.200", "0.800"]
    assert result[2][2] == "Ann 0.800, above 80 % of all pairsOn xboth cite: On y"


def test_a_submission_whose_reviewers_are_below_the_median_has_no_good_reviewer(tmp_path: Path):
    poor = SubmissionRow("poor", "Poor", (), (AssignedReviewer("a", "Ann", 0.1),))
    report = replace(REPORT, submissions=[*REPORT.submissions[:1], poor])
    write_report(report, tmp_path / "report.html")
    content = lxml.html.fromstring((tmp_path / "report.html").read_text(encoding="utf-8"))
    result = rows(content, "Submissions, those without a good reviewer first")
    assert [row[0] for row in result] == ["Poor poor no good reviewer", "Well served good · graphs"]


def test_affinities_are_explained_by_percentiles(page: lxml.html.HtmlElement):
    result = {row[0]: row[1:] for row in rows(page, "Affinities")}
    assert result["0.30"] == ["30 %", "28.0"]
    assert result["0.50"] == ["50 %", "20.0"]
    assert result["0.99"] == ["99 %", "0.4"]


def test_a_topic_with_a_shortage_of_good_reviewers_is_reported(page: lxml.html.HtmlElement):
    assert [row[0] for row in rows(page, "Topics")] == ["law short of reviewers", "graphs"]


def test_loads_and_conflicts_are_counted(page: lxml.html.HtmlElement):
    assert rows(page, "Load") == [["1", "1"], ["2", "1"]]
    assert rows(page, "Conflicts") == [["author", "1", "0"], ["coauthor", "1", "1"]]
    assert REPORT.median_affinity == 0.3


def test_external_texts_are_escaped(page: lxml.html.HtmlElement):
    assert not page.xpath("//script")
    assert HOSTILE in page.text_content()


def test_the_evidence_of_conflicts_is_included_only_on_request(tmp_path: Path):
    for evidence in (False, True):
        write_report(REPORT, tmp_path / "report.html", evidence=evidence)
        assert ("together" in (tmp_path / "report.html").read_text()) == evidence


def test_a_matching_without_submissions_has_a_page(tmp_path: Path):
    write_report(
        MatchingReport("empty", (), [], [], [], [], REPORT.scale), tmp_path / "report.html"
    )
    assert "The submissions name no topics" in (tmp_path / "report.html").read_text()


def test_the_page_of_a_large_venue_is_written_in_seconds(tmp_path: Path):
    _, submission, _ = REPORT.submissions
    report = replace(REPORT, submissions=[replace(submission, id=str(n)) for n in range(5_000)])
    started = process_time()
    write_report(report, tmp_path / "report.html")
    assert process_time() - started < 3
