"""Papers of reviewers' archives, which matching reads in addition to the literature.

An archive belongs to a venue. Its papers are nodes with the label `ArchivePaper`, and a
relationship of another type connects them with their authors. Searches, queries, exports, hold-outs
and training therefore never read them. If the literature has the same paper, by its id or by an
identifier such as a DOI, matching reads the paper of the literature instead.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import neo4j
import numpy as np

from specter_graph.core.progress import batches
from specter_graph.core.vectors import Vectors
from specter_graph.graph.database import Database, run_statement
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.embeddings.spaces import Label, read_vectors
from specter_graph.graph.loading.record_writer import Orphans, delete_orphans
from specter_graph.graph.reviewing.venue_data import ReviewerPaper
from specter_graph.loaders.records import Paper, PaperText, sample_key

_BATCH = 500


def import_archives(db: Database, papers: Iterable[Paper]) -> None:
    """Write papers of archives with their authors. Writing the same papers changes nothing."""
    rows = [
        {"id": paper.id, "properties": _list_properties(paper), "authors": _list_authors(paper)}
        for paper in sorted(papers, key=lambda paper: paper.id)
    ]
    for batch in batches(rows, _BATCH):
        db.transaction(partial(_write_papers, rows=batch))


def group_by_label(papers: Iterable[ReviewerPaper]) -> dict[Label, list[str]]:
    """Return the sorted ids of papers, each once: of the literature, then of archives."""
    ids: dict[Label, set[str]] = {"Paper": set(), "ArchivePaper": set()}
    for paper in papers:
        ids["ArchivePaper" if paper.archived else "Paper"].add(paper.paper)
    return {label: sorted(own) for label, own in ids.items()}


def read_texts(
    db: Database, label: Label, ids: Sequence[str], parts: Sequence[str] = ()
) -> Iterator[PaperText]:
    """Yield the texts of papers of the literature or of archives; see `paper_texts`."""
    if label == "Paper":
        yield from paper_texts(db, ids, parts)
        return
    for batch in batches(sorted({*ids}), _BATCH):
        for row in db.read("reviewing/archive_texts", ids=batch, parts=list(parts)):
            yield PaperText(**row | {"authors": tuple(row["authors"])})


def read_titles(db: Database, ids: Sequence[str]) -> dict[str, str]:
    """Return the titles of papers of the literature and of archives, by id."""
    literature, archived = read_titles_by_label(db, ids)
    return archived | literature


def read_titles_by_label(db: Database, ids: Sequence[str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the titles of papers of the literature, and those of papers of archives, by id."""
    labels: tuple[Label, ...] = ("Paper", "ArchivePaper")
    literature, archived = (
        {text.id: text.title for text in read_texts(db, label, ids)} for label in labels
    )
    return literature, archived


def read_paper_vectors(
    db: Database, space: str, papers: dict[Label, list[str]]
) -> tuple[list[str], Vectors]:
    """Return the ids of the papers that have a vector, and these vectors, (n, d) float32."""
    ids, vectors = zip(
        *(read_vectors(db, space, own, label) for label, own in papers.items()), strict=True
    )
    return [key for own in ids for key in own], np.concatenate(vectors)


def _list_properties(paper: Paper) -> dict[str, object]:
    return {
        "title": paper.title,
        "abstract": paper.abstract,
        "year": paper.year,
        "venue": paper.venue.name if paper.venue else None,
        "topics": [field.name or field.id for field in paper.fields],
        "schemes": [identifier.scheme for identifier in paper.identifiers],
        "values": [identifier.value for identifier in paper.identifiers],
        "sample_key": sample_key(paper.id),
    }


def _list_authors(paper: Paper) -> list[dict[str, object]]:
    return [
        {"id": each.id, "name": each.name, "identified": each.identified, "position": position}
        for position, each in enumerate(paper.authors, 1)
    ]


def _write_papers(tx: neo4j.ManagedTransaction, rows: list[dict[str, Any]]) -> None:
    before = run_statement(tx, "reviewing/archive_papers", papers=rows)
    delete_orphans(tx, Orphans(authors={key for row in before for key in row["authors"]}))
