"""The protocol of "Finding Related ArXiv Papers with BERT" (Chen).

Two papers are related when one cites the other. There are two tasks, each with three distances:

- comparison: is a related paper nearer to the anchor than an unrelated one? (section 4: accuracy
  and mean vector distance difference, on the triplets of algorithm 1);
- retrieval: are the k nearest papers of the corpus related? (precision, recall and F-beta at k).

Anchors are the held-out papers that cite or are cited, the corpus are the training papers: a
hold-out of 0.05 gives the split 90 : 5 : 5 of the report.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import InputError, require_counts
from specter_graph.core.progress import Progress, silent
from specter_graph.evaluation.metrics.ranking import (
    DISTANCES,
    Distance,
    Floats,
    Ints,
    distances,
    ranks_of,
    score_ranks,
)
from specter_graph.evaluation.metrics.task_results import Mean, TaskResult, score_systems
from specter_graph.evaluation.protocols.held_out import HeldOutData
from specter_graph.evaluation.protocols.space_evaluation import (
    chosen_systems,
    held_out_data,
    split_vectors,
)
from specter_graph.graph.database import Database
from specter_graph.graph.split import ANY_REFERENCES, HeldOutSplit
from specter_graph.loaders.records import sample_key

RANDOM = "(random)"


@dataclass(frozen=True, slots=True)
class Anchor:
    """A held-out paper with its related papers, and a random unrelated paper for each of these.

    `query` is the position of `paper` in `HeldOutData.papers`, the others are positions in
    `HeldOutData.candidates`.
    """

    paper: str
    query: int
    positives: Ints
    negatives: Ints


def draw_anchors(data: HeldOutData, seed: int = 0) -> list[Anchor]:
    """Draw an unrelated paper for each related paper of each held-out paper (algorithm 1).

    Unrelated papers are drawn from the corpus with replacement. Held-out papers that are related to
    no paper, or to all, are skipped.

    Raises:
        InputError: No held-out paper has a citation to compare.
    """
    anchors = []
    for query, paper in enumerate(data.papers):
        others = np.setdiff1d(np.arange(len(data.candidates)), paper.linked)
        if len(paper.linked) and len(others):
            generator = np.random.default_rng((seed, sample_key(paper.id)))
            negatives = generator.choice(others, size=len(paper.linked))
            anchors.append(Anchor(paper.id, query, paper.linked, negatives))
    if not anchors:
        raise InputError("no held-out paper has citations to compare")
    return anchors


def score_distances(
    rows: Iterable[NDArray[np.float32]], anchors: Sequence[Anchor], *, k: int, beta: float
) -> TaskResult:
    """Score the distances of each anchor to the corpus, (n,).

    `accuracy` is the share of triplets with d(a, p) < d(a, n), and `mvdd` the sum over the anchors
    of the mean distance to negatives minus that to positives. `precision`, `recall` and `f` are
    means over the anchors; F-beta is (1 + b^2) P R / (b^2 P + R), or 0 if P = R = 0.
    """
    ranks: list[Ints] = []
    correct = []
    differences = []
    for row, anchor in zip(rows, anchors, strict=True):
        ranks.append(ranks_of(row, anchor.positives))
        near, far = row[anchor.positives], row[anchor.negatives]
        correct.append((near < far).mean())
        differences.append(far.mean(dtype=np.float64) - near.mean(dtype=np.float64))
    scores = score_ranks(ranks, [f"precision@{k}", f"recall@{k}"])
    precision, recall = scores[f"precision@{k}"], scores[f"recall@{k}"]
    below = beta**2 * precision + recall
    f_score = np.divide(
        (1 + beta**2) * precision * recall, below, out=np.zeros_like(below), where=below > 0
    )
    triplets = np.array([len(anchor.positives) for anchor in anchors], np.float64)
    return TaskResult(
        group="citation",
        items=tuple(anchor.paper for anchor in anchors),
        metrics={
            "accuracy": Mean(np.array(correct), triplets),
            "mvdd": Mean(len(anchors) * np.array(differences)),
            "precision": Mean(precision),
            "recall": Mean(recall),
            "f": Mean(f_score),
        },
        total=len(anchors),
        papers=len(anchors) + len(row),
    )


def score_vectors(
    queries: Floats,
    corpus: Floats,
    anchors: Sequence[Anchor],
    kind: Distance,
    *,
    k: int,
    beta: float = 1.0,
) -> TaskResult:
    """Score vectors of the held-out papers (queries, d) against the corpus (n, d)."""
    blocks = distances(queries[[anchor.query for anchor in anchors]], corpus, kind)
    return score_distances((row for block in blocks for row in block), anchors, k=k, beta=beta)


def score_random(
    corpus: int, anchors: Sequence[Anchor], *, k: int, beta: float = 1.0, seed: int = 0
) -> TaskResult:
    """Score a random predictor."""
    generator = np.random.default_rng(seed)
    rows = (generator.random(corpus, dtype=np.float32) for _ in anchors)
    return score_distances(rows, anchors, k=k, beta=beta)


def evaluate_arxiv(
    db: Database,
    spaces: Sequence[str] | None = None,
    *,
    split: HeldOutSplit = "test",
    holdout: float | None = None,
    k: int = 10,
    beta: float = 1.0,
    seed: int = 0,
    progress: Progress = silent,
) -> dict[tuple[str, str], TaskResult]:
    """Score spaces by the arXiv protocol: by system and distance, after the random predictor.

    Args:
        db: The graph.
        spaces: The systems, by default all spaces. `a,b,c` are spaces that differ only in their
            seeds.
        split: The held-out papers to score on.
        holdout: The share that is held out, by default the smallest of the spaces.
        k: Rank at which precision and recall are measured.
        beta: Beta of the F score.
        seed: Random seed of the random predictor and the triplets.
        progress: Called with the number of systems.

    Raises:
        LeakError: A space has seen citations of the held-out papers.
        GraphError: A space does not exist, or papers lack vectors.
        InputError: `k` is not a positive integer, or `beta` is negative or infinite or NaN.
    """
    require_counts(k=k)
    if not (np.isfinite(beta) and beta >= 0):
        raise InputError(f"beta is {beta!r}", "give a number, 0 or more")
    systems, records = chosen_systems(db, spaces)
    data = held_out_data(db, records, split, holdout, references=ANY_REFERENCES)
    anchors = draw_anchors(data, seed)
    results: dict[tuple[str, str], TaskResult] = {
        (RANDOM, "-"): score_random(len(data.candidates), anchors, k=k, beta=beta, seed=seed)
    }

    def score_space(space: str) -> dict[Distance, TaskResult]:
        _, *arrays = split_vectors(db, space, data)
        queries, corpus = (array.astype(np.float64) for array in arrays)
        return {
            kind: score_vectors(queries, corpus, anchors, kind, k=k, beta=beta)
            for kind in DISTANCES
        }

    scored = score_systems(systems, score_space, progress)
    return results | {(row, kind): of[kind] for row, of in scored.items() for kind in of}
