"""Brings a database to the schema of this version: numbered files, applied once and recorded.

Each migration is a node (:Schema {version, name, checksum, program, applied}): `checksum` is the
SHA-256 of the file, `program` the version of specter-graph that applied it. The database of an
older program is brought up to date by the next command, that of a newer one is refused.

A migration that is applied is never changed: a test holds the checksums of all of them. Where a
recorded checksum differs all the same, users are not told: the database has what it needs, and
they could do nothing about it.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from importlib.metadata import version as version_of
from importlib.resources import files
from time import monotonic, sleep
from typing import Any

from neo4j.exceptions import ClientError, Neo4jError

from specter_graph.core.errors import GraphError
from specter_graph.cypher import statement
from specter_graph.graph.database import Database

_FOLDER = files("specter_graph.cypher").joinpath("schema")
_FILE = re.compile(r"V(?P<version>\d{4})__(?P<name>\w+)\.cypher")
_POLL_S = 0.2
_STALLED_S = 6 * 3_600
"""An index whose percentage has not moved for so long is given up."""
_REBUILD = "put right what it says, drop the index, and run the command again"
_LOCK_S = 3_600
"""The server ends a migration after so long, also one whose machine is gone without a word."""
_ALREADY_THERE = "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists"


@dataclass(frozen=True, slots=True, order=True)
class Migration:
    """One file cypher/schema/V0001__name.cypher; its statements are separated by `;`."""

    version: int
    name: str

    @property
    def statements(self) -> list[str]:
        """The statements, in order; each must be harmless when it runs a second time."""
        text = statement(f"schema/V{self.version:04}__{self.name}").text
        return [part.strip() for part in re.split(r";\s*\n", text) if part.strip()]

    @property
    def checksum(self) -> str:
        """SHA-256 of the file as UTF-8 with line feeds, whatever the machine's line ends are."""
        path = _FOLDER.joinpath(f"V{self.version:04}__{self.name}.cypher")
        return sha256(path.read_text(encoding="utf-8").encode()).hexdigest()


def migrations() -> list[Migration]:
    """Every migration of this version of the program, in order."""
    found = (_FILE.fullmatch(entry.name) for entry in _FOLDER.iterdir())
    return sorted(Migration(int(m["version"]), m["name"]) for m in found if m)


def schema_version(db: Database) -> int:
    """The number of the last migration that a database has had; 0 for none."""
    return max(_applied(db), default=0)


def apply_schema(db: Database) -> list[Migration]:
    """Apply the migrations that the database lacks and wait for their indexes.

    The full-text index is made in the background: Neo4j lets searches wait for it.

    Returns those applied. Of two processes one waits for the other; what one that was killed has
    begun, the next completes. Raises GraphError, and changes nothing, when a newer program made
    the database; and when a migration fails on what the database holds.
    """
    if not _missing(_applied(db)):
        return []
    with _locked(db):
        applied = _applied(db)  # another process may have been at work meanwhile
        missing = _missing(applied)
        new = [migration for migration in missing if migration.version not in applied]
        steps = [(migration, text) for migration in new for text in migration.statements]
        # A full-text index is made in the background, with all processors, so it goes last; for
        # that no later migration may drop one.
        last = [step for step in steps if "CREATE FULLTEXT INDEX" in step[1]]
        for migration, text in steps:
            if (migration, text) not in last:
                _apply(db, migration, text)
        if new:
            rows = db.read(statement("schema/range_indexes").text)
            await_indexes(db, [row["name"] for row in rows])
        for migration, text in last:
            _apply(db, migration, text)
        _record(db, missing)
    return new


def _applied(db: Database) -> dict[int, dict[str, Any]]:
    return {row["version"]: row for row in db.read(statement("schema/applied").text)}


def _missing(applied: Mapping[int, Mapping[str, Any]]) -> list[Migration]:
    """The migrations that are still to be applied, or to be recorded with their checksums."""
    known = {migration.version: migration for migration in migrations()}
    for version, row in sorted(applied.items()):
        if version not in known or known[version].name != row["name"]:
            raise _newer(version, row)
    return [
        migration
        for version, migration in known.items()
        if version not in applied or applied[version]["checksum"] is None
    ]


def _newer(version: int, row: Mapping[str, Any]) -> GraphError:
    program = row["program"] or "of a newer version"
    return GraphError(
        f"this database was made by specter-graph {program}: its schema has migration {version}"
        f" ({row['name']}), which this program ({program_version()}) does not know",
        f"install specter-graph {row['program'] or ''}".rstrip()
        + " or newer, or use another database",
    )


def program_version() -> str:
    """The version of specter-graph that is installed."""
    return version_of("specter-graph")


def _apply(db: Database, migration: Migration, text: str) -> None:
    try:
        _run(db, text)
    except Neo4jError as error:
        raise GraphError(
            f"the database cannot be brought to migration {migration.version}"
            f" ({migration.name}): {error.message}",
            "put right what it says, and run the command again: it goes on from there",
        ) from error


def await_indexes(
    db: Database, names: Collection[str], progress: Callable[[float], None] = lambda _: None
) -> None:
    """Wait until indexes are online, however long the server builds them.

    `progress` gets the percentage of the slowest one. Raises GraphError for an index that failed
    or is not there, and when none has grown for six hours.
    """
    text, reached, moved = statement("schema/index_states").text, -1.0, monotonic()
    while True:
        rows = db.read(text, names=[*names])
        for row in rows:
            if row["state"] == "FAILED":
                raise GraphError(f"the index {row['name']} failed: {row['failure']}", _REBUILD)
        if lost := {*names} - {row["name"] for row in rows}:
            raise GraphError(f"the index {min(lost)} was dropped while it was built", _REBUILD)
        waiting = [row["percent"] for row in rows if row["state"] != "ONLINE"]
        if not waiting:
            return
        if sum(waiting) - 100 * len(waiting) != reached:
            reached, moved = sum(waiting) - 100 * len(waiting), monotonic()
        elif monotonic() - moved > _STALLED_S:
            raise GraphError(
                f"{len(waiting)} indexes have not grown for {_STALLED_S // 3_600} hours,"
                f" {min(waiting):.0f} % are built",
                "read the server's log, then run the command again",
            )
        progress(min(waiting))
        sleep(_POLL_S)


def _record(db: Database, done: Iterable[Migration]) -> None:
    rows = [
        {"version": each.version, "name": each.name, "checksum": each.checksum} for each in done
    ]
    db.write(statement("schema/record").text, migrations=rows, program=program_version())


@contextmanager
def _locked(db: Database) -> Iterator[None]:
    """One process at a time.

    The lock is a node that is made and never committed: the server undoes it when the connection
    ends, so a process that is killed leaves no lock behind.
    """
    _run(db, statement("schema/lockable").text)
    with db.driver.session(database=db.name) as session:
        lock = session.begin_transaction(timeout=_LOCK_S)
        try:
            try:
                lock.run(statement("schema/lock").text).consume()
            except Neo4jError as error:
                raise GraphError(
                    f"another process is changing the schema of this database: {error.message}",
                    "wait for it, or end it, and run the command again",
                ) from error
            yield
        finally:
            lock.close()


def _run(db: Database, text: str) -> None:
    run = db.commit if "IN TRANSACTIONS" in text else db.write
    try:
        run(text)
    except ClientError as error:
        # IF NOT EXISTS looks before it locks: another process may come between.
        if error.code != _ALREADY_THERE:
            raise
