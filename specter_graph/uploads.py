"""Uploaded files, read in processes with limits: bibliographies, drafts, lists of a venue."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from specter_graph.core.errors import InputError
from specter_graph.core.limited_processes import MEMORY, LimitedProcesses
from specter_graph.loaders.corpus import read_bibliography
from specter_graph.loaders.formats.drafts import Draft, read_draft
from specter_graph.loaders.formats.drafts import cited_entries as cited_entries  # for service/
from specter_graph.loaders.records import Paper, Reject
from specter_graph.matching.io import easychair
from specter_graph.matching.io.lists import read_bids, read_conflicts, read_reviewers
from specter_graph.matching.io.openreview import read_archives
from specter_graph.matching.io.rows import ReadReport
from specter_graph.matching.io.submissions import read_submissions

_ENTRIES, _DRAFT = TypeAdapter(list[Paper | Reject]), TypeAdapter(Draft)
_TIMEOUT = 10.0

_LIST_TIMEOUT = 60.0
_LIST_MEMORY = 32
"""Additional bytes of memory for each byte of a list."""

MODULES = (
    "specter_graph.uploads",
    *(f"specter_graph.loaders.formats.{name}" for name in ("bibtex", "csl", "ris")),
)
"""Modules that a limited process imports in advance."""

_READ: Mapping[str, Callable[[Path, ReadReport], list[Any]]] = {
    "submissions": read_submissions,
    "reviewers": read_reviewers,
    "bids": read_bids,
    "conflicts": read_conflicts,
}


class UploadError(InputError):
    """Reading a file exceeded the limit of memory or time."""


def bibliography(
    limited: LimitedProcesses, file: Path, format: str, limit: int | None
) -> tuple[list[Paper], list[Reject]]:
    """Read the entries of a bibliography, and its invalid entries.

    Raises:
        InputError: The bibliography has more than `limit` entries.
        UploadError: Reading it exceeds the limits.
    """
    records = _ENTRIES.validate_json(_run(limited, "entries_as_json", str(file), format, limit))
    return (
        [record for record in records if isinstance(record, Paper)],
        [record for record in records if isinstance(record, Reject)],
    )


def draft(limited: LimitedProcesses, file: Path, limit: int) -> Draft:
    """Read the text and the citations of a LaTeX file, without the files that it includes.

    Raises:
        InputError: The file is not LaTeX, or cites more than `limit` papers.
        UploadError: Reading it exceeds the limits.
    """
    return _DRAFT.validate_json(_run(limited, "draft_as_json", str(file), limit))


def check_list(limited: LimitedProcesses, file: Path, kind: str) -> None:
    """Check that a list of a venue, or the folder of its archives, can be read.

    Raises:
        InputError: The list is invalid; the message names the line.
        UploadError: Reading it exceeds the limits.
    """
    files = file.iterdir() if file.is_dir() else [file]
    more = _LIST_MEMORY * sum(each.stat().st_size for each in files)
    _run(limited, "read_list", str(file), kind, timeout=_LIST_TIMEOUT, more_memory=more)


def _run(
    limited: LimitedProcesses,
    function: str,
    *arguments: object,
    timeout: float = _TIMEOUT,
    more_memory: int = 0,
) -> bytes:
    memory = MEMORY + more_memory
    try:
        return limited.run(f"{__name__}:{function}", *arguments, timeout=timeout, memory=memory)
    except MemoryError as error:
        raise UploadError(
            f"the file needs more than {memory // 2**20} MiB of memory to be read",
            "use a smaller file",
        ) from error
    except TimeoutError as error:
        raise UploadError(
            f"the file takes longer than {timeout:g} seconds to be read", "use a smaller file"
        ) from error


def entries_as_json(file: str, format: str, limit: int | None) -> bytes:
    """Read the entries of a bibliography, as JSON."""
    return _ENTRIES.dump_json(read_bibliography(file, format, limit))


def draft_as_json(file: str, limit: int) -> bytes:
    """Read the text, the citations and the unread file names of a LaTeX file, as JSON."""
    draft = read_draft(Path(file), single_file=True)
    if len(draft.entries) > limit:
        raise InputError(f"the draft cites more than {limit:,} papers", "use a smaller file")
    return _DRAFT.dump_json(draft)


def read_list(file: str, kind: str) -> bytes:
    """Read a list of a venue, or the folder of its archives, to validate it."""
    path = Path(file)
    if kind == "archives":
        read_archives(path)
    else:
        _READ[kind](path, ReadReport())
    if kind == "submissions" and easychair.has_submissions(path):
        raise InputError(
            "the authors of EasyChair's submissions are in a second file, author.csv",
            "specter-graph match load, with both files in one folder",
        )
    return b""
