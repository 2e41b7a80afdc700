"""Streams of the lines or bytes of corpus files (plain, .gz or .zst) in constant memory."""

import re
import stat
import zlib
from codecs import (
    BOM_UTF8,
    BOM_UTF16_BE,
    BOM_UTF16_LE,
    BOM_UTF32_BE,
    BOM_UTF32_LE,
    getincrementaldecoder,
)
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import zstandard

from specter_graph.core.atomic_files import no_file_error
from specter_graph.core.errors import InputError

MAX_LINE_BYTES = 16 * 2**20
"""Bytes; a longer line is skipped without being held in memory."""

HEAD_BYTES = 2**16
"""Decompressed bytes at the beginning of a file from which its format is detected."""

REJECTS, VANISHED = ".rejects.jsonl", ".vanished.jsonl"
"""Suffixes of files that commands write beside a corpus; they are not part of the corpus."""

_BYTE_ORDER_MARKS = {
    BOM_UTF8: "utf-8",
    BOM_UTF32_LE: "utf-32",  # before UTF-16: its mark begins with that of UTF-16
    BOM_UTF32_BE: "utf-32",
    BOM_UTF16_LE: "utf-16",
    BOM_UTF16_BE: "utf-16",
}
_GZIP = b"\x1f\x8b"
_ZSTD = re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")
"""The beginning of a frame, or of a skippable frame."""
_UNSUPPORTED = {
    "Zotero RDF: export the library as BibTeX, RIS or CSL JSON": re.compile(
        rb"\s*<(?:\?xml|rdf:RDF)[^\x00]{0,1000}zotero\.org/namespaces/export#"
    ),
    "Better BibTeX JSON: export the library as Better BibTeX or Better CSL JSON": re.compile(
        rb"\s*\{\s*\"config\"\s*:[^\x00]{0,200}\"BetterBibTeX JSON\""
    ),
    "a web page: download the file again, signed in if necessary": re.compile(
        rb"\s*<(?:!doctype html|html)\b", re.IGNORECASE
    ),
    "an Excel or Word file: save its table as CSV UTF-8": re.compile(
        rb"\xd0\xcf\x11\xe0|PK\x03\x04.{26}(?:\[Content_Types\]|_rels/|docProps/|xl/)", re.DOTALL
    ),
    "a PDF file: load its bibliographic data in another format": re.compile(rb"%PDF-"),
    "a zip file: unpack it": re.compile(rb"PK\x03\x04"),
    "a bzip2 file: unpack it": re.compile(rb"BZh[1-9]1AY&SY"),
    "a xz file: unpack it": re.compile(rb"\xfd7zXZ\x00"),
}
"""The beginnings of files in formats that are not supported, with what to do."""

_CHUNK = 2**16
_GZIP_PIECE, _ZSTD_PIECE = 2**14, 2**10
"""Bytes decompressed at once: a bomb expands them 1,000-fold (gzip) or 32,000-fold (zstd), which
still fits in memory."""
_MAX_ZSTD_WINDOW = 2**31


class DamagedFileError(Exception):
    """A file that cannot be read to its end; the message says why."""


def find_files(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the files, and for each folder all files in it, sorted by name.

    In folders, files whose names begin with a dot and files of rejects and of vanished papers are
    skipped.

    Raises:
        InputError: A file cannot be opened, or is not a regular file.
    """
    for path in paths:
        if path.is_dir():
            listed = (p for p in sorted(path.iterdir()) if not p.name.startswith("."))
            yield from find_files(p for p in listed if not p.name.endswith((REJECTS, VANISHED)))
        else:
            yield find_file(path)


def find_file(path: Path) -> Path:
    """Return the path of a regular file that can be opened.

    Files are read several times, first to detect their format: the second read of a pipe or a
    terminal would lack what the first one got.

    Raises:
        InputError: It is anything else.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            hint = "name a file in it" if path.is_dir() else "save its contents in a file"
            raise no_file_error(path, hint)
        path.open("rb").close()
    except FileNotFoundError as error:
        raise InputError(f"file not found: {path}", "check its name") from error
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    return path


def read_lines(path: Path, read: Callable[[int], None]) -> Iterator[bytes | None]:
    """Yield the lines of a file without their line ends; None for a line over MAX_LINE_BYTES.

    See `read_contents`.

    Args:
        path: The file.
        read: Called with the size of each piece of the file, in bytes on disk, after it is read.

    Raises:
        DamagedFileError: The file cannot be read to its end; all lines before the damage have been
            yielded.
    """
    yield from _split_lines(read_contents(path, read))


def read_contents(path: Path, read: Callable[[int], None]) -> Iterator[bytes]:
    """Yield the decompressed contents of a file in pieces, without a byte order mark.

    A file that begins with the byte order mark of UTF-16 or UTF-32 is converted to UTF-8. See
    `read_lines`.
    """
    try:
        with path.open("rb") as file:
            yield from _convert_to_utf8(_read_pieces(path, _read_chunks(file, read)))
    except OSError as error:
        raise DamagedFileError(f"the file cannot be read: {error.strerror}") from error


def read_head(path: Path) -> tuple[bytes, str]:
    """Return the first HEAD_BYTES of the contents, and the reason why they cannot be used, or "".

    Lines end with LF; see `read_contents`.
    """
    head, damage = b"", ""
    try:
        for piece in read_contents(path, lambda size: None):
            head += piece
            if len(head) >= HEAD_BYTES:
                break
    except DamagedFileError as error:
        damage = str(error)
    head = head[:HEAD_BYTES]
    return head.replace(b"\r\n", b"\n").replace(b"\r", b"\n"), damage or _find_unsupported(head)


def _convert_to_utf8(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the contents without a byte order mark, in UTF-8 if they begin with one.

    Excel's "Unicode text" and some exports of Web of Science are UTF-16.
    """
    head = b""
    while len(head) < len(BOM_UTF32_LE) and (piece := next(pieces, None)) is not None:
        head += piece
    mark = next((mark for mark in _BYTE_ORDER_MARKS if head.startswith(mark)), b"")
    if mark in (b"", BOM_UTF8):
        yield head.removeprefix(mark)
        yield from pieces
        return
    decoder = getincrementaldecoder(_BYTE_ORDER_MARKS[mark])(errors="replace")
    for piece in chain([head], pieces):
        yield decoder.decode(piece).encode()
    yield decoder.decode(b"", final=True).encode()


def _read_chunks(file: BinaryIO, read: Callable[[int], None]) -> Iterator[bytes]:
    while chunk := file.read(_CHUNK):
        read(len(chunk))
        yield chunk


def _read_pieces(path: Path, chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield the decompressed contents; the first bytes decide on the compression, not the name."""
    first = next(chunks, b"")
    if reason := _find_unsupported(first):
        raise DamagedFileError(reason)
    if first.startswith(_GZIP) or (path.suffix == ".gz" and _GZIP.startswith(first)):
        pieces = _cut_pieces(chain([first], chunks), _GZIP_PIECE)
        yield from _decompress("gzip", partial(zlib.decompressobj, wbits=31), pieces)
    elif _ZSTD.match(first) or (path.suffix == ".zst" and not first):
        pieces = _cut_pieces(chain([first], chunks), _ZSTD_PIECE)
        zstd = zstandard.ZstdDecompressor(max_window_size=_MAX_ZSTD_WINDOW)
        yield from _decompress("zstd", zstd.decompressobj, pieces)
    else:
        yield first
        yield from chunks


def _find_unsupported(head: bytes) -> str:
    """Return the unsupported format that a file begins like, with what to do, or ""."""
    kinds = (kind for kind, beginning in _UNSUPPORTED.items() if beginning.match(head))
    return next((f"this is {kind}" for kind in kinds), "")


def _cut_pieces(chunks: Iterable[bytes], size: int) -> Iterator[bytes]:
    for chunk in chunks:
        for start in range(0, len(chunk), size):
            yield chunk[start : start + size]


def _decompress(kind: str, start: Callable[[], Any], chunks: Iterator[bytes]) -> Iterator[bytes]:
    """Yield decompressed data; both formats may have several members, and end with zeros."""
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


def _split_lines(chunks: Iterator[bytes]) -> Iterator[bytes | None]:
    """Split the contents at line feeds; contents before damage are still yielded as lines."""
    parts: list[bytes] = []  # of the current line; beyond MAX_LINE_BYTES they are dropped
    size = 0
    for chunk in chunks:
        *ends, last = chunk.split(b"\n")
        for end in ends:
            size += len(end)
            yield b"".join([*parts, end]) if size <= MAX_LINE_BYTES else None
            parts, size = [], 0
        size += len(last)
        parts = [*parts, last] if size <= MAX_LINE_BYTES else []
    if size:
        yield b"".join(parts) if size <= MAX_LINE_BYTES else None
