"""Files that others send, read in limited processes: bibliographies, drafts, lists of a venue."""

from collections.abc import Callable, Iterable, Mapping
from itertools import islice
from pathlib import Path
from typing import Any

import orjson

from specter_graph.core.errors import InputError, extra
from specter_graph.core.limited_processes import MEMORY, LimitedProcesses
from specter_graph.loaders import open_corpus
from specter_graph.loaders.records import Identifier, Paper, Reject
from specter_graph.matching.io import (
    read_bids,
    read_conflicts,
    read_reviewers,
    read_submissions,
)

with extra("formats"):
    from specter_graph.loaders.formats.drafts import Draft, read_draft

_SECONDS = 10.0

_LIST_SECONDS = 60.0
_LIST_MEMORY = 32
"""Bytes of memory for each byte of a list, beside MEMORY."""

MODULES = (
    "specter_graph.uploads",
    *(f"specter_graph.loaders.formats.{name}" for name in ("bibtex", "csl", "ris")),
)
"""What a limited process imports for `bibliography`, `draft` and `check_list`."""

_READ: Mapping[str, Callable[[Path, list[str]], list[Any]]] = {
    "submissions": read_submissions,
    "reviewers": read_reviewers,
    "bids": read_bids,
    "conflicts": read_conflicts,
}


class UploadError(InputError):
    """A file that takes more memory or time to read than it may."""


def bibliography(limited: LimitedProcesses, file: Path, form: str, most: int) -> list[Paper]:
    """Read the titles and identifiers of the entries of a bibliography.

    Raises InputError where it has more than `most` entries, UploadError where reading it takes
    too much.
    """
    return _papers(orjson.loads(_run(limited, "entries_as_json", str(file), form, most)))


def draft(limited: LimitedProcesses, file: Path, most: int) -> Draft:
    """Read the text of a LaTeX file and what it cites, without any file beside it.

    Raises InputError for a file that is not LaTeX, or that cites more than `most` papers,
    UploadError where reading it takes too much.
    """
    text, entries, unread = orjson.loads(_run(limited, "draft_as_json", str(file), most))
    return Draft(text, tuple(_papers(entries)), tuple(unread))


def check_list(limited: LimitedProcesses, file: Path, what: str) -> None:
    """Raise InputError, with the line, for a list of a venue that cannot be read.

    Raises UploadError where reading it takes too much.
    """
    memory = MEMORY + _LIST_MEMORY * file.stat().st_size
    _run(limited, "read_list", str(file), what, seconds=_LIST_SECONDS, memory=memory)


def _run(
    limited: LimitedProcesses,
    function: str,
    *arguments: object,
    seconds: float = _SECONDS,
    memory: int | None = None,
) -> bytes:
    memory = MEMORY if memory is None else memory
    try:
        return limited.run(f"{__name__}:{function}", *arguments, seconds=seconds, memory=memory)
    except MemoryError as error:
        raise UploadError(
            f"the file needs more than {memory // 2**20} MiB of memory to be read", "a part of it"
        ) from error
    except TimeoutError as error:
        raise UploadError(
            f"the file takes longer than {seconds:g} seconds to be read", "a part of it"
        ) from error


def entries(file: Path, form: str, most: int | None = None) -> list[Paper | Reject]:
    """Read the entries of a bibliography, also those that cannot be used.

    Raises InputError where it has more than `most` entries.
    """
    read = (
        each
        for each in open_corpus(form, file)
        if isinstance(each, Paper) or (isinstance(each, Reject) and not each.repaired)
    )
    found = list(islice(read, None if most is None else most + 1))
    if most is not None and len(found) > most:
        raise InputError(f"the bibliography has more than {most:,} entries", "a part of it")
    return found


def entries_as_json(file: str, form: str, most: int) -> bytes:
    """Read the keys, titles and identifiers of the entries of a bibliography, as JSON."""
    found = entries(Path(file), form, most)
    return orjson.dumps(_rows(each for each in found if isinstance(each, Paper)))


def draft_as_json(file: str, most: int) -> bytes:
    """Read the text of a LaTeX file, what it cites, and what was not read, as JSON."""
    found = read_draft(Path(file), single_file=True)
    if len(found.entries) > most:
        raise InputError(f"the draft cites more than {most:,} papers", "a part of it")
    return orjson.dumps((found.text, _rows(found.entries), found.unread))


def _rows(papers: Iterable[Paper]) -> list[tuple[str, str, list[tuple[str, str]]]]:
    return [
        (each.id, each.title, [(one.scheme, one.value) for one in each.identifiers])
        for each in papers
    ]


def _papers(rows: list[Any]) -> list[Paper]:
    return [
        Paper(key, title, identifiers=tuple(Identifier(*each) for each in identifiers))
        for key, title, identifiers in rows
    ]


def read_list(file: str, what: str) -> bytes:
    """Read a list of a venue, to see whether it can be read."""
    _READ[what](Path(file), [])
    return b""
