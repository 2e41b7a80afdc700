"""The citations that SGC may see, through a projection of the Graph Data Science library."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import GraphError
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, text_digest, text_parts
from specter_graph.graph.split import held_out_below


def citation_edges(db: Database, ids: Sequence[str], holdout: float) -> NDArray[np.int64]:
    """Read the undirected citations among these papers as a (2, m) array of positions in `ids`.

    Each pair stands once, the lower position first, in order. Citations of held-out papers, in
    either direction, and of stubs are left out. Raises GraphError on a server without the Graph
    Data Science library.
    """
    _require_gds(db)
    with _projection(db, holdout) as name:
        sources, targets = _pairs(db, name, ids) if name else (np.empty(0, np.int64),) * 2
    low, high = np.minimum(sources, targets), np.maximum(sources, targets)
    once = np.unique(np.stack([low, high])[:, low < high], axis=1)
    return once.astype(np.int64)


def smoothed_record(
    base: EmbeddingSpace, name: str, k: int, holdout: float, fingerprint: str
) -> EmbeddingSpace:
    """Describe the space that k rounds of SGC over the citations make of a base space.

    Free text is embedded by the base space's model: a text that cites nothing keeps its features.
    """
    made_from = {"space": base.property, "k": k, "text_digest": text_digest(base)}
    made_from["parts"] = text_parts(base)
    return EmbeddingSpace(
        property=name,
        kind="sgc",
        dimension=base.dimension,
        model=base.model,
        base=base.base,
        digest=sha256(f"sgc {k} {base.digest} {fingerprint} {holdout}".encode()).hexdigest(),
        revision=base.revision,
        pooling=base.pooling,
        holdout=holdout,
        learned_from=tuple(sorted({*base.learned_from, "citations"})),
        trained_on=fingerprint,
        sources=json.dumps(made_from),
    )


def has_gds(db: Database) -> bool:
    """Whether the server has the Graph Data Science library."""
    return bool(db.read(statement("algorithms/has_gds").text))


def _require_gds(db: Database) -> None:
    if not has_gds(db):
        raise GraphError(
            "this Neo4j has no Graph Data Science library, which reads the citations for SGC",
            "install the plugin, or unset NEO4J_URI to use the local server, which has it",
        )


@contextmanager
def _projection(db: Database, holdout: float) -> Iterator[str | None]:
    """Project the citations among training papers; None where there are none. Always dropped."""
    name = f"specter-graph-{uuid4()}"
    try:
        [row] = db.read(
            statement("algorithms/project").text, graph=name, held_out=held_out_below(holdout)
        )
        yield name if row["relationships"] else None
    finally:
        db.read(statement("algorithms/drop").text, graph=name)


def _pairs(
    db: Database, name: str, ids: Sequence[str]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Read both ends of all citations, each in both directions, as positions in `ids`.

    The server names targets by its own node ids; in an undirected graph each is also a source.
    """
    position = {paper: place for place, paper in enumerate(ids)}
    place_of: dict[int, int] = {}
    found: list[tuple[int, list[int]]] = []
    for row in db.stream(statement("algorithms/stream").text, graph=name):
        place = position.get(row["id"])
        if place is not None:
            place_of[row["node"]] = place
            found.append((place, row["targets"]))
    kept = [(place, place_of[node]) for place, nodes in found for node in nodes if node in place_of]
    pairs = np.array(kept, dtype=np.int64).reshape(-1, 2)
    return pairs[:, 0], pairs[:, 1]
