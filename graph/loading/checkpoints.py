"""Store in the graph which files a load has completed: an interrupted load skips them."""

from dataclasses import dataclass
from hashlib import blake2b

from specter_graph.cypher import statement
from specter_graph.graph.database import Database


def load_number(key: str) -> int:
    """Return the number of a load in the graph: 63 bits, the same for the same corpus."""
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), "big") >> 1


@dataclass(frozen=True, slots=True)
class LoadRun:
    """One complete run of a load, with its interruptions.

    `load` identifies the load; `number` identifies this run and marks the papers that it writes:
    another run of the same load replaces them. `earlier` are the numbers of the runs before it,
    `done` the keys of the files that it has completed, `rejected` their number of rejected records.
    """

    load: int
    number: int
    earlier: tuple[int, ...] = ()
    done: frozenset[str] = frozenset()
    rejected: int = 0


def begin_load(db: Database, load: int, *, changes: bool) -> LoadRun:
    """Begin a load, or continue it if it has not ended.

    A load that has ended and is run again is the same run, in which nothing is replaced, or, for a
    source that `changes`, a new one.
    """
    [row] = db.write(statement("loading/begin").text, load=load, changes=changes)
    runs = [load, *(load_number(f"{load} {run}") for run in range(1, row["run"] + 1))]
    return LoadRun(load, runs[-1], tuple(runs[:-1]), frozenset(row["done"]), row["rejected"])


def part_done(db: Database, load: int, key: str, rejected: int = 0) -> None:
    """Store that a file is in the graph, except this number of rejected records."""
    db.write(statement("loading/part_done").text, load=load, key=key, rejected=rejected)


def end_load(db: Database, load: int) -> None:
    """Store that a load is complete."""
    db.write(statement("loading/end").text, load=load)
