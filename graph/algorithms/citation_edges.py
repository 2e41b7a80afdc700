"""The citations that SGC uses, as arrays; read without GDS."""

from array import array
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from specter_graph.graph.database import Database, column_pages
from specter_graph.graph.split import held_out_below


def citation_edges(db: Database, ids: Sequence[str], holdout: float) -> NDArray[np.int64]:
    """Read the undirected citations among these papers as a (2, m) array of positions in `ids`.

    Each pair occurs once, with the lower position first, in order. Citations from, to held-out
    papers and stubs are omitted. The server sends a list of node numbers per paper, and NumPy
    converts them to positions.
    """
    position = {paper: place for place, paper in enumerate(ids)}
    nodes, places, degrees, cited = array("q"), array("i"), array("i"), array("q")
    for page in column_pages(db, "algorithms/citations", held_out=held_out_below(holdout)):
        for paper, node, references in zip(*page, strict=True):
            if (place := position.get(paper)) is not None:
                nodes.append(node)
                places.append(place)
                degrees.append(len(references))
                cited.extend(references)
    del position
    known, targets = np.asarray(nodes), np.asarray(cited)
    # Other nodes, such as held-out papers and stubs, have the position -1.
    place_of_node = np.full(max(known.max(initial=-1), targets.max(initial=-1)) + 1, -1, np.int32)
    place_of_node[known] = places
    return undirected_pairs(np.repeat(places, degrees), place_of_node[targets], len(ids))


def undirected_pairs(
    sources: NDArray[np.int32], targets: NDArray[np.int32], n: int
) -> NDArray[np.int64]:
    """Return the distinct pairs of numbers below n, (2, m), the lower number first, in order.

    `sources` and `targets` are (e,). Pairs with a negative number and pairs of equal numbers are
    omitted.
    """
    is_valid = (targets >= 0) & (targets != sources)
    sources, targets = sources[is_valid], targets[is_valid]
    pairs = np.minimum(sources, targets).astype(np.int64) * n + np.maximum(sources, targets)
    pairs.sort()  # np.unique takes 30 s for ten million pairs instead of 2
    pairs = pairs[np.diff(pairs, prepend=-1) > 0]
    return np.stack(np.divmod(pairs, max(n, 1)))
