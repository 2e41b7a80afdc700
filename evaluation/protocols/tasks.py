"""The tasks of SPECTER (section 3), made from the data in a graph.

| task | data |
|---|---|
| a scheme of fields (`mag`, `arxiv`, ...), `mesh`, `venue` | classes of papers |
| `coview`, `coread` | papers that readers viewed in a session, or saved |
| `coview-last`, `coread-last` | the last reading of each reader |
| `cite`, `cocite` | citations of held-out papers, as in `held_out` |
| `recomm` | a click log, or consecutive papers in reading histories |
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import get_args

from specter_graph.core.errors import GraphError, require_choice
from specter_graph.core.progress import Progress, silent
from specter_graph.evaluation.feedback.clicks import read_click_log
from specter_graph.evaluation.metrics.task_results import Mean, TaskResult, score_systems
from specter_graph.evaluation.protocols.candidate_ranking import (
    judge_coviews,
    judge_last_readings,
    rank_candidates,
)
from specter_graph.evaluation.protocols.classification import (
    LabelSplit,
    SplitBy,
    choose_classes,
    classify,
    labels_by_scheme,
    split_labels,
    split_labels_by_time,
)
from specter_graph.evaluation.protocols.dataset import PaperVectors, Part, part_of
from specter_graph.evaluation.protocols.held_out import HeldOutData, Ranking, rankings, score
from specter_graph.evaluation.protocols.recommendation import ClickLog, papers_of, recommend
from specter_graph.evaluation.protocols.recommender import paper_facts, with_current_ids
from specter_graph.evaluation.protocols.space_evaluation import (
    chosen_systems,
    citation_data,
    leaked_tasks,
)
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import check_no_leakage, read_vectors, usual_holdout
from specter_graph.graph.evaluation_data import (
    LabeledPaper,
    ReadingKind,
    labeled_papers,
    reading_histories,
)
from specter_graph.graph.split import HeldOutSplit
from specter_graph.loaders.records import sample_key

Task = Callable[[PaperVectors], TaskResult]

_READING_TASKS: Mapping[str, ReadingKind] = {"coview": "VIEWED", "coread": "SAVED"}


def evaluate_tasks(
    db: Database,
    spaces: Sequence[str] | None = None,
    *,
    split: HeldOutSplit = "test",
    holdout: float | None = None,
    split_by: SplitBy = "hash",
    click_log: Path | str | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> dict[str, dict[str, TaskResult]]:
    """Score spaces on each task that the graph has data for.

    Readings of held-out papers and the last reading of each reader are held out; other readings and
    venues are not: a note of the result says if a space has learned the answers of a task
    (`space_evaluation.leaked_tasks`).

    Args:
        db: The graph.
        spaces: The systems, by default all spaces. `a,b,c` are spaces that differ only in their
            seeds: the metrics of such a system are averages.
        split: The held-out papers to score on.
        holdout: The share that is held out, by default the smallest of the spaces.
        split_by: How labeled papers are split.
        click_log: A click log for the task `recomm`.
        seed: Random seed of candidates.
        progress: Called with the number of tasks.

    Returns:
        The results by system and task.

    Raises:
        LeakError: A space has seen citations of the held-out papers.
        GraphError: A space does not exist, or the graph has data for no task.
    """
    require_choice("split_by", split_by, get_args(SplitBy))
    systems, records = chosen_systems(db, spaces)
    share = usual_holdout(records) if holdout is None else holdout
    check_no_leakage(records, share)
    tasks = dict(_tasks(db, split, share, split_by, click_log, seed))
    if not tasks:
        raise GraphError(
            "the graph has no data for any task: no labels, readings or held-out papers",
            "specter-graph load readers FILE, or specter-graph load labels FILE",
        )
    leaked = {record.name: leaked_tasks(record) for record in records}
    from_files = {record.name for record in records if "file" in record.learned_from}
    done, total = count(), len(records) * len(tasks)

    def score_space(space: str) -> dict[str, TaskResult]:
        vectors = PaperVectors.build(*read_vectors(db, space), space)
        results = {}
        for name, task in tasks.items():
            progress("score tasks", next(done), total)
            results[name] = task(vectors)
            if name in leaked[space]:
                verb = "may have been" if space in from_files else "was"
                note = f"{space} {verb} trained on the answers"
                results[name] = replace(results[name], notes=(*results[name].notes, note))
        return results

    scored = score_systems(systems, score_space)
    progress("score tasks", total, total)
    return scored


def _tasks(
    db: Database,
    split: HeldOutSplit,
    share: float,
    split_by: SplitBy,
    log: Path | str | None,
    seed: int,
) -> Iterator[tuple[str, Task]]:
    labeled = list(labeled_papers(db))
    papers = [paper.id for paper in labeled]
    parts = {paper.id: part_of(paper.sample_key, share) for paper in labeled}
    for name, labels in _classifications(db, labeled, parts, share, split_by):
        yield name, partial(classify, labels, split=split)
    for name, kind in _READING_TASKS.items():
        histories = _last_readings(db, kind, split, share)
        for task, judgments in (
            (name, judge_coviews(_sessions(db, kind), parts, split=split, seed=seed)),
            (f"{name}-last", judge_last_readings(histories, papers, seed=seed)),
        ):
            if judgments:
                yield task, partial(rank_candidates, judgments, group="usage")
    data = citation_data(db, split, share)
    queries = rankings(data, seed)
    for name in ("cite", "cocite"):
        if queries[name]:
            yield name, partial(_score_citations, data, name, queries[name])
    clicks = _clicks(db, papers, share, log, seed)
    if clicks.parts["train"] and clicks.parts[split]:
        named = papers_of(*clicks.parts.values())
        now = max((paper.year for paper in labeled if paper.year), default=0)
        known = paper_facts(db, sorted(named), share)
        yield "recomm", partial(recommend, clicks, known, split=split, now=now)


def _classifications(
    db: Database,
    papers: Sequence[LabeledPaper],
    parts: Mapping[str, Part],
    share: float,
    split_by: SplitBy,
) -> Iterator[tuple[str, LabelSplit]]:
    """Yield for each scheme, or `venue`, the papers of its classes in three parts."""
    when = {paper.id: paper.published or str(paper.year or "") for paper in papers}
    for name, labels in labels_by_scheme(db, papers).items():
        class_of = choose_classes(labels)
        labeled = (
            split_labels_by_time(class_of, when, share)
            if split_by == "time"
            else split_labels(class_of, parts)
        )
        classes = {label for _, label in labeled["train"]}
        if len(classes) > 1 and labeled["test"] and labeled["validation"]:
            yield name, labeled


def _score_citations(
    data: HeldOutData, task: str, queries: Sequence[Ranking], vectors: PaperVectors
) -> TaskResult:
    ids = (list(vectors.rows), vectors.array)
    scores = score(vectors.name, ids, data, {task: queries})[task]
    return TaskResult(
        group="citation",
        items=tuple(data.papers[ranking.query].id for ranking in queries),
        metrics={metric: Mean(values) for metric, values in scores.items()},
        total=len(queries),
        papers=len(data.papers) + len(data.candidates),
    )


def _sessions(db: Database, kind: ReadingKind) -> Iterator[list[str]]:
    """Yield the papers that a reader viewed in one session, or saved."""
    for _, readings in reading_histories(db, kind):
        sessions: dict[str | None, list[str]] = {}
        for reading in readings:
            session = reading.session if kind == "VIEWED" else None
            sessions.setdefault(session, []).append(reading.paper)
        yield from sessions.values()


def _last_readings(
    db: Database, kind: ReadingKind, split: HeldOutSplit, share: float
) -> Iterator[list[str]]:
    """Yield the papers of each reader, ordered by time; without times, by their sample keys.

    `triplets/co_readings.cypher` has the same order. Readers are validation readers or others.
    """
    for reader, readings in reading_histories(db, kind):
        if (part_of(sample_key(reader), share) == "validation") == (split == "validation"):
            newest = sorted(
                readings,
                key=lambda each: (each.at or "", each.sample_key, each.paper),
                reverse=True,
            )
            yield list(dict.fromkeys(reading.paper for reading in newest))[::-1]


def _clicks(
    db: Database, papers: Sequence[str], share: float, log: Path | str | None, seed: int
) -> ClickLog:
    """Read the clicks of a log; without one, make clicks of saved or else of viewed papers."""
    if log:
        return ClickLog.from_impressions(with_current_ids(db, read_click_log(log)), share)
    saved = ClickLog.from_histories(_histories(db, "SAVED"), papers, share, seed)
    if saved.parts["train"]:
        return saved
    return ClickLog.from_histories(_histories(db, "VIEWED"), papers, share, seed)


def _histories(db: Database, kind: ReadingKind) -> Iterator[tuple[str, list[str]]]:
    """Yield readers with their papers ordered by time; equal times are in random order."""
    for reader, readings in reading_histories(db, kind):
        ordered = sorted(
            readings, key=lambda view: (view.at or "", sample_key(f"{reader} {view.paper}"))
        )
        yield reader, list(dict.fromkeys(reading.paper for reading in ordered))
