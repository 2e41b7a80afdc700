"""Expertise that reviewers have rated: its files, metrics of scores on it, and predictions of it.

The metrics are those of Stelmakh, Wieting, Xi, Neubig, Shah, "A Gold Standard Dataset for the
Reviewer Assignment Problem" (2023), section 4. All compare pairs of papers that one reviewer rated
differently:

- `loss`: weighted Kendall tau. The weight of a pair is the difference of its ratings. A pair in the
  wrong order costs its weight, a pair with equal scores half of it. The sum over all reviewers is
  divided by the sum of all weights: 0 is perfect, 0.5 is chance, 1 is the reverse order.
- `easy`: share of pairs in the right order, among pairs of a paper rated at least 4 and a paper
  rated at most 2.
- `hard`: the same share among pairs of two papers rated at least 4. Equal scores are not right.

A rated paper without a score counts as equal to every other paper, so that leaving a score out
never pays. `coverage` counts the scores that are missing.

The files are evaluations, papers in OpenReview's format, and scores:

    evaluations.csv           tab-separated: ParticipantID, Paper1.., Expertise1.. (may be empty)
    DIR/submissions.json      {id: {"id", "content": {"title", "abstract"}}}
    DIR/submissions/ID.jsonl  the same, one file a submission; read if submissions.json is missing
    DIR/archives/~NAME.jsonl  a line {"id", "content": {"title", "abstract"}} per publication
    predictions               JSON {NAME: {paper: score}}

A value of `content` is a text, or {"value": text} (OpenReview's second API). The "~" before the
name of a reviewer is removed. Every error is an InputError with the file and the line.
"""

import csv
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import numpy as np
import orjson
from numpy.typing import NDArray
from pydantic import FiniteFloat, Strict, TypeAdapter, ValidationError

from specter_graph.core.atomic_files import read_text
from specter_graph.core.errors import InputError
from specter_graph.core.progress import Progress, silent
from specter_graph.core.statistics import Interval, bootstrap_interval
from specter_graph.core.vectors import Vectors
from specter_graph.loaders.formats.bibliography import unique
from specter_graph.loaders.parsing.field_values import text
from specter_graph.loaders.records import PaperText
from specter_graph.matching.affinity.aggregation import DEFAULT, Profiles, Similarity, affinities
from specter_graph.matching.io.openreview import flatten_note
from specter_graph.matching.io.rows import Layout, Row, errors_of, key, read_table
from specter_graph.matching.io.submissions import read_submissions

if TYPE_CHECKING:
    from specter_graph.encoder.encoder import Encoder

Scores: TypeAlias = Mapping[str, Mapping[str, float]]
"""Ratings or predictions: reviewer, then paper, to a number."""

EXPERT, NOVICE = 4, 2
"""Lowest rating of an expert and highest rating of a novice."""

MIN_RATING, MAX_RATING = 1.0, 5.0

_MISSING = {"", "na", "n/a", "nan", "none", "null", "-"}
_PREDICTIONS = TypeAdapter(dict[str, dict[str, Annotated[FiniteFloat, Strict()]]])
_COLUMN = re.compile(r"(paper|expertise)[\s_]*(\d+)")

_NAME = ("participantid", 0)


@dataclass(frozen=True, slots=True)
class Coverage:
    """Numbers of rated reviewers and ratings, and how many of them have a score."""

    reviewers: int
    reviewers_scored: int
    ratings: int
    ratings_scored: int


@dataclass(frozen=True, slots=True)
class ExpertiseResult:
    """The three metrics with 95 % intervals; None for a metric without any pair of papers."""

    loss: Interval | None
    easy: Interval | None
    hard: Interval | None
    coverage: Coverage


def evaluate_expertise(ratings: Scores, predictions: Scores, *, seed: int = 0) -> ExpertiseResult:
    """Evaluate predictions on ratings.

    Args:
        ratings: Ratings from 1 to 5.
        predictions: Scores on any scale.
        seed: Seed of the bootstrap over reviewers.

    Returns:
        The metrics with percentile bootstrap intervals.

    Raises:
        InputError: No reviewer rated two papers differently.
    """
    sums = np.array([order_sums(own, predictions.get(who, {})) for who, own in ratings.items()])
    if not len(sums) or not sums[:, 1].any():
        raise InputError(
            "no reviewer rated two papers differently, so no order can be evaluated",
            "check the columns Paper1, Expertise1, ... of the evaluations",
        )
    scored = [len(own.keys() & predictions.get(who, {}).keys()) for who, own in ratings.items()]
    rated = sum(map(len, ratings.values()))
    coverage = Coverage(len(ratings), int(np.count_nonzero(scored)), rated, sum(scored))
    loss, easy, hard = (_ratio(sums[:, [i, i + 1]], seed) for i in (0, 2, 4))
    return ExpertiseResult(loss, easy, hard, coverage)


def order_sums(ratings: Mapping[str, float], predicted: Mapping[str, float]) -> tuple[float, ...]:
    """Return lost and total weight, right and all easy pairs, right and all hard pairs."""
    rated = np.array([*ratings.values()], float)
    scores = np.array([predicted.get(paper, np.nan) for paper in ratings], float)
    first, second = np.triu_indices(len(rated), 1)
    one, other = rated[first], rated[second]
    weights = np.abs(one - other)
    # The product of signs, because the product of tiny differences would be zero.
    agreement = np.nan_to_num(np.sign(scores[first] - scores[second]) * np.sign(one - other))
    low, high = np.minimum(one, other), np.maximum(one, other)
    easy = (high >= EXPERT) & (low <= NOVICE)
    hard = (low >= EXPERT) & (weights > 0)
    right = agreement > 0
    counts = [np.count_nonzero(pairs) for pairs in (easy & right, easy, hard & right, hard)]
    return float(weights @ (1 - agreement) / 2), float(weights.sum()), *map(float, counts)


def _ratio(sums: NDArray[np.float64], seed: int) -> Interval | None:
    """Return the ratio of the column sums of (reviewers, 2), None if the second sum is 0."""

    def ratio(reviewers: NDArray[np.int64]) -> float:
        part, total = sums[reviewers].sum(axis=0)
        return float(part / total) if total else float("nan")

    return bootstrap_interval(ratio, len(sums), seed=seed) if sums[:, 1].any() else None


@dataclass(frozen=True, slots=True)
class GoldPapers:
    """The papers of a data set: submissions by id, and publications by reviewer.

    Papers without title and abstract are omitted, so an archive can be empty.
    """

    submissions: dict[str, PaperText]
    archives: dict[str, tuple[PaperText, ...]]


def read_evaluations(path: Path) -> dict[str, dict[str, float]]:
    """Return ratings, 1 to 5, by reviewer and paper; papers without a rating are omitted.

    Raises:
        InputError: The file has no ratings, or a line is invalid.
    """
    rows = csv.reader(StringIO(read_text(path)), delimiter="\t", strict=True)
    try:
        lines = [(rows.line_num, row) for row in rows]
    except csv.Error as error:  # such as a quotation mark that swallows the lines after it
        raise InputError(
            f"{path}, line {rows.line_num}: {error}", "remove or double its quotation marks"
        ) from error
    columns = _columns(path, lines[0][1] if lines else [])
    ratings: dict[str, dict[str, float]] = {}
    for line, row in lines[1:]:
        if not any(cell.strip() for cell in row):
            continue
        cells = {key: row[place].strip() for key, place in columns.items() if place < len(row)}
        where = f"{path}, line {line}"
        name = _reviewer(cells[_NAME])
        if not name:
            raise InputError(f"{where}: ParticipantID is empty", "fill in the first column")
        own = ratings.setdefault(name, {})
        for paper, rating in _ratings(cells, where):
            if own.setdefault(paper, rating) != rating:
                raise InputError(
                    f"{where}: {name} rates the paper {paper} twice, {own[paper]:g} and {rating:g}",
                    "keep one of the two",
                )
    if not ratings:
        raise InputError(f"{path}: the file has no evaluations", "add a line for each reviewer")
    return ratings


def read_gold_papers(folder: Path) -> GoldPapers:
    """Read the submissions and archives of the folder of a data set.

    Raises:
        InputError: The folder has no archives.
    """
    if not (folder / "archives").is_dir():
        raise InputError(
            f"{folder}: the folder `archives` is missing",
            "give the folder that holds submissions.json and archives/",
        )
    notes: Layout[PaperText | None] = Layout("notes", ("id", "content"), _paper)
    archives = {
        _reviewer(path.stem): unique(read_table(path, [notes]))
        for path in sorted((folder / "archives").glob("*.jsonl"))
    }
    if not archives:
        raise InputError(f"{folder / 'archives'}: the folder has no file ~NAME.jsonl")
    return GoldPapers(_submissions(folder), archives)


def read_predictions(path: Path) -> dict[str, dict[str, float]]:
    """Read scores by reviewer and paper.

    Raises:
        InputError: The file is not an object of numbers by reviewer and paper.
    """
    try:
        content = _PREDICTIONS.validate_json(read_text(path))
    except ValidationError as error:
        first = error.errors()[0]
        where = ", ".join(map(str, (path, *first["loc"])))
        raise InputError(
            f"{where}: {first['msg']}", 'write {"reviewer": {"paper": 0.5, ...}, ...}'
        ) from error
    return {_reviewer(name): own for name, own in content.items()}


def write_predictions(predictions: Scores, path: Path) -> None:
    """Write scores for `read_predictions`."""
    path.write_bytes(orjson.dumps(predictions, option=orjson.OPT_INDENT_2) + b"\n")


def _columns(path: Path, header: Sequence[str]) -> dict[tuple[str, int], int]:
    """Return the place of each column, by its kind and number."""
    places: dict[tuple[str, int], int] = {}
    for place, cell in enumerate(header):
        name = cell.strip().lower()
        if re.sub(r"[\s_]", "", name) == _NAME[0]:
            places[_NAME] = place
        elif matched := _COLUMN.fullmatch(name):
            places[matched[1], int(matched[2])] = place
    papers = {number for kind, number in places if kind == "paper"}
    if _NAME in places and papers and papers == {n for kind, n in places if kind == "expertise"}:
        return places
    raise InputError(
        f"{path}, line 1: the header lacks ParticipantID, or a pair of PaperN and ExpertiseN",
        "write a tab-separated file with the header ParticipantID, Paper1, ..., Expertise1, ...",
    )


def _ratings(cells: dict[tuple[str, int], str], where: str) -> Iterator[tuple[str, float]]:
    for (kind, number), paper in cells.items():
        rating = cells.get(("expertise", number), "")
        if kind != "paper" or {paper.lower(), rating.lower()} & _MISSING:
            continue
        try:
            value = float(rating)
        except ValueError:
            value = math.nan
        if not MIN_RATING <= value <= MAX_RATING:
            raise InputError(
                f"{where}: Expertise{number} is {rating!r}, not a number from 1 to 5",
                "leave the cell empty if the paper has no rating",
            )
        yield paper, value


def _submissions(folder: Path) -> dict[str, PaperText]:
    for path in (folder / "submissions.json", folder / "submissions"):
        if path.exists():
            read = read_submissions(path)
            return {paper.id: PaperText(paper.id, paper.title, paper.abstract) for paper in read}
    raise InputError(
        f"{folder}: the folder has neither submissions.json nor a folder `submissions`",
        "give the folder that holds submissions.json and archives/",
    )


def _paper(note: Row) -> PaperText | None:
    """Return the paper of a note, None if it has no text."""
    name = key(note, "id")
    with errors_of(name):
        row = flatten_note(note)
        title, abstract = (text(row, part) for part in ("title", "abstract"))
    return PaperText(name, title or "", abstract) if title or abstract else None


def _reviewer(name: str) -> str:
    return name.strip().removeprefix("~")


def predict_expertise(
    papers: GoldPapers, encoder: "Encoder", *, progress: Progress = silent
) -> dict[str, dict[str, float]]:
    """Return the affinity of each reviewer for each submission of a data set, by reviewer.

    Each distinct text is encoded once. Reviewers with an empty archive are omitted.
    """
    rows: dict[PaperText, int] = {}

    def row(paper: PaperText) -> int:
        return rows.setdefault(replace(paper, id=""), len(rows))

    submissions = {key: row(paper) for key, paper in papers.submissions.items()}
    profiles = {who: [row(paper) for paper in own] for who, own in papers.archives.items()}
    return predict(submissions, profiles, encoder.encode([*rows], progress=progress))


def predict(
    submissions: Mapping[str, int], profiles: Mapping[str, Sequence[int]], vectors: Vectors
) -> dict[str, dict[str, float]]:
    """Return the affinity of each reviewer for each submission, by reviewer.

    Args:
        submissions: Row of `vectors` of each submission.
        profiles: Rows of `vectors` of each reviewer's papers; reviewers without papers are left
            out.
        vectors: (n, d) float32.
    """
    nonempty = {who: own for who, own in profiles.items() if own}
    if not nonempty or not submissions:
        return {}
    queries = vectors[np.fromiter(submissions.values(), np.int64)]
    similarity = Similarity.from_spaces([(queries, vectors)])
    scores = affinities(similarity, Profiles.from_lists([*nonempty.values()]), DEFAULT)
    return {
        who: dict(zip(submissions, column.tolist(), strict=True))
        for who, column in zip(nonempty, scores.T, strict=True)
    }
