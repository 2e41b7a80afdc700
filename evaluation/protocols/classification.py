"""Classification by a linear SVM on the vectors, scored by macro F1 (SPECTER, section 3.1).

The 11 disease classes of the MeSH task are the disease groups of the Global Burden of Disease study
in Feldman et al. (2019), as in SPECTER (section 3.1). SciDocs publishes the labels, but not the map
from descriptors. Here each class has the descriptors at its head in the MeSH tree.
"""

import warnings
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from specter_graph.core.errors import GraphError, InputError, counted
from specter_graph.evaluation.metrics.ranking import Floats, Ints
from specter_graph.evaluation.metrics.task_results import MacroF1, TaskResult
from specter_graph.evaluation.protocols.dataset import (
    PaperVectors,
    Part,
    split_by_order,
    split_by_part,
)
from specter_graph.graph.database import Database
from specter_graph.graph.evaluation_data import LabeledPaper, broader_fields

if TYPE_CHECKING:
    from sklearn.svm import LinearSVC

Tuning = Literal["folds", "validation"]

GRID = tuple(float(c) for c in np.logspace(-4, 2, 7))
"""The values of C, 1e-4 to 1e2."""

FOLDS = 3

LabeledPapers: TypeAlias = Sequence[tuple[str, str]]
"""Papers with their classes."""

LabelSplit: TypeAlias = Mapping[Part, LabeledPapers]
"""Labeled papers in three disjoint parts; C is never chosen on the test papers."""

SplitBy = Literal["hash", "time"]

MIN_PAPERS = 20
"""Minimum number of papers of a class."""

MAX_CLASSES = 20
"""Maximum number of classes; SciDocs has 19 of MAG and 11 of MeSH."""

DISEASES = {
    "cardiovascular diseases": ("D002318",),
    "chronic kidney disease": ("D051436",),
    # asthma, COPD, pneumoconiosis, interstitial lung diseases
    "chronic respiratory diseases": ("D001249", "D029424", "D011009", "D017563"),
    "diabetes": ("D003920",),
    "digestive diseases": ("D004066",),
    "hepatitis": ("D006525",),  # viral, human: A, B, C, D and E
    "HIV/AIDS": ("D015658",),
    "mental disorders": ("D001523",),
    "musculoskeletal disorders": ("D009140",),
    "neoplasms": ("D009369",),
    "neurological disorders": ("D009422",),
}
"""The classes with their head descriptors (unique ids)."""

_CLASS_OF = {head: name for name, heads in DISEASES.items() for head in heads}


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
            "choose it on folds of the training papers: set tune_on to folds",
        )
    scored = labels[split]
    if len({label for _, label in labels["train"]}) < 2 or not scored:
        raise InputError("classification needs two classes to learn, and papers to classify")
    papers = [paper for part in (labels["train"], scored) for paper, _ in part]
    vectors.require_any(papers, "labeled papers")
    names = sorted({label for part in labels.values() for _, label in part})
    number = {name: i for i, name in enumerate(names)}

    def arrays(labeled: LabeledPapers) -> tuple[Floats, Ints]:
        classes = np.array([number[label] for _, label in labeled], dtype=np.int64)
        return vectors.get_or_zeros([paper for paper, _ in labeled]), classes

    train, classes = arrays(labels["train"])
    if tune_on == "folds":
        c = _choose_on_folds(train, classes, jobs)
    else:
        c = _choose_on_validation(train, classes, *arrays(labels["validation"]))
    features, truth = arrays(scored)
    predicted = _fit(train, classes, c).predict(features)
    missing = vectors.count_missing(papers)
    note = (f"{counted(missing, 'paper')} without a vector got zeros",) if missing else ()
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
        raise InputError("there are no validation papers to choose C on", "set tune_on to folds")
    predicted = (_fit(train, classes, c).predict(held) for c in GRID)
    return GRID[int(np.argmax([MacroF1(truth, each[None]).value() for each in predicted]))]


def labels_by_scheme(
    db: Database, papers: Sequence[LabeledPaper], scheme: str | None = None
) -> dict[str, dict[str, list[str]]]:
    """Return the labels of each paper by scheme: a scheme of fields, or `venue`.

    MeSH descriptors are replaced by their disease classes, as in SciDocs. With `scheme`, only its
    labels are returned; raises GraphError when no paper has one.
    """
    labels = {"venue": {paper.id: sorted(paper.venues) for paper in papers}}
    for name in {of for paper in papers for of, _ in paper.fields}:
        labels[name] = {
            paper.id: sorted(field for of, field in paper.fields if of == name) for paper in papers
        }
    if "mesh" in labels:
        broader = broader_fields(db, "mesh")
        labels["mesh"] = {
            paper: sorted(disease_classes(names, broader))
            for paper, names in labels["mesh"].items()
        }
    if scheme is not None and scheme not in labels:
        raise GraphError(
            f"no paper has a label of {scheme!r}", f"the schemes are {', '.join(sorted(labels))}"
        )
    return dict(sorted(labels.items())) if scheme is None else {scheme: labels[scheme]}


def choose_classes(labels: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return the class of each paper that has exactly one class, as in SciDocs.

    Classes are the 20 most frequent labels that at least 20 and at most half of the labeled papers
    have; equally frequent labels are in alphabetical order. `labels` are the labels of papers.
    """
    counts = Counter(label for of_paper in labels.values() for label in set(of_paper))
    half = sum(1 for of_paper in labels.values() if of_paper) / 2
    frequent = sorted(counts, key=lambda label: (-counts[label], label))
    classes = {*[label for label in frequent if MIN_PAPERS <= counts[label] <= half][:MAX_CLASSES]}
    matches = {paper: classes & set(of_paper) for paper, of_paper in labels.items()}
    class_of = {paper: min(of) for paper, of in matches.items() if len(of) == 1}
    sizes = Counter(class_of.values())
    return {paper: label for paper, label in class_of.items() if sizes[label] >= MIN_PAPERS}


def split_labels(class_of: Mapping[str, str], parts: Mapping[str, Part]) -> LabelSplit:
    """Split labeled papers by the parts that they belong to."""
    return split_by_part(sorted(class_of.items()), lambda pair: parts[pair[0]])


def split_labels_by_time(
    class_of: Mapping[str, str], when: Mapping[str, str], share: float
) -> LabelSplit:
    """Split labeled papers by time, with the newest for test; papers without a date are omitted.

    `when` are dates that sort as text.
    """
    dated = [pair for pair in class_of.items() if when.get(pair[0])]
    ordered = sorted(dated, key=lambda pair: (when[pair[0]], pair[0]))
    return split_by_order(ordered, share)


def disease_classes(
    descriptors: Iterable[str], broader: Mapping[str, Collection[str]]
) -> frozenset[str]:
    """Return the disease classes of a paper with these MeSH descriptors.

    `broader` are the parents of each descriptor in the tree. The most specific heads above a
    descriptor count: chronic hepatitis B, which is below viral hepatitis and digestive diseases, is
    in the class hepatitis only.
    """
    classes: set[str] = set()
    for descriptor in descriptors:
        heads = _CLASS_OF.keys() & _with_broader(descriptor, broader)
        wider = {above for head in heads for above in _with_broader(head, broader) if above != head}
        classes.update(_CLASS_OF[head] for head in heads - wider)
    return frozenset(classes)


def _with_broader(descriptor: str, broader: Mapping[str, Collection[str]]) -> set[str]:
    """Return the descriptor and its ancestors."""
    seen: set[str] = set()
    ahead = [descriptor]
    while ahead:
        current = ahead.pop()
        if current not in seen:
            seen.add(current)
            ahead.extend(broader.get(current, ()))
    return seen
