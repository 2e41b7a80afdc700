"""Classification by a linear SVM on the vectors, scored by macro F1 (SPECTER, section 3.1)."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from specter_graph.core.errors import InputError
from specter_graph.evaluation.metrics.ranking import Floats, Ints
from specter_graph.evaluation.metrics.task_results import MacroF1, TaskResult
from specter_graph.evaluation.protocols.dataset import PaperVectors

if TYPE_CHECKING:
    from sklearn.svm import LinearSVC

Tuning = Literal["folds", "validation"]

GRID = tuple(float(c) for c in np.logspace(-4, 2, 7))
"""The values of C, 1e-4 to 1e2."""

FOLDS = 3

LabeledPapers = Sequence[tuple[str, str]]
"""Papers with their classes."""


@dataclass(frozen=True, slots=True)
class LabelSplit:
    """Labeled papers in three disjoint parts; C is never chosen on the test papers."""

    train: LabeledPapers
    validation: LabeledPapers
    test: LabeledPapers


def classify(
    labels: LabelSplit,
    vectors: PaperVectors,
    *,
    split: Literal["validation", "test"] = "test",
    tune_on: Tuning = "folds",
    jobs: int | None = None,
) -> TaskResult:
    """Train on the training papers and score the predictions for the papers of `split`.

    C is the best value of `GRID`: by accuracy over three stratified folds of the training papers,
    as in the code of SciDocs, or by macro F1 on the validation papers, as in section 4 of SPECTER.
    As in SciDocs, the SVM has the squared hinge loss, one class against the rest and no intercept,
    and papers without a vector get zeros.

    Raises InputError when there are fewer than two classes, when no paper has a vector, or when C
    would be chosen on the scored papers.
    """
    if tune_on == "validation" and split == "validation":
        raise InputError(
            "C cannot be chosen on the validation papers and scored on them",
            "choose it on folds of the training papers (--tune-on folds)",
        )
    scored = {"validation": labels.validation, "test": labels.test}[split]
    if len({label for _, label in labels.train}) < 2 or not scored:
        raise InputError("classification needs two classes to learn, and papers to classify")
    papers = [paper for part in (labels.train, scored) for paper, _ in part]
    vectors.require_any(papers, "labeled papers")
    names = sorted(
        {label for part in (labels.train, labels.validation, labels.test) for _, label in part}
    )
    number = {name: i for i, name in enumerate(names)}

    def arrays(labeled: LabeledPapers) -> tuple[Floats, Ints]:
        classes = np.array([number[label] for _, label in labeled], dtype=np.int64)
        return vectors.get_or_zeros([paper for paper, _ in labeled]), classes

    train, classes = arrays(labels.train)
    if tune_on == "folds":
        c = _choose_on_folds(train, classes, jobs)
    else:
        c = _choose_on_validation(train, classes, *arrays(labels.validation))
    features, truth = arrays(scored)
    predicted = _fit(train, classes, c).predict(features)
    missing = vectors.count_missing(papers)
    note = (f"{missing:,} papers have no vector and got zeros",) if missing else ()
    return TaskResult(
        group="classification",
        items=tuple(paper for paper, _ in scored),
        metrics={"f1": MacroF1(truth, predicted[None])},
        total=len(scored),
        papers=len(papers),
        missing=missing,
        notes=(f"C = {c:g}", *note),
    )


def _svm(c: float = 1.0) -> "LinearSVC":
    from sklearn.svm import LinearSVC

    return LinearSVC(C=c, loss="squared_hinge", dual="auto", fit_intercept=False, random_state=42)


def _fit(train: Floats, classes: Ints, c: float) -> "LinearSVC":
    with warnings.catch_warnings(action="ignore"):  # of large C, which need more steps
        return _svm(c).fit(train, classes)


def _choose_on_folds(train: Floats, classes: Ints, jobs: int | None) -> float:
    from sklearn.model_selection import GridSearchCV

    if np.bincount(classes).max() < FOLDS:
        raise InputError(f"no class has {FOLDS} papers, one for each fold to choose C on")
    with warnings.catch_warnings(action="ignore"):
        grid = GridSearchCV(_svm(), {"C": GRID}, cv=FOLDS, n_jobs=jobs, refit=False)
        return float(grid.fit(train, classes).best_params_["C"])


def _choose_on_validation(train: Floats, classes: Ints, held: Floats, truth: Ints) -> float:
    if not len(truth):
        raise InputError("there are no validation papers to choose C on", "--tune-on folds")
    predicted = (_fit(train, classes, c).predict(held) for c in GRID)
    return GRID[int(np.argmax([MacroF1(truth, each[None]).value() for each in predicted]))]
