"""The report of a merge: a file with one JSON object a line."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import orjson

from specter_graph.core.files import complete_file
from specter_graph.graph.deduplication.conflicts import Conflict
from specter_graph.graph.deduplication.told import Member
from specter_graph.graph.deduplication.united import United

Tell: TypeAlias = Callable[[dict[str, Any]], None]


@contextmanager
def report_file(path: Path | None) -> Iterator[Tell]:
    """A file for the lines of a report, there when it is complete; None takes them and is quiet.

    Raises InputError when it cannot be written.
    """
    if path is None:
        yield lambda line: None
        return
    with complete_file(path) as unfinished, unfinished.open("wb") as file:

        def tell(line: dict[str, Any]) -> None:
            file.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))

        yield tell


def united_line(kind: str, united: United, members: Sequence[Member]) -> dict[str, Any]:
    """What became one, which id each property is of, and what others say of it."""
    paper = united.paper.id
    return {
        "kind": kind,
        "paper": paper,
        "absorbed": sorted(member.id for member in members if member.id != paper),
        "sources": {member.id: member.source for member in sorted(members, key=lambda m: m.id)},
        "won": united.won,
        "differing": united.differing,
    }


def conflict_line(conflict: Conflict) -> dict[str, Any]:
    """What was not made one, and why."""
    return {
        "kind": "conflict",
        "papers": list(conflict.papers),
        "reason": conflict.reason,
        "values": conflict.values,
    }
