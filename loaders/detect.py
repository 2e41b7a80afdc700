"""Looks at a file and says which format it has."""

from codecs import BOM_UTF8
from pathlib import Path

from specter_graph.core.errors import InputError
from specter_graph.loaders.files import DamagedFileError, read_contents
from specter_graph.loaders.format_api import Format
from specter_graph.loaders.formats import NAMES, find_format

HEAD = 2**16
"""Bytes, decompressed, that a format may look at."""


def head_of(path: Path) -> bytes:
    """The first bytes of what a file holds, at most HEAD, without a byte order mark."""
    return _begin(path)[0]


def _begin(path: Path) -> tuple[bytes, str]:
    """The head of a file, and why it may be no more, or ""."""
    head, damage = b"", ""
    try:
        for piece in read_contents(path, lambda size: None):
            head += piece
            if len(head) >= HEAD:
                break
    except DamagedFileError as error:
        damage = f": {error}"
    return head[:HEAD].removeprefix(BOM_UTF8), damage


def recognise(path: Path) -> tuple[Format, str]:
    """The format of a file and what was seen in it; raises InputError when nothing is known."""
    head, damage = _begin(path)
    for name in NAMES:
        form = find_format(name)
        if seen := form.recognise(path.name, head):
            return form, seen
    raise InputError(
        f"no format is recognised in {path}{damage}",
        f"name its format, one of {', '.join(NAMES)}",
    )
