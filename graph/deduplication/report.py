"""The report of a merge: a file with one JSON object a line."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import orjson

from specter_graph.core.atomic_files import complete_file
from specter_graph.graph.deduplication.combine import CombinedRecord
from specter_graph.graph.deduplication.conflicts import Conflict
from specter_graph.graph.deduplication.members import Member

WriteLine: TypeAlias = Callable[[dict[str, Any]], None]


@contextmanager
def report_file(path: Path | None) -> Iterator[WriteLine]:
    """Open a report, which appears when it is complete, for lines; with None, ignore the lines.

    Raises InputError when it cannot be written.
    """
    if path is None:
        yield lambda line: None
        return
    with complete_file(path) as unfinished, unfinished.open("wb") as file:

        def write(line: dict[str, Any]) -> None:
            file.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))

        yield write


def combined_line(kind: str, combined: CombinedRecord, members: Sequence[Member]) -> dict[str, Any]:
    """Describe a combined paper: the member that each property is from, and where they differ."""
    paper = combined.paper.id
    return {
        "kind": kind,
        "paper": paper,
        "absorbed": sorted(member.id for member in members if member.id != paper),
        "sources": {member.id: member.source for member in sorted(members, key=lambda m: m.id)},
        "won": combined.won,
        "differing": combined.differing,
    }


def conflict_line(conflict: Conflict) -> dict[str, Any]:
    """Describe a conflict."""
    return {
        "kind": "conflict",
        "papers": list(conflict.papers),
        "reason": conflict.reason,
        "values": conflict.values,
    }
