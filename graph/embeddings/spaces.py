"""Embedding spaces: the vectors on the papers, and the record of where each property came from.

A space is a Paper property that holds a vector (`specter`), a property beside it with the hash of
the text that the vector was made from (`specter_hash`), an EmbeddingSpace node, and a vector index.

Vectors that replace those of a recorded space are built in a property of their own
(`specter__next`), so that searches use the old ones until all new ones are there. Then the record
is marked as `replacing`, the server copies the new vectors over the old ones, and the index is
built anew: a few minutes per million papers in which the space cannot be read.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
from neo4j.vector import Vector
from numpy.typing import NDArray

from specter_graph.core.batching import batches
from specter_graph.core.errors import GraphError, LeakError
from specter_graph.cypher import statement
from specter_graph.graph.checks import require_papers
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.index import (
    await_index,
    create_index,
    dialect,
    drop_index,
)
from specter_graph.graph.property_names import hash_name, index_name, next_name, property_name
from specter_graph.graph.split import HOLDOUT
from specter_graph.loaders.records import PaperText

__all__ = [
    "EmbeddingSpace",
    "drop_space",
    "hash_name",
    "index_name",
    "next_name",
    "property_name",
    "read_vectors",
    "record_space",
    "recorded",
    "remove_vectors",
    "replace_vectors",
    "require_model",
    "space",
    "spaces",
    "stale",
    "text_digest",
    "text_hash",
    "text_parts",
    "write_space",
    "write_vectors",
]

Vectors = NDArray[np.float32]
Item = TypeVar("Item")
Label: TypeAlias = Literal["Paper", "ArchivePaper", "Submission"]
"""What has vectors."""

WRITE_BATCH = 500
READ_BATCH = 2_000


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True)
class EmbeddingSpace:
    """Where the vectors of one Paper property came from.

    `kind` is "base" (a text model as it is), "head" or "full" (trained on triplets), or the name of
    a baseline ("sgc"). `digest` is the sha256 of what made the vectors, `base` the name of the base
    model, `model` what `search` loads to embed free text: a model directory or a base's name.
    `precision` is what the Transformer computed in, such as "bfloat16", or several with commas;
    it is empty where that is unknown or there was none.
    `holdout` is the share of papers, for test and again for validation, whose edges were hidden
    from it (see `holdout`); `sees_edges` is false for a space of texts alone, which has a hold-out
    only where its settings were chosen on validation papers. `learned_from` names all sources of
    triplets, and parts of papers, that it or anything it starts from has learned from.
    `trained_on` is the corpus fingerprint, `sources` the settings as JSON text, `created` an ISO
    time in UTC. `replacing` is true while the vectors of an older record are being overwritten.
    """

    property: str
    kind: str
    dimension: int
    model: str
    base: str
    digest: str
    revision: str = ""
    pooling: str = ""
    precision: str = ""
    distance: str = "euclidean"
    sees_edges: bool = True
    holdout: float = 0.0
    learned_from: tuple[str, ...] = ()
    trained_on: str = ""
    sources: str = "{}"
    created: str = field(default_factory=_now)
    replacing: bool = False

    def hides(self, holdout: float) -> bool:
        """Return whether it has seen no citation that a hold-out of this fraction hides."""
        return self.holdout >= holdout or not (self.sees_edges or self.holdout)


def text_hash(digest: str, text: PaperText) -> str:
    """Hash what decides a paper's vector, the model and its text, to 16 hexadecimal digits."""
    parts = [digest, text.title, text.abstract or ""]
    others = [text.venue or "", *text.authors, *text.references, text.body or ""]
    if any(others):
        parts += others
    return sha256("\x1f".join(parts).encode()).hexdigest()[:16]


def record_space(db: Database, record: EmbeddingSpace) -> None:
    """Write the record of a space, in place of an older one of the same name."""
    property_name(record.property)
    # An empty list is no property: exports do not tell the two apart.
    properties = asdict(record) | {"learned_from": list(record.learned_from) or None}
    db.write(statement("embeddings/record").text, property=record.property, properties=properties)


def spaces(db: Database) -> list[EmbeddingSpace]:
    """List the recorded spaces by name."""
    return [_space(row) for row in db.read(statement("embeddings/list").text)]


def recorded(db: Database, name: str) -> EmbeddingSpace | None:
    """Find one space, if there is one of that name."""
    rows = db.read(statement("embeddings/one").text, property=name)
    return _space(rows[0]) if rows else None


def space(db: Database, name: str) -> EmbeddingSpace:
    """Find one space.

    Raises GraphError when there is none of that name, with the names that there are, and when its
    vectors are being replaced.
    """
    found = recorded(db, property_name(name))
    if found is None:
        require_papers(db)
        names = ", ".join(each.property for each in spaces(db))
        there = f"there are {names}" if names else "there is none yet"
        raise GraphError(
            f"there is no embedding space {name!r}; {there}",
            f"specter-graph embed --space {name}, or specter-graph sgc --space {name}",
        )
    if found.replacing:
        raise GraphError(
            f"the vectors of {name!r} are being replaced by those of {found.model}",
            "wait some minutes; if the command that replaces them has ended, run it again",
        )
    return found


_UNKNOWN = {"kind": "imported", "model": "", "base": "", "digest": "", "created": ""}
"""What a record that a user wrote in Cypher may leave out."""


def _space(row: dict[str, Any]) -> EmbeddingSpace:
    known = {each.name for each in fields(EmbeddingSpace)}
    told = {key: row["space"][key] for key in known & row["space"].keys()}
    told["learned_from"] = tuple(told.get("learned_from", ()))
    return EmbeddingSpace(**(_UNKNOWN | told))


def text_digest(record: EmbeddingSpace) -> str:
    """Return the digest of the text model of a space; for a baseline, of the one it starts from."""
    digest: str = json.loads(record.sources).get("text_digest", record.digest)
    return digest


def text_parts(record: EmbeddingSpace) -> list[str]:
    """What the text model of a space reads of a paper, for `texts.paper_texts`."""
    parts: list[str] = json.loads(record.sources).get("parts", [])
    return parts


def require_model(record: EmbeddingSpace, digest: str) -> None:
    """Raise GraphError when a model is not the one whose vectors a space has."""
    if text_digest(record) != digest:
        raise GraphError(
            f"{record.model} is not the model that made the vectors of {record.property!r}",
            f"embed again: specter-graph embed --model {record.model} --space {record.property}",
        )


def drop_space(db: Database, name: str) -> None:
    """Remove a space, if it is there: index, record, vectors, and what was made from these.

    The record goes before the vectors, so that a space half removed is no space.
    """
    drop_index(db, name)
    db.write(statement("embeddings/forget").text, property=property_name(name))
    for each in (name, next_name(name)):
        remove_vectors(db, each)
    _forget_derived(db, name)


def remove_vectors(db: Database, name: str) -> None:
    """Remove the vectors of a property, and their text hashes."""
    nothing = {name: None, hash_name(name): None}
    db.commit(statement("embeddings/remove_vectors").text, space=name, nothing=nothing)


def replace_vectors(db: Database, record: EmbeddingSpace) -> None:
    """Put the vectors of `next_name` in place of a space's own, and record what they are.

    Harmless when it is run again after a kill. The space has no index afterwards, and the vectors
    of `next_name` are left for the caller to remove.
    """
    name = record.property
    db.write(statement("embeddings/forget").text, property=name)
    record_space(db, replace(record, replacing=True))
    drop_index(db, name)
    db.commit(
        statement("embeddings/replace_vectors").text,
        space=name,
        hash=hash_name(name),
        next=next_name(name),
        next_hash=hash_name(next_name(name)),
    )
    _forget_derived(db, name)
    record_space(db, replace(record, replacing=False))


def _forget_derived(db: Database, name: str) -> None:
    db.commit(statement("algorithms/forget_similar").text, space=name)
    db.commit(statement("algorithms/forget_topics").text, space=name)


def write_space(
    db: Database,
    record: EmbeddingSpace,
    ids: Sequence[str],
    vectors: Vectors,
    hashes: Sequence[str] | None = None,
) -> None:
    """Store a whole space, in place of an older one of the same name; its index is online after.

    The older one can be searched until all vectors are stored. A new space is recorded when they
    are: a space half written is no space.
    """
    name = record.property
    if recorded(db, name):
        remove_vectors(db, next_name(name))
        write_vectors(db, next_name(name), ids, vectors, hashes)
        replace_vectors(db, record)
        remove_vectors(db, next_name(name))
    else:
        drop_space(db, name)
        write_vectors(db, name, ids, vectors, hashes)
        record_space(db, record)
    create_index(db, name, record.dimension)
    await_index(db, name)


def write_vectors(
    db: Database,
    name: str,
    ids: Sequence[str],
    vectors: Vectors,
    hashes: Sequence[str] | None = None,
    of: Label = "Paper",
) -> None:
    """Store vectors, (n, d) float32, on the papers of these ids, with their text hashes.

    Vectors without hashes are of a space that is only ever written whole. A paper that is not in
    the graph is passed over. So it is with submissions.
    """
    if len(ids) != len(vectors) or (hashes is not None and len(hashes) != len(ids)):
        raise ValueError(f"{len(ids)} ids for {len(vectors)} vectors")
    key = hash_name(name)
    text = _on(of, "embeddings/write_vectors")
    values = _as_values if dialect(db).vector_values else _as_lists
    for start in range(0, len(ids), WRITE_BATCH):
        batch = slice(start, start + WRITE_BATCH)
        marks = hashes[batch] if hashes is not None else [None] * len(ids[batch])
        rows = [
            {"id": paper, "vector": vector, "mark": {key: mark}}
            for paper, vector, mark in zip(ids[batch], values(vectors[batch]), marks, strict=True)
        ]
        db.write(text, space=name, rows=rows)


def _as_values(vectors: Vectors) -> list[Any]:
    """Vectors as Bolt carries them since version 6: packed, a fifth of the time of lists."""
    return [Vector.from_numpy(vector) for vector in vectors]


def _as_lists(vectors: Vectors) -> list[Any]:
    lists: list[Any] = vectors.tolist()
    return lists


def read_vectors(
    db: Database, name: str, ids: Sequence[str] | None = None, of: Label = "Paper"
) -> tuple[list[str], Vectors]:
    """Read a space: ids, and their vectors as an (n, d) float32 array.

    All papers in the order of ids; or, of the ids given, those that have a vector, in their order.
    Raises GraphError where there is no such space.
    """
    dimension = space(db, name).dimension
    found: list[str] = []
    parts: list[Vectors] = [np.empty((0, dimension), dtype=np.float32)]
    rows = _all_vectors(db, name) if ids is None else _vectors_of(db, name, ids, of)
    for batch in batches(rows, READ_BATCH):
        found.extend(row[0] for row in batch)
        parts.append(np.array([row[1] for row in batch], dtype=np.float32))
    return found, np.concatenate(parts)


def _all_vectors(db: Database, name: str) -> Iterator[Any]:
    return db.stream(statement("embeddings/read_vectors").text, space=name)


def _vectors_of(db: Database, name: str, ids: Sequence[str], of: Label) -> Iterator[Any]:
    text = _on(of, "embeddings/read_vectors_of")
    for batch in batches(ids, READ_BATCH):
        yield from db.stream(text, space=name, ids=batch)


def stale(
    db: Database, name: str, hashes: Iterable[tuple[str, str]], of: Label = "Paper"
) -> list[str]:
    """Of (id, text hash) pairs, list the ids whose stored hash is another or missing."""
    text = _on(of, "embeddings/stale")
    key = hash_name(name)
    changed: list[str] = []
    for batch in batches(hashes, READ_BATCH):
        pairs = [{"id": paper, "hash": mark} for paper, mark in batch]
        changed.extend(row["id"] for row in db.read(text, key=key, pairs=pairs))
    return changed


def _on(label: Label, name: str) -> str:
    """The text of a statement for nodes of a label."""
    return statement(name).text.replace("{{label}}", label)


def usual_holdout(spaces: Iterable[EmbeddingSpace]) -> float:
    """Return the smallest hold-out, above 0, that one of these spaces was made under; else 0.1."""
    return min((each.holdout for each in spaces if each.holdout > 0), default=HOLDOUT)


def refuse_leaks(spaces: Iterable[EmbeddingSpace], fraction: float) -> None:
    """Raise LeakError for spaces that have seen citations which this hold-out hides."""
    leaks = [
        f"{each.property!r} (hold-out {each.holdout:g})"
        for each in spaces
        if not each.hides(fraction)
    ]
    if leaks:
        raise LeakError(
            f"{', '.join(leaks)}: made with citations that a hold-out of {fraction:g} hides",
            f"train, embed or smooth again with --holdout {fraction:g} (spaces of earlier versions"
            " count as hold-out 0), or name other spaces",
        )
