"""Read and write files of HotCRP.

- Submissions: the JSON file of a search ("Download: JSON"), a list of objects with `pid`, `title`,
  `abstract`, `authors` (with e-mail addresses), `topics`, `pc_conflicts` (e-mail address to type)
  and `status`. Withdrawn and desk-rejected submissions and drafts are skipped.
- Conflicts: the CSV file "PC conflicts", with the columns paper, email and conflicttype.
- Preferences: the CSV file "Preferences for all PC members", with the columns paper, email,
  preference and conflict. A preference of 20 or more is an eager bid, -20 or less a refusal. Rows
  with a conflict are not bids; `PREFERENCE_CONFLICTS` reads them.
- Assignments: a CSV file for "Bulk assignments", with the columns paper, action and email.

Documentation: https://help.hotcrp.com (bulk assignments) and the sources of HotCRP,
https://github.com/kohler/hotcrp (src/paperexport.php, src/listactions/la_get_sub.php,
src/listactions/la_getallrevpref.php, src/help/h_bulkassign.php).
E-mail addresses are those of the column `email` of the list of reviewers.
"""

import csv
from collections.abc import Iterable, Mapping
from typing import TextIO

from specter_graph.loaders.format_api import RecordError
from specter_graph.loaders.parsing.field_values import text
from specter_graph.loaders.review_records import AssignedPair, Bid, Conflict
from specter_graph.matching.io.rows import Layout, Row, SkippedRow, entries_of, key

MAX_PREFERENCE = 20.0
ACTION = "primaryreview"
_PERSON = ("title", "first", "last", "given_name", "family_name")
_WITHOUT_REVIEWS = {"withdrawn", "draft", "deskrejected"}


def submission_row(paper: Row) -> Row:
    """Return the submission of an object of HotCRP's JSON file as a row; raise SkippedRow."""
    if (status := text(paper, "status")) in _WITHOUT_REVIEWS:
        raise SkippedRow(str(status), str(paper.get("pid")))
    topics, authors = paper.get("topics"), entries_of(paper, "authors")
    if not all(isinstance(author, dict) for author in authors):
        raise RecordError("authors must be a list of objects with an email")
    return {
        "id": paper.get("pid"),
        "authors": [email.lower() for each in authors if (email := text(each, "email"))],
        "title": paper.get("title"),
        "abstract": paper.get("abstract"),
        "topics": [name for name in topics if topics[name]] if isinstance(topics, dict) else topics,
    }


def submission_conflicts(paper: Row) -> list[Conflict]:
    """Return the conflicts of PC members, by their e-mail addresses; none of skipped papers."""
    if text(paper, "status") in _WITHOUT_REVIEWS:
        return []
    conflicts = paper.get("pc_conflicts") or {}
    if not isinstance(conflicts, dict):
        raise RecordError("pc_conflicts must be an object")
    return [
        Conflict(
            email, key(paper, "pid"), "declared", reason if isinstance(reason, str) else "declared"
        )
        for email, reason in conflicts.items()
        if reason
    ]


def _conflict(row: Row) -> Conflict:
    reason = text(row, "conflicttype") or "declared"
    return Conflict(key(row, "email"), key(row, "paper"), "declared", reason)


CONFLICTS = Layout(
    "HotCRP's conflicts of PC members",
    ("paper", "email", "conflicttype"),
    _conflict,
    _PERSON,
)


def _preference(row: Row) -> Bid | None:
    if text(row, "conflict"):
        raise SkippedRow("conflicts, read only from a file of conflicts")
    written = text(row, "preference")
    if written is None:
        return None
    try:
        preference = float(written)
    except ValueError:
        raise RecordError(f"the preference {written:.40} is not a number") from None
    if not -100 <= preference <= 100:
        raise RecordError(f"the preference {written:.40} is not between -100 and 100")
    value = max(-1.0, min(1.0, preference / MAX_PREFERENCE))
    return Bid(key(row, "email"), key(row, "paper"), value)


_ABOUT_PREFERENCES = (*_PERSON, "expertise", "topic_score", "notes")
PREFERENCES = Layout(
    "HotCRP's preferences of all PC members",
    ("paper", "email", "preference"),
    _preference,
    ("conflict", *_ABOUT_PREFERENCES),
)
PREFERENCE_CONFLICTS = Layout(
    "the conflicts in HotCRP's preferences",
    ("paper", "email", "preference", "conflict"),
    lambda row: _conflict(row) if text(row, "conflict") else None,
    _ABOUT_PREFERENCES,
)


def write_assignment(
    file: TextIO, pairs: Iterable[AssignedPair], names: Mapping[str, tuple[str, str]]
) -> None:
    """Write an assignment, with the e-mail address and the name of each reviewer by id."""
    lines = csv.writer(file)
    lines.writerow(("paper", "action", "email"))
    for pair in pairs:
        lines.writerow((pair.submission, ACTION, names[pair.reviewer][0]))
