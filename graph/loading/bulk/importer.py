"""Resolution of the tables of all shards to one graph, its files for the importer, and the import.

The rules are those of `graph.loading.record_writer` and `graph.loading.supplement_writer`, as SQL
(resolve.sql) for all records at once. Of several records of a paper, the one of highest rank
counts; parts that it leaves to other records come from the best record that has the part. Of
several names of a node, the last in alphabetical order is used. Of several supplementary citations,
the one of highest rank replaces the details in the record. So the result does not depend on any
order. An author's `identified` depends on the id alone in every format.

The files are Parquet, with a number for each node, so that the importer need not look up ids. The
importer takes a list as one text, whose items are separated by a character that no item contains.
"""

import os
import re
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

import psutil
import pyarrow as pa

from specter_graph.core.errors import InputError, extra
from specter_graph.core.progress import Progress
from specter_graph.graph.loading.bulk.columns import TABLES
from specter_graph.graph.loading.summary import LoadSummary
from specter_graph.graph.server.exclusive_access import ExclusiveServer
from specter_graph.graph.server.process import stop
from specter_graph.loaders.records import sample_key

with extra("bulk"):
    import duckdb

_MIB = 2**20

_CANDIDATES = (*range(0x1F, 0x1B, -1), *range(0xE000, 0xF900))
"""Unicode's separators of units, records, groups and files, then its private-use characters."""

_FILE = re.compile(r"^-- (?P<kind>nodes|relationships) (?P<name>\S+)\n(?P<query>[^;]+);", re.M)

_POLL_INTERVAL = 0.5


@contextmanager
def resolved(
    parts: Sequence[Path],
    work: Path,
    *,
    load: int,
    times: tuple[datetime, datetime] | None,
    drop_dangling: bool,
) -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield the resolved tables.

    Args:
        parts: Folders with the tables of shards.
        work: Folder for temporary data that exceed the memory.
        load: Number of the load.
        times: Begin and end of reading, for the Load node; None for no Load node.
        drop_dangling: Skip citations of papers without a record.
    """
    with duckdb.connect(":memory:") as tables:
        tables.execute("SET memory_limit = ?", [f"{memory_mib()}MiB"])
        tables.execute("SET temp_directory = ?", [str(work / "spilled")])
        for name in TABLES:
            _open_table(
                tables, name, [p for part in parts if (p := part / f"{name}.parquet").exists()]
            )
        tables.create_function(  # type: ignore[call-overload]
            "sample_key", _make_sample_keys, ["VARCHAR"], "BIGINT", type="arrow"
        )
        began, ended = (time.isoformat() for time in times) if times else (None, None)
        for name, value in {
            "load": load,
            "drop_dangling": drop_dangling,
            "began": began,
            "ended": ended,
            "loaded": datetime.now(UTC).isoformat(),
        }.items():
            tables.execute(f"SET VARIABLE {name} = ?", [value])
        tables.execute(_read_sql("resolve"))
        yield tables


def memory_mib() -> int:
    """Return the memory limit of the tables: an eighth of the machine's, at least 512 MiB."""
    return max(psutil.virtual_memory().total // _MIB // 8, 512)


def count_items(tables: duckdb.DuckDBPyConnection, summary: LoadSummary) -> None:
    """Count the items: each is new, or a duplicate of an item of higher rank."""
    for items, distinct in tables.execute(_read_sql("counts")).fetchall():
        summary.new += distinct
        summary.duplicates += items - distinct


def _read_sql(name: str) -> str:
    return files(__package__).joinpath(f"{name}.sql").read_text(encoding="utf-8")


def _open_table(tables: duckdb.DuckDBPyConnection, name: str, paths: Sequence[Path]) -> None:
    if paths:
        tables.read_parquet([str(path) for path in paths]).create_view(name)
    else:
        nothing = pa.schema(list(TABLES[name].items())).empty_table()
        tables.from_arrow(nothing).create(name)


def _make_sample_keys(ids: pa.ChunkedArray) -> pa.Array:
    return pa.array([sample_key(key) for key in ids.to_pylist()], pa.int64())


@dataclass(frozen=True, slots=True)
class ImportFile:
    """A file of nodes or relationships; `name` is their labels (A or A:B) or their type."""

    kind: str
    name: str
    path: Path


def write_files(tables: duckdb.DuckDBPyConnection, folder: Path) -> tuple[list[ImportFile], str]:
    """Write all files that have rows; return them and the character that separates items."""
    separator = _choose_separator(tables)
    tables.execute(f"CREATE MACRO joined(texts) AS array_to_string(texts, chr({ord(separator)}))")
    written = []
    for number, file in enumerate(_FILE.finditer(_read_sql("files")), 1):
        path = folder / f"{number:02}-{file['name'].replace(':', '-')}.parquet"
        target = str(path).replace("'", "''")
        copy = f"COPY ({file['query']}) TO '{target}' (FORMAT parquet, COMPRESSION uncompressed)"
        [(rows,)] = tables.execute(copy).fetchall()
        if rows:
            written.append(ImportFile(file["kind"], file["name"], path))
    return written, separator


def _choose_separator(tables: duckdb.DuckDBPyConnection) -> str:
    """Return a character that no item of a list contains."""
    used = "SELECT count(*) FROM lists WHERE contains(array_to_string(texts, ''), ?)"
    for candidate in map(chr, _CANDIDATES):
        if tables.execute(used, [candidate]).fetchall() == [(0,)]:
            return candidate
    raise InputError(
        "the contexts of citations contain every character that could separate them",
        "do not load in bulk",
    )


def import_files(
    server: ExclusiveServer,
    home: Path,
    files: Sequence[ImportFile],
    separator: str,
    progress: Progress,
) -> None:
    """Import the files of `write_files` into a home that has no database yet.

    Raises:
        ServerError: The importer fails; the message has the end of its output.
    """
    arguments = [
        "--input-type=parquet",
        "--id-type=actual",
        f"--array-delimiter=U+{ord(separator):04X}",
        "--path-pattern-style=none",
        _mark(server.home),
        *(_make_argument(file, home) for file in files),
    ]
    started = time.monotonic()
    with ThreadPoolExecutor(1) as threads:
        importing = threads.submit(server.import_into, home, *arguments)
        while wait([importing], timeout=_POLL_INTERVAL).not_done:
            progress("import (s)", round(time.monotonic() - started), None)
        importing.result()


def kill_stale_workers(home: Path) -> None:
    """Stop the processes of an interrupted bulk load into this home."""
    marks = {_mark(home), worker_mark(home)}
    for process in psutil.process_iter(["cmdline"]):
        if marks.intersection(process.info["cmdline"] or ()) and process.pid != os.getpid():
            stop(process)


def worker_mark(home: Path) -> str:
    """Return the argument that identifies the worker processes of a home."""
    return f"--home={home}"


def _mark(home: Path) -> str:
    """Return the argument that identifies the importer of a home: its report file."""
    return f"--report-file={home / 'bulk' / 'import.report'}"


def _make_argument(file: ImportFile, home: Path) -> str:
    """Return a relative path: the importer would split a path at a comma."""
    path = os.path.relpath(file.path, home)
    return f"--{file.kind}={file.name}={path}"
