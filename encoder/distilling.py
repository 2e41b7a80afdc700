"""Distils the citation graph into a text model: SGC's vectors are predicted from the texts.

SGC places a paper by what it cites and what cites it, which a new paper does not have. What a text
tells of that place is predicted by a linear map, which has a closed form.
"""

import numpy as np
import pydantic

from specter_graph.encoder.baselines.sgc import sgc
from specter_graph.encoder.triplets import TripletRows
from specter_graph.encoder.vectors import Vectors, unit

_BLOCK = 65_536


class DistilSettings(pydantic.BaseModel):
    """How the graph is distilled; the defaults are the ones chosen on hepph's validation papers."""

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)

    share: float = pydantic.Field(
        default=1 / 3, gt=0, le=0.5, description="of the vectors' dimensions, for what is distilled"
    )
    weight: float = pydantic.Field(
        default=0.6, gt=0, description="length of that part; the other's is 1"
    )
    k: int = pydantic.Field(default=2, ge=1, le=8, description="how often SGC smooths")
    ridge: float = pydantic.Field(default=0.1, gt=0, description="of the regression")


def with_distilled(
    weight: Vectors, inputs: Vectors, rows: TripletRows, dimension: int, settings: DistilSettings
) -> Vectors:
    """A learned map (d_in, d) with columns beside it that predict SGC's vectors, see `distil`.

    `inputs` are (n, d_in). On the papers of the triplets the root mean square length of the one
    part is 1 afterwards, that of the other `settings.weight`.
    """
    learned = inputs @ weight
    distilled = distil(inputs, unit(learned), rows, dimension, settings)
    papers = rows.papers
    lengths = _length(learned[papers]), _length(inputs[papers] @ distilled) / settings.weight
    return np.hstack([weight / lengths[0], distilled / lengths[1]], dtype=np.float32)


def distil(
    inputs: Vectors, vectors: Vectors, rows: TripletRows, dimension: int, settings: DistilSettings
) -> Vectors:
    """The map from inputs to smoothed vectors, (d_in, dimension) or narrower.

    `inputs` (n, d_in) and `vectors` (n, d) are of all papers. The vectors are smoothed over the
    citations that the triplets tell of (query, positive), scaled to length 1, reduced to their
    principal directions, and regressed on the inputs, over the papers of the triplets alone.
    """
    smoothed = unit(sgc(vectors, np.stack([rows.query, rows.positive]), settings.k))
    papers = rows.papers
    return ridge_map(inputs[papers], principal(smoothed[papers], dimension), settings.ridge)


def ridge_map(inputs: Vectors, targets: Vectors, ridge: float) -> Vectors:
    """Ridge regression without an intercept: W = (X^T X + ridge I)^-1 X^T Y.

    X (n, d_in) and Y (n, d) give W (d_in, d) float32; computed in float64.
    """
    width = inputs.shape[1]
    squares = ridge * np.eye(width)
    products = np.zeros((width, targets.shape[1]))
    for start in range(0, len(inputs), _BLOCK):
        block = inputs[start : start + _BLOCK].astype(np.float64)
        squares += block.T @ block
        products += block.T @ targets[start : start + _BLOCK]
    return np.linalg.solve(squares, products).astype(np.float32)


def principal(vectors: Vectors, dimension: int) -> Vectors:
    """Vectors (n, d) in the directions where they are longest: (n, dimension), n x d at most.

    The right singular vectors, not centred: of that many dimensions they keep distances best.
    """
    _, directions = np.linalg.eigh(vectors.T.astype(np.float64) @ vectors)
    return np.asarray(vectors @ directions[:, ::-1][:, :dimension], np.float32)


def _length(vectors: Vectors) -> float:
    """The root mean square length of rows."""
    return float(np.sqrt(np.square(vectors, dtype=np.float64).sum(axis=1).mean()))
