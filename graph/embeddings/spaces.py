"""Embedding spaces: the vectors on the papers, and the records of how they were made.

A space consists of a Paper property with the vector (`specter`), a property with the hash of the
text from which the vector was made (`specter_hash`), an EmbeddingSpace node, and a vector index.

Vectors that replace those of an existing space are first stored in another property
(`specter__next`), so that searches use the old vectors until the new ones are complete. Then the
record is marked as `replacing`, the server copies the new vectors over the old ones, and the index
is rebuilt. For a few minutes per million papers, the space cannot be read.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field, fields, replace
from hashlib import sha256
from typing import Any, Literal, TypeAlias, TypeVar

import numpy as np
from neo4j.vector import Vector
from numpy.typing import NDArray

from specter_graph.core.errors import GraphError, InputError, LeakError
from specter_graph.core.progress import Progress, batches, silent, timestamp
from specter_graph.core.vectors import Vectors
from specter_graph.cypher import statement
from specter_graph.graph.contents import require_papers
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.index import (
    IndexSettings,
    await_index,
    create_index,
    drop_index,
    hash_name,
    next_name,
    property_name,
    read_dialect,
)
from specter_graph.graph.split import HOLDOUT, valid_holdout
from specter_graph.loaders.records import PaperText

Item = TypeVar("Item")
Label: TypeAlias = Literal["Paper", "ArchivePaper", "Submission"]
"""Labels of the nodes that have vectors."""

AFFINITY_SPACES = ("base", "specter")
"""Spaces to match reviewers with if none is given; `static` is too coarse."""
DEFAULT_SPACES = ("specter", "base", "static")
"""The space to read if none is named: the first of these that the graph has."""

WRITE_BATCH = 1_000
READ_BATCH = 2_000
MAX_DIMENSION = 4_096


@dataclass(frozen=True, slots=True)
class EmbeddingSpace:
    """The record of how the vectors of a Paper property were made.

    Attributes:
        name: The name of the space, which is also that of the Paper property with its vectors.
        kind: "base" (a pretrained text model), "head" or "full" (trained on triplets), or the name
            of a baseline ("sgc").
        dimension: Dimension of the vectors.
        model: The model directory or base that embeds the text of a search.
        base: Name of the base model.
        digest: SHA-256 of the model that made the vectors.
        document_prompt: The text before each paper, see `core.encoder_card.Prompts`.
        query_prompt: The text before each query.
        precision: Precision of the Transformer, such as "bfloat16", or several with commas; empty
            if unknown or without a Transformer.
        sees_edges: False for vectors made without citations. They have a hold-out only if settings
            were chosen on validation papers.
        holdout: Share of papers, for test and again for validation, whose citations were not used;
            0 if the papers have been split in another way since.
        split: Digest of the split for which it was made (`graph.split.StoredSplit`); "" is the
            split by a hash of the ids. None is replaced by the split of the graph.
        learned_from: Sources of triplets and parts of papers that the model, or a model it starts
            from, has learned from.
        trained_on: Fingerprint of the corpus.
        sources: Settings as JSON text.
        origin: "made" by this program, or "imported" from files of vectors.
        created: ISO time in UTC.
        replacing: True while the vectors of an older record are being overwritten.
    """

    name: str
    kind: str
    dimension: int
    model: str
    base: str
    digest: str
    revision: str = ""
    pooling: str = ""
    document_prompt: str = ""
    query_prompt: str = ""
    precision: str = ""
    distance: str = "euclidean"
    sees_edges: bool = True
    holdout: float = 0.0
    split: str | None = field(default=None, compare=False)
    learned_from: tuple[str, ...] = ()
    trained_on: str = ""
    sources: str = "{}"
    origin: str = "made"
    created: str = field(default_factory=timestamp)
    replacing: bool = False

    def hides(self, holdout: float) -> bool:
        """Return True if it has seen no citation that a hold-out of this share hides."""
        return self.holdout >= holdout or not (self.sees_edges or self.holdout)

    def has_unknown_training(self) -> bool:
        """Return True for imported vectors of no known model, perhaps made with any citations."""
        return self.kind == "imported" and self.sees_edges


def text_hash(digest: str, text: PaperText) -> str:
    """Hash the model and the text of a paper to 16 hexadecimal digits."""
    parts = [digest, text.title, text.abstract or ""]
    others = [text.venue or "", *text.authors, *text.references, text.body or ""]
    if any(others):
        parts += others
    return sha256("\x1f".join(parts).encode()).hexdigest()[:16]


def record_space(db: Database, record: EmbeddingSpace) -> None:
    """Write the record of a space, replacing an older one of the same name."""
    property_name(record.name)
    # An empty list is stored as a missing property, because exports do not distinguish them.
    properties = asdict(record) | {"learned_from": list(record.learned_from) or None}
    del properties["name"]
    db.write("embeddings/record", name=record.name, properties=properties)


def list_spaces(db: Database) -> list[EmbeddingSpace]:
    """List the recorded spaces by name."""
    return [*db.shared("spaces", lambda: [*map(_make_record, db.read("embeddings/list"))])]


def find_space(db: Database, space: str) -> EmbeddingSpace | None:
    """Return the record of a space, or None."""
    return next((record for record in list_spaces(db) if record.name == space), None)


def first_space(db: Database, names: Iterable[str] = DEFAULT_SPACES) -> str | None:
    """Return the first of some spaces that exists, by default of `DEFAULT_SPACES`, or None."""
    existing = {record.name for record in list_spaces(db)}
    return next((name for name in names if name in existing), None)


def get_space(
    db: Database, space: str | None = None, names: Sequence[str] = DEFAULT_SPACES
) -> EmbeddingSpace:
    """Return the record of a space, by default of the first of some spaces that exists.

    Raises:
        GraphError: The space does not exist, or its vectors are being replaced.
    """
    record = existing_space(db, space, names)
    if record.replacing:
        raise GraphError(
            f"the vectors of {record.name!r} are being replaced by those of {record.model}",
            "wait a few minutes; if the command that replaces them was interrupted, run it again",
        )
    return record


def refuse_other_kind(db: Database, space: str, kind: str) -> None:
    """Raise InputError if the vectors of a space were made in another way than `kind`."""
    record = find_space(db, property_name(space))
    if record and record.kind != kind:
        raise InputError(
            f"the space {space!r} has vectors of {record.kind}, which {kind} would replace",
            "name another space",
        )


def existing_space(
    db: Database, space: str | None = None, names: Sequence[str] = DEFAULT_SPACES
) -> EmbeddingSpace:
    """Return the same record as `get_space`, also while the vectors are being replaced.

    Raises:
        GraphError: The space does not exist.
    """
    records = {record.name: record for record in list_spaces(db)}
    default = next((name for name in names if name in records), DEFAULT_SPACES[0])
    space = property_name(space or default)
    record = records.get(space)
    if record is None:
        require_papers(db)
        existing, hint = "there is none yet", "specter-graph embed, or embed --model static"
        if records:
            existing = f"there are {', '.join(records)}"
            hint = f"specter-graph embed --space {space}, or sgc --output-space {space}"
        raise GraphError(f"there is no embedding space {space!r}; {existing}", hint)
    return record


_UNKNOWN = {"kind": "imported", "model": "", "base": "", "digest": "", "created": ""}
"""Defaults for a record that a user wrote in Cypher."""


def _make_record(row: dict[str, Any]) -> EmbeddingSpace:
    known = {attribute.name for attribute in fields(EmbeddingSpace)}
    properties = {key: row["space"][key] for key in known & row["space"].keys()}
    properties["learned_from"] = tuple(properties.get("learned_from", ()))
    properties.setdefault("origin", "made" if "kind" in properties else "imported")
    record = EmbeddingSpace(**(_UNKNOWN | {"split": ""} | properties))
    return replace(record, holdout=valid_holdout(record.holdout, record.split, row["split"] or ""))


def text_digest(record: EmbeddingSpace) -> str:
    """Return the digest of the text model of a space, or of the space a baseline starts from."""
    digest: str = json.loads(record.sources).get("text_digest", record.digest)
    return digest


def text_parts(record: EmbeddingSpace) -> list[str]:
    """Return the parts of a paper that the text model of a space reads, for `paper_texts`."""
    parts: list[str] = json.loads(record.sources).get("parts", [])
    return parts


def require_model(record: EmbeddingSpace, digest: str) -> None:
    """Raise GraphError if another model made the vectors of a space."""
    if text_digest(record) != digest:
        raise GraphError(
            f"{record.model} is not the model that made the vectors of {record.name!r}",
            f"specter-graph embed --model {record.model} --space {record.name}",
        )


def delete_space(db: Database, space: str) -> None:
    """Delete the index, record and vectors of a space, and data derived from them.

    The record is deleted before the vectors, so that a partly deleted space is not listed.
    """
    drop_index(db, space)
    db.write("embeddings/forget", property=property_name(space))
    for column in (space, next_name(space)):
        remove_vectors(db, column)
    _forget_derived(db, space)


def remove_vectors(db: Database, space: str) -> None:
    """Remove the vectors of a property and their text hashes."""
    nothing = {space: None, hash_name(space): None}
    db.commit("embeddings/remove_vectors", space=space, nothing=nothing)


def replace_vectors(db: Database, record: EmbeddingSpace) -> None:
    """Replace the vectors of a space by those of `next_name`, and write its record.

    It can be repeated after an interruption. Afterwards the space has no index, and the caller must
    remove the vectors of `next_name`.
    """
    name = record.name
    db.write("embeddings/forget", property=name)
    record_space(db, replace(record, replacing=True))
    drop_index(db, name)
    db.commit(
        "embeddings/replace_vectors",
        space=name,
        hash=hash_name(name),
        next=next_name(name),
        next_hash=hash_name(next_name(name)),
    )
    _forget_derived(db, name)
    record_space(db, replace(record, replacing=False))


def _forget_derived(db: Database, space: str) -> None:
    db.commit("algorithms/forget_similar", space=space)
    db.commit("algorithms/forget_topics", space=space)


def space_lock(db: Database, space: str) -> AbstractContextManager[None]:
    """Wait for other commands that write the vectors of a space to end, and lock out others."""
    return db.lock("embeddings/lock", lock=f"lock of {property_name(space)}")


def write_space(
    db: Database,
    record: EmbeddingSpace,
    ids: Sequence[str],
    vectors: Vectors,
    hashes: Sequence[str] | None = None,
) -> None:
    """Store a space, replacing an older one of the same name, and wait for its index.

    Args:
        db: The graph.
        record: The record.
        ids: n papers.
        vectors: Their vectors, (n, d) float32.
        hashes: Their text hashes.
    """
    with space_lock(db, record.name):
        target = begin_space(db, record.name)
        write_vectors(db, target, ids, vectors, hashes)
        complete_space(db, record, target)


def begin_space(db: Database, space: str) -> str:
    """Return the property for the vectors of a new space, or of one that replaces an older one.

    The vectors of an interrupted run are removed. The older space can be searched until
    `complete_space`.
    """
    if find_space(db, space):
        remove_vectors(db, next_name(space))
        return next_name(space)
    delete_space(db, space)
    return space


def complete_space(
    db: Database,
    record: EmbeddingSpace,
    target: str,
    index: IndexSettings | None = None,
    progress: Progress = silent,
) -> None:
    """Record the space whose vectors are in the property of `begin_space`, and await its index.

    A new space is recorded after its vectors, so that a partly written space is not listed.
    """
    name = record.name
    if target != name:
        replace_vectors(db, record)
    create_index(db, name, record.dimension, index)
    if target != name:
        remove_vectors(db, target)
    else:
        record_space(db, record)
    await_index(db, name, progress)


def write_vectors(
    db: Database,
    space: str,
    ids: Sequence[str],
    vectors: Vectors,
    hashes: Sequence[str] | None = None,
    label: Label = "Paper",
) -> None:
    """Store vectors, (n, d) float32, and their text hashes on papers or submissions.

    Ids that are not in the graph are skipped. Hashes are not needed for a space that is always
    written completely.

    Raises:
        ValueError: The numbers of ids, vectors and hashes differ.
        GraphError: A vector has NaN, infinity or more than MAX_DIMENSION dimensions.
    """
    if len(ids) != len(vectors) or (hashes is not None and len(hashes) != len(ids)):
        raise ValueError(f"{len(ids)} ids for {len(vectors)} vectors")
    key = hash_name(space)
    text = statement("embeddings/write_vectors").filled(label=label)
    for start in range(0, len(ids), WRITE_BATCH):
        batch = slice(start, start + WRITE_BATCH)
        if not (finite := np.isfinite(vectors[batch]).all(axis=-1)).all():
            raise GraphError(
                f"the vector of {ids[start + int(np.argmin(finite))]!r} has NaN or infinity",
                "check what the model returns for its title and abstract",
            )
        marks = hashes[batch] if hashes is not None else [None] * len(ids[batch])
        values = bolt_vectors(db, vectors[batch])
        rows = [
            {"id": paper, "vector": vector, "mark": {key: mark}}
            for paper, vector, mark in zip(ids[batch], values, marks, strict=True)
        ]
        db.write(text, space=space, rows=rows)


def bolt_vectors(db: Database, vectors: Vectors) -> list[Any]:
    """Convert vectors (n, d) to lists, or to the vector type of Bolt 6: a fifth of the time.

    Raises:
        GraphError: d is more than MAX_DIMENSION.
    """
    if vectors.shape[1] > MAX_DIMENSION:
        raise GraphError(
            f"Neo4j has vectors of up to {MAX_DIMENSION:,} dimensions, not {vectors.shape[1]:,}",
            "shorten the vectors, for example by a principal component analysis",
        )
    if read_dialect(db).vector_values:
        return [Vector.from_numpy(vector) for vector in vectors]
    lists: list[Any] = vectors.tolist()
    return lists


def bolt_vector(db: Database, vector: NDArray[np.float32]) -> Any:  # noqa: ANN401, of the driver
    """Convert a vector (d,) of a query as `bolt_vectors` does.

    The driver describes all parameters for its log, even if it writes none: a list of 768 numbers
    takes 0.4 ms.
    """
    return bolt_vectors(db, np.asarray(vector, np.float32).reshape(1, -1))[0]


def read_vectors(
    db: Database, space: str, ids: Sequence[str] | None = None, label: Label = "Paper"
) -> tuple[list[str], Vectors]:
    """Read the vectors of a space.

    Args:
        db: The graph.
        space: The space.
        ids: The papers; None for all, in the order of their ids.
        label: The label of the nodes.

    Returns:
        The ids that have a vector, in order, and their vectors, (n, d) float32.

    Raises:
        GraphError: The space does not exist, or its vectors are being replaced.
    """
    record = get_space(db, space)
    ids_read: list[str] = []
    parts: list[Vectors] = [np.empty((0, record.dimension), dtype=np.float32)]
    if ids is None:
        rows: Iterator[Any] = db.stream("embeddings/read_vectors", space=space)
    else:
        rows = _stream_vectors(db, space, ids, label)
    for batch in batches(rows, READ_BATCH):
        if get_space(db, space).digest != record.digest:
            raise GraphError(
                f"the vectors of {space!r} were replaced by those of another model while they were"
                " read",
                "try again",
            )
        ids_read.extend(row[0] for row in batch)
        parts.append(np.array([row[1] for row in batch], dtype=np.float32))
    return ids_read, np.concatenate(parts)


def _stream_vectors(db: Database, space: str, ids: Sequence[str], label: Label) -> Iterator[Any]:
    text = statement("embeddings/read_vectors_of").filled(label=label)
    for batch in batches(ids, READ_BATCH):
        [columns] = db.values(text, space=space, ids=batch)  # a row takes the driver time
        yield from zip(*columns, strict=True)


def outdated_ids(
    db: Database, space: str, hashes: Iterable[tuple[str, str]], label: Label = "Paper"
) -> list[str]:
    """List the ids among (id, text hash) pairs whose stored hash differs or is missing."""
    text = statement("embeddings/outdated").filled(label=label)
    key = hash_name(space)
    pairs = ({"id": paper, "hash": mark} for paper, mark in hashes)
    return [
        row["id"]
        for batch in batches(pairs, READ_BATCH)
        for row in db.read(text, key=key, pairs=batch)
    ]


def usual_holdout(spaces: Iterable[EmbeddingSpace]) -> float:
    """Return the smallest positive hold-out of these spaces; 0.1 without one."""
    return min((record.holdout for record in spaces if record.holdout > 0), default=HOLDOUT)


def check_no_leakage(spaces: Iterable[EmbeddingSpace], fraction: float) -> None:
    """Raise LeakError if spaces have seen citations that this hold-out hides."""
    leaks = [record for record in spaces if not record.hides(fraction)]
    if not leaks:
        return
    names = [f"{record.name!r} (hold-out {record.holdout:g})" for record in leaks]
    hint = (
        f"train, embed or smooth again with holdout {fraction:g} (spaces of another split"
        " have hold-out 0), or use other spaces"
    )
    imported = [record.name for record in leaks if record.origin == "imported"]
    if imported:
        hint += (
            f"; load {', '.join(imported)} again with text_only if the vectors were made without"
            " citations"
        )
    raise LeakError(
        f"{', '.join(names)}: may have seen citations that a hold-out of {fraction:g} hides", hint
    )
