"""Affinities and bids in one number."""

import numpy as np
import numpy.typing as npt

from specter_graph.matching.assignment.problem import Floats, Ints, ProblemError


def with_bids(
    affinity: Floats, pairs: Ints, bids: npt.NDArray[np.float64], strength: float = 4.0
) -> Floats:
    """(papers, reviewers) float32: 2 x ** (strength ** -bid) - 1, with x = (1 + affinity) / 2.

    pairs: (n, 2) of paper and reviewer; bids: (n,) from -1 (not at all) to 1 (eager), 0 as if there
    were none. With strength 4 an eager bid takes the fourth root of x, a refusal the fourth power.
    Affinities of 0, those of reviewers without papers, are in the middle of the range of x, so bids
    count for them too. The result stays in -1..1 and rises with both; an affinity of -1 or less
    stays as it is. Raises ProblemError for an affinity above 1 with a bid.
    """
    pairs, bids = np.asarray(pairs, np.int64).reshape(-1, 2), np.asarray(bids, np.float64)
    if strength < 1 or not (np.abs(bids) <= 1).all() or bids.shape != (len(pairs),):
        raise ProblemError(
            "bids are one number from -1 to 1 for each pair, their strength 1 or more"
        )
    places = tuple(pairs.T)
    own = affinity[places].astype(np.float64)
    if not (own <= 1).all():
        raise ProblemError("affinities with bids are numbers of at most 1", *pairs.T)
    combined = affinity.copy()
    weighed = 2 * np.maximum((1 + own) / 2, 0) ** (strength**-bids) - 1
    combined[places] = np.where(own > -1, weighed, own)
    return combined
