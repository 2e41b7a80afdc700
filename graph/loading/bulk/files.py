"""The files that Neo4j's importer reads, written from the resolved tables.

They are Parquet with a number for each node, so that the importer need not look ids up. It takes a
list as one text, its items separated by a character that stands in none of them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from specter_graph.core.errors import InputError, extra

with extra("bulk"):
    import duckdb

_CANDIDATES = (*range(0x1F, 0x1B, -1), *range(0xE000, 0xF900))
"""Unicode's separators of units, records, groups and files, then its characters for private use."""

_FILE = re.compile(r"^-- (?P<kind>nodes|relationships) (?P<name>\S+)\n(?P<query>[^;]+);", re.M)


@dataclass(frozen=True, slots=True)
class ImportFile:
    """A file of nodes with labels (A or A:B), or of relationships of a type."""

    kind: str
    name: str
    path: Path


def write_files(tables: duckdb.DuckDBPyConnection, folder: Path) -> tuple[list[ImportFile], str]:
    """Write all files that have something in them; and the character that separates items."""
    separator = _separator(tables)
    tables.execute(f"CREATE MACRO joined(texts) AS array_to_string(texts, chr({ord(separator)}))")
    return list(_written(tables, folder)), separator


def _written(tables: duckdb.DuckDBPyConnection, folder: Path) -> Iterator[ImportFile]:
    text = files(__package__).joinpath("files.sql").read_text(encoding="utf-8")
    for number, file in enumerate(_FILE.finditer(text), 1):
        path = folder / f"{number:02}-{file['name'].replace(':', '-')}.parquet"
        target = str(path).replace("'", "''")
        copy = f"COPY ({file['query']}) TO '{target}' (FORMAT parquet, COMPRESSION uncompressed)"
        [(rows,)] = tables.execute(copy).fetchall()
        if rows:
            yield ImportFile(file["kind"], file["name"], path)


def _separator(tables: duckdb.DuckDBPyConnection) -> str:
    """A character that no item of a list has in it."""
    used = "SELECT count(*) FROM lists WHERE contains(array_to_string(texts, ''), ?)"
    for candidate in map(chr, _CANDIDATES):
        if tables.execute(used, [candidate]).fetchall() == [(0,)]:
            return candidate
    raise InputError(
        "the contexts of citations have every character in them that could separate them",
        "load without --bulk",
    )
