"""Reads the lines of text files, as people's own programs write them."""

from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from pathlib import Path

from specter_graph.loaders.files import LONGEST_LINE, DamagedFileError, read_lines
from specter_graph.loaders.format_api import Count, Problem

_NOT_UTF8 = Problem("the line is not UTF-8: read as Windows-1252", repaired=True)
_NUL = Problem("NUL characters left out", repaired=True)
_TOO_LONG = Problem(f"a line longer than {LONGEST_LINE // 2**20} MiB left out", repaired=True)


def read_text_lines(path: Path, count: Count) -> Iterator[tuple[int, str | Problem]]:
    """Each line without its end, with its number from 1, and before it what was mended in it.

    Lines end with LF, CR LF or CR. A line that is not UTF-8 is read as Windows-1252, which was
    usual before. A line that is too long is left out. A file whose rest cannot be read, or that is
    UTF-16, ends with a Problem.
    """
    number = 0
    try:
        for number, line in enumerate(read_lines(path, count), 1):
            if line is None:
                yield number, _TOO_LONG
                continue
            if number == 1:
                if line.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):
                    yield 1, Problem("the file is UTF-16, not UTF-8: it is not loaded")
                    return
                line = line.removeprefix(BOM_UTF8)
            try:
                text = line.decode()
            except UnicodeDecodeError:
                yield number, _NOT_UTF8
                text = line.decode("cp1252", errors="replace")
            if "\0" in text:
                yield number, _NUL
                text = text.replace("\0", "")
            for part in text.removesuffix("\r").split("\r"):
                yield number, part
    except DamagedFileError as error:
        yield number + 1, Problem(f"{error}; the rest of the file is not loaded")
    except OSError as error:
        yield number + 1, Problem(f"the file cannot be read: {error.strerror}")
