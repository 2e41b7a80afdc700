"""Schema migrations: numbered files that are applied once and recorded in the database.

Each migration is a node (:Schema {version, name, program, applied}): `program` is the version of
specter-graph that applied it. The next command migrates the database of an older program. The
database of a newer program is rejected. Released migrations are never changed; a test checks this.
"""

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass
from importlib.metadata import version as version_of
from importlib.resources import files
from time import sleep
from typing import Any

from neo4j.exceptions import ClientError, Neo4jError

from specter_graph.core.errors import GraphError
from specter_graph.cypher import statement
from specter_graph.graph.database import Database

_FOLDER = files("specter_graph.cypher").joinpath("schema")
_FILE = re.compile(r"V(?P<version>\d{4})__(?P<name>\w+)\.cypher")
_FIRST_WAIT, _MAX_WAIT = 0.01, 0.2
"""Seconds between two looks at the state of an index; the wait doubles."""
_REBUILD_HINT = "fix the reported problem, and run the command again: it builds the index"
_LOCK_TIMEOUT = 3_600
"""Seconds after which the server ends a migration, for example if its client has disappeared."""
_ALREADY_EXISTS = "Neo.ClientError.Schema.EquivalentSchemaRuleAlreadyExists"


@dataclass(frozen=True, slots=True, order=True)
class Migration:
    """A file cypher/schema/V0001__name.cypher with statements separated by `;`."""

    version: int
    name: str

    @property
    def statements(self) -> list[str]:
        """The statements, in order; each must be idempotent."""
        text = statement(f"schema/V{self.version:04}__{self.name}").text
        return [part.strip() for part in re.split(r";\s*\n", text) if part.strip()]


def migrations() -> list[Migration]:
    """Return the migrations of this version of the program, in order."""
    matches = (_FILE.fullmatch(entry.name) for entry in _FOLDER.iterdir())
    return sorted(Migration(int(m["version"]), m["name"]) for m in matches if m)


def schema_version(db: Database) -> int:
    """Return the number of the last migration of a database; 0 for none."""
    return max(_read_applied(db), default=0)


def apply_schema(db: Database, *, may_have_nodes: bool = True) -> list[Migration]:
    """Apply the missing migrations and wait for their indexes, except full-text indexes.

    Full-text indexes are built in the background: Neo4j lets searches wait for them. Only one
    process migrates at a time. An interrupted migration is completed by the next run.

    Args:
        db: The database.
        may_have_nodes: Accept a database without migrations whose nodes have labels of
            specter-graph, as after Neo4j's importer; otherwise another program made them.

    Returns:
        The applied migrations.

    Raises:
        GraphError: A newer program made the database, or a migration fails on its content, or
            another program made nodes with our labels.
    """
    applied = _read_applied(db)
    if not _list_missing(applied):
        return []
    if not (applied or may_have_nodes):
        _require_no_nodes(db)
    _run_text(db, statement("schema/lockable").text)
    with db.lock("schema/lock", _LOCK_TIMEOUT):  # one process migrates at a time
        applied = _read_applied(db)  # another process may have applied some meanwhile
        missing = _list_missing(applied)
        # Only a database that an older program migrated has anything to convert.
        steps = [
            (migration, text)
            for migration in missing
            for text in migration.statements
            if applied or not text.startswith("MATCH")
        ]
        # A full-text index is built in the background with all processors, so it is created last;
        # therefore, no later migration may drop one.
        last = [step for step in steps if "CREATE FULLTEXT INDEX" in step[1]]
        for migration, text in steps:
            if (migration, text) not in last:
                _apply(db, migration, text)
        if missing:
            rows = db.read("schema/range_indexes")
            await_indexes(db, [row["name"] for row in rows])
        for migration, text in last:
            _apply(db, migration, text)
        rows = [asdict(migration) for migration in missing]
        db.write("schema/record", migrations=rows, program=program_version())
    return missing


def _require_no_nodes(db: Database) -> None:
    for row in db.read("schema/foreign_nodes"):
        raise GraphError(
            f"the database has nodes (:{':'.join(row['labels'])}) that specter-graph did not make",
            "use a database without such nodes, or a local server, which is an instance",
        )


def _read_applied(db: Database) -> dict[int, dict[str, Any]]:
    return {row["version"]: row for row in db.read("schema/applied")}


def _list_missing(applied: Mapping[int, Mapping[str, Any]]) -> list[Migration]:
    """Return the migrations that are not applied."""
    known = {migration.version: migration for migration in migrations()}
    for version, row in sorted(applied.items()):
        if version not in known or known[version].name != row["name"]:
            raise _newer_error(version, row)
    return [migration for version, migration in known.items() if version not in applied]


def _newer_error(version: int, row: Mapping[str, Any]) -> GraphError:
    program = row["program"] or "of a newer version"
    return GraphError(
        f"this database was made by specter-graph {program}: its schema has migration {version}"
        f" ({row['name']}), which this program ({program_version()}) does not know",
        f"install specter-graph {row['program'] or ''}".rstrip()
        + " or newer, or use another database",
    )


def program_version() -> str:
    """Return the installed version of specter-graph."""
    return version_of("specter-graph")


def _apply(db: Database, migration: Migration, text: str) -> None:
    try:
        _run_text(db, text)
    except Neo4jError as error:
        raise GraphError(
            f"the database cannot be brought to migration {migration.version}"
            f" ({migration.name}): {error.message}",
            "fix the reported problem, then run the command again: it continues from there",
        ) from error


def await_indexes(
    db: Database, names: Collection[str], progress: Callable[[float], None] = lambda _: None
) -> None:
    """Wait until indexes are online.

    A failed index is dropped, because it remains failed, and so blocks a new one of its name.

    Args:
        db: The graph.
        names: Names of indexes.
        progress: Called with the percentage of the slowest index.

    Raises:
        GraphError: An index failed or is missing.
    """
    wait = _FIRST_WAIT
    while True:
        rows = db.read("schema/index_states", names=[*names])
        for row in rows:
            if row["state"] == "FAILED":
                db.write("embeddings/drop_index", name=row["name"])
                failure, *_ = row["failure"].splitlines()  # a stack trace of Java follows
                raise GraphError(f"the index {row['name']} failed: {failure}", _REBUILD_HINT)
        if missing_names := {*names} - {row["name"] for row in rows}:
            raise GraphError(
                f"the index {min(missing_names)} was dropped while it was built", _REBUILD_HINT
            )
        waiting = [row["percent"] for row in rows if row["state"] != "ONLINE"]
        if not waiting:
            return
        progress(min(waiting))
        sleep(wait)
        wait = min(2 * wait, _MAX_WAIT)


def _run_text(db: Database, text: str) -> None:
    run = db.commit if "IN TRANSACTIONS" in text else db.write
    try:
        run(text)
    except ClientError as error:
        # IF NOT EXISTS checks before it locks, so another process may create the index first.
        if error.code != _ALREADY_EXISTS:
            raise
