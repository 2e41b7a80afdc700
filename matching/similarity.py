"""Similarity of submissions and papers in one or several embedding spaces, on one scale.

In each space it is a z-score (see `calibration`): by how many standard deviations the cosine of a
submission s and a paper p, both centred, exceeds the mean m_s of cosines of s with the reference
corpus; d_s is their standard deviation, and `spread` its typical value:

    similarity(s, p) = mean spread of the spaces * mean over spaces of (cos(s, p) - m_s) / d_s

0 is a pair as good as random, equal texts come to about 1, in every space and for every submission.
Over several spaces the mean is taken for each pair of texts, before papers are aggregated; z-scores
make it fair, as one unit of each is equally rare.

All this is linear in the paper's vector, so however many spaces there are, the similarities of all
pairs cost one product of matrices: `submissions @ papers.T - offsets[:, None]`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from specter_graph.core.errors import InputError
from specter_graph.matching.calibration import Reference, Vectors, unit


@dataclass(frozen=True, slots=True)
class Space:
    """Vectors of one space, float32: `submissions` (s, d), `papers` (n, d); none may be zero.

    Without a `reference` the similarity is the plain cosine; `weight` is the space's share in the
    mean over spaces.
    """

    submissions: Vectors
    papers: Vectors
    reference: Reference | None = None
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Similarity:
    """The similarity of submission i and paper j: `submissions[i] @ papers[j] - offsets[i]`.

    Float32 of shapes (s, D), (n, D), D the dimensions of all spaces together, and (s,).
    """

    submissions: Vectors
    papers: Vectors
    offsets: Vectors

    @classmethod
    def over(cls, spaces: Sequence[Space]) -> "Similarity":
        """The weighted mean of the calibrated cosines of the spaces.

        Raises InputError for no space, vectors that do not fit or are zero, a weight that is not
        positive, and several spaces of which one has no reference.
        """
        _check(spaces)
        whole = sum(space.weight for space in spaces)
        spreads = [space.weight * _spread(space) for space in spaces]
        parts = [
            _scaled(space, space.weight * sum(spreads) / whole**2 / _spread(space))
            for space in spaces
        ]
        submissions, papers, offsets = zip(*parts, strict=True)
        return cls(np.hstack(submissions), np.hstack(papers), np.sum(offsets, axis=0))


def _scaled(space: Space, scale: float) -> tuple[Vectors, Vectors, Vectors]:
    """Both vectors and the offsets of one space, its share in the mean included."""
    if space.reference is None:
        submissions = unit(space.submissions) * np.float32(scale)
        return submissions, unit(space.papers), np.zeros(len(submissions), np.float32)
    submissions = space.reference.centre(space.submissions)
    means, deviations = space.reference.expected(submissions)
    factors = np.float32(scale * space.reference.spread) / deviations
    return submissions * factors[:, None], space.reference.centre(space.papers), means * factors


def _spread(space: Space) -> float:
    return space.reference.spread if space.reference else 1.0


def _check(spaces: Sequence[Space]) -> None:
    if not spaces:
        raise InputError("no embedding space is given", "name at least one")
    for place, space in enumerate(spaces, 1):
        submissions, papers = space.submissions.shape, space.papers.shape
        first = spaces[0].submissions.shape[0], spaces[0].papers.shape[0]
        if submissions[1:] != papers[1:] or (submissions[0], papers[0]) != first:
            raise InputError(
                f"space {place} has submissions of shape {submissions} and papers of shape"
                f" {papers}, and space 1 {first[0]} submissions and {first[1]} papers"
            )
        if space.reference is None and len(spaces) > 1:
            raise InputError(
                f"space {place} has no reference corpus, so its cosines do not compare with others",
                "measure one, or use a single space",
            )
        if not space.weight > 0:
            raise InputError(f"space {place}: the weight {space.weight} is not positive")
