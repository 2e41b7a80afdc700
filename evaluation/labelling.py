"""Classes of papers: what to tell apart, and which papers to learn it from."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Literal

from specter_graph.evaluation.classification import Labels
from specter_graph.evaluation.splits import at_random, in_order

SplitBy = Literal["hash", "time"]

LEAST = 20
"""Papers of a class."""

MOST = 20
"""Classes; SciDocs has 19 of MAG and 11 of MeSH."""


def choose_classes(labels: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The one class of each paper that has exactly one of the classes.

    `labels` has the labels of papers. Classes are the 20 most frequent labels that at least 20
    papers have; what more than half of the papers have tells them not apart and is none. Of equally
    frequent labels the first in the order of the alphabet counts. Papers with several of the
    classes, or none, are left out, as SciDocs' papers have one each.
    """
    counts = Counter(label for of_paper in labels.values() for label in set(of_paper))
    most = sum(1 for of_paper in labels.values() if of_paper) / 2
    frequent = sorted(counts, key=lambda label: (-counts[label], label))
    classes = {label for label in frequent if LEAST <= counts[label] <= most}
    classes = set([label for label in frequent if label in classes][:MOST])
    found = {paper: classes & set(of_paper) for paper, of_paper in labels.items()}
    one = {paper: min(kept) for paper, kept in found.items() if len(kept) == 1}
    still = Counter(one.values())
    return {paper: label for paper, label in one.items() if still[label] >= LEAST}


def split_labels(
    class_of: Mapping[str, str], when: Mapping[str, str], share: float, by: SplitBy = "hash"
) -> Labels:
    """Split labelled papers by a hash of their ids, or by time: the newest are for test.

    `when` gives dates that sort as text; by time, papers without one are left out.
    """
    labelled = sorted(class_of.items())
    if by == "time":
        dated = [pair for pair in labelled if when.get(pair[0])]
        parts = in_order(sorted(dated, key=lambda pair: (when[pair[0]], pair[0])), share)
    else:
        parts = at_random(labelled, lambda pair: pair[0], share)
    return Labels(**parts)
