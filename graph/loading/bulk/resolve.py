"""From the tables of all parts to one graph: each thing once, each node a number.

The rules are those of `graph.loading.record_writer` and `graph.loading.supplement_writer`, in SQL
(resolve.sql) for all records at once: of several records of a paper that of greatest rank counts,
and what the others say is not in the graph, but for parts that it leaves elsewhere; of several
names the last in the order of the alphabet stays; of several tellings of a citation that of
greatest rank, which knows better than the record. So the result does not depend on any order.
`identified` goes with the id of an author in every format.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from importlib.resources import files
from pathlib import Path

import psutil
import pyarrow as pa

from specter_graph.core.errors import extra
from specter_graph.graph.loading.bulk.columns import TABLES
from specter_graph.graph.loading.summary import LoadSummary
from specter_graph.loaders.records import draw

with extra("bulk"):
    import duckdb

_MIB = 2**20

_TOLD = """
SELECT count(*), (SELECT count(*) FROM record) FROM papers
UNION ALL SELECT count(*), count(DISTINCT (citing, cited)) FROM citations
UNION ALL SELECT count(*), count(DISTINCT id) FROM abstracts
UNION ALL SELECT count(*), count(*) FROM labelled
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
    """The tables of all parts, resolved; what does not fit into memory is below `work`.

    `times` are those of the Load node, when its files began and had ended to be read, None for no
    such node.
    """
    with duckdb.connect(":memory:") as tables:
        tables.execute("SET memory_limit = ?", [f"{_memory()}MiB"])
        tables.execute("SET temp_directory = ?", [str(work / "spilled")])
        for name in TABLES:
            _open(tables, name, [p for part in parts if (p := part / f"{name}.parquet").exists()])
        tables.create_function(  # type: ignore[call-overload]
            "draw", _draws, ["VARCHAR"], "BIGINT", type="arrow"
        )
        began, ended = (time.isoformat() for time in times) if times else (None, None)
        for name, value in {
            "load": load,
            "drop_dangling": drop_dangling,
            "began": began,
            "ended": ended,
        }.items():
            tables.execute(f"SET VARIABLE {name} = ?", [value])
        for statement in _statements():
            tables.execute(statement)
        yield tables


def count_items(tables: duckdb.DuckDBPyConnection, summary: LoadSummary) -> None:
    """Say what became of the items: all are new, but those that others said better."""
    for items, distinct in tables.execute(_TOLD).fetchall():
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
    """MiB: an eighth of the machine's."""
    return max(int(psutil.virtual_memory().total / _MIB / 8), 512)


def _draws(ids: pa.ChunkedArray) -> pa.Array:
    return pa.array([draw(key) for key in ids.to_pylist()], pa.int64())
