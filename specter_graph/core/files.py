"""Files and folders that appear under their names when they are complete, and not before."""

import errno
import gzip
import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, cast

import zstandard

from specter_graph.core.errors import InputError

_DATA_FOLDER = "specter-graph"
"""The name of the default data folder, as in `settings`."""


def data_folder(root: Path, *below: str) -> Path:
    """Make the data folder, or a folder below it, for its owner alone, and return its path.

    Folders that an older version left open are closed: those below, and the data folder itself
    where it is the default one, by its name. Another folder that the user named stays as it is: it
    may hold more than ours. Raises InputError when it cannot be made or written.
    """
    folder = root
    try:
        for folder in (root.joinpath(*below[:depth]) for depth in range(len(below) + 1)):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            found = folder.stat()
            own = os.name == "posix" and found.st_uid == os.getuid()
            if own and found.st_mode & 0o077 and (folder != root or root.name == _DATA_FOLDER):
                folder.chmod(stat.S_IMODE(found.st_mode) & 0o7700)
        if not os.access(folder, os.W_OK):
            raise PermissionError(errno.EACCES, "no permission to write")
    except OSError as error:
        raise InputError(
            f"the data folder {folder} cannot be made or written: {error.strerror or error}",
            "set SPECTER_GRAPH_DATA to a folder that you may write",
        ) from error
    return folder


def check_parent(path: Path) -> None:
    """Raise InputError when there is no folder that the path could be made in."""
    parent = path.absolute().parent
    if not parent.is_dir():
        raise InputError(f"there is no folder {parent}", "make it first")


@contextmanager
def complete_file(path: Path) -> Iterator[Path]:
    """Give the path of a file beside `path` that takes its place if all goes well.

    Raises InputError when it cannot be written.
    """
    check_parent(path)
    unfinished = _unfinished(path)
    try:
        yield unfinished
        unfinished.replace(path)
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        unfinished.unlink(missing_ok=True)


@contextmanager
def complete_folder(path: Path) -> Iterator[Path]:
    """Give the path of a new folder beside `path` that gets its name if all goes well.

    Raises InputError when it cannot be written, or when there is something of that name: a folder
    of the user's is never replaced.
    """
    check_new_folder(path)
    unfinished = _unfinished(path)
    try:
        unfinished.mkdir()
        yield unfinished
        if path.is_dir():
            path.rmdir()
        unfinished.rename(path)
    except OSError as error:
        raise unwritable(path, error) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def check_new_folder(path: Path) -> None:
    """Raise InputError where `complete_folder` would."""
    check_parent(path)
    if path.exists() and not (path.is_dir() and not any(path.iterdir())):
        raise InputError(f"there is something at {path} already", "name a new folder")


@contextmanager
def compressed(unfinished: Path, path: Path) -> Iterator[IO[bytes]]:
    """Open a file for writing with the compression that the name of `path` asks for."""
    if path.suffix == ".gz":
        # No name and no time in the header: the same content is the same bytes.
        with unfinished.open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
            yield cast(IO[bytes], packed)
    elif path.suffix == ".zst":
        with zstandard.open(unfinished, "wb") as packed:
            yield packed
    else:
        with unfinished.open("wb") as plain:
            yield plain


def unwritable(path: Path, error: OSError) -> InputError:
    """What to say of a file or folder that cannot be written."""
    if error.errno == errno.ENOSPC:
        return InputError(f"the disk of {path} is full", "free some space, or name another disk")
    return InputError(f"{path} cannot be written: {error.strerror or error}", "name another place")


def _unfinished(path: Path) -> Path:
    return path.with_name(f".{path.name}.{os.getpid()}.unfinished")
