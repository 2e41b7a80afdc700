"""The tasks of SPECTER's section 3, asked of the spaces of a graph; no files.

| task | what of the graph |
|---|---|
| a scheme of fields (`mag`, `arxiv`, ...), `mesh`, `venue` | the class of a paper |
| `coview`, `coread` | what readers view in a session, or keep |
| `cite`, `cocite` | citations of the held-out papers, as `evaluate` asks them |
| `recomm` | a click log, or what readers read one after the other |
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from specter_graph.core.errors import GraphError
from specter_graph.core.progress import Progress, silent
from specter_graph.evaluation import clicks
from specter_graph.evaluation.classification import Labels, classify
from specter_graph.evaluation.embeddings import Embeddings
from specter_graph.evaluation.facts import Facts
from specter_graph.evaluation.graph_labels import labels_by_scheme
from specter_graph.evaluation.labelling import SplitBy, choose_classes, split_labels
from specter_graph.evaluation.measures import Mean
from specter_graph.evaluation.outcomes import Outcome, over_seeds
from specter_graph.evaluation.propensity import Impression
from specter_graph.evaluation.protocol import Ranking, rankings
from specter_graph.evaluation.proximity import proximity
from specter_graph.evaluation.recommendation import ClickLog, PaperFacts, recommend
from specter_graph.evaluation.scoring import by_name, score
from specter_graph.evaluation.spaces import (
    chosen_spaces,
    citation_facts,
    systems_of,
    tasks_seen,
)
from specter_graph.evaluation.usage import together
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import read_vectors, refuse_leaks, usual_holdout
from specter_graph.graph.evaluation_data import (
    Kind,
    LabelledPaper,
    known_papers,
    labelled_papers,
    merged_ids,
    reading_histories,
)
from specter_graph.graph.split import HeldOutSplit
from specter_graph.loaders.records import draw

Task = Callable[[str, Embeddings], Outcome]
"""Scores the vectors of a space, which is named in messages."""

_GROUPS: Mapping[Kind, str] = {"VIEWED": "coview", "READ": "coread"}


def evaluate_suite(
    db: Database,
    names: Sequence[str] | None = None,
    *,
    split: HeldOutSplit = "test",
    holdout: float | None = None,
    by: SplitBy = "hash",
    click_log: Path | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> dict[str, dict[str, Outcome]]:
    """Score the named spaces, or all, on every task that the graph has the facts for.

    `a,b,c` are spaces that differ in their seeds alone: one system, the mean of each figure.
    `by` is how labelled papers are split. Tasks without enough facts are left out. Papers are held
    out under `holdout`, by default under the smallest that one of the spaces was made under.

    Raises LeakError when a space has seen citations of the held-out papers, and GraphError when
    there is no space, or nothing at all to ask. Of readings and venues nothing is held out: what a
    space has seen of them stands in the notes of the outcome (`spaces.tasks_seen`).
    """
    systems = by_name(systems_of(db, names))
    spaces = chosen_spaces(db, [name for system in systems.values() for name in system])
    share = usual_holdout(spaces) if holdout is None else holdout
    refuse_leaks(spaces, share)
    tasks = dict(_tasks(db, split, share, by, click_log, seed))
    if not tasks:
        raise GraphError(
            "there is nothing in this graph to ask: no labels, no readings, no held-out papers",
            "specter-graph load readers FILE, or specter-graph load labels FILE",
        )
    recorded = {each.property: each for each in spaces}
    outcomes: dict[str, dict[str, Outcome]] = {}
    done, total = 0, len(spaces) * len(tasks)
    for row, system in systems.items():
        by_task: dict[str, list[Outcome]] = {name: [] for name in tasks}
        for space in system:
            embeddings = Embeddings.of(*read_vectors(db, space))
            seen = tasks_seen(recorded[space])
            for name, task in tasks.items():
                progress("score tasks", done, total)
                outcome = task(space, embeddings)
                if name in seen:
                    told = f"{space} has learned from what is asked"
                    outcome = replace(outcome, notes=(*outcome.notes, told))
                by_task[name].append(outcome)
                done += 1
        outcomes[row] = {name: over_seeds(each) for name, each in by_task.items()}
    progress("score tasks", total, total)
    return outcomes


def _tasks(
    db: Database, split: HeldOutSplit, share: float, by: SplitBy, log: Path | None, seed: int
) -> Iterator[tuple[str, Task]]:
    labelled = list(labelled_papers(db))
    papers = [paper.id for paper in labelled]
    for name, labels in _classifications(db, labelled, share, by):
        yield name, _classified(labels, split)
    for kind, name in _GROUPS.items():
        judged = together(_sessions(db, kind), papers, on=split, share=share, seed=seed)
        if judged:
            yield name, _ranked(judged)
    yield from _citations(db, split, share, seed)
    told = _clicks(db, papers, share, log, seed)
    if told.train and (told.test if split == "test" else told.validation):
        parts = (told.train, told.validation, told.test)
        named = {paper for part in parts for each in part for paper in (each.query, *each.shown)}
        now = max((paper.year for paper in labelled if paper.year), default=0)
        facts = {
            row.id: PaperFacts(
                row.title, row.year, *map(frozenset, (row.authors, row.references, row.cited_by))
            )
            for row in known_papers(db, sorted(named), share)
        }
        yield "recomm", lambda _, vectors: recommend(told, facts, vectors, on=split, now=now)


def _classified(labels: Labels, split: HeldOutSplit) -> Task:
    return lambda _, embeddings: classify(labels, embeddings, on=split)


def _ranked(judged: Mapping[str, Mapping[str, int]]) -> Task:
    return lambda _, embeddings: proximity(judged, embeddings, "usage")


def _classifications(
    db: Database, papers: Sequence[LabelledPaper], share: float, by: SplitBy
) -> Iterator[tuple[str, Labels]]:
    """By the name of a scheme, or `venue`: the papers of two classes or more, in three parts."""
    when = {paper.id: paper.published or str(paper.year or "") for paper in papers}
    for name, labels in labels_by_scheme(db, papers).items():
        parts = split_labels(choose_classes(labels), when, share, by)
        classes = {label for _, label in parts.train}
        if len(classes) > 1 and parts.test and parts.validation:
            yield name, parts


def _citations(
    db: Database, split: HeldOutSplit, share: float, seed: int
) -> Iterator[tuple[str, Task]]:
    facts = citation_facts(db, split, share)
    asked = {task: some for task, some in rankings(facts, seed).items() if some}
    for task in ("cite", "cocite"):
        if task in asked:
            yield task, _cited(facts, task, asked[task])


def _cited(facts: Facts, task: str, asked: Sequence[Ranking]) -> Task:
    items = tuple(facts.papers[ranking.query].id for ranking in asked)
    papers = len(facts.papers) + len(facts.candidates)

    def run(name: str, vectors: Embeddings) -> Outcome:
        scores = score(name, (list(vectors.rows), vectors.array), facts, {task: asked})
        measures = {metric: Mean(values) for metric, values in scores[task].items()}
        return Outcome("citation", items, measures, len(items), papers, 0)

    return run


def _sessions(db: Database, kind: Kind) -> Iterator[list[str]]:
    """What was viewed in one session, or by a reader where there are none; a library is one."""
    for _, readings in reading_histories(db, kind):
        sessions: dict[str | None, list[str]] = {}
        for reading in readings:
            sessions.setdefault(reading.session if kind == "VIEWED" else None, []).append(
                reading.paper
            )
        yield from sessions.values()


def _clicks(
    db: Database, papers: Sequence[str], share: float, log: Path | None, seed: int
) -> ClickLog:
    """The clicks of a log; without one, of what readers keep, or else of what they view."""
    if log:
        return clicks.from_log(_current(db, clicks.read_click_log(log)), share)
    kept = clicks.from_histories(_histories(db, "READ"), papers, share, seed)
    if kept.train:
        return kept
    return clicks.from_histories(_histories(db, "VIEWED"), papers, share, seed)


def _current(db: Database, log: Sequence[Impression]) -> list[Impression]:
    """A log with the ids that papers have now that some are merged."""
    now = merged_ids(db, sorted({paper for each in log for paper in (each.query, *each.shown)}))

    def ids(papers: Iterable[str]) -> Iterator[str]:
        return (now.get(paper, paper) for paper in papers)

    return [
        Impression(
            now.get(each.query, each.query), tuple(ids(each.shown)), frozenset(ids(each.clicked))
        )
        for each in log
    ]


def _histories(db: Database, kind: Kind) -> Iterator[tuple[str, list[str]]]:
    """Readers with their papers as they came to them; those of the same time in random order."""
    for reader, readings in reading_histories(db, kind):
        ordered = sorted(readings, key=lambda each: (each.at or "", draw(f"{reader} {each.paper}")))
        yield reader, list(dict.fromkeys(reading.paper for reading in ordered))
