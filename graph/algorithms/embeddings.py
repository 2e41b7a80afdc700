"""Embedding spaces that the Graph Data Science library makes of the citations."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import GraphError, InputError
from specter_graph.core.progress import Progress, silent
from specter_graph.cypher import statement
from specter_graph.graph.algorithms.run import ONE_THREAD, job, projection, stream
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

Vectors = NDArray[np.float32]
Config = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Algorithm:
    """How one is called: `config` makes of (dimension, seed, with features) what it is given."""

    procedure: str
    dimension: int
    needs_base: bool
    takes_base: bool
    config: Callable[[int, int, bool], Config]


def _fastrp(dimension: int, seed: int, featured: bool) -> Config:
    own = {"featureProperties": ["features"], "propertyRatio": 1.0, "nodeSelfInfluence": 1.0}
    config: Config = {"embeddingDimension": dimension, "iterationWeights": [1.0, 1.0]}
    return config | {"randomSeed": seed} | (own if featured else {})


def _node2vec(dimension: int, seed: int, _: bool) -> Config:
    walks = {"walkLength": 20, "walksPerNode": 10, "windowSize": 5}
    return {"embeddingDimension": dimension, "randomSeed": seed, **walks, **ONE_THREAD}


def _hashgnn(dimension: int, seed: int, _: bool) -> Config:
    features = {
        "featureProperties": ["features"],
        "binarizeFeatures": {"dimension": 1024, "threshold": 0.0},
    }
    drawn = {"iterations": 2, "embeddingDensity": 128, "outputDimension": dimension}
    return {**features, **drawn, "randomSeed": seed}


def _graphsage(dimension: int, seed: int, _: bool) -> Config:
    given = {"featureProperties": ["features"], "embeddingDimension": dimension}
    return {**given, "epochs": 5, "randomSeed": seed, **ONE_THREAD}


ALGORITHMS: Mapping[str, Algorithm] = {
    "fastrp": Algorithm("gds.fastRP", 384, False, True, _fastrp),
    "node2vec": Algorithm("gds.node2vec", 128, False, False, _node2vec),
    "hashgnn": Algorithm("gds.hashgnn", 384, True, True, _hashgnn),
    "graphsage": Algorithm("gds.beta.graphSage", 128, True, True, _graphsage),
}
"""By name, which is also the `kind` of the spaces."""


def make_space(
    db: Database,
    algorithm: str,
    name: str,
    *,
    base: str | None = None,
    dimension: int | None = None,
    holdout: float = HOLDOUT,
    seed: int = 0,
    progress: Progress = silent,
) -> EmbeddingSpace:
    """Embed the papers that have a record by the citations among them, and index the vectors.

    `algorithm` is one of ALGORITHMS. Citations of held-out papers, in either direction, are left
    out, as for SGC. `base` is a space of texts that the papers bring along as features: a held-out
    paper is embedded by its text alone. Without features a paper without citations is a vector of
    zeros, of which nothing can be said. All other vectors are scaled to length 1. The same seed
    gives the same vectors on the same database.

    Raises GraphError without GDS, the base space, or the vectors of it; InputError for a base that
    the algorithm does not take or lacks, or a name that another kind of space has; LeakError for a
    base that has seen citations which `holdout` hides.
    """
    how = ALGORITHMS[algorithm]
    _require_name(db, algorithm, name)
    source = _source(db, algorithm, base)
    refuse_leaks([source] if source else [], holdout)
    config = how.config(dimension or how.dimension, seed, source is not None)
    features = source.dimension if source else 0
    held_out = held_out_below(holdout)
    with projection(
        db, "project_training", dimension=features, space=base, held_out=held_out
    ) as graph:
        with _called(db, algorithm, graph, config, progress) as given:
            rows = stream(db, "values", how.procedure, graph, given, progress, "embedding")
            ids, vectors = _vectors(rows)
        if source is None:
            vectors[~_cites(db, graph, ids)] = 0
    record = _record(db, algorithm, name, config, source, holdout, vectors.shape[1])
    write_space(db, record, ids, _unit(vectors))
    return record


@contextmanager
def _called(
    db: Database, algorithm: str, graph: str, config: Config, progress: Progress
) -> Iterator[Config]:
    """What the algorithm's stream is called with: of GraphSAGE a model, trained and dropped after.

    The open-source library holds three models at a time.
    """
    if algorithm != "graphsage":
        yield config
        return
    model = f"specter-graph-{uuid4()}"
    procedure = f"{ALGORITHMS[algorithm].procedure}.train"
    try:
        with job(db, procedure, graph, {**config, "modelName": model}, progress) as given:
            db.read(statement("algorithms/train_graphsage").text, graph=graph, config=given)
        yield {"modelName": model, **ONE_THREAD}
    finally:
        db.read(statement("algorithms/drop_model").text, model=model)


def _require_name(db: Database, algorithm: str, name: str) -> None:
    property_name(name)
    if any(each.property == name and each.kind != algorithm for each in spaces(db)):
        raise InputError(
            f"the space {name!r} holds other vectors, which {algorithm} would replace",
            f"give the new one a name of its own: --space {algorithm}",
        )


def _source(db: Database, algorithm: str, base: str | None) -> EmbeddingSpace | None:
    """The record of the base space; every paper has a vector in it."""
    how = ALGORITHMS[algorithm]
    if base is None:
        if how.needs_base:
            raise InputError(
                f"{algorithm} works on vectors that the papers have", "name a space: --base base"
            )
        return None
    if not how.takes_base:
        raise InputError(f"{algorithm} works on the citations alone, not on {base!r}")
    source = space(db, base)
    if without := db.value(statement("algorithms/without_vector").text, space=base):
        raise GraphError(
            f"{without:,} papers have no vector in {base!r}", f"specter-graph embed --space {base}"
        )
    return source


def _vectors(rows: Iterable[tuple[str, list[float]]]) -> tuple[list[str], Vectors]:
    ids: list[str] = []
    vectors: list[Vectors] = []
    for paper, vector in rows:
        ids.append(paper)
        vectors.append(np.array(vector, dtype=np.float32))
    return ids, np.stack(vectors)


def _cites(db: Database, graph: str, ids: list[str]) -> NDArray[np.bool_]:
    """Whether each paper has a citation in the projection, (n,)."""
    text = statement("algorithms/values").text
    text = text.replace("{{procedure}}", "gds.degree.stream").replace("{{column}}", "score")
    degrees = {row[0]: row[1] for row in db.stream(text, graph=graph, config={})}
    return np.array([degrees[paper] > 0 for paper in ids])


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.asarray(vectors / np.where(lengths > 0, lengths, 1), np.float32)


def _record(
    db: Database,
    algorithm: str,
    name: str,
    config: Config,
    source: EmbeddingSpace | None,
    holdout: float,
    dimension: int,
) -> EmbeddingSpace:
    """Describe the space. It has no model: no free text can be embedded in it."""
    fingerprint = corpus_fingerprint(db)
    settings = json.dumps({"space": source.property if source else None, **config})
    made_of = (algorithm, settings, source.digest if source else "", fingerprint, str(holdout))
    return EmbeddingSpace(
        property=name,
        kind=algorithm,
        dimension=dimension,
        model="",
        base=source.base if source else "",
        digest=sha256(" ".join(made_of).encode()).hexdigest(),
        revision=source.revision if source else "",
        holdout=holdout,
        learned_from=tuple(sorted({"citations", *(source.learned_from if source else ())})),
        trained_on=fingerprint,
        sources=settings,
    )
