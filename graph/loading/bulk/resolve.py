"""Resolution of the tables of all shards to one graph, in which each node has a number.

The rules are those of `graph.loading.record_writer` and `graph.loading.supplement_writer`, as SQL
(resolve.sql) for all records at once. Of several records of a paper, the one of highest rank
counts; parts that it leaves to other records come from the best record that has the part. Of
several names of a node, the last in alphabetical order is used. Of several supplementary citations,
the one of highest rank replaces the details in the record. So the result does not depend on any
order. An author's `identified` depends on the id alone in every format.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path

import psutil
import pyarrow as pa

from specter_graph.core.errors import extra
from specter_graph.graph.loading.bulk.columns import TABLES
from specter_graph.graph.loading.summary import LoadSummary
from specter_graph.loaders.records import sample_key

with extra("bulk"):
    import duckdb

_MIB = 2**20

_COUNTS = """
SELECT count(*), (SELECT count(*) FROM record) FROM papers
UNION ALL SELECT count(*), count(DISTINCT (citing, cited)) FROM citations
UNION ALL SELECT count(*), count(DISTINCT id) FROM abstracts
UNION ALL SELECT count(*), count(*) FROM labeled
UNION ALL SELECT count(*), count(DISTINCT (scheme, id)) FROM vocabulary
UNION ALL SELECT count(*), (SELECT count(*) FROM reading) FROM readings
"""


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
        tables.execute("SET memory_limit = ?", [f"{_memory()}MiB"])
        tables.execute("SET temp_directory = ?", [str(work / "spilled")])
        for name in TABLES:
            _open(tables, name, [p for part in parts if (p := part / f"{name}.parquet").exists()])
        tables.create_function(  # type: ignore[call-overload]
            "sample_key", _sample_keys, ["VARCHAR"], "BIGINT", type="arrow"
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
        for statement in _statements():
            tables.execute(statement)
        yield tables


def count_items(tables: duckdb.DuckDBPyConnection, summary: LoadSummary) -> None:
    """Count the items: each is new, or a duplicate of an item of higher rank."""
    for items, distinct in tables.execute(_COUNTS).fetchall():
        summary.new += distinct
        summary.duplicates += items - distinct


def _open(tables: duckdb.DuckDBPyConnection, name: str, paths: Sequence[Path]) -> None:
    if paths:
        tables.read_parquet([str(path) for path in paths]).create_view(name)
    else:
        nothing = pa.schema(list(TABLES[name].items())).empty_table()
        tables.from_arrow(nothing).create(name)


def _statements() -> list[str]:
    text = files(__package__).joinpath("resolve.sql").read_text(encoding="utf-8")
    return [part for part in re.split(r";\s*\n", text) if part.strip()]


def _memory() -> int:
    """Return an eighth of the machine's memory, in MiB."""
    return max(int(psutil.virtual_memory().total / _MIB / 8), 512)


def _sample_keys(ids: pa.ChunkedArray) -> pa.Array:
    return pa.array([sample_key(key) for key in ids.to_pylist()], pa.int64())
