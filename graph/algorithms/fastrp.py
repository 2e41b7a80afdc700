"""FastRP: an embedding space by random projections of the neighborhoods in the citation graph."""

import json
from hashlib import sha256

import numpy as np

from specter_graph.core.errors import GraphError, counted
from specter_graph.core.progress import Progress, silent
from specter_graph.core.vectors import unit
from specter_graph.graph.algorithms.projection import projection
from specter_graph.graph.contents import corpus_fingerprint
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import (
    EmbeddingSpace,
    check_no_leakage,
    get_space,
    refuse_other_kind,
    write_space,
)
from specter_graph.graph.split import HOLDOUT, held_out_below

KIND = "fastrp"


def fastrp(
    db: Database,
    space: str | None = None,
    *,
    output_space: str = KIND,
    dimension: int = 384,
    holdout: float = HOLDOUT,
    seed: int = 0,
    progress: Progress = silent,
) -> EmbeddingSpace:
    """Embed the papers that have a record by FastRP (Chen et al. 2019), and index the vectors.

    Citations from and to held-out papers are not used, as for SGC. With `space`, a held-out
    paper is embedded by its text only. Without one, a paper without citations gets a zero vector.
    All other vectors have length 1. The same seed gives the same vectors on the same database.

    Args:
        db: The graph.
        space: A space whose vectors are features of the papers.
        output_space: The space to write.
        dimension: Dimension of the vectors.
        holdout: Share of papers held out for test, and again for validation.
        seed: Random seed.
        progress: Called with the progress of the algorithm in percent.

    Returns:
        The record of the space.

    Raises:
        GraphError: The server has no GDS, or `space` or some of its vectors are missing.
        InputError: The space exists and was not made by FastRP.
        LeakError: `space` has seen citations that `holdout` hides.
    """
    refuse_other_kind(db, output_space, KIND)
    source = _require_source(db, space, holdout) if space else None
    settings: dict[str, object] = {
        "embedding_dimension": dimension,
        "iteration_weights": [1.0, 1.0],
        "random_seed": seed,
    }
    if source:
        settings["feature_properties"] = ["features"]
        settings |= {"property_ratio": 1.0, "node_self_influence": 1.0}
    with projection(
        db, "project_training", progress, space=space, held_out=held_out_below(holdout)
    ) as (gds, graph):
        gds.fast_rp.mutate(graph, "embedding", **settings)
        rows = db.stream("algorithms/embeddings", graph=graph.name())
        ids, vectors = zip(*((row[0], np.array(row[1], np.float32)) for row in rows), strict=True)
    fingerprint = corpus_fingerprint(db)
    sources = json.dumps({"space": space or None, **settings})
    identity = (KIND, sources, source.digest if source else "", fingerprint, str(holdout))
    record = EmbeddingSpace(
        name=output_space,
        kind=KIND,
        dimension=dimension,
        model="",  # so no text can be embedded in the space
        base=source.base if source else "",
        digest=sha256(" ".join(identity).encode()).hexdigest(),
        revision=source.revision if source else "",
        holdout=holdout,
        learned_from=tuple(sorted({"citations", *(source.learned_from if source else ())})),
        trained_on=fingerprint,
        sources=sources,
    )
    write_space(db, record, ids, unit(np.stack(vectors)))
    return record


def _require_source(db: Database, space: str, holdout: float) -> EmbeddingSpace:
    """Return the record of the base space after checking its hold-out and its vectors."""
    source = get_space(db, space)
    if without := db.value("algorithms/without_vector", space=space):
        raise GraphError(
            f"{counted(without, 'paper has', 'papers have')} no vector in {space!r}",
            f"specter-graph embed --space {space}",
        )
    check_no_leakage([source], holdout)
    return source
