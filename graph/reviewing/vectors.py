"""Vectors of submissions, on their nodes, in the embedding spaces of the papers."""

from collections.abc import Sequence

from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import (
    Vectors,
    read_vectors,
    stale,
    text_hash,
    write_vectors,
)
from specter_graph.graph.reviewing.list_venues import submission_id
from specter_graph.graph.reviewing.read import submissions
from specter_graph.loaders.records import PaperText


def stale_submissions(db: Database, venue: str, space: str, digest: str) -> list[PaperText]:
    """The texts, by the venue's ids, whose vector is missing, or of another text or model.

    `digest` is that of the model that made the space.
    """
    texts = [PaperText(each.id, each.title, each.abstract) for each in submissions(db, venue)]
    of = {submission_id(venue, text.id): text for text in texts}
    hashes = ((key, text_hash(digest, text)) for key, text in of.items())
    return [of[key] for key in stale(db, space, hashes, of="Submission")]


def write_submission_vectors(
    db: Database,
    venue: str,
    space: str,
    texts: Sequence[PaperText],
    vectors: Vectors,
    digest: str,
) -> None:
    """Store vectors, (n, d) float32, of texts by a model with that digest."""
    ids = [submission_id(venue, text.id) for text in texts]
    hashes = [text_hash(digest, text) for text in texts]
    write_vectors(db, space, ids, vectors, hashes, of="Submission")


def read_submission_vectors(
    db: Database, venue: str, space: str, keys: Sequence[str]
) -> tuple[list[str], Vectors]:
    """Of submissions those that have a vector, in their order, and (n, d) float32 of these.

    Raises GraphError where there is no such space.
    """
    ids = [submission_id(venue, key) for key in keys]
    found, vectors = read_vectors(db, space, ids, of="Submission")
    return [key.removeprefix(f"{venue}/") for key in found], vectors
