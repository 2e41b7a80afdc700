"""Delete papers, corpora and readers, and nodes without other connections.

A paper that others still cite, or that readers have, becomes a stub again: it keeps its id and
nothing else. Authors, venues, fields and identifiers without other connections are deleted too.
Combined papers are restored to their members first: the other members remain, as separate papers,
until the next merge.

Each batch is one transaction. Run an interrupted deletion again to complete it.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

import neo4j
import orjson

from specter_graph.core.batching import batches
from specter_graph.core.errors import GraphError
from specter_graph.core.progress import Progress, silent
from specter_graph.cypher import statement
from specter_graph.graph.checks import unknown_paper
from specter_graph.graph.database import Database
from specter_graph.graph.deduplication.merge import merge_lock, restore_batches
from specter_graph.graph.loading.record_writer import Forgotten, delete_orphans
from specter_graph.graph.paging import id_pages

_PAPERS = 500
_READINGS = 10_000


@dataclass(slots=True)
class Deleted:
    """Counts of deleted papers with records and of readers.

    `restored` combined papers had such members and have been restored to them.
    """

    papers: int = 0
    readers: int = 0
    restored: int = 0


@dataclass(frozen=True, slots=True)
class CorpusSize:
    """How much of the graph a corpus is: papers with records, stubs, readers."""

    papers: int
    stubs: int
    readers: int


def delete_papers(db: Database, ids: Iterable[str], progress: Progress = silent) -> Deleted:
    """Delete papers with all that their records say; an id of a merged paper means all of it.

    Raises GraphError, before anything of a batch is deleted, for an id that there is not.
    """
    deleted = Deleted()
    with merge_lock(db):
        _read_all_files_again(db)
        for some in batches(ids, _PAPERS):
            _require_papers(db, some)
            members = db.write(statement("deduplication/members").text, papers=some)
            _delete_some(db, sorted({*some, *(row["id"] for row in members)}), deleted)
            progress("delete", deleted.papers, None)
    return deleted


def delete_members(db: Database, ids: Iterable[str], progress: Progress = silent) -> Deleted:
    """Delete the records of these ids; the other members of combined papers remain."""
    deleted = Deleted()
    with merge_lock(db):
        _read_all_files_again(db)
        for some in batches(ids, _PAPERS):
            _delete_some(db, sorted(some), deleted)
            progress("delete", deleted.papers, None)
    return deleted


def corpus_size(db: Database, name: str) -> CorpusSize:
    """How large a corpus is.

    It is the papers of the source `name`, and the papers and readers whose ids begin with `name:`.
    Raises GraphError, naming the sources, when there is no such thing.
    """
    [row] = db.read(
        statement("maintenance/corpus_size").text, corpus=name, source=_source_in_json(name)
    )
    size = CorpusSize(**row)
    if size == CorpusSize(0, 0, 0):
        sources = [row["source"] for row in db.read(statement("maintenance/sources").text)]
        raise GraphError(
            f"nothing in the graph is of the source {name!r} or has an id that begins with"
            f" {name + ':'!r}",
            (f"there are the sources {', '.join(sources)}; " if sources else "")
            + "papers of jsonl and CSV files have none, only the prefix of their load, if any",
        )
    return size


def delete_corpus(db: Database, name: str, progress: Progress = silent) -> Deleted:
    """Delete a corpus; see `corpus_size` for what it is.

    Vocabularies that were loaded by themselves stay.
    """
    corpus_size(db, name)
    source = _source_in_json(name)
    deleted = Deleted()
    with merge_lock(db):
        _read_all_files_again(db)
        groups = statement("maintenance/corpus_groups").text
        papers = [row["paper"] for row in db.read(groups, corpus=name, source=source)]
        deleted.restored = restore_batches(db, papers)
        for page in id_pages(db, "maintenance/corpus_page", corpus=name):
            for some in batches(page, _PAPERS):
                _delete_some(db, some, deleted)
                progress("delete", deleted.papers, None)
    for readers in id_pages(db, "maintenance/corpus_readers", corpus=name):
        deleted.readers += delete_readers(db, readers).readers
    return deleted


def delete_readers(db: Database, ids: Sequence[str]) -> Deleted:
    """Delete readers with all that they viewed and keep, and stubs that only they named.

    Raises GraphError, before anything is deleted, for an id that there is not.
    """
    known = {row["id"] for row in db.read(statement("maintenance/known_readers").text, ids=ids)}
    for reader in ids:
        if reader not in known:
            raise GraphError(f"there is no reader {reader!r}", "ids are as the files gave them")
    for reader in known:
        while db.transaction(partial(_unread, reader=reader)):
            pass
        db.write(statement("maintenance/delete_reader").text, id=reader)
    return Deleted(readers=len(known))


def _source_in_json(name: str) -> str:
    return orjson.dumps({"source": name}).decode()[1:-1]


def _read_all_files_again(db: Database) -> None:
    """An unfinished load, run again, must bring back what it is not known to have lost."""
    db.commit(statement("maintenance/forget_parts").text)


def _require_papers(db: Database, ids: Sequence[str]) -> None:
    known = {row["id"] for row in db.read(statement("maintenance/known_papers").text, ids=ids)}
    for paper in ids:
        if paper not in known:
            raise unknown_paper(db, paper)


def _delete_some(db: Database, ids: Sequence[str], deleted: Deleted) -> None:
    [row] = db.read(statement("loading/canonical_papers").text, ids=ids)
    deleted.restored += restore_batches(db, sorted(set(row["papers"])))
    deleted.papers += db.transaction(partial(_unwrite, ids=ids))


def _unwrite(tx: neo4j.ManagedTransaction, ids: Sequence[str]) -> int:
    """Make stubs of papers and return how many had records."""
    forgotten = Forgotten(stubs={*ids})
    papers = 0
    for row in tx.run(statement("maintenance/unwrite").text, ids=ids).data():
        papers += row["recorded"]
        forgotten.stubs.update(row["cited"])
        forgotten.authors.update(row["authors"])
        forgotten.affiliated.update(row["affiliated"])
        forgotten.venues.update(row["venues"])
        forgotten.fields.update((scheme, key) for scheme, key in row["fields"])
        forgotten.identifiers.update((scheme, value) for scheme, value in row["identifiers"])
    delete_orphans(tx, forgotten)
    return papers


def _unread(tx: neo4j.ManagedTransaction, reader: str) -> bool:
    """Delete some readings of a reader; whether there were any."""
    row = tx.run(statement("maintenance/unread").text, id=reader, rows=_READINGS).data()[0]
    delete_orphans(tx, Forgotten(stubs={*row["papers"]}))
    return bool(row["readings"])
