"""SciDocs, from its files: seven tasks, twelve figures and their averages. No database.

| file, as published | a line or entry |
|---|---|
| `{cite,cocite,coview,coread}/{val,test}.qrel` | query 0 candidate relevance, divided by spaces |
| `{mag,mesh}/{train,val,test}.csv` | a header, then paper and class |
| `recomm/{train,val,test}.csv` | a header, then query, clicked paper, "all shown, in order" |
| `recomm/propensity_scores.json` | {"scores": [of the first place, ...]} |
| `paper_metadata_recomm.json` | {paper: {"title", "year", "authors", "references", "cited_by"}} |
| vectors, JSON Lines | {"paper_id": ..., "embedding": [...]} |

Every reader raises InputError with the file and the line, or the paper, that cannot be used.
"""

import csv
import gzip
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, Literal, cast

import numpy as np
import orjson

from specter_graph.core.errors import InputError
from specter_graph.core.progress import Progress, silent
from specter_graph.evaluation.metrics.ranking import Floats
from specter_graph.evaluation.metrics.task_results import TaskResult
from specter_graph.evaluation.protocols.candidate_ranking import rank_candidates
from specter_graph.evaluation.protocols.classification import LabelSplit, Tuning, classify
from specter_graph.evaluation.protocols.dataset import PaperVectors
from specter_graph.evaluation.protocols.recommendation import (
    Click,
    ClickLog,
    PaperFacts,
    recommend,
)

Split = Literal["validation", "test"]

EMBEDDED = {
    "cls": ("mag", "mesh"),
    "user-citation": ("coview", "coread", "cite", "cocite"),
    "recomm": ("recomm",),
}
"""The three files of vectors that SciDocs wants, and the tasks that each is for."""

TASKS = tuple(task for tasks in EMBEDDED.values() for task in tasks)

_USAGE = ("coview", "coread")
_PARTS = ("train", "val", "test")


def evaluate_scidocs(
    folder: Path,
    vectors: Mapping[str, Path],
    *,
    split: Split = "test",
    tuning: Tuning = "folds",
    jobs: int | None = None,
    progress: Progress = silent,
) -> dict[str, TaskResult]:
    """Score vectors on the tasks of SciDocs in `folder`, each as SciDocs does.

    `vectors` has a file for some or all of the names of `EMBEDDED`; the tasks of the others are
    left out. `jobs` is the number of processes for choosing C.

    Raises InputError for a name that is none of these, for a file that is missing or damaged, and
    for vectors of other papers than a task's.
    """
    if not vectors or not vectors.keys() <= EMBEDDED.keys():
        raise InputError(
            "there are no vectors to score", f"give at least one of {', '.join(EMBEDDED)}"
        )

    def run_classification(task: str, vectors: PaperVectors) -> TaskResult:
        parts = (read_classes(folder / task / f"{part}.csv") for part in _PARTS)
        return classify(LabelSplit(*parts), vectors, on=split, tuning=tuning, jobs=jobs)

    def run_ranking(task: str, vectors: PaperVectors) -> TaskResult:
        judgments = read_qrel(folder / task / f"{'val' if split == 'validation' else split}.qrel")
        return rank_candidates(judgments, vectors, "usage" if task in _USAGE else "citation")

    def run_recommendation(task: str, vectors: PaperVectors) -> TaskResult:
        train, validation, test = (read_clicks(folder / task / f"{part}.csv") for part in _PARTS)
        places = read_propensities(folder / task / "propensity_scores.json")
        papers = read_paper_facts(folder / "paper_metadata_recomm.json")
        log = ClickLog(train, validation, test, places)
        return recommend(log, papers, vectors, on=split, as_scidocs=True)

    runs: dict[str, Callable[[str, PaperVectors], TaskResult]] = {
        "cls": run_classification,
        "user-citation": run_ranking,
        "recomm": run_recommendation,
    }
    results: dict[str, TaskResult] = {}
    total = sum(len(EMBEDDED[name]) for name in vectors)
    for name in [each for each in EMBEDDED if each in vectors]:
        paper_vectors = read_vectors(vectors[name])
        for task in EMBEDDED[name]:
            progress("score tasks", len(results), total)
            results[task] = runs[name](task, paper_vectors)
    progress("score tasks", total, total)
    return results


def read_qrel(path: Path) -> dict[str, dict[str, int]]:
    """Read the judgments of a file, by query and candidate."""
    judgments: dict[str, dict[str, int]] = {}
    for number, line in enumerate(_lines(path), 1):
        match line.split():
            case []:
                continue
            case [query, _, candidate, relevance] if relevance.lstrip("-").isdigit():
                judgments.setdefault(query, {})[candidate] = int(relevance)
            case _:
                raise InputError(
                    f"{path}, line {number}: not a judgment: {line.strip()[:80]!r}",
                    "a line is `query 0 candidate relevance`",
                )
    return judgments


def read_classes(path: Path) -> list[tuple[str, str]]:
    """Read the papers of a file, each with its class, as text."""
    return [(paper, label) for paper, label in _rows(path, 2)]


def read_clicks(path: Path) -> list[Click]:
    """Read the clicks of a file, in its order."""
    clicks = []
    for number, (query, clicked, shown) in enumerate(_rows(path, 3), 2):
        click = Click(query, clicked, tuple(shown.strip().split(",")))
        if clicked not in click.shown:
            raise InputError(f"{path}, line {number}: {clicked!r} was clicked and not shown")
        clicks.append(click)
    return clicks


def read_propensities(path: Path) -> Floats:
    """Read the propensity of each place, from the first."""
    scores = _json(path).get("scores")
    try:
        propensities = np.array(scores, dtype=np.float64)
    except (TypeError, ValueError):
        propensities = np.empty(0)
    if propensities.ndim != 1 or not len(propensities):
        raise InputError(f'{path}: there is no list of numbers under "scores"')
    return propensities


def read_paper_facts(path: Path) -> dict[str, PaperFacts]:
    """Read by paper what the features of the recommendation task are computed from."""
    return {paper: _paper_facts(record) for paper, record in _json(path).items()}


def read_vectors(path: Path) -> PaperVectors:
    """Read the vectors of a file; empty ones are skipped. Of a repeated paper the last counts."""
    ids: list[str] = []
    vectors: list[Floats] = []
    with _opened(path) as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                record = orjson.loads(line)
                paper, vector = record["paper_id"], np.array(record["embedding"], np.float64)
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(
                    f"{path}, line {number}: no paper with its vector",
                    'a line is {"paper_id": "...", "embedding": [0.1, ...]}',
                ) from error
            if not vector.size:
                continue
            if vector.shape != (vectors or [vector])[0].shape or not np.isfinite(vector).all():
                raise InputError(
                    f"{path}, line {number}: the vector of {paper!r} is not of"
                    f" {len(vectors[0]) if vectors else 'any'} finite numbers"
                )
            ids.append(str(paper))
            vectors.append(vector)
    if not ids:
        raise InputError(f"{path}: there is no vector in it")
    return PaperVectors.build(ids, np.stack(vectors))


def _paper_facts(record: dict[str, Any]) -> PaperFacts:
    try:
        year = int(float(record.get("year") or "nan"))
    except ValueError:
        year = None
    names = (
        frozenset(map(str, record.get(name) or ()))
        for name in ("authors", "references", "cited_by")
    )
    return PaperFacts(record.get("title") or "", year, *names)


def _rows(path: Path, columns: int) -> Iterator[list[str]]:
    """Yield the rows of a CSV file below its header."""
    for number, row in enumerate(csv.reader(_lines(path)), 1):
        if len(row) != columns:
            raise InputError(f"{path}, line {number}: {len(row)} columns instead of {columns}")
        if number > 1:
            yield row


def _lines(path: Path) -> Iterator[str]:
    with _opened(path) as lines:
        for line in lines:
            try:
                yield line.decode()
            except UnicodeDecodeError as error:
                raise InputError(f"{path} is not text in UTF-8") from error


def _json(path: Path) -> dict[str, Any]:
    with _opened(path) as file:
        try:
            content = orjson.loads(file.read())
        except ValueError as error:
            raise InputError(f"{path} is not JSON: {error}") from error
    if not isinstance(content, dict):
        raise InputError(f"{path} is not a JSON object")
    return content


@contextmanager
def _opened(path: Path) -> Iterator[IO[bytes]]:
    """Open a file, compressed by gzip or not."""
    try:
        with path.open("rb") as file, gzip.open(file) as decompressed:
            yield cast(IO[bytes], decompressed if path.suffix == ".gz" else file)
    except (OSError, EOFError, zlib.error) as error:  # the last two by gzip
        raise InputError(
            f"{path} cannot be read: {getattr(error, 'strerror', None) or error}",
            "download SciDocs' files as its README says",
        ) from error
