"""The protocol of "Finding Related ArXiv Papers with BERT" (Chen): which papers are related.

Two papers are related when one cites the other. Two tasks, each for three distances:

- comparison: of a related and an unrelated paper, which is nearer to the anchor? (section 4,
  accuracy and mean vector distance difference, on the triplets of algorithm 1);
- retrieval: of the k nearest papers of the whole corpus, which are related? (precision, recall
  and F-beta at k).

Anchors are held-out papers, the corpus is the training papers: with a hold-out of 0.05 they are
split 90 : 5 : 5, as there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import InputError
from specter_graph.evaluation import metrics
from specter_graph.evaluation.distances import DISTANCES, Distance, distances
from specter_graph.evaluation.facts import Facts, Positions
from specter_graph.evaluation.measures import Floats, Mean
from specter_graph.evaluation.metrics import Ints
from specter_graph.loaders.records import draw


@dataclass(frozen=True, slots=True)
class Anchor:
    """A held-out paper: its related papers, and an unrelated one drawn for each of these.

    `query` is its position in `Facts.papers`; the others are positions in `Facts.candidates`.
    """

    query: int
    positives: Positions
    negatives: Positions


@dataclass(frozen=True, slots=True)
class Related:
    """What a distance comes to. The means are over anchors, `accuracy` is over triplets.

    `mvdd` is the sum over anchors of the formula, as it is printed; `differences` has its terms.
    """

    accuracy: Mean
    differences: Mean
    precision: Mean
    recall: Mean
    f_score: Mean

    @property
    def mvdd(self) -> float:
        """Sum over anchors of the mean distance to negatives less that to positives."""
        return float(self.differences.values.sum())


def anchors(facts: Facts, seed: int = 0) -> list[Anchor]:
    """Algorithm 1 for the held-out papers: for each related paper an unrelated one at random.

    Unrelated papers are drawn from the whole corpus, with replacement, anew until one is unrelated.
    Held-out papers that are related to nothing, or to all, are left out.
    """
    found = []
    for query, paper in enumerate(facts.papers):
        positives = np.union1d(paper.cites, paper.cited_by)
        others = np.setdiff1d(np.arange(len(facts.candidates)), positives)
        if len(positives) and len(others):
            generator = np.random.default_rng((seed, draw(paper.id)))
            drawn = generator.choice(others, size=len(positives))
            found.append(Anchor(query, positives, drawn))
    if not found:
        raise InputError("no held-out paper has citations: there is nothing to compare")
    return found


def relate(
    queries: Floats,
    corpus: Floats,
    asked: Sequence[Anchor],
    kind: Distance,
    *,
    k: int,
    beta: float = 1.0,
) -> Related:
    """Score vectors of the held-out papers (queries, d) against the corpus (n, d).

    Accuracy is the share of triplets with d(a, p) < d(a, n). F-beta is
    (1 + b^2) P R / (b^2 P + R), 0 where nothing is found.
    """
    rows = (row for block in distances(_of(queries, asked), corpus, kind) for row in block)
    return _related(rows, asked, k, beta)


def related_by_chance(
    corpus: int, asked: Sequence[Anchor], *, k: int, beta: float = 1.0, seed: int = 0
) -> Related:
    """The random predictor: it returns either candidate, and any k papers of the corpus."""
    generator = np.random.default_rng(seed)
    rows = (generator.random(corpus, dtype=np.float32) for _ in asked)
    return _related(rows, asked, k, beta)


def relate_all(
    queries: Floats, corpus: Floats, asked: Sequence[Anchor], *, k: int, beta: float = 1.0
) -> dict[Distance, Related]:
    """`relate` for each distance of section 5.4."""
    return {kind: relate(queries, corpus, asked, kind, k=k, beta=beta) for kind in DISTANCES}


def _of(queries: Floats, asked: Sequence[Anchor]) -> Floats:
    chosen: Floats = queries[[anchor.query for anchor in asked]]
    return chosen


def _related(
    rows: Iterator[NDArray[np.float32]], asked: Sequence[Anchor], k: int, beta: float
) -> Related:
    ranks: list[Ints] = []
    right: list[Floats] = []
    differences = []
    for row, anchor in zip(rows, asked, strict=True):
        ranks.append(metrics.ranks_of(row, anchor.positives))
        near, far = row[anchor.positives], row[anchor.negatives]
        right.append((near < far).astype(np.float64))
        differences.append(far.mean(dtype=np.float64) - near.mean(dtype=np.float64))
    padded = metrics.pad(ranks)
    precision, recall = metrics.precision_at(padded, k), metrics.recall_at(padded, k)
    below = beta**2 * precision + recall
    f_score = np.divide(
        (1 + beta**2) * precision * recall, below, out=np.zeros_like(below), where=below > 0
    )
    return Related(
        Mean(np.concatenate(right)),
        Mean(np.array(differences)),
        Mean(precision),
        Mean(recall),
        Mean(f_score),
    )
