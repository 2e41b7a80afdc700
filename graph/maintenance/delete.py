"""Delete papers, corpora, readers and venues, and nodes without other connections.

A paper that others still cite, or that readers have, becomes a stub again: it keeps its id and
nothing else. Authors, venues, fields and identifiers without other connections are deleted too.
Combined papers are restored to their members first: the other members remain, as separate papers,
until the next merge.

With a venue go the papers of archives of which no author reviews for a venue any more; papers of
the literature stay.

Each batch is one transaction. Run an interrupted deletion again to complete it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import neo4j
import orjson

from specter_graph.core.errors import GraphError, text_list
from specter_graph.core.progress import Progress, batches, silent
from specter_graph.graph.contents import unknown_paper
from specter_graph.graph.database import Database, id_pages, run_statement
from specter_graph.graph.deduplication.merge import merge_lock, restore_batches
from specter_graph.graph.loading.record_writer import Orphans, delete_orphans
from specter_graph.graph.reviewing.profiles import forget_profiles
from specter_graph.graph.reviewing.venue_data import require_venue, submission_id

_PAPERS = 500
_READINGS = 10_000
_OF_VENUE = 200

_ROWS = 20_000


@dataclass(slots=True)
class DeleteCounts:
    """Counts of a deletion.

    Attributes:
        papers: Deleted papers with records.
        readers: Deleted readers.
        restored: Merged papers that were restored to their records because one was deleted.
    """

    papers: int = 0
    readers: int = 0
    restored: int = 0


@dataclass(frozen=True, slots=True)
class CorpusCounts:
    """The numbers of papers with records, stubs and readers of a corpus."""

    papers: int
    stubs: int
    readers: int


def delete_papers(db: Database, ids: Iterable[str], *, progress: Progress = silent) -> DeleteCounts:
    """Delete papers with all data of their records, and their vectors.

    Args:
        db: The graph.
        ids: The papers. The id of a merged paper deletes it with all its records; the id of another
            of its records deletes this record only, and the others become separate papers.
        progress: Called with the number of deleted papers.

    Raises:
        GraphError: There is no paper with an id; nothing of its batch is deleted.
    """
    ids = text_list("ids", ids)
    deleted = DeleteCounts()
    with merge_lock(db):
        _read_all_files_again(db)
        for some in batches(ids, _PAPERS):
            _require_papers(db, some)
            members = db.write("deduplication/members", papers=some)
            ids_of_some = sorted({*some, *(row["id"] for row in members)})
            _delete_batch(db, ids_of_some, deleted, progress)
    return deleted


def delete_members(db: Database, ids: Iterable[str], progress: Progress) -> DeleteCounts:
    """Delete the records of these ids; the other members of combined papers remain."""
    deleted = DeleteCounts()
    with merge_lock(db):
        _read_all_files_again(db)
        for some in batches(ids, _PAPERS):
            _delete_batch(db, sorted(some), deleted, progress)
    return deleted


def count_corpus(db: Database, name: str) -> CorpusCounts:
    """Count the papers of the source `name`, and papers and readers whose ids begin with `name:`.

    Raises:
        GraphError: There are none; the hint lists the sources.
    """
    [row] = db.read("maintenance/corpus_size", corpus=name, source=_source_in_json(name))
    size = CorpusCounts(**row)
    if size == CorpusCounts(0, 0, 0):
        sources = [row["source"] for row in db.read("maintenance/sources")]
        raise GraphError(
            f"no paper has the source {name!r}, and no id begins with {name + ':'!r}",
            (f"use a source ({', '.join(sources)}), or " if sources else "use ")
            + "the prefix with which jsonl or CSV files were loaded",
        )
    return size


def delete_corpus(db: Database, name: str, *, progress: Progress = silent) -> DeleteCounts:
    """Delete the papers and readers of a corpus, as `count_corpus` counts them.

    Vocabularies that were loaded separately remain.

    Raises:
        GraphError: There is no such corpus.
    """
    count_corpus(db, name)
    source = _source_in_json(name)
    deleted = DeleteCounts()
    with merge_lock(db):
        _read_all_files_again(db)
        papers = [
            row["paper"] for row in db.read("maintenance/corpus_groups", corpus=name, source=source)
        ]
        deleted.restored = restore_batches(db, papers)
        for page in id_pages(db, "maintenance/corpus_page", corpus=name):
            for some in batches(page, _PAPERS):
                _delete_batch(db, some, deleted, progress)
    for readers in id_pages(db, "maintenance/corpus_readers", corpus=name):
        deleted.readers += delete_readers(db, readers).readers
    return deleted


def delete_readers(db: Database, ids: Sequence[str]) -> DeleteCounts:
    """Delete readers with everything that they viewed or saved, and stubs that only they read.

    Raises:
        GraphError: There is no reader with an id; nothing is deleted.
    """
    ids = text_list("ids", ids)
    known = {row["id"] for row in db.read("maintenance/known_readers", ids=ids)}
    for reader in ids:
        if reader not in known:
            raise GraphError(f"there is no reader {reader!r}", "use an id as in the loaded files")
    for reader in known:
        while db.transaction(partial(_delete_readings, reader=reader)):
            pass
        db.write("maintenance/delete_reader", id=reader)
    return DeleteCounts(readers=len(known))


def _source_in_json(name: str) -> str:
    return orjson.dumps({"source": name}).decode()[1:-1]


def _read_all_files_again(db: Database) -> None:
    """Let an unfinished load, run again, read its files again: their papers may be deleted."""
    db.commit("maintenance/forget_loaded_files")


def _require_papers(db: Database, ids: Sequence[str]) -> None:
    known = {row["id"] for row in db.read("maintenance/known_papers", ids=ids)}
    for paper in ids:
        if paper not in known:
            raise unknown_paper(db, paper)


def _delete_batch(
    db: Database, ids: Sequence[str], deleted: DeleteCounts, progress: Progress
) -> None:
    [row] = db.read("loading/canonical_papers", ids=ids)
    deleted.restored += restore_batches(db, sorted(set(row["papers"])))
    deleted.papers += db.transaction(partial(_make_stubs, ids=ids))
    progress("delete", deleted.papers, None)


def _make_stubs(tx: neo4j.ManagedTransaction, ids: Sequence[str]) -> int:
    """Make stubs of papers and return how many had records."""
    orphans = Orphans(stubs={*ids})
    papers = 0
    for row in run_statement(tx, "maintenance/make_stubs", ids=ids):
        papers += row["recorded"]
        orphans.stubs.update(row["cited"])
        orphans.add_former_relationships(row)
    delete_orphans(tx, orphans)
    return papers


def _delete_readings(tx: neo4j.ManagedTransaction, reader: str) -> bool:
    """Delete some readings of a reader; return True if there were any."""
    [row] = run_statement(tx, "maintenance/delete_readings", id=reader, rows=_READINGS)
    delete_orphans(tx, Orphans(stubs={*row["papers"]}))
    return bool(row["readings"])


def clear(db: Database) -> None:
    """Delete all nodes, relationships and vector indexes; the schema remains.

    Run an interrupted call again to complete it.
    """
    for row in db.read("maintenance/vector_indexes"):
        db.write("embeddings/drop_index", name=row["name"])
    # Relationships first: a node with all its relationships could exceed a transaction.
    db.commit("maintenance/relationships", rows=_ROWS)
    db.commit("maintenance/nodes", rows=_ROWS)


def drop_stubs(db: Database) -> None:
    """Delete all stubs and their citations, except stubs in reading lists."""
    db.commit("loading/drop_dangling", rows=_ROWS)


def delete_venue(db: Database, venue: str) -> None:
    """Delete a venue with its submissions, reviewers and authors that belong to it alone.

    If it was interrupted, run it again. Raises GraphError for an unknown venue.
    """
    require_venue(db, venue)
    forget_profiles(db, venue)
    for remove in (_remove_submissions, _remove_reviewers):
        while db.transaction(partial(remove, venue=venue)):
            pass
    db.write("reviewing/delete_venue", venue=venue)


def remove_submissions(db: Database, venue: str, submissions: Iterable[str]) -> int:
    """Remove submissions from a venue, by the ids that it gave; return how many it had."""
    ids = [submission_id(venue, key) for key in submissions]
    remove = partial(_remove_submissions, venue=venue)
    return sum(db.transaction(partial(remove, ids=batch)) for batch in batches(ids, _OF_VENUE))


def _remove_submissions(
    tx: neo4j.ManagedTransaction, venue: str, ids: Sequence[str] | None = None
) -> int:
    """Remove some submissions; return how many."""
    rows = run_statement(tx, "reviewing/remove_submissions", venue=venue, ids=ids, limit=_OF_VENUE)
    forgotten = Orphans()
    for row in rows:
        forgotten.stubs.update(row["papers"])
        forgotten.authors.update(row["authors"])
    delete_orphans(tx, forgotten)
    return len(rows)


def _remove_reviewers(tx: neo4j.ManagedTransaction, venue: str) -> int:
    rows = run_statement(tx, "reviewing/remove_reviewers", venue=venue, limit=_OF_VENUE)
    authors = {row["author"] for row in rows}
    archives = run_statement(tx, "reviewing/remove_archives", authors=sorted(authors))
    authors.update(author for row in archives for author in row["authors"])
    delete_orphans(tx, Orphans(authors=authors))
    return len(rows)
