"""Predict the rated expertise of reviewers by their affinities, from texts or from vectors."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from specter_graph.core.progress import Progress, silent
from specter_graph.core.vectors import Vectors
from specter_graph.loaders.records import PaperText
from specter_graph.matching.affinity.aggregation import (
    DEFAULT,
    Aggregation,
    Profiles,
    Similarity,
    affinities,
)
from specter_graph.matching.evaluation.gold_standard import GoldPapers

if TYPE_CHECKING:
    from specter_graph.encoder.encoder import Encoder


def predict_expertise(
    papers: GoldPapers,
    encoder: "Encoder",
    *,
    progress: Progress = silent,
) -> dict[str, dict[str, float]]:
    """Return the affinity of each reviewer for each submission of a data set, by reviewer.

    Each distinct text is encoded once. Reviewers with an empty archive are omitted.
    """
    archives = (paper for archive in papers.archives.values() for paper in archive)
    rows: dict[tuple[str, str | None], int] = {}
    for paper in (*papers.submissions.values(), *archives):
        rows.setdefault(_text(paper), len(rows))
    texts = [PaperText("", title, abstract) for title, abstract in rows]
    return predict(
        {key: rows[_text(paper)] for key, paper in papers.submissions.items()},
        {who: [rows[_text(paper)] for paper in own] for who, own in papers.archives.items()},
        encoder.encode(texts, progress=progress),
    )


def predict(
    submissions: Mapping[str, int],
    profiles: Mapping[str, Sequence[int]],
    vectors: Vectors,
    *,
    aggregation: Aggregation = DEFAULT,
) -> dict[str, dict[str, float]]:
    """Return the affinity of each reviewer for each submission, by reviewer.

    Args:
        submissions: Row of `vectors` of each submission.
        profiles: Rows of `vectors` of each reviewer's papers; reviewers without papers are left
            out.
        vectors: (n, d) float32.
        aggregation: Aggregation of the papers of a reviewer.
    """
    nonempty = {who: own for who, own in profiles.items() if own}
    if not nonempty or not submissions:
        return {}
    queries = vectors[np.fromiter(submissions.values(), np.int64)]
    similarity = Similarity.from_spaces([(queries, vectors)])
    scores = affinities(similarity, Profiles.from_lists([*nonempty.values()]), aggregation)
    return {
        who: dict(zip(submissions, column.tolist(), strict=True))
        for who, column in zip(nonempty, scores.T, strict=True)
    }


def _text(paper: PaperText) -> tuple[str, str | None]:
    return paper.title, paper.abstract
