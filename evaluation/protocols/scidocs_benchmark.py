"""The SciDocs benchmark from its files: seven tasks, twelve figures and their averages.

| published file | line or entry |
|---|---|
| `{cite,cocite,coview,coread}/{val,test}.qrel` | `query 0 candidate relevance` |
| `{mag,mesh}/{train,val,test}.csv` | header; paper, class |
| `recomm/{train,val,test}.csv` | header; query, clicked paper, "all shown, in order" |
| `recomm/propensity_scores.json` | {"scores": [first position, ...]} |
| `paper_metadata_recomm.json` | {paper: {"title", "year", "authors", "references", "cited_by"}} |
| vectors, JSON Lines | {"paper_id": ..., "embedding": [...]} |

All readers raise InputError with the file and the line.
"""

import csv
import gzip
import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO, Any, cast, get_args

import numpy as np
import orjson

from specter_graph.core.errors import InputError, LeakError, counted, require_choice
from specter_graph.core.progress import Progress, silent
from specter_graph.evaluation.metrics.ranking import Floats, require_trec_eval
from specter_graph.evaluation.metrics.task_results import TaskResult, score_systems
from specter_graph.evaluation.protocols.candidate_ranking import rank_candidates
from specter_graph.evaluation.protocols.classification import Tuning, classify
from specter_graph.evaluation.protocols.dataset import PaperVectors, Part
from specter_graph.evaluation.protocols.recommendation import Click, ClickLog, PaperFacts, recommend
from specter_graph.evaluation.protocols.space_evaluation import chosen_systems
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import check_no_leakage, read_vectors
from specter_graph.graph.split import HOLDOUT, HeldOutSplit, stored_split

EMBEDDED = {
    "cls": ("mag", "mesh"),
    "user-citation": ("coview", "coread", "cite", "cocite"),
    "recomm": ("recomm",),
}
"""The three files of vectors in SciDocs, and their tasks."""

SPLIT = "as SciDocs"
"""The rule of the split by `read_split` (`graph.split.StoredSplit`)."""

_PREFIX = "s2:"  # of the ids in a graph
_USAGE = ("coview", "coread")
_PARTS: dict[Part, str] = {"train": "train.csv", "validation": "val.csv", "test": "test.csv"}
_RELEVANCE = re.compile(r"-?[0-9]{1,3}")  # trec_eval takes minutes for a relevance of a million


def evaluate_scidocs(
    folder: Path | str,
    vectors: Mapping[str, Path | str | PaperVectors],
    *,
    split: HeldOutSplit = "test",
    tune_on: Tuning = "folds",
    jobs: int | None = None,
    progress: Progress = silent,
) -> dict[str, TaskResult]:
    """Score vectors on the tasks of SciDocs.

    Args:
        folder: The published data.
        vectors: Files or vectors by the names of `EMBEDDED`; tasks without them are skipped.
        split: The part to score.
        tune_on: How C of the SVM is chosen, see `classify`.
        jobs: Number of processes for the choice of C.
        progress: Called with the number of tasks.

    Returns:
        The results by task.

    Raises:
        InputError: A name is not in `EMBEDDED`, a file is missing or damaged, or no paper of a task
            has a vector.
    """
    require_trec_eval()
    require_choice("split", split, get_args(HeldOutSplit))
    require_choice("tune_on", tune_on, get_args(Tuning))
    if not vectors or not vectors.keys() <= EMBEDDED.keys():
        raise InputError(
            "no vectors to score", f"give files for one or more of {', '.join(EMBEDDED)}"
        )

    folder = Path(folder)

    def run_classification(task: str, vectors: PaperVectors) -> TaskResult:
        labels = {part: read_classes(folder / task / name) for part, name in _PARTS.items()}
        return classify(labels, vectors, split=split, tune_on=tune_on, jobs=jobs)

    def run_ranking(task: str, vectors: PaperVectors) -> TaskResult:
        judgments = read_qrel(folder / task / f"{'val' if split == 'validation' else split}.qrel")
        return rank_candidates(judgments, vectors, "usage" if task in _USAGE else "citation")

    def run_recommendation(task: str, vectors: PaperVectors) -> TaskResult:
        clicks = {part: read_clicks(folder / task / name) for part, name in _PARTS.items()}
        places = read_propensities(folder / task / "propensity_scores.json")
        papers = read_paper_facts(folder / "paper_metadata_recomm.json")
        log = ClickLog(clicks, places)
        return recommend(log, papers, vectors, split=split, as_scidocs=True)

    runs: dict[str, Callable[[str, PaperVectors], TaskResult]] = {
        "cls": run_classification,
        "user-citation": run_ranking,
        "recomm": run_recommendation,
    }
    results: dict[str, TaskResult] = {}
    total = sum(len(EMBEDDED[name]) for name in vectors)
    read = cache(read_vector_file)  # one file may have the vectors of all tasks
    for name in [each for each in EMBEDDED if each in vectors]:
        given = vectors[name]
        paper_vectors = given if isinstance(given, PaperVectors) else read(Path(given))
        for task in EMBEDDED[name]:
            progress("score tasks", len(results), total)
            results[task] = runs[name](task, paper_vectors)
    progress("score tasks", total, total)
    return results


def evaluate_scidocs_spaces(
    db: Database,
    folder: Path | str,
    spaces: Sequence[str] | None = None,
    *,
    split: HeldOutSplit = "test",
    tune_on: Tuning = "folds",
    jobs: int | None = None,
    progress: Progress = silent,
) -> dict[str, dict[str, TaskResult]]:
    """Score spaces of a graph that contains the papers of SciDocs.

    Args:
        db: The graph.
        folder: The published data.
        spaces: The systems, by default all spaces. `a,b,c` are spaces that differ only in their
            seeds.
        split: The part to score.
        tune_on: How C of the SVM is chosen, see `classify`.
        jobs: Number of processes for the choice of C.
        progress: Called with the number of spaces.

    Returns:
        The results by system and task.

    Raises:
        LeakError: A space has learned from citations, and the split of the graph is not that of
            SciDocs.
        InputError: A file is missing or damaged, or no paper of a task has a vector.
    """
    systems, records = chosen_systems(db, spaces)
    read_split(folder)  # a wrong folder is the first error
    stored = stored_split(db)
    if any(record.sees_edges for record in records) and (
        not stored or not stored.rule.startswith(SPLIT)
    ):
        raise LeakError(
            "spaces have seen citations of the test papers of SciDocs",
            f"run `specter-graph evaluate split --scidocs {folder}`, then make the spaces again",
        )
    check_no_leakage(records, HOLDOUT)

    def score_space(space: str) -> dict[str, TaskResult]:
        ids, array = read_vectors(db, space)
        papers = [paper.removeprefix(_PREFIX) for paper in ids]
        vectors = dict.fromkeys(EMBEDDED, PaperVectors.build(papers, array, space))
        return evaluate_scidocs(folder, vectors, split=split, tune_on=tune_on, jobs=jobs)

    return score_systems(systems, score_space, progress)


def read_split(folder: Path | str) -> tuple[set[str], set[str]]:
    """Return the ids of the test papers and of the validation papers, as in a graph.

    They are the queries of the ranking tasks and of recommendation, and the classified papers. A
    paper that is in both is a test paper.
    """
    folder, held_out = Path(folder), []
    for part in ("test", "val"):
        papers = {click.query for click in read_clicks(folder / "recomm" / f"{part}.csv")}
        for task in EMBEDDED["user-citation"]:
            papers |= read_qrel(folder / task / f"{part}.qrel").keys()
        for task in EMBEDDED["cls"]:
            papers |= {paper for paper, _ in read_classes(folder / task / f"{part}.csv")}
        held_out.append({f"{_PREFIX}{paper}" for paper in papers})
    test, validation = held_out
    return test, validation - test


def read_qrel(path: Path) -> dict[str, dict[str, int]]:
    """Read the judgments of a file, by query and candidate; a relevance below 0 is read as 0.

    Raises:
        InputError: A line is not a judgment or contradicts an earlier one, or there is none.
    """
    judgments: dict[str, dict[str, int]] = {}
    for number, line in enumerate(_read_lines(path), 1):
        match line.split():
            case []:
                continue
            case [query, _, candidate, text] if _RELEVANCE.fullmatch(text):
                relevance = max(0, int(text))  # with a negative one, trec_eval may never end
                if judgments.setdefault(query, {}).setdefault(candidate, relevance) != relevance:
                    raise InputError(
                        f"{path}, line {number}: an earlier line has another relevance of"
                        f" {candidate!r} for {query!r}"
                    )
            case _:
                raise InputError(
                    f"{path}, line {number}: not a judgment: {line.strip()[:80]!r}",
                    "a line is `query 0 candidate relevance`, with a relevance of up to 999",
                )
    if not judgments:
        raise InputError(f"{path} has no judgments")
    return judgments


def read_classes(path: Path) -> list[tuple[str, str]]:
    """Read the papers of a file, each with its class, as text."""
    return [(paper, label) for paper, label in _read_rows(path, 2)]


def read_clicks(path: Path) -> list[Click]:
    """Read the clicks of a file, in its order.

    Raises:
        InputError: A clicked paper was not shown.
    """
    clicks = []
    for number, (query, clicked, shown) in enumerate(_read_rows(path, 3), 2):
        click = Click(query, clicked, tuple(shown.strip().split(",")))
        if clicked not in click.shown:
            raise InputError(f"{path}, line {number}: the clicked paper {clicked!r} was not shown")
        clicks.append(click)
    return clicks


def read_propensities(path: Path) -> Floats:
    """Read the propensity of each position.

    Raises:
        InputError: The file has no list of numbers.
    """
    scores = _json(path).get("scores")
    try:
        propensities = np.array(scores, dtype=np.float64)
    except (TypeError, ValueError):
        propensities = np.empty(0)
    if propensities.ndim != 1 or not len(propensities):
        raise InputError(f'{path}: "scores" is not a list of numbers')
    return propensities


def read_paper_facts(path: Path) -> dict[str, PaperFacts]:
    """Read the metadata of the papers of the recommendation task."""
    papers = {}
    for paper, record in _json(path).items():
        try:
            papers[paper] = _paper_facts(record)
        except (AttributeError, OverflowError, TypeError) as error:
            raise InputError(f"{path}: the record of {paper!r} cannot be read: {error}") from error
    return papers


def read_vector_file(path: Path) -> PaperVectors:
    """Read the vectors of a file; empty ones are skipped. The last of a repeated paper counts.

    Raises:
        InputError: A line is not a paper with a vector, or there is none.
    """
    ids: list[str] = []
    vectors: list[Floats] = []
    with _open_file(path, "make the file with `specter-graph embed-files -o FILE`") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                record = orjson.loads(line)
                paper, vector = record["paper_id"], np.array(record["embedding"], np.float64)
                if vector.ndim != 1:
                    raise ValueError("not a list of numbers")
            except (ValueError, KeyError, TypeError) as error:
                raise InputError(
                    f"{path}, line {number}: not a paper with a vector",
                    'a line is {"paper_id": "...", "embedding": [0.1, ...]}',
                ) from error
            if not vector.size:
                continue
            if vector.shape != (vectors or [vector])[0].shape or not np.isfinite(vector).all():
                raise InputError(
                    f"{path}, line {number}: the vector of {paper!r} does not have"
                    f" {len(vectors[0]) if vectors else 'only'} finite components"
                )
            ids.append(str(paper))
            vectors.append(vector)
    if not ids:
        raise InputError(f"{path} has no vectors")
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


def _read_rows(path: Path, columns: int) -> Iterator[list[str]]:
    """Yield the rows of a CSV file below its header."""
    rows = csv.reader(_read_lines(path))
    try:
        for number, row in enumerate(filter(None, rows)):
            if len(row) != columns:
                raise InputError(
                    f"{path}, line {rows.line_num}: {counted(len(row), 'column')} instead of"
                    f" {columns}"
                )
            if number:
                yield row
    except csv.Error as error:
        raise InputError(f"{path}, line {rows.line_num}: {error}") from error


def _read_lines(path: Path) -> Iterator[str]:
    with _open_file(path) as lines:
        for line in lines:
            try:
                yield line.decode("utf-8-sig")
            except UnicodeDecodeError as error:
                raise InputError(f"{path} is not UTF-8") from error


def _json(path: Path) -> dict[str, Any]:
    with _open_file(path) as file:
        try:
            content = orjson.loads(file.read())
        except ValueError as error:
            raise InputError(f"{path} is not JSON: {error}") from error
    if not isinstance(content, dict):
        raise InputError(f"{path} is not a JSON object")
    return content


@contextmanager
def _open_file(
    path: Path, hint: str = "download the files of SciDocs as in its README"
) -> Iterator[IO[bytes]]:
    """Open a file, compressed by gzip or not."""
    try:
        with path.open("rb") as file, gzip.open(file) as decompressed:
            yield cast(IO[bytes], decompressed if path.suffix == ".gz" else file)
    except (OSError, EOFError, zlib.error) as error:  # the last two are errors of gzip
        raise InputError(
            f"{path} cannot be read: {getattr(error, 'strerror', None) or error}",
            hint,
        ) from error
