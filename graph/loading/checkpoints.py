"""Remembers, in the graph, which files a load has done: after a kill they are not read again."""

from dataclasses import dataclass
from hashlib import blake2b

from specter_graph.cypher import statement
from specter_graph.graph.database import Database


def load_number(key: str) -> int:
    """What names a load in the graph: the same for the same corpus, positive, 63 bits."""
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), "big") >> 1


@dataclass(frozen=True, slots=True)
class LoadRun:
    """One of the times that a load is run to its end, kills or not.

    `load` names the load; `number` names this run, and marks the papers that it writes: in another
    run of the same load they are replaced. `earlier` are the numbers of the runs before it, `done`
    the keys of the files that it has done, `rejected` how many of their records were rejected.
    """

    load: int
    number: int
    earlier: tuple[int, ...] = ()
    done: frozenset[str] = frozenset()
    rejected: int = 0


def begin_load(db: Database, load: int, *, changes: bool) -> LoadRun:
    """Begin a load, or go on with it if it has not ended.

    One that has ended, run again, is the same run, in which nothing is replaced; but of a source
    that `changes` it is a new one.
    """
    [row] = db.write(statement("loading/begin").text, load=load, changes=changes)
    runs = [load, *(load_number(f"{load} {run}") for run in range(1, row["run"] + 1))]
    return LoadRun(load, runs[-1], tuple(runs[:-1]), frozenset(row["done"]), row["rejected"])


def part_done(db: Database, load: int, key: str, rejected: int = 0) -> None:
    """Note that all of a file is in the graph, but for so many records."""
    db.write(statement("loading/part_done").text, load=load, key=key, rejected=rejected)


def end_load(db: Database, load: int) -> None:
    """Note that a load is complete."""
    db.write(statement("loading/end").text, load=load)
