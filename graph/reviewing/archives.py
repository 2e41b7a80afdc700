"""Papers of reviewers' archives: what matching reads beside the literature.

An archive is a venue's, not the literature's: its papers are nodes of another label, connected with
their authors by another relationship, so that no search, query, export, hold-out or training finds
them. A paper that the literature has, under the same id or an identifier (a DOI), is read there.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import neo4j
import numpy as np

from specter_graph.core.batching import batches
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.embeddings.spaces import Label, Vectors, read_vectors
from specter_graph.graph.loading.record_writer import Forgotten, delete_orphans
from specter_graph.graph.reviewing.read import ReviewerPaper
from specter_graph.graph.schema import apply_schema
from specter_graph.loaders.records import Paper, PaperText, draw

_PAPERS = 500


def land_archives(db: Database, papers: Iterable[Paper]) -> None:
    """Write papers of archives with their authors; the same again changes nothing."""
    apply_schema(db)
    rows = [
        {"id": paper.id, "properties": _properties(paper), "authors": _authors(paper)}
        for paper in sorted(papers, key=lambda paper: paper.id)
    ]
    for some in batches(rows, _PAPERS):
        db.transaction(partial(_write, rows=some))


def by_label(papers: Iterable[ReviewerPaper]) -> dict[Label, list[str]]:
    """Return the ids of papers, each once and in order: of the literature, then of archives."""
    found: dict[Label, set[str]] = {"Paper": set(), "ArchivePaper": set()}
    for each in papers:
        found["ArchivePaper" if each.archived else "Paper"].add(each.paper)
    return {label: sorted(ids) for label, ids in found.items()}


def texts_of(
    db: Database, label: Label, ids: Sequence[str], parts: Sequence[str] = ()
) -> Iterator[PaperText]:
    """Yield the texts of papers of the literature or of archives; see `texts.paper_texts`."""
    if label == "Paper":
        yield from paper_texts(db, ids, parts)
        return
    text = statement("reviewing/archive_texts").text
    for some in batches(sorted({*ids}), _PAPERS):
        for row in db.read(text, ids=some, parts=list(parts)):
            yield PaperText(**row | {"authors": tuple(row["authors"])})


def titles_of(db: Database, ids: Sequence[str]) -> dict[str, str]:
    """Return the titles of papers of the literature and of archives, by id."""
    labels: tuple[Label, ...] = ("ArchivePaper", "Paper")
    return {text.id: text.title for label in labels for text in texts_of(db, label, ids)}


def read_paper_vectors(
    db: Database, space: str, papers: dict[Label, list[str]]
) -> tuple[list[str], Vectors]:
    """Return the ids of those papers that have a vector, in order, and (n, d) float32 of these."""
    found = [read_vectors(db, space, ids, label) for label, ids in papers.items()]
    return [key for ids, _ in found for key in ids], np.concatenate([each for _, each in found])


def _properties(paper: Paper) -> dict[str, object]:
    return {
        "title": paper.title,
        "abstract": paper.abstract,
        "year": paper.year,
        "venue": paper.venue.name if paper.venue else None,
        "topics": [field.name or field.id for field in paper.fields],
        "schemes": [each.scheme for each in paper.identifiers],
        "values": [each.value for each in paper.identifiers],
        "draw": draw(paper.id),
    }


def _authors(paper: Paper) -> list[dict[str, object]]:
    return [
        {"id": each.id, "name": each.name, "identified": each.identified, "position": position}
        for position, each in enumerate(paper.authors, 1)
    ]


def _write(tx: neo4j.ManagedTransaction, rows: list[dict[str, Any]]) -> None:
    before = tx.run(statement("reviewing/archive_papers").text, papers=rows).data()
    delete_orphans(tx, Forgotten(authors={key for row in before for key in row["authors"]}))
