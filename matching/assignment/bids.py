"""Affinities and bids in one number."""

import numpy as np
import numpy.typing as npt

from specter_graph.matching.assignment.problem import Floats, Ints, ProblemError


def with_bids(
    affinity: Floats, pairs: Ints, bids: npt.NDArray[np.float64], strength: float = 4.0
) -> Floats:
    """(papers, reviewers) float32: affinity ** (strength ** -bid), for affinities in 0..1.

    pairs: (n, 2) of paper and reviewer; bids: (n,) from -1 (not at all) to 1 (eager), 0 as if there
    were none. With strength 4 an eager bid takes the fourth root, a refusal the fourth power: the
    result stays in 0..1, rises with both, and no bid makes something of an affinity of 0.
    """
    pairs, bids = np.asarray(pairs, np.int64).reshape(-1, 2), np.asarray(bids, np.float64)
    if strength < 1 or not (np.abs(bids) <= 1).all() or bids.shape != (len(pairs),):
        raise ProblemError(
            "bids are one number from -1 to 1 for each pair, their strength 1 or more"
        )
    places = tuple(pairs.T)
    own = affinity[places].astype(np.float64)
    if not ((own >= 0) & (own <= 1)).all():
        raise ProblemError("affinities with bids are numbers from 0 to 1", *pairs.T)
    combined = affinity.copy()
    combined[places] = own ** (strength**-bids)
    return combined
