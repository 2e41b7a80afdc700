"""Opens corpus files: plain, .gz or .zst, as streams of lines, memory flat."""

import re
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from pathlib import Path
from typing import BinaryIO, Protocol

import zstandard

from specter_graph.core.errors import InputError

MAX_LINE_BYTES = 16 * 2**20
"""Bytes; a longer line is no record, and is skipped without being held in memory."""

HEAD_BYTES = 2**16
"""Bytes, decompressed, from which a format can be detected."""

REJECTS, VANISHED = ".rejects.jsonl", ".vanished.jsonl"
"""How the names end of what we write beside a corpus, which is no part of it."""

_GZIP = b"\x1f\x8b"
_ZSTD = re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")
"""A frame, or one that is to be skipped."""
_UNREAD = {
    "zip": re.compile(rb"PK\x03\x04"),
    "bzip2": re.compile(rb"BZh[1-9]1AY&SY"),
    "xz": re.compile(rb"\xfd7zXZ\x00"),
}
"""How files begin whose compression we do not read."""

_CHUNK = 2**16
_GZIP_PIECE, _ZSTD_PIECE = 2**14, 2**10
"""Bytes decompressed at once: a bomb makes a thousand, 32 thousand of each, which fit in memory."""
_LARGEST_ZSTD_WINDOW = 2**31


class DamagedFileError(Exception):
    """A file whose rest cannot be read; the message says why."""


class _Decompressor(Protocol):
    @property
    def eof(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, /) -> bytes: ...


def find_files(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the files of that name, and of a folder all in it, in the order of their names.

    In folders those are passed over whose names begin with a dot, and files of rejects and of
    vanished papers. Raises InputError unless each file can be opened.
    """
    for path in paths:
        if path.is_dir():
            yield from find_files(p for p in sorted(path.iterdir()) if not _is_ours(p.name))
            continue
        try:
            path.open("rb").close()
        except FileNotFoundError as error:
            raise InputError(f"there is no file {path}") from error
        except OSError as error:
            raise InputError(f"{path} cannot be read: {error.strerror}") from error
        yield path


def _is_ours(name: str) -> bool:
    return name.startswith(".") or name.endswith((REJECTS, VANISHED))


def read_lines(path: Path, read: Callable[[int], None]) -> Iterator[bytes | None]:
    """Yield the lines of a file, without their ends; None stands for a line over MAX_LINE_BYTES.

    `read` is told the size of each piece of the file, compressed as it is, when it has been read.
    Raises DamagedFileError, after all lines that came through, when the rest cannot be read.
    """
    yield from _split(read_contents(path, read))


def read_contents(path: Path, read: Callable[[int], None]) -> Iterator[bytes]:
    """Yield the contents of a file in pieces, decompressed; see `read_lines`."""
    with path.open("rb") as file:
        yield from _contents(path, _chunks(file, read))


def read_head(path: Path) -> tuple[bytes, str]:
    """Return the beginning of the contents of a file, and why there may be no more, or "".

    The beginning has at most HEAD_BYTES, without a byte order mark.
    """
    head, damage = b"", ""
    try:
        for piece in read_contents(path, lambda size: None):
            head += piece
            if len(head) >= HEAD_BYTES:
                break
    except (DamagedFileError, OSError) as error:
        damage = str(error)
    return head[:HEAD_BYTES].removeprefix(BOM_UTF8), damage


def _chunks(file: BinaryIO, read: Callable[[int], None]) -> Iterator[bytes]:
    while chunk := file.read(_CHUNK):
        read(len(chunk))
        yield chunk


def _contents(path: Path, chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the decompressed contents, by how the file begins, whatever its name."""
    first = next(chunks, b"")
    if kind := next((kind for kind, begins in _UNREAD.items() if begins.match(first)), None):
        raise DamagedFileError(f"this is a {kind} file: unpack it")
    if first.startswith(_GZIP) or (path.suffix == ".gz" and _GZIP.startswith(first)):
        pieces = _cut(chain([first], chunks), _GZIP_PIECE)
        yield from _decompressed("gzip", lambda: zlib.decompressobj(wbits=31), pieces)
    elif _ZSTD.match(first) or (path.suffix == ".zst" and not first):
        pieces = _cut(chain([first], chunks), _ZSTD_PIECE)
        yield from _decompressed("zstd", _zstd, pieces)
    else:
        yield first
        yield from chunks


def _cut(chunks: Iterable[bytes], size: int) -> Iterator[bytes]:
    for chunk in chunks:
        for start in range(0, len(chunk), size):
            yield chunk[start : start + size]


def _zstd() -> _Decompressor:
    return zstandard.ZstdDecompressor(max_window_size=_LARGEST_ZSTD_WINDOW).decompressobj()


def _decompressed(
    kind: str, start: Callable[[], _Decompressor], chunks: Iterator[bytes]
) -> Iterator[bytes]:
    """Both formats may hold several members one after another, and zeros as padding at the end."""
    stream = start()
    chunk: bytes | None = b""
    while chunk is not None:
        while chunk:
            try:
                yield stream.decompress(chunk)
            except (zlib.error, zstandard.ZstdError) as error:
                raise DamagedFileError(f"the {kind} data is damaged ({error})") from error
            chunk = stream.unused_data.lstrip(b"\0") if stream.eof else b""
            if chunk:
                stream = start()
        chunk = next(chunks, None)
        if chunk and stream.eof and (chunk := chunk.lstrip(b"\0")):
            stream = start()
    if not stream.eof:
        raise DamagedFileError(f"the {kind} data is cut off: its end is missing")


def _split(chunks: Iterator[bytes]) -> Iterator[bytes | None]:
    """Cut the contents at line feeds; what comes before a damage is still yielded as lines."""
    rest: list[bytes] = []
    size = 0  # of the parts in `rest`; past MAX_LINE_BYTES they are dropped
    for chunk in chunks:
        *ended, last = chunk.split(b"\n")
        for part in ended:
            size += len(part)
            yield b"".join([*rest, part]) if size <= MAX_LINE_BYTES else None
            rest, size = [], 0
        size += len(last)
        rest = [*rest, last] if size <= MAX_LINE_BYTES else []
    if size:
        yield b"".join(rest) if size <= MAX_LINE_BYTES else None
