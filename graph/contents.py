"""Counts, checks and the fingerprint of the content of the graph."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from difflib import get_close_matches
from hashlib import sha256

from specter_graph.core.errors import GraphError
from specter_graph.graph.database import Database, instance_option
from specter_graph.graph.identifier_lookup import find_papers
from specter_graph.loaders.records import SAMPLE_PRIME

_READERS = 4
"""Parts of the graph that are read at the same time for the fingerprint."""

_MAX_LENGTH = 100
"""Longer ids are not looked up as identifiers, and not compared with others."""


def is_empty(db: Database) -> bool:
    """Return True if the graph has no nodes except those of the schema."""
    return bool(db.value("maintenance/is_empty"))


def require_papers(db: Database) -> None:
    """Raise GraphError with the name of the server if the graph has no papers."""
    if db.read("maintenance/counts")[0]["papers"]:
        return
    raise no_papers(f"{db.place} has no papers", db.instance, db.others)


def no_papers(problem: str, instance: str | None, others: Sequence[str]) -> GraphError:
    """Return the error for a server without papers; its hint names the other local servers."""
    known = f"; other instances: {', '.join(others)}" if others else ""
    return GraphError(problem, f"specter-graph load auto FILE{instance_option(instance)}{known}")


def unknown_paper(db: Database, paper_id: str) -> GraphError:
    """Return the error for an unknown paper id; the hint has its id, similar ids, or a command.

    Raises:
        GraphError: The graph has no papers.
    """
    require_papers(db)
    hint = f"find its id: specter-graph search TITLE{db.option}"
    if len(paper_id) <= _MAX_LENGTH:
        if known := find_papers(db, [paper_id]):
            hint = f"use its id: {known[paper_id]}"
        elif similar := _find_similar_ids(db, paper_id):
            hint = f"use one of the similar ids: {', '.join(similar)}"
    return GraphError(f"there is no paper {paper_id!r}", hint)


def _find_similar_ids(db: Database, paper_id: str) -> list[str]:
    """Return up to three similar ids that share a prefix with this one."""
    for shorter in (2**step for step in range(_MAX_LENGTH.bit_length())):
        if shorter >= len(paper_id):
            break
        rows = db.read("embeddings/ids_from", prefix=paper_id[:-shorter], limit=200)
        if similar := get_close_matches(paper_id, [row["id"] for row in rows], n=3):
            return similar
    return []


def corpus_fingerprint(db: Database) -> str:
    """Return a digest of the papers, their records and their citations: 16 hexadecimal digits.

    It does not depend on the order of loading, on vectors or on hold-outs. It takes one pass over
    the citations on the server, with several cores. It detects accidental differences, not
    forgeries.
    """

    def read(part: int) -> dict[str, int]:
        [row] = db.read("maintenance/corpus", prime=SAMPLE_PRIME, part=part, parts=_READERS)
        return row

    with ThreadPoolExecutor(_READERS) as threads:
        rows = [*threads.map(read, range(_READERS))]
    sums = {name: sum(row[name] for row in rows) for name in rows[0]}
    for name in ("drawn", "records", "cited"):
        sums[name] %= SAMPLE_PRIME
    return sha256(repr(sorted(sums.items())).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class GraphCounts:
    """Counts of nodes and relationships.

    Attributes:
        papers: Papers with a record.
        stubs: Papers that are cited but have no record.
        citations: Citations of papers with a record.
        citations_to_stubs: Citations of stubs. Stubs may also cite, if citations were loaded from
            separate files.
        authors: Authors.
        venues: Venues.
        fields: Fields of study.
        spaces: Names of the embedding spaces.
    """

    papers: int
    stubs: int
    citations: int
    citations_to_stubs: int
    authors: int
    venues: int
    fields: int
    spaces: list[str]


def stats(db: Database) -> GraphCounts:
    """Count nodes and relationships; fast at any size."""
    [row] = db.shared("counts", lambda: db.read("maintenance/counts"))
    return GraphCounts(**row)
