"""A corpus: files, or what an API gives, read as one stream of records."""

import os
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from os import PathLike
from pathlib import Path

from specter_graph.core.errors import InputError
from specter_graph.loaders.detect import recognise
from specter_graph.loaders.files import find_files
from specter_graph.loaders.format_api import WHOLE, Count, Format, Found, Ignored, Problem, Share
from specter_graph.loaders.formats import NAMES, find_format
from specter_graph.loaders.parsing.field_values import shown
from specter_graph.loaders.prefix import check_prefix, prefixed
from specter_graph.loaders.records import EndOfFile, Filtered, Item, Paper, Read, Reject, UnknownKey
from specter_graph.loaders.validation import checked

_SMALL = 2**21
"""Bytes; one process reads a part of less quicker than several."""

Keep = Callable[[Paper], bool]


@dataclass(frozen=True, slots=True)
class Part:
    """A file, or a part of what an API gives: read as a whole, or again from its start.

    `key` tells it, as it is now, from any other; `size` is in bytes, 0 where nobody knows; `seen`
    says in a few words what it is. `read_share` is there where several processes can read it at
    once.
    """

    name: str
    key: str
    size: int
    read: Callable[[Count], Iterator[tuple[int, Found]]]
    seen: str = ""
    read_share: Callable[[Count, Share], Iterator[tuple[int, Found]]] | None = None


@dataclass(frozen=True, slots=True)
class Piece:
    """A part, or a share of it: what one of several processes reads."""

    key: str
    part: Part
    share: Share = WHOLE

    @property
    def size(self) -> int:
        """In bytes, 0 where nobody knows."""
        return self.part.size // self.share.of


class Corpus:
    """Iterate over it to get the records of all parts, in order; each iteration reads anew."""

    def __init__(
        self,
        parts: Sequence[Part],
        *,
        prefix: str | None = None,
        full_text: bool = False,
        keep: Keep | None = None,
    ) -> None:
        self.parts = parts
        self._prefix = prefix
        self._full_text = full_text
        self._keep = keep
        self._done = 0

    @property
    def key(self) -> str:
        """Tells this corpus from any other: its files as they are now, read as we do now."""
        from importlib.metadata import version  # a tenth of the start of any command

        options = f"{self._prefix} {self._full_text} {self._keep} {version('specter-graph')}"
        return _digest(options, *sorted(part.key for part in self.parts))

    @property
    def changes(self) -> bool:
        """Whether it may hold something else another time, under the same key: files do not."""
        return False

    @property
    def size(self) -> int:
        """Bytes of all parts as they are on disk; 0 where nobody knows."""
        return sum(part.size for part in self.parts)

    @property
    def done(self) -> int:
        """Bytes that the latest iteration has read, or passed over, so far."""
        return self._done

    def require_apart(self, *outputs: Path | None) -> None:
        """Raise InputError where one of the files that will be written is a part of the corpus."""
        for output in outputs:
            if output is None or not output.exists():
                continue
            if os.path.realpath(output) in map(os.path.realpath, (p.name for p in self.parts)):
                raise InputError(
                    f"{output} would be written, and is among the files to be read",
                    "name another file, outside of the folder that is loaded",
                )

    def __iter__(self) -> Iterator[Read]:
        return self.read()

    def read(self, passed_over: Container[str] = ()) -> Iterator[Read]:
        """The records of the parts whose keys are not among those passed over."""
        self._done = 0
        for part in self.parts:
            if part.key in passed_over:
                self.count(part.size)
            else:
                yield from self.read_piece(Piece(part.key, part), self.count)

    def pieces(self, processes: int) -> list[Piece]:
        """All that there is to be read, cut so that so many processes have something to do."""
        parts = list({part.key: part for part in self.parts}.values())
        return [piece for part in parts for piece in _shares(part, processes // len(parts))]

    def read_piece(self, piece: Piece, count: Count) -> Iterator[Read]:
        """The records of a piece; `count` is told how many bytes more have been read."""
        part, share = piece.part, piece.share
        if part.read_share:
            found_there = part.read_share(lambda size: count(size // share.of), share)
        else:
            found_there = part.read(count)
        for line, found in found_there:
            if isinstance(found, Ignored):
                yield UnknownKey(shown(part.name), line, found.key)
            elif isinstance(found, Problem):
                yield _reject(part.name, line, found)
            else:
                for item in checked(found):
                    if isinstance(item, Problem):
                        yield _reject(part.name, line, item)
                    else:
                        yield self._item(item)
        yield EndOfFile(part.key)

    def _item(self, item: Item) -> Item | Filtered:
        if self._prefix:
            item = prefixed(item, self._prefix)
        if isinstance(item, Paper):
            if self._keep and not self._keep(item):
                return Filtered(item.id)
            if item.body and not self._full_text:
                item = replace(item, body=None)
        return item

    def count(self, size: int) -> None:
        """Note that so many bytes more have been read."""
        self._done += size


def open_corpus(
    form: str,
    *paths: str | PathLike[str],
    prefix: str | None = None,
    full_text: bool = False,
    keep: Keep | None = None,
) -> Corpus:
    """A corpus of files in one format, such as "jsonl"; .gz and .zst files are read as they are.

    With "auto" each file is looked at; of a folder all files in it are read (see `find_files`).
    `prefix` is put before all ids ("PREFIX:ID"), `full_text` keeps the bodies of papers where the
    format has them, and `keep` says which papers to take (see `filters`). Raises InputError, before
    anything is read, when the format is unknown or not recognised, or a file is
    missing.
    """
    if form not in ("auto", *NAMES):
        raise InputError(f"there is no format {form!r}", f"known formats: auto, {', '.join(NAMES)}")
    if prefix is not None:
        check_prefix(prefix)
    files = list(find_files(map(Path, paths)))
    if not files:
        raise InputError("no file is named", f"specter-graph load {form} PATH...")
    if form == "auto":
        parts = [file_part(*recognise(path), path) for path in files]
    else:
        parts = [file_part(find_format(form), "", path) for path in files]
    return Corpus(parts, prefix=prefix, full_text=full_text, keep=keep)


def file_part(form: Format, seen: str, path: Path) -> Part:
    """A file as a part of a corpus: another size or time of change makes it another part."""
    status = path.stat()
    key = _digest(form.name, os.fspath(path.resolve()), status.st_size, status.st_mtime_ns)
    about = f"{form.title}: {seen}" if seen else form.title
    read_share = partial(_read_share, form, path) if form.read_share else None
    return Part(str(path), key, status.st_size, partial(_read, form, path), about, read_share)


def _read(form: Format, path: Path, count: Count) -> Iterator[tuple[int, Found]]:
    return _some(form.read(path, count))


def _read_share(
    form: Format, path: Path, count: Count, share: Share
) -> Iterator[tuple[int, Found]]:
    assert form.read_share
    found = form.read_share(path, count, share)
    return _some(found) if share == WHOLE else found


def _some(found_there: Iterator[tuple[int, Found]]) -> Iterator[tuple[int, Found]]:
    """All that was found in a file, or a Problem where that is nothing."""
    nothing = True
    for line, found in found_there:
        nothing = nothing and (
            isinstance(found, Ignored) or (isinstance(found, Problem) and found.repaired)
        )
        yield line, found
    if nothing:
        yield 1, Problem("the file holds no record")


def _shares(part: Part, shares: int) -> Iterator[Piece]:
    if part.read_share and part.size >= _SMALL and shares > 1:
        for number in range(shares):
            yield Piece(f"{part.key}-{number}-{shares}", part, Share(number, shares))
    else:
        yield Piece(part.key, part)


def _reject(file: str, line: int, problem: Problem) -> Reject:
    return Reject(shown(file), line, problem.id, problem.reason, problem.record, problem.repaired)


def _digest(*values: object) -> str:
    return blake2b(repr(values).encode(), digest_size=16).hexdigest()
