"""Affinities of rated pairs: from texts and an encoder, or from vectors, by the product's default.

The publications of all reviewers are the reference corpus (`calibration`), unless one is given.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from specter_graph.core.progress import Progress, silent
from specter_graph.loaders.records import PaperText
from specter_graph.matching.affinity import DEFAULT, Aggregation, Profiles, affinities
from specter_graph.matching.calibration import Reference, Vectors
from specter_graph.matching.gold import GoldPapers
from specter_graph.matching.similarity import Similarity, Space

if TYPE_CHECKING:
    from specter_graph.encoder import Encoder


def predict_expertise(
    papers: GoldPapers,
    encoder: "Encoder",
    *,
    aggregation: Aggregation = DEFAULT,
    reference: Reference | None = None,
    progress: Progress = silent,
) -> dict[str, dict[str, float]]:
    """The affinity of each reviewer for each submission of a data set, by reviewer.

    Each distinct text is encoded once. A reviewer with an empty archive has no scores.
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
        aggregation=aggregation,
        reference=reference,
    )


def predict(
    submissions: Mapping[str, int],
    profiles: Mapping[str, Sequence[int]],
    vectors: Vectors,
    *,
    aggregation: Aggregation = DEFAULT,
    reference: Reference | None = None,
) -> dict[str, dict[str, float]]:
    """The affinity of each reviewer for each submission, by reviewer.

    `submissions` and `profiles` name rows of `vectors` (n, d). A reviewer without papers has no
    scores.
    """
    owned = {who: own for who, own in profiles.items() if own}
    if not owned or not submissions:
        return {}
    if reference is None:
        reference = Reference.of(vectors[_distinct(owned.values())])
    asked = vectors[np.fromiter(submissions.values(), np.int64)]
    similarity = Similarity.over([Space(asked, vectors, reference)])
    scores = affinities(similarity, Profiles.of([*owned.values()]), aggregation)
    return {
        who: dict(zip(submissions, column.tolist(), strict=True))
        for who, column in zip(owned, scores.T, strict=True)
    }


def _distinct(profiles: Iterable[Sequence[int]]) -> list[int]:
    return sorted({row for own in profiles for row in own})


def _text(paper: PaperText) -> tuple[str, str | None]:
    return paper.title, paper.abstract
