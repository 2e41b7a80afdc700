"""The completed files of a load, stored in the graph: a resumed load skips them."""

from dataclasses import dataclass
from hashlib import blake2b

from specter_graph.cypher import statement
from specter_graph.graph.database import Database


def load_number(key: str) -> int:
    """Return the number of a load in the graph: 63 bits, the same for the same corpus."""
    return int.from_bytes(blake2b(key.encode(), digest_size=8).digest(), "big") >> 1


@dataclass(frozen=True, slots=True)
class LoadRun:
    """One run of a load, including its interruptions.

    Attributes:
        load: Identifies the load.
        number: Identifies this run; the papers that it writes are marked with it, and another run
            of the same load replaces them.
        earlier: Numbers of the earlier runs.
        done: Keys of the completed files.
        rejected: Rejected records of these files.
    """

    load: int
    number: int
    earlier: tuple[int, ...] = ()
    done: frozenset[str] = frozenset()
    rejected: int = 0


def begin_load(db: Database, load: int, *, changes: bool) -> LoadRun:
    """Begin a load, or continue it if it has not ended.

    A load that has ended and is run again is a new run if its source `changes`; otherwise it is the
    same run, which replaces nothing.
    """
    [row] = db.write(statement("loading/begin").text, load=load, changes=changes)
    runs = [load, *(load_number(f"{load} {run}") for run in range(1, row["run"] + 1))]
    return LoadRun(load, runs[-1], tuple(runs[:-1]), frozenset(row["done"]), row["rejected"])


def file_done(db: Database, load: int, key: str, rejected: int = 0) -> None:
    """Store that a file has been loaded, with its number of rejected records."""
    db.write(statement("loading/file_done").text, load=load, key=key, rejected=rejected)


def end_load(db: Database, load: int) -> None:
    """Store that a load is complete."""
    db.write(statement("loading/end").text, load=load)
