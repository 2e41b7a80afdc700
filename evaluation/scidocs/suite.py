"""Runs the tasks of SciDocs that there are vectors for."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Literal

from specter_graph.core.errors import InputError
from specter_graph.core.progress import Progress, silent
from specter_graph.evaluation.classification import Labels, Tuning, classify
from specter_graph.evaluation.embeddings import Embeddings
from specter_graph.evaluation.outcomes import Outcome
from specter_graph.evaluation.proximity import proximity
from specter_graph.evaluation.recommendation import ClickLog, recommend
from specter_graph.evaluation.scidocs import files

Split = Literal["validation", "test"]

EMBEDDED = {
    "cls": ("mag", "mesh"),
    "user-citation": ("coview", "coread", "cite", "cocite"),
    "recomm": ("recomm",),
}
"""The three files of vectors that SciDocs wants, and the tasks that each is for."""

TASKS = tuple(task for tasks in EMBEDDED.values() for task in tasks)

_USAGE = ("coview", "coread")
_SUFFIX = {"validation": "val", "test": "test"}


def evaluate_scidocs(
    folder: Path,
    vectors: Mapping[str, Path],
    *,
    split: Split = "test",
    tuning: Tuning = "folds",
    jobs: int | None = None,
    progress: Progress = silent,
) -> dict[str, Outcome]:
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

    def classified(task: str, embeddings: Embeddings) -> Outcome:
        parts = (files.read_classes(folder / task / f"{part}.csv") for part in _PARTS)
        return classify(Labels(*parts), embeddings, on=split, tuning=tuning, jobs=jobs)

    def ranked(task: str, embeddings: Embeddings) -> Outcome:
        judged = files.read_qrel(folder / task / f"{_SUFFIX[split]}.qrel")
        return proximity(judged, embeddings, "usage" if task in _USAGE else "citation")

    def recommended(task: str, embeddings: Embeddings) -> Outcome:
        train, val, test = (files.read_clicks(folder / task / f"{part}.csv") for part in _PARTS)
        scores = files.read_propensities(folder / task / "propensity_scores.json")
        papers = files.read_paper_facts(folder / "paper_metadata_recomm.json")
        log = ClickLog(train, val, test, scores)
        return recommend(log, papers, embeddings, on=split, as_scidocs=True)

    runs: dict[str, Callable[[str, Embeddings], Outcome]] = {
        "cls": classified,
        "user-citation": ranked,
        "recomm": recommended,
    }
    outcomes: dict[str, Outcome] = {}
    total = sum(len(EMBEDDED[name]) for name in vectors)
    for name in [each for each in EMBEDDED if each in vectors]:
        embeddings = files.read_embeddings(vectors[name])
        for task in EMBEDDED[name]:
            progress("score tasks", len(outcomes), total)
            outcomes[task] = runs[name](task, embeddings)
    progress("score tasks", total, total)
    return outcomes


_PARTS = ("train", "val", "test")
