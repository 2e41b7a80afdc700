"""Several rankings made one: by their ranks alone, or by weights learnt from citations."""

from collections.abc import Mapping, Sequence

CONSTANT = 60
"""Of reciprocal rank fusion: Cormack, Clarke and Buettcher 2009, section 2."""
SIGNALS = ("text", "vector", "cited", "cocited", "coupled", "citations")
"""Of a question in words: what weights are learnt for."""

Rankings = Mapping[str, Sequence[str]]
"""Ids by signal, the best first."""


def ranks(rankings: Rankings) -> dict[str, dict[str, int]]:
    """For each paper its rank, from 1, by the signals that found it."""
    found: dict[str, dict[str, int]] = {}
    for signal, papers in rankings.items():
        for rank, paper in enumerate(papers, 1):
            found.setdefault(paper, {})[signal] = rank
    return found


def reciprocal(rank: int) -> float:
    """What a rank counts, CONSTANT / (CONSTANT + rank): below 1, and 0 for a paper not found."""
    return CONSTANT / (CONSTANT + rank)


def fused(rankings: Rankings, weights: Mapping[str, float] | None = None) -> dict[str, float]:
    """Score each paper by the weighted sum of what its ranks count, the best first.

    Without weights all signals weigh the same, which is reciprocal rank fusion times CONSTANT.
    Of equals the first id is first.
    """
    scores = {
        paper: sum(
            reciprocal(rank) * (1.0 if weights is None else weights.get(signal, 0.0))
            for signal, rank in signals.items()
        )
        for paper, signals in ranks(rankings).items()
    }
    return dict(sorted(scores.items(), key=lambda item: (-item[1], item[0])))
