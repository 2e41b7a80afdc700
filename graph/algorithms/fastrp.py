"""FastRP: an embedding space by random projections of the neighborhoods in the citation graph."""

import json
from hashlib import sha256

import numpy as np

from specter_graph.core.errors import GraphError, InputError
from specter_graph.core.progress import Progress, silent
from specter_graph.core.vectors import unit
from specter_graph.cypher import statement
from specter_graph.graph.algorithms.projection import projection
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import (
    EmbeddingSpace,
    property_name,
    refuse_leaks,
    space,
    spaces,
    write_space,
)
from specter_graph.graph.maintenance.corpus_digest import corpus_fingerprint
from specter_graph.graph.split import HOLDOUT, held_out_below

KIND = "fastrp"


def fastrp(
    db: Database,
    name: str,
    *,
    base: str | None = None,
    dimension: int = 384,
    holdout: float = HOLDOUT,
    seed: int = 0,
    progress: Progress = silent,
) -> EmbeddingSpace:
    """Embed the papers that have a record by FastRP (Chen et al. 2019), and index the vectors.

    Citations of held-out papers, in either direction, are left out, as for SGC. `base` is a space
    of texts whose vectors become features of the papers: a held-out paper is embedded by its text
    alone. Without features the vector of a paper without citations is all zeros. All other vectors
    are scaled to length 1. The same seed gives the same vectors on the same database.

    Raises GraphError without GDS, the base space, or the vectors of it; InputError for a name that
    another kind of space has; LeakError for a base that has seen citations which `holdout` hides.
    """
    property_name(name)
    if any(each.property == name and each.kind != KIND for each in spaces(db)):
        raise InputError(
            f"the space {name!r} holds other vectors, which FastRP would replace",
            f"give the new one a name of its own: --space {KIND}",
        )
    source = _source(db, base) if base else None
    refuse_leaks([source] if source else [], holdout)
    settings: dict[str, object] = {
        "embedding_dimension": dimension,
        "iteration_weights": [1.0, 1.0],
        "random_seed": seed,
    }
    if source:
        settings["feature_properties"] = ["features"]
        settings |= {"property_ratio": 1.0, "node_self_influence": 1.0}
    with projection(
        db, "project_training", progress, space=base, held_out=held_out_below(holdout)
    ) as (gds, graph):
        gds.fast_rp.mutate(graph, "embedding", **settings)
        rows = db.stream(statement("algorithms/embeddings").text, graph=graph.name())
        ids, vectors = zip(*((row[0], np.array(row[1], np.float32)) for row in rows), strict=True)
    record = _record(db, name, settings, source, holdout)
    write_space(db, record, ids, unit(np.stack(vectors)))
    return record


def _source(db: Database, base: str) -> EmbeddingSpace:
    """Find the record of the base space; every paper has a vector in it."""
    source = space(db, base)
    if without := db.value(statement("algorithms/without_vector").text, space=base):
        raise GraphError(
            f"{without:,} papers have no vector in {base!r}", f"specter-graph embed --space {base}"
        )
    return source


def _record(
    db: Database,
    name: str,
    settings: dict[str, object],
    source: EmbeddingSpace | None,
    holdout: float,
) -> EmbeddingSpace:
    """Describe the space. It has no model: no free text can be embedded in it."""
    fingerprint = corpus_fingerprint(db)
    sources = json.dumps({"space": source.property if source else None, **settings})
    made_of = (KIND, sources, source.digest if source else "", fingerprint, str(holdout))
    return EmbeddingSpace(
        property=name,
        kind=KIND,
        dimension=int(str(settings["embedding_dimension"])),
        model="",
        base=source.base if source else "",
        digest=sha256(" ".join(made_of).encode()).hexdigest(),
        revision=source.revision if source else "",
        holdout=holdout,
        learned_from=tuple(sorted({"citations", *(source.learned_from if source else ())})),
        trained_on=fingerprint,
        sources=sources,
    )
