"""Read and write the spreadsheets of EasyChair.

EasyChair lets the chairs of a conference with the right license download its data as CSV or Excel
files. It documents their columns nowhere in public. The columns here are those of the files of
ECAI 2024 in https://github.com/uendriss/easychair-scripts (csv-in/) and
https://github.com/COMSOC-Community/easychair-extra (easychair_sample_files/), whose README says
that the format "has been stable over several years".

- submission.csv: `#`, `title`, `abstract`, `keywords`, `decision`, `deleted?` and others. Deleted,
  withdrawn and desk-rejected submissions are skipped. Beside it, in the same folder, author.csv
  (`submission #`, `email`) gives the authors, and submission_topic.csv (`submission #`, `topic`)
  the topics.
- committee.csv: `#` (the number of the member), `email`, `role` and others. "PC member" and "senior
  PC member" are reviewers; members with other roles are skipped and counted.
- bidding.csv: `member #`, `submission #`, `bid`: yes, maybe or no.
- Assignments have the columns of assignment.csv: `member #`, `member name`, `submission #`.
"""

import csv
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TextIO

from specter_graph.loaders.format_api import RecordError
from specter_graph.loaders.parsing.delimited import escape_formula
from specter_graph.loaders.parsing.field_values import required, text
from specter_graph.loaders.review_records import AssignedPair, Bid, Reviewer, Submission, member_id
from specter_graph.matching.io.rows import (
    WITHOUT_REVIEWS,
    Layout,
    ReadReport,
    Row,
    SkippedRow,
    columns_of,
    key,
    parse_bool,
    person_name,
    read_table,
)

BIDS = {"yes": 1.0, "maybe": 0.5, "no": -1.0}
_REVIEWING_ROLES = {"pc member": False, "senior pc member": True}
"""Roles of reviewers, and whether they are senior."""
_PERSON = ("first name", "last name", "country", "affiliation", "web page", "person #")


def _submission(row: Row) -> Submission:
    if parse_bool(row, "deleted?"):
        raise SkippedRow("deleted", key(row, "#"))
    if (decision := (text(row, "decision") or "").lower()) in WITHOUT_REVIEWS:
        raise SkippedRow(decision, key(row, "#"))
    keywords = (text(row, "keywords") or "").splitlines()
    return Submission(
        key(row, "#"),
        required(row, "title"),
        text(row, "abstract"),
        topics=tuple(dict.fromkeys(word.strip() for word in keywords if word.strip())),
        track=text(row, "track name") or text(row, "track #"),
    )


SUBMISSIONS = Layout(
    "EasyChair's submission.csv",
    ("#", "title", "authors", "abstract"),
    _submission,
    (
        *("submitted", "last updated", "form fields", "keywords", "decision", "notified"),
        *("reviews sent", "deleted?", "track #", "track name"),
    ),
)


def _reviewer(row: Row) -> Reviewer:
    role = required(row, "role").lower()
    if (senior := _REVIEWING_ROLES.get(role)) is None:
        raise SkippedRow(f"role {role}")
    email = required(row, "email").lower()
    return Reviewer(email, senior=senior, email=email, member=key(row, "#"), name=person_name(row))


REVIEWERS = Layout(
    "EasyChair's committee.csv", ("#", "person #", "email", "role"), _reviewer, _PERSON
)


def _bid(row: Row) -> Bid:
    member = member_id(key(row, "member #"))
    word = required(row, "bid").lower()
    if word not in BIDS:
        raise RecordError(f"the bid {word:.40} is none of {', '.join(BIDS)}", member)
    return Bid(member, key(row, "submission #"), BIDS[word])


PREFERENCES = Layout(
    "EasyChair's bidding.csv", ("member #", "submission #", "bid"), _bid, ("member name",)
)


def has_submissions(path: Path) -> bool:
    """Return True if a file has the columns of submission.csv."""
    columns = columns_of(path)
    return columns is not None and {*SUBMISSIONS.needed} <= columns[1]


def with_companions(
    path: Path, submissions: Iterable[Submission], report: ReadReport
) -> list[Submission]:
    """Return the submissions with the authors and topics in the files beside submission.csv.

    The names of authors in submission.csv are not read; without author.csv, this is reported.
    """
    companion = _companion(path, "author")
    if not companion.is_file():
        report.ignored.append(f"{path.name}: authors (no {companion.name} beside it)")
    authors = _read_groups(path, "author", ("submission #", "email"), (*_PERSON, "corresponding?"))
    topics = _read_groups(path, "submission_topic", ("submission #", "topic"))
    return [
        replace(
            submission,
            authors=tuple(dict.fromkeys(email.lower() for email in authors[submission.id])),
            topics=tuple(dict.fromkeys(topics[submission.id])) or submission.topics,
        )
        for submission in submissions
    ]


def _companion(path: Path, name: str) -> Path:
    return path.with_name(name + path.suffix)


def _read_groups(
    path: Path, name: str, columns: tuple[str, str], others: tuple[str, ...] = ()
) -> dict[str, list[str]]:
    """Return the values of the second column for each value of the first; {} without the file."""
    first, second = columns
    groups: dict[str, list[str]] = defaultdict(list)
    companion = _companion(path, name)
    if companion.is_file():

        def convert(row: Row) -> tuple[str, str] | None:
            value = text(row, second)
            return (key(row, first), value) if value else None

        layout = Layout(f"EasyChair's {name}.csv", columns, convert, others)
        for submission, value in read_table(companion, [layout]):
            groups[submission].append(value)
    return groups


def write_assignment(
    file: TextIO, pairs: Iterable[AssignedPair], members: Mapping[str, tuple[str, str]]
) -> None:
    """Write an assignment, with the number and the name of each reviewer by id."""
    lines = csv.writer(file)
    lines.writerow(("member #", "member name", "submission #"))
    for pair in pairs:
        number, name = members[pair.reviewer]
        lines.writerow((number, escape_formula(name), pair.submission))
