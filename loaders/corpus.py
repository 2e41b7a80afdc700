"""Corpora: files, or the answers of an API, read as one stream of records."""

import os
import re
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import partial
from hashlib import blake2b
from importlib import import_module
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any, TypeAlias

from specter_graph.core.atomic_files import check_parent
from specter_graph.core.errors import InputError, extra
from specter_graph.loaders import identifiers
from specter_graph.loaders.corpus_files import find_files, read_head
from specter_graph.loaders.format_api import (
    Count,
    Format,
    ParseResult,
    RecordIssue,
    Results,
    UnknownField,
)
from specter_graph.loaders.records import (
    CorpusItem,
    EndOfFile,
    Filtered,
    Identifier,
    Item,
    Paper,
    Reject,
    UnknownKey,
)
from specter_graph.loaders.validation import add_prefix, printable, validate

NAMES = (
    "s2orc", "s2", "openalex", "pubmed", "nbib", "jats", "grobid", "unarxive", "arxiv", "acl",
    "crossref", "opencitations", "zotero", "csl", "dblp", "bibtex", "ris", "endnote", "wos",
    "readers", "labels", "csv", "jsonl",
)  # fmt: skip
"""The formats, in the order in which `load auto` tries them: specific ones before general ones."""

WEB_SOURCES = ("openalex", "crossref", "s2", "arxiv", "opencitations")
"""The web services of `web_sources`, in the order in which they are asked about papers."""

_KEYED = frozenset({"bibtex", "csl", "ris"})
"""Sources whose ids may be keys or numbers that two files use for different papers."""
_FORMATS = "specter_graph.loaders.formats"
_NOT_LETTERS = re.compile(r"[\W_]+")

_MIN_SHARDED_BYTES = 2**21
"""A smaller file is read faster by one process than by several."""

Keep = Callable[[Paper], bool]

_Title: TypeAlias = tuple[int, frozenset[Identifier]]
"""A hash of the letters of a title, and the identifiers of the paper."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file, or a part of the answers of an API; an interrupted one is read again from its start.

    Attributes:
        name: The path, or a description of the part.
        key: Identifies the file with its present contents.
        size: In bytes on disk; 0 if unknown.
        read: Reads the results.
        description: Description of the detected contents.
        read_shard: Reads the k-th of n shards, for files that several processes can read.
        format: The name of the format.
    """

    name: str
    key: str
    size: int
    read: Callable[[Count], Results]
    description: str = ""
    read_shard: Callable[[Count, int, int], Results] | None = None
    format: str = ""


@dataclass(frozen=True, slots=True)
class FileShard:
    """The files that one of several processes reads, or every `shards`-th record of one file."""

    files: tuple[SourceFile, ...]
    number: int = 0
    shards: int = 1

    @property
    def key(self) -> str:
        """Identifies the shard."""
        return digest(self.number, self.shards, *(file.key for file in self.files))

    @property
    def size(self) -> int:
        """In bytes; 0 if unknown."""
        return sum(file.size for file in self.files) // self.shards


@dataclass(eq=False)
class Corpus:
    """An iterable of the records of all files, in order; each iteration reads the files again.

    Attributes:
        files: The files.
        skipped: A message for each file of a folder whose format was not detected.
        prefix: See `open_corpus`.
        full_text: See `open_corpus`.
        keep: See `open_corpus`.
        query: The query to an API, which identifies the corpus in place of its files.
        done: Bytes that the latest iteration has read or skipped so far.
    """

    files: Sequence[SourceFile]
    _: KW_ONLY
    skipped: Sequence[str] = ()
    prefix: str | None = None
    full_text: bool = False
    keep: Keep | None = None
    query: str | None = None
    done: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        if self.prefix is not None and not self.prefix.isidentifier():
            raise InputError(
                f"the prefix {self.prefix!r} is not a name", "use letters and digits, such as mine"
            )

    @property
    def key(self) -> str:
        """Identifies the corpus by its options, and by its query or else its files.

        The key of a file changes with its contents; the key of a query to an API does not.
        """
        if self.query is not None:
            return digest(f"{self.query} {self.prefix} {self.keep}")
        from importlib.metadata import version  # here, because it slows the start of commands

        options = f"{self.prefix} {self.full_text} {self.keep} {version('specter-graph')}"
        return digest(options, *sorted(file.key for file in self.files))

    @property
    def is_mutable(self) -> bool:
        """True if the contents may change under the same key."""
        return self.query is not None

    @property
    def size(self) -> int:
        """Bytes of all files on disk; 0 if unknown."""
        return sum(file.size for file in self.files)

    def refuse_outputs(self, *outputs: Path | str | None) -> None:
        """Raise InputError if an output file is a file of the corpus or its folder is missing."""
        inputs = {os.path.realpath(file.name) for file in self.files}
        for output in [Path(path) for path in outputs if path]:
            check_parent(output)
            if output.exists() and os.path.realpath(output) in inputs:
                raise InputError(
                    f"{output} is both an input file and an output file",
                    "name another output file, outside the folder that is loaded",
                )

    def __iter__(self) -> Iterator[CorpusItem]:
        return self.read()

    def read(self, skipped: Container[str] = ()) -> Iterator[CorpusItem]:
        """Yield the records of the files whose keys are not among the skipped ones.

        If two different papers have the same key of a library (`Smith2020`), the later one gets
        another id, and a Reject says so.
        """
        self.done = 0
        titles: dict[str, _Title] = {}
        for file in self.files:
            items = self._read_file(file, self.count, titles)
            if file.key not in skipped:
                yield from items
            elif file.format in _KEYED:
                for _ in items:  # its keys are needed
                    pass
            else:
                self.count(file.size)

    def shards(self, processes: int) -> list[FileShard]:
        """Split the corpus into shards, at least one for each process if possible.

        All files in which two papers may have the same key are one shard.
        """
        files = {file.key: file for file in self.files}.values()
        keyed = tuple(file for file in files if file.format in _KEYED)
        shards = [FileShard(keyed)] if keyed else []
        for file in (file for file in files if file.format not in _KEYED):
            is_divisible = file.read_shard and file.size >= _MIN_SHARDED_BYTES
            divisor = max(1, processes // len(files)) if is_divisible else 1
            shards += [FileShard((file,), number, divisor) for number in range(divisor)]
        return shards

    def read_shard(self, shard: FileShard, count: Count) -> Iterator[CorpusItem]:
        """Yield the records of a shard; `count` is called with the numbers of bytes read."""
        titles: dict[str, _Title] = {}
        for file in shard.files:
            yield from self._read_file(file, count, titles, shard.number, shard.shards)

    def _read_file(
        self,
        file: SourceFile,
        count: Count,
        titles: dict[str, _Title],
        number: int = 0,
        of: int = 1,
    ) -> Iterator[CorpusItem]:
        """Yield the records of a file, or every `of`-th one.

        `titles` has the papers of the files before, by their keys, and gets those of the file.
        """
        name = printable(file.name)
        if file.read_shard and of > 1:
            results = file.read_shard(lambda size: count(size // of), number, of)
        else:
            results = _reject_if_empty(file.read(count))
        for line, result in results:
            items: Iterable[ParseResult] = (result,)
            if not isinstance(result, RecordIssue | UnknownField):
                items = validate(result)
            for item in items:
                if isinstance(item, UnknownField):
                    yield UnknownKey(name, line, item.key)
                elif isinstance(item, RecordIssue):
                    yield Reject(name, line, item.id, item.reason, item.record, item.repaired)
                elif isinstance(item, Paper) and item.source in _KEYED:
                    distinct = _make_distinct(item, titles)
                    if distinct is not item:
                        reason = "another paper has this key: the paper gets another id"
                        yield Reject(name, line, item.id, reason, repaired=True)
                    yield self._apply_options(distinct)
                else:
                    yield self._apply_options(item)
        yield EndOfFile(file.key)

    def _apply_options(self, item: Item) -> Item | Filtered:
        """Add the prefix of ids, apply the filter, and remove the body unless it is to be kept."""
        if self.prefix:
            item = add_prefix(item, self.prefix)
        if isinstance(item, Paper):
            if self.keep and not self.keep(item):
                return Filtered(item.id)
            if item.body and not self.full_text:
                item = replace(item, body=None)
        return item

    def count(self, size: int) -> None:
        """Note that `size` more bytes have been read."""
        self.done += size


def open_corpus(
    format: str | PathLike[str],
    *paths: str | PathLike[str],
    prefix: str | None = None,
    full_text: bool = False,
    keep: Keep | None = None,
) -> Corpus:
    """Open files as a corpus.

    Args:
        format: A format, such as "jsonl", or "auto" to detect the format of each file. Files of
            folders whose format is not detected are skipped; see `Corpus.skipped`. An existing
            path that is not the name of a format is the first of `paths`, read as "auto".
        paths: Files (plain, .gz or .zst) and folders, whose files are all read (see
            `corpus_files.find_files`).
        prefix: Prefix of the ids of papers, authors, venues and readers ("PREFIX:ID").
        full_text: Whether to keep the bodies of papers.
        keep: A predicate that papers must match, such as a `paper_filter.PaperFilter`.

    Returns:
        The corpus. No file is read before you iterate over it.

    Raises:
        InputError: The format is unknown or not detected, or a file is missing.
    """
    for path in (format, *paths):
        if not isinstance(path, str | PathLike):
            raise InputError(
                f"a {type(path).__name__} is not a path", "open_corpus(FORMAT, *PATHS)"
            )
    if format not in ("auto", *NAMES) and Path(format).exists():
        format, paths = "auto", (format, *paths)
    if not isinstance(format, str) or format not in ("auto", *NAMES):
        name = os.fspath(format)
        raise InputError(f"unknown format {name!r}", f"use one of: auto, {', '.join(NAMES)}")
    existing = list(find_files(map(Path, paths)))
    if not existing:
        empty = f"no file is in {', '.join(map(str, paths))}" if paths else "no file was given"
        raise InputError(empty, f"specter-graph load {format} PATH...")
    chosen = None if format == "auto" else (find_format(format), "")
    files: list[SourceFile] = []
    skipped: list[str] = []
    for path in existing:
        try:
            files.append(_make_source_file(*(chosen or detect_format(path)), path))
        except InputError as error:
            skipped.append(error.message)
            if path in map(Path, paths) or (path == existing[-1] and not files):
                raise
    return Corpus(files, skipped=skipped, prefix=prefix, full_text=full_text, keep=keep)


def read_bibliography(
    file: Path | str, format: str = "auto", limit: int | None = None
) -> list[Paper | Reject]:
    """Read the entries of a bibliography as papers or rejects.

    Raises:
        InputError: The bibliography has more than `limit` entries.
    """
    try:
        corpus = open_corpus(format, file)
    except UnknownFormatError as error:  # only `load` has an option for the format
        raise InputError(error.message, "use a file of BibTeX, RIS or CSL") from error
    usable = (
        each
        for each in corpus
        if isinstance(each, Paper) or (isinstance(each, Reject) and not each.repaired)
    )
    records = list(islice(usable, None if limit is None else limit + 1))
    if limit is not None and len(records) > limit:
        raise InputError(f"the bibliography has more than {limit:,} entries", "use a smaller file")
    return records


def read_dicts(items: Iterable[CorpusItem | dict[str, Any]]) -> Iterator[CorpusItem]:
    """Yield the items; dicts with the keys of the format "jsonl" become papers or Rejects."""
    read_dict = import_module(f"{_FORMATS}.jsonl").read_dict
    for number, item in enumerate(items, 1):
        if not isinstance(item, dict):
            yield item
            continue
        file = SourceFile("dicts", "", 0, partial(read_dict, item, number))
        for record in Corpus([file]):
            if not isinstance(record, EndOfFile):
                yield record


class UnknownFormatError(InputError):
    """A file whose format was not detected."""


def find_format(name: str) -> Format:
    """Import a format by its name, one of NAMES."""
    with extra("formats"):
        file_format: Format = import_module(f"{_FORMATS}.{name}").FORMAT
    return file_format


def detect_format(path: Path) -> tuple[Format, str]:
    """Return the format of a file and a description of its contents.

    Raises:
        UnknownFormatError: No format matches.
    """
    head, damage = read_head(path)
    for name in NAMES:
        file_format = find_format(name)
        if description := file_format.detect(path.name, head):
            return file_format, description
    reason = damage or ("" if head.strip() else "the file is empty")
    raise UnknownFormatError(
        f"the format of {path} was not detected{reason and ': '}{reason}",
        f"name its format, one of {', '.join(NAMES)}",
    )


def _make_source_file(file_format: Format, description: str, path: Path) -> SourceFile:
    """Return a file in its present state; its key changes with its size or modification time."""
    status = path.stat()
    return SourceFile(
        str(path),
        digest(file_format.name, os.fspath(path.resolve()), status.st_size, status.st_mtime_ns),
        status.st_size,
        partial(file_format.read, path),
        f"{file_format.title}: {description}" if description else file_format.title,
        partial(file_format.read_shard, path) if file_format.read_shard else None,
        file_format.name,
    )


def _reject_if_empty(results: Results) -> Results:
    """Yield all results, and a RecordIssue if there is neither a record nor a rejected record."""
    is_empty = True
    for line, result in results:
        is_note = isinstance(result, RecordIssue) and result.repaired
        is_empty = is_empty and (is_note or isinstance(result, UnknownField))
        yield line, result
    if is_empty:
        yield 1, RecordIssue("the file contains no record")


def _make_distinct(paper: Paper, titles: dict[str, _Title]) -> Paper:
    """Return the paper, with another id if a different paper has its id.

    Papers with the same letters in their titles, or with a common identifier, are one paper.
    """
    title = hash(_NOT_LETTERS.sub("", paper.title.casefold()))
    known = frozenset(paper.identifiers)
    other_title, others = titles.setdefault(paper.id, (title, known))
    if title == other_title or known & others:
        return paper
    ids, authors = paper.identifiers, paper.authors
    return replace(
        paper, id=identifiers.make_id(paper.source or "", ids, paper.title, paper.year, authors)
    )


def digest(*values: object) -> str:
    """Return 32 hexadecimal digits that identify the values."""
    return blake2b(repr(values).encode(), digest_size=16).hexdigest()
