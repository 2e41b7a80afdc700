"""Labels of papers for the classification tasks: classes, and the split of the papers.

The 11 disease classes of the MeSH task are the disease groups of the Global Burden of Disease study
in Feldman et al. (2019), as in SPECTER (section 3.1). SciDocs publishes the labels, but not the map
from descriptors. Here each class has the descriptors at its head in the MeSH tree.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Literal

from specter_graph.core.errors import GraphError
from specter_graph.evaluation.protocols.classification import LabelSplit
from specter_graph.evaluation.protocols.dataset import (
    Part,
    split_by_order,
    split_by_part,
)
from specter_graph.graph.database import Database
from specter_graph.graph.evaluation_data import LabeledPaper, broader_fields

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
    return LabelSplit(**split_by_part(sorted(class_of.items()), lambda pair: parts[pair[0]]))


def split_labels_by_time(
    class_of: Mapping[str, str], when: Mapping[str, str], share: float
) -> LabelSplit:
    """Split labeled papers by time, with the newest for test; papers without a date are omitted.

    `when` are dates that sort as text.
    """
    dated = [pair for pair in class_of.items() if when.get(pair[0])]
    ordered = sorted(dated, key=lambda pair: (when[pair[0]], pair[0]))
    return LabelSplit(**split_by_order(ordered, share))


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
