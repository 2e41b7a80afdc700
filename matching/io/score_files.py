"""Read and write files of scores and assignments.

Scores have OpenReview's format: lines of submission, reviewer and score, without a header.
Assignments have the header submission, reviewer, affinity, locked. Spreadsheets open both files, so
names that a spreadsheet would run as formulas are escaped (`loaders.parsing.delimited`).
"""

import csv
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TextIO, TypeAlias

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.atomic_files import complete_file
from specter_graph.core.errors import InputError, counted, summarize_names
from specter_graph.graph.reviewing.venue_data import VenueReviewer, find_submission
from specter_graph.loaders.parsing.delimited import DELIMITERS, escape_formula, unescape_formula
from specter_graph.loaders.review_records import AssignedPair
from specter_graph.matching.affinity.scoring import AffinityMatrix, VenueScores
from specter_graph.matching.io import cmt, easychair, hotcrp

System: TypeAlias = Literal["hotcrp", "easychair", "cmt"]
"""A conference system that imports assignments."""
_WRITERS = {
    "hotcrp": hotcrp.write_assignment,
    "easychair": easychair.write_assignment,
    "cmt": cmt.write_assignment,
}
OnSkip: TypeAlias = Callable[[str, int], object]
"""A function that gets an unknown id and the number of its skipped scores."""
ASSIGNMENT_COLUMNS = ("submission", "reviewer", "affinity", "locked")

_HEADER_CELLS = ("test_id", "note_id", "paper", "submission")


def ignore(name: str, count: int) -> None:
    """Ignore skipped scores."""


def write_scores(path: Path, scores: AffinityMatrix, best: NDArray[np.int64] | None = None) -> int:
    """Write scores with six digits; return their number.

    Args:
        path: The file.
        scores: The scores, for s submissions.
        best: (s, m) columns of the reviewers to write, in this order; None for all reviewers.
    """
    count = 0
    with _text_file(path) as file:
        lines = csv.writer(file)
        for row, column in _iterate_scores(scores, best):
            names = (scores.submissions[row].id, scores.reviewers[column].id)
            lines.writerow((*map(escape_formula, names), f"{scores.affinity[row, column]:.6f}"))
            count += 1
    return count


def write_explained(path: Path, scores: VenueScores, best: NDArray[np.int64] | None) -> int:
    """Write JSON Lines of scores with their supporting papers; return their number."""
    count = 0
    with _text_file(path) as file:
        for row, column in _iterate_scores(scores, best):
            record = {
                "submission": scores.submissions[row].id,
                "reviewer": scores.reviewers[column].id,
                "score": round(float(scores.affinity[row, column]), 6),
                "papers": [
                    {"id": paper, "similarity": round(evidence.similarity, 6)}
                    for paper, evidence in scores.supporting_papers(row, column)
                ],
            }
            file.write(json.dumps(record, ensure_ascii=False) + "\n")
            count += 1
    return count


def _iterate_scores(
    scores: AffinityMatrix, best: NDArray[np.int64] | None
) -> Iterator[tuple[int, int]]:
    """Yield the row and the column of each score to write."""
    every = range(len(scores.reviewers))
    for row in range(len(scores.submissions)):
        yield from ((row, column) for column in (every if best is None else best[row].tolist()))


def read_scores(
    path: Path,
    submissions: Sequence[str],
    reviewers: Sequence[str],
    emails: Iterable[str | None] = (),
    on_skip: OnSkip = ignore,
) -> NDArray[np.float32]:
    """Read the scores of a file, (s, r) float32.

    A pair that the file lacks has 0, or the lowest score of its submission, if that is lower: in a
    list of the best reviewers, missing ones are not above listed ones. Scores of unknown ids, such
    as those of withdrawn submissions, are skipped.

    Args:
        path: The file.
        submissions: The ids of the submissions, s.
        reviewers: The ids of the reviewers, r.
        emails: Their e-mail addresses, which may replace their ids.
        on_skip: Called with each unknown id and the number of its skipped scores.

    Raises:
        InputError: A line is not a score, or no score has known ids.
    """
    rows = {key: number for number, key in enumerate(submissions)}
    columns = {key: number for number, key in enumerate(reviewers)}
    by_email = {email.lower(): number for number, email in enumerate(emails) if email}
    scores = np.full((len(rows), len(columns)), np.nan, np.float32)
    skipped = Counter[str]()
    for _, submission, reviewer, score in score_lines(path):
        column = columns.get(reviewer, by_email.get(reviewer.lower()))
        key = find_submission(submission, rows)
        if key is None or column is None:
            skipped[submission if key is None else reviewer] += 1
        else:
            scores[rows[key], column] = score
    if np.isnan(scores).all() and skipped:
        raise InputError(
            f"the venue has no pair of {path}; it does not have {summarize_names([*skipped])}",
            "use the ids of the venue's lists",
        )
    for name, count in skipped.items():
        on_skip(name, count)
    lowest = np.fmin.reduce(scores, axis=1, initial=0, keepdims=True)
    return np.where(np.isnan(scores), lowest, scores)


def score_lines(path: Path) -> Iterator[tuple[int, str, str, float]]:
    """Yield the lines of a file of scores: number, submission, reviewer, score.

    Raises:
        InputError: A line is not a score, or the file has none.
    """
    is_empty = True
    for line, (submission, reviewer, written) in _read_lines(path, 3):
        if line == 1 and submission.strip().lower() in _HEADER_CELLS:
            continue
        try:
            score = float(written.replace(",", "."))
        except ValueError:
            score = np.nan
        if not np.isfinite(score):
            raise InputError(f"{path}, line {line}: {written!r} is not a score", "write a number")
        is_empty = False
        yield line, submission, reviewer, score
    if is_empty:
        raise InputError(f"{path} has no scores", "write lines of submission,reviewer,score")


def names_at(
    system: System | None, reviewers: Iterable[VenueReviewer]
) -> dict[str, tuple[str, str]]:
    """Return what a conference system calls each reviewer, and the reviewer's name, by id.

    Without a system nothing is returned.

    Raises:
        InputError: A reviewer lacks the e-mail address, or the number at EasyChair.
    """
    if system is None:
        return {}
    names = {
        reviewer.id: (
            reviewer.reviewer.member if system == "easychair" else reviewer.reviewer.email,
            reviewer.name,
        )
        for reviewer in reviewers
    }
    if missing := [key for key, (called, _) in names.items() if not called]:
        what, hint = (
            (
                "number at EasyChair",
                "load EasyChair's committee.csv as reviewers, and --quotas with the maximum 0 for"
                " people who do not review",
            )
            if system == "easychair"
            else ("e-mail address", "load a list of reviewers with a column email")
        )
        raise InputError(
            f"{counted(len(missing), 'reviewer has', 'reviewers have')} no {what}:"
            f" {summarize_names(missing)}",
            hint,
        )
    return {key: (called or "", name) for key, (called, name) in names.items()}


def write_assigned(
    path: Path,
    pairs: Iterable[AssignedPair],
    system: System | None = None,
    names: Mapping[str, tuple[str, str]] | None = None,
) -> None:
    """Write an assignment as CSV, or for a conference system with the names of `names_at`."""
    with _text_file(path) as file:
        if system:
            _WRITERS[system](file, pairs, names or {})
        else:
            write_assigned_rows(file, pairs)


def write_assigned_rows(file: TextIO, pairs: Iterable[AssignedPair]) -> None:
    """Write an assignment as CSV into an open file."""
    lines = csv.writer(file)
    lines.writerow(ASSIGNMENT_COLUMNS)
    for pair in pairs:
        locked = "yes" if pair.locked else ""
        names = map(escape_formula, (pair.submission, pair.reviewer))
        lines.writerow((*names, f"{pair.affinity:.6f}", locked))


@contextmanager
def _text_file(path: Path) -> Iterator[TextIO]:
    with (
        complete_file(path) as unfinished,
        unfinished.open("w", encoding="utf-8", newline="") as file,
    ):
        yield file


def _read_lines(path: Path, width: int) -> Iterator[tuple[int, list[str]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            first = file.readline()
            file.seek(0)
            # Excel writes semicolons and decimal commas in many countries.
            split = {each: next(csv.reader([first], delimiter=each), []) for each in DELIMITERS}
            delimiter = max(DELIMITERS, key=lambda each: len(split[each]) == width)
            lines = csv.reader(file, delimiter=delimiter)
            for row in lines:
                if not row:
                    continue
                if len(row) != width:
                    raise InputError(
                        f"{path}, line {lines.line_num}: {counted(len(row), 'column')} instead of"
                        f" {width}",
                        "write submission,reviewer,score",
                    )
                yield lines.line_num, [*map(unescape_formula, row)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
