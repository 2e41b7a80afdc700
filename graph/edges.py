"""The citations that SGC may see, through a projection of the Graph Data Science library."""

import json
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from specter_graph.cypher import statement
from specter_graph.errors import GraphError
from specter_graph.graph.connection import Database
from specter_graph.graph.holdout import HoldOut
from specter_graph.graph.spaces import EmbeddingSpace, text_digest, text_parts


def citation_edges(db: Database, ids: Sequence[str]) -> NDArray[np.int64]:
    """Read the undirected citations among these papers as a (2, m) array of positions in `ids`.

    Each pair stands once, the lower position first, in order. Citations of held-out papers, in
    either direction, and of stubs are left out. Raises GraphError on a server without the Graph
    Data Science library.
    """
    _require_gds(db)
    with _projection(db) as name:
        sources, targets = _pairs(db, name, ids) if name else (np.empty(0, np.int64),) * 2
    once = sources < targets  # each is there in both directions
    keys = np.unique(sources[once] * len(ids) + targets[once])
    return np.stack([keys // max(1, len(ids)), keys % max(1, len(ids))])


def smoothed_record(
    base: EmbeddingSpace, name: str, k: int, holdout: HoldOut, fingerprint: str
) -> EmbeddingSpace:
    """Describe the space that k rounds of SGC over the citations make of a base space.

    Free text is embedded by the base space's model: a text that cites nothing keeps its features.
    A base space that was trained under another hold-out than the citations are read under has seen
    edges that this one hides, so that the outcome counts as having seen all (`holdout` 0).
    """
    hidden = base.hides(holdout.digest)
    made_from = {"space": base.property, "k": k, "text_digest": text_digest(base)}
    made_from["parts"] = text_parts(base)
    return EmbeddingSpace(
        property=name,
        kind="sgc",
        dimension=base.dimension,
        model=base.model,
        base=base.base,
        digest=sha256(f"sgc {k} {base.digest} {fingerprint} {holdout.digest}".encode()).hexdigest(),
        revision=base.revision,
        pooling=base.pooling,
        holdout=holdout.fraction if hidden else 0.0,
        holdout_digest=holdout.digest if hidden else "",
        trained_on=fingerprint,
        sources=json.dumps(made_from),
    )


def has_gds(db: Database) -> bool:
    """Whether the server has the Graph Data Science library."""
    return bool(db.read(statement("edges/has_gds").text))


def _require_gds(db: Database) -> None:
    if not has_gds(db):
        raise GraphError(
            "this Neo4j has no Graph Data Science library, which reads the citations for SGC",
            "install the plugin, or unset NEO4J_URI to use the local server, which has it",
        )


@contextmanager
def _projection(db: Database) -> Iterator[str | None]:
    """Project the citations among training papers; None where there are none. Always dropped."""
    name = f"specter-graph-{uuid4()}"
    try:
        projected = db.read(statement("edges/project").text, graph=name)[0]["relationships"]
        yield name if projected else None
    finally:
        db.read(statement("edges/drop").text, graph=name)


def _pairs(
    db: Database, name: str, ids: Sequence[str]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Read both ends of all citations, each in both directions, as positions in `ids`.

    The server names targets by its own node ids; in an undirected graph each is also a source.
    """
    position = {paper: place for place, paper in enumerate(ids)}
    columns = places, nodes, degrees, targets = array("q"), array("q"), array("q"), array("q")
    for row in db.stream(statement("edges/stream").text, graph=name):
        places.append(position.get(row["id"], -1))
        nodes.append(row["node"])
        degrees.append(len(row["targets"]))
        targets.extend(row["targets"])
    place, node, degree, target = (np.frombuffer(column, np.int64) for column in columns)
    order = np.argsort(node)
    source = np.repeat(place, degree)
    target = place[order][np.searchsorted(node[order], target)]
    known = (source >= 0) & (target >= 0)
    return source[known], target[known]
