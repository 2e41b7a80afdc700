"""Files of scores and assignments.

Scores are OpenReview's: lines of submission, reviewer, score, without a header. Assignments have
one: submission, reviewer, affinity, locked. People open both in spreadsheets, so that names which
these would run as formulas are escaped (`loaders.parsing.csv`).
"""

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import InputError
from specter_graph.core.files import complete_file
from specter_graph.loaders.parsing.csv import escape_formula, unescape_formula
from specter_graph.loaders.review_records import Assigned
from specter_graph.matching.affinity.scoring import VenueScores

ASSIGNED = ("submission", "reviewer", "affinity", "locked")

_FIRST_LINE = ("test_id", "note_id", "paper", "submission")


def write_scores(
    path: Path,
    submissions: Sequence[str],
    reviewers: Sequence[str],
    scores: NDArray[np.float32],
    best: NDArray[np.int64] | None = None,
) -> int:
    """Write scores (s, r) with six digits, or of each submission those of `best` (s, m); how many.

    Reviewers stand in their order, or the best first.
    """
    with _text_file(path) as file:
        lines = csv.writer(file)
        every = np.arange(len(reviewers))
        for row, submission in enumerate(submissions):
            for column in (every if best is None else best[row]).tolist():
                names = map(escape_formula, (submission, reviewers[column]))
                lines.writerow((*names, f"{scores[row, column]:.6f}"))
    return len(submissions) * (len(reviewers) if best is None else best.shape[1])


def write_explained(path: Path, scores: VenueScores, best: NDArray[np.int64] | None) -> int:
    """Write, a JSON object a line, each score with the papers that speak for it; how many."""
    every = np.arange(len(scores.reviewers))
    count = 0
    with _text_file(path) as file:
        for row, submission in enumerate(scores.submissions):
            for column in (every if best is None else best[row]).tolist():
                record = {
                    "submission": submission.id,
                    "reviewer": scores.reviewers[column].id,
                    "score": round(float(scores.affinity[row, column]), 6),
                    "papers": [
                        {"id": paper, "similarity": round(found.similarity, 6)}
                        for paper, found in scores.because(row, column)
                    ],
                }
                file.write(json.dumps(record, ensure_ascii=False) + "\n")
                count += 1
    return count


def read_scores(
    path: Path, submissions: Sequence[str], reviewers: Sequence[str]
) -> NDArray[np.float32]:
    """Scores (s, r) of a file.

    Pairs that are not in it have 0, or the least of the submission's, if that is lower: a list of
    the best has those above what it leaves out.

    Raises InputError with the line for what is no score, and for names that the venue lacks.
    """
    rows = {key: number for number, key in enumerate(submissions)}
    columns = {key: number for number, key in enumerate(reviewers)}
    scores = np.full((len(rows), len(columns)), np.nan, np.float32)
    for line, (submission, reviewer, written) in _lines(path, 3):
        if line == 1 and submission.strip().lower() in _FIRST_LINE:
            continue
        try:
            score = float(written)
        except ValueError:
            score = np.nan
        if not np.isfinite(score):
            raise InputError(f"{path}, line {line}: {written!r} is no score", "write a number")
        if submission not in rows or reviewer not in columns:
            name = submission if submission not in rows else reviewer
            raise InputError(
                f"{path}, line {line}: the venue has no {name!r}",
                "name reviewers and submissions as the venue's lists do",
            )
        scores[rows[submission], columns[reviewer]] = score
    least = np.fmin.reduce(scores, axis=1, initial=0, keepdims=True)
    return np.where(np.isnan(scores), least, scores)


def write_assigned(path: Path, pairs: Iterable[Assigned]) -> None:
    """Write who reviews what."""
    with _text_file(path) as file:
        assigned_rows(file, pairs)


def assigned_rows(file: TextIO, pairs: Iterable[Assigned]) -> None:
    """Write who reviews what into an open file."""
    lines = csv.writer(file)
    lines.writerow(ASSIGNED)
    for each in pairs:
        locked = "yes" if each.locked else ""
        names = map(escape_formula, (each.submission, each.reviewer))
        lines.writerow((*names, f"{each.affinity:.6f}", locked))


@contextmanager
def _text_file(path: Path) -> Iterator[TextIO]:
    with complete_file(path) as whole, whole.open("w", encoding="utf-8", newline="") as file:
        yield file


def _lines(path: Path, width: int) -> Iterator[tuple[int, list[str]]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            lines = csv.reader(file)
            for row in lines:
                if not row:
                    continue
                if len(row) != width:
                    raise InputError(
                        f"{path}, line {lines.line_num}: {len(row)} columns, not {width}",
                        "a line is submission,reviewer,score",
                    )
                yield lines.line_num, [*map(unescape_formula, row)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} cannot be read: {error}") from error
