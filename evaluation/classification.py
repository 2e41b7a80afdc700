"""Classification by a linear SVM on the vectors (SPECTER, section 3.1; scored by macro F1)."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from specter_graph.core.errors import InputError
from specter_graph.evaluation.embeddings import Embeddings
from specter_graph.evaluation.measures import Floats, Ints, MacroF1
from specter_graph.evaluation.outcomes import Outcome

if TYPE_CHECKING:
    from sklearn.svm import LinearSVC

Tuning = Literal["folds", "validation"]

GRID = tuple(float(each) for each in np.logspace(-4, 2, 7))
"""The values of C, 1e-4 to 1e2."""

FOLDS = 3

Labelled = Sequence[tuple[str, str]]
"""Papers with the class of each."""


@dataclass(frozen=True, slots=True)
class Labels:
    """Labelled papers, no paper in two parts: C is never chosen on the test papers."""

    train: Labelled
    validation: Labelled
    test: Labelled


def classify(
    labels: Labels,
    embeddings: Embeddings,
    *,
    on: Literal["validation", "test"] = "test",
    tuning: Tuning = "folds",
    jobs: int | None = None,
) -> Outcome:
    """Train on the training papers and score the predictions for the papers of `on`.

    C is the best of `GRID`: by accuracy over three stratified folds of the training papers, as in
    SciDocs' code, or by macro F1 on the validation papers, as SPECTER says in section 4. The SVM
    has the squared hinge loss, one class against the rest, and no intercept, as that of SciDocs.
    Papers without a vector have a vector of zeros, as there.

    Raises InputError when there are fewer than two classes to learn, when none of the papers has a
    vector, or when C is to be chosen on the very papers that are scored.
    """
    if tuning == "validation" and on == "validation":
        raise InputError(
            "C cannot be chosen on the validation papers and scored on them",
            "choose it on folds of the training papers (--tune folds)",
        )
    classes = {name: number for number, name in enumerate(_classes(labels))}
    asked = {"validation": labels.validation, "test": labels.test}[on]
    if len({label for _, label in labels.train}) < 2 or not asked:
        raise InputError("there are no two classes to tell apart, or no papers to do so")
    papers = [paper for part in (labels.train, asked) for paper, _ in part]
    embeddings.require_any(papers, "labelled papers")
    train, truth = _arrays(labels.train, classes, embeddings)
    if tuning == "folds":
        chosen = _by_folds(train, truth, jobs)
    else:
        chosen = _by_validation(train, truth, *_arrays(labels.validation, classes, embeddings))
    tested, true = _arrays(asked, classes, embeddings)
    predicted = _fit(train, truth, chosen).predict(tested)
    missing = embeddings.missing(papers)
    told = (f"{missing:,} papers have no vector and were given zeros",) if missing else ()
    return Outcome(
        group="classification",
        items=tuple(paper for paper, _ in asked),
        measures={"f1": MacroF1(true, predicted)},
        asked=len(asked),
        papers=len(papers),
        missing=missing,
        notes=(f"C = {chosen:g}", *told),
    )


def _classes(labels: Labels) -> list[str]:
    parts = (labels.train, labels.validation, labels.test)
    return sorted({label for part in parts for _, label in part})


def _arrays(
    labelled: Labelled, classes: dict[str, int], embeddings: Embeddings
) -> tuple[Floats, Ints]:
    papers = [paper for paper, _ in labelled]
    truth = np.array([classes[label] for _, label in labelled], dtype=np.int64)
    return embeddings.or_zeros(papers), truth


def _svm(c: float = 1.0) -> "LinearSVC":
    from sklearn.svm import LinearSVC

    return LinearSVC(C=c, loss="squared_hinge", dual="auto", fit_intercept=False, random_state=42)


def _fit(train: Floats, truth: Ints, c: float) -> "LinearSVC":
    with warnings.catch_warnings(action="ignore"):  # a C so large that it needs more steps
        return _svm(c).fit(train, truth)


def _by_folds(train: Floats, truth: Ints, jobs: int | None) -> float:
    from sklearn.model_selection import GridSearchCV

    if np.bincount(truth).max() < FOLDS:
        raise InputError(f"no class has {FOLDS} papers, one for each fold that C is chosen on")
    with warnings.catch_warnings(action="ignore"):
        grid = GridSearchCV(_svm(), {"C": GRID}, cv=FOLDS, n_jobs=jobs, refit=False)
        return float(grid.fit(train, truth).best_params_["C"])


def _by_validation(train: Floats, truth: Ints, tuned: Floats, wanted: Ints) -> float:
    if not len(wanted):
        raise InputError("there are no validation papers to choose C on", "--tune folds")
    scored = [MacroF1(wanted, _fit(train, truth, c).predict(tuned)).value() for c in GRID]
    return GRID[int(np.argmax(scored))]
