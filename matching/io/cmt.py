"""Read and write files of Microsoft CMT.

| file                   | in CMT                                    | read or written           |
|------------------------|-------------------------------------------|---------------------------|
| Papers.xls, Papers.txt | Chair Console, Actions, Export, to Excel  | `Paper ID`, `Paper Title`,|
|                        | or Tab Delimited, Submissions             | `Abstract`, `Status`,     |
|                        |                                           | `Author Emails`, areas,   |
|                        |                                           | `Track Name`              |
| Reviewers.txt          | Users, Reviewers, Actions, Export         | names, `Email` or `E-mail`|
| bids, .xml             | Actions, Export, to XML, Reviewer Bids    | submissionId, email, bid  |
| quotas                 | the template of Reviewer, Import, Quotas  | `# Email`, `Quota`        |
| assignments (written)  | Actions, Import Assignments, Reviewer     | submissionId, email       |

Documentation: https://cmt3.research.microsoft.com/docs/help/chair/ (export-files.html,
export-reviewers.html, import-reviewer-quotas.html, import-reviewer-assignments.html), and
help/reviewer/reviewer-bidding.html for the four bids. The documentation shows the template of
assignments, but not the file of bids; its structure is that which public scripts of chairs read and
write: <bids><submission submissionId="1"><user email="..." bid="3 - Eager"/></submission></bids>.

Papers with the status Withdrawn or Desk Reject are skipped. CMT names people by e-mail address.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, TextIO, cast
from xml.sax.saxutils import quoteattr

from specter_graph.core.errors import extra
from specter_graph.loaders.corpus_files import find_file
from specter_graph.loaders.format_api import ParseResult, RecordError, RecordIssue
from specter_graph.loaders.parsing.field_values import required, text
from specter_graph.loaders.review_records import AssignedPair, Bid, Quota, Reviewer, Submission
from specter_graph.matching.io.rows import (
    WITHOUT_REVIEWS,
    Layout,
    ReadReport,
    Row,
    SkippedRow,
    key,
    listed,
    parse_int,
    person_name,
    row_error,
)

if TYPE_CHECKING:
    from specter_graph.loaders.parsing.xml import Element

BIDS = {"eager": 1.0, "willing": 0.5, "in a pinch": -0.5, "not willing": -1.0, "not entered": None}
"""The bids of CMT's documentation; "in a pinch" is "only in the case of absolute necessity"."""
_AREAS = ("primary subject area", "secondary subject areas")
_PERSON = (
    *("first name", "# first name", "middle initial (optional)", "last name", "organization"),
    *(*_AREAS, "assigned", "completed", "percent completed", "% completed"),
)


def _submission(row: Row) -> Submission:
    if (status := (text(row, "status") or "").lower()) in WITHOUT_REVIEWS:
        raise SkippedRow(status, key(row, "paper id"))
    emails = (email.strip("* ").lower() for email in listed(row, "author emails"))
    return Submission(
        key(row, "paper id"),
        required(row, "paper title"),
        text(row, "abstract"),
        authors=tuple(dict.fromkeys(filter(None, emails))),
        topics=tuple(dict.fromkeys(area for column in _AREAS for area in listed(row, column))),
        track=text(row, "track name"),
    )


SUBMISSIONS = Layout(
    "CMT's export of submissions",
    ("paper id", "paper title"),
    _submission,
    (
        *("abstract", "author emails", *_AREAS, "status", "created", "last modified"),
        *("primary contact author name", "primary contact author email", "authors"),
        *("author names", "track name", "conflicts", "domains", "assigned", "completed"),
        *("% completed", "bids", "discussion", "requested for camera ready"),
        *("camera ready submitted?", "requested for author feedback"),
        *("author feedback submitted?", "files", "number of files"),
    ),
)


def _reviewers(column: str) -> Layout[Reviewer]:
    def convert(row: Row) -> Reviewer:
        email = required(row, column).lower()
        return Reviewer(email, email=email, name=person_name(row))

    return Layout(
        "CMT's export of reviewers", (column, "last name", "organization"), convert, _PERSON
    )


REVIEWERS = (_reviewers("email"), _reviewers("e-mail"))


def _quota(row: Row) -> Quota:
    return Quota(required(row, "# email").lower(), maximum=parse_int(row, "quota"))


QUOTAS = Layout("CMT's template of quotas", ("# email", "quota"), _quota)


def read_bids(path: Path, report: ReadReport | None = None) -> list[Bid]:
    """Read CMT's XML file of bids; raise InputError for the first one that cannot be used."""
    with extra("formats"):
        from specter_graph.loaders.parsing.xml import read_records
    find_file(path)
    bids: list[Bid] = []

    def convert(element: "Element") -> Iterator[ParseResult]:
        paper = element.get("submissionId")
        for user in element:
            email = user.get("email")
            if not paper or not email:
                raise RecordError("a bid lacks its submissionId or its email", paper)
            value = _bid(user.get("bid") or "", email)
            if value is not None:
                yield cast(ParseResult, Bid(email.lower(), paper, value))

    for line, result in read_records(path, lambda size: None, convert, ["submission"]):
        if isinstance(result, Bid):
            bids.append(result)
            if report:
                report.add_place(result, path, line)
        elif isinstance(result, RecordIssue) and not result.repaired:
            raise row_error(path, line, result.reason, result.id)
    return list(dict.fromkeys(bids))


def _bid(written: str, email: str) -> float | None:
    """Return the value of a bid, such as "Eager" or "3 - Eager"; None for "Not Entered"."""
    word = re.sub(r"^\d+\s*-\s*", "", written.strip().lower())
    if word not in BIDS:
        raise RecordError(f"the bid {written:.40} is none of {', '.join(BIDS)}", email)
    return BIDS[word]


def write_assignment(
    file: TextIO, pairs: Iterable[AssignedPair], names: Mapping[str, tuple[str, str]]
) -> None:
    """Write an assignment, with the e-mail address and the name of each reviewer by id."""
    file.write('<?xml version="1.0" encoding="utf-8"?>\n<assignments>\n')
    ordered = sorted(pairs, key=lambda pair: pair.submission)
    for submission, group in groupby(ordered, key=lambda pair: pair.submission):
        file.write(f"  <submission submissionId={quoteattr(submission)}>\n")
        for pair in group:
            file.write(f"    <user email={quoteattr(names[pair.reviewer][0])} />\n")
        file.write("  </submission>\n")
    file.write("</assignments>\n")
