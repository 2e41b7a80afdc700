"""A corpus: files, or the answers of an API, read as one stream of records."""

import os
from collections.abc import Callable, Container, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from hashlib import blake2b
from os import PathLike
from pathlib import Path

from specter_graph.core.errors import InputError
from specter_graph.loaders.detect import NAMES, detect_format, find_format
from specter_graph.loaders.files import find_files
from specter_graph.loaders.format_api import Count, Format, RecordIssue, Results, UnknownField
from specter_graph.loaders.records import EndOfFile, Filtered, Item, Paper, Read, Reject, UnknownKey
from specter_graph.loaders.validation import add_prefix, printable, validate

_MIN_SHARDED_BYTES = 2**21
"""One process reads a smaller file faster than several do."""

Keep = Callable[[Paper], bool]


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file, or a slice of what an API answers: read completely, or again from its start.

    Attributes:
        name: The path, or a description of the slice.
        key: Identifies the file with its present contents.
        size: In bytes on disk; 0 if unknown.
        read: Reads the results.
        description: What was detected in the file.
        read_shard: Reads the k-th of n shards, for files that several processes can read at once.
    """

    name: str
    key: str
    size: int
    read: Callable[[Count], Results]
    description: str = ""
    read_shard: Callable[[Count, int, int], Results] | None = None


@dataclass(frozen=True, slots=True)
class Shard:
    """The share of a file that one of several processes reads: every `of`-th record."""

    file: SourceFile
    number: int = 0
    of: int = 1

    @property
    def key(self) -> str:
        """Identifies the shard; the key of the file if it is the only one."""
        return self.file.key if self.of == 1 else f"{self.file.key}-{self.number}-{self.of}"

    @property
    def size(self) -> int:
        """In bytes; 0 if unknown."""
        return self.file.size // self.of


class Corpus:
    """Iterate over it to get the records of all files, in order; each iteration reads anew."""

    def __init__(
        self,
        files: Sequence[SourceFile],
        *,
        prefix: str | None = None,
        full_text: bool = False,
        keep: Keep | None = None,
    ) -> None:
        if prefix is not None and not prefix.isidentifier():
            raise InputError(f"{prefix!r} is no prefix", "use letters and digits: --prefix mine")
        self.files = files
        self._prefix = prefix
        self._full_text = full_text
        self._keep = keep
        self._done = 0

    @property
    def key(self) -> str:
        """Identifies the corpus: its files with their present contents, and the options."""
        from importlib.metadata import version  # a tenth of the start of any command

        options = f"{self._prefix} {self._full_text} {self._keep} {version('specter-graph')}"
        return digest(options, *sorted(file.key for file in self.files))

    @property
    def changes(self) -> bool:
        """Whether the contents may change under the same key: those of files do not."""
        return False

    @property
    def size(self) -> int:
        """Bytes of all files on disk; 0 if unknown."""
        return sum(file.size for file in self.files)

    @property
    def done(self) -> int:
        """Bytes that the latest iteration has read or skipped so far."""
        return self._done

    def refuse_outputs(self, *outputs: Path | None) -> None:
        """Raise InputError if one of the files that will be written is a file of the corpus."""
        inputs = {os.path.realpath(file.name) for file in self.files}
        for output in outputs:
            if output is not None and output.exists() and os.path.realpath(output) in inputs:
                raise InputError(
                    f"{output} would be written, and is among the files to be read",
                    "name another file, outside of the folder that is loaded",
                )

    def __iter__(self) -> Iterator[Read]:
        return self.read()

    def read(self, skipped: Container[str] = ()) -> Iterator[Read]:
        """Yield the records of the files whose keys are not among the skipped ones."""
        self._done = 0
        for file in self.files:
            if file.key in skipped:
                self.count(file.size)
            else:
                yield from self.read_shard(Shard(file), self.count)

    def shards(self, processes: int) -> list[Shard]:
        """Return all that there is to read, split so that each process has something to do."""
        files = list({file.key: file for file in self.files}.values())
        each = processes // len(files) if files else 1
        return [
            Shard(file, number, shards)
            for file in files
            for shards in [each if file.read_shard and file.size >= _MIN_SHARDED_BYTES else 1]
            for number in range(max(1, shards))
        ]

    def read_shard(self, shard: Shard, count: Count) -> Iterator[Read]:
        """Yield the records of a shard; `count` gets the numbers of bytes that have been read."""
        file = shard.file
        name = printable(file.name)
        if file.read_shard and shard.of > 1:
            results = file.read_shard(lambda size: count(size // shard.of), shard.number, shard.of)
        else:
            results = _with_issue_if_empty(file.read(count))
        for line, result in results:
            if isinstance(result, UnknownField):
                yield UnknownKey(name, line, result.key)
            elif isinstance(result, RecordIssue):
                yield _reject(name, line, result)
            else:
                for item in validate(result):
                    if isinstance(item, RecordIssue):
                        yield _reject(name, line, item)
                    else:
                        yield self._item(item)
        yield EndOfFile(file.key)

    def _item(self, item: Item) -> Item | Filtered:
        if self._prefix:
            item = add_prefix(item, self._prefix)
        if isinstance(item, Paper):
            if self._keep and not self._keep(item):
                return Filtered(item.id)
            if item.body and not self._full_text:
                item = replace(item, body=None)
        return item

    def count(self, size: int) -> None:
        """Note that `size` more bytes have been read."""
        self._done += size


def open_corpus(
    form: str,
    *paths: str | PathLike[str],
    prefix: str | None = None,
    full_text: bool = False,
    keep: Keep | None = None,
) -> Corpus:
    """Open files as a corpus.

    Args:
        form: The name of a format, such as "jsonl", or "auto" to detect that of each file.
        paths: Files, plain, .gz or .zst, and folders, of which all files are read (see
            `files.find_files`).
        prefix: Put before all ids ("PREFIX:ID").
        full_text: Whether to keep the bodies of papers.
        keep: Decides which papers are taken (see `filters`).

    Raises:
        InputError: The format is unknown or not detected, or a file is missing; nothing has been
            read then.
    """
    if form not in ("auto", *NAMES):
        raise InputError(f"there is no format {form!r}", f"known formats: auto, {', '.join(NAMES)}")
    entries = list(find_files(map(Path, paths)))
    if not entries:
        raise InputError("no file is named", f"specter-graph load {form} PATH...")
    named = None if form == "auto" else (find_format(form), "")
    files = [_source_file(*(named or detect_format(path)), path) for path in entries]
    return Corpus(files, prefix=prefix, full_text=full_text, keep=keep)


def _source_file(form: Format, seen: str, path: Path) -> SourceFile:
    """Return a file as it is now: another size or time of change makes it another file."""
    status = path.stat()
    return SourceFile(
        str(path),
        digest(form.name, os.fspath(path.resolve()), status.st_size, status.st_mtime_ns),
        status.st_size,
        partial(form.read, path),
        f"{form.title}: {seen}" if seen else form.title,
        partial(form.read_shard, path) if form.read_shard else None,
    )


def _with_issue_if_empty(results: Results) -> Results:
    """Yield all results, and a RecordIssue if there is no record and no rejected one."""
    empty = True
    for line, result in results:
        empty = empty and (
            isinstance(result, UnknownField)
            or (isinstance(result, RecordIssue) and result.repaired)
        )
        yield line, result
    if empty:
        yield 1, RecordIssue("the file holds no record")


def _reject(file: str, line: int, issue: RecordIssue) -> Reject:
    return Reject(file, line, issue.id, issue.reason, issue.record, issue.repaired)


def digest(*values: object) -> str:
    """Return 32 hexadecimal digits that identify the values."""
    return blake2b(repr(values).encode(), digest_size=16).hexdigest()
