"""Brings a database to the schema of this version: numbered files, applied once and recorded."""

import re
from dataclasses import dataclass
from importlib.resources import files

from neo4j.exceptions import ClientError

from specter_graph.cypher import statement
from specter_graph.graph.connection import Database

_FILE = re.compile(r"V(?P<version>\d{4})__(?P<name>\w+)\.cypher")
_INDEX_WAIT_S = 600
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


def migrations() -> list[Migration]:
    """Every migration of this version of the program, in order."""
    names = (entry.name for entry in files("specter_graph.cypher").joinpath("schema").iterdir())
    found = (_FILE.fullmatch(name) for name in names)
    return sorted(Migration(int(m["version"]), m["name"]) for m in found if m)


def apply_schema(db: Database) -> list[Migration]:
    """Apply the migrations that the database lacks and wait for their indexes.

    Returns those applied. Safe when two processes do it at once: each statement of a migration
    leaves alone what is there, and a migration is recorded under a unique key.
    """
    applied = {row["version"] for row in db.read(statement("schema/applied").text)}
    missing = [migration for migration in migrations() if migration.version not in applied]
    for migration in missing:
        for text in migration.statements:
            _apply(db, text)
        db.write(statement("schema/record").text, version=migration.version, name=migration.name)
    if missing:
        db.commit(statement("schema/await").text, seconds=_INDEX_WAIT_S)
    return missing


def _apply(db: Database, text: str) -> None:
    try:
        db.write(text)
    except ClientError as error:
        # IF NOT EXISTS looks before it locks: another process may come between.
        if error.code != _ALREADY_THERE:
            raise
