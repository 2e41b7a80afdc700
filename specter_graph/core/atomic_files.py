"""Atomic files and folders, which get their final name only when complete; ids and digests."""

import errno
import gzip
import os
import secrets
import shutil
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from hashlib import file_digest
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast

import zstandard
from platformdirs import user_cache_path

from specter_graph.core.errors import InputError

if TYPE_CHECKING:
    from jinja2 import Environment

_DATA_FOLDER = "specter-graph"
"""The name of the default data folder, as in `settings`."""


def data_folder(root: Path, *below: str) -> Path:
    """Create the data folder, or a folder below it, with mode 0700, and return its path.

    The mode of existing folders is restricted too, except that of a data folder with a name other
    than the default: the user may keep other files in it.

    Raises:
        InputError: The folder cannot be created or written.
    """
    folder = root
    with _creation_errors("data folder", root.joinpath(*below), "set SPECTER_GRAPH_DATA to"):
        for folder in (root.joinpath(*below[:depth]) for depth in range(len(below) + 1)):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            status = folder.stat()
            is_owned = os.name == "posix" and status.st_uid == os.getuid()
            is_ours = is_owned and (folder != root or root.name == _DATA_FOLDER)
            if is_ours and status.st_mode & 0o077:
                folder.chmod(stat.S_IMODE(status.st_mode) & 0o7700)
        require_writable(folder)
    return folder


def cache_folder(*below: str) -> Path:
    """Create a folder below that of SPECTER_GRAPH_CACHE, as in `settings`, and return its path.

    Raises:
        InputError: The folder cannot be created.
    """
    root = os.environ.get("SPECTER_GRAPH_CACHE") or user_cache_path(_DATA_FOLDER, appauthor=False)
    folder = Path(root, *below)
    with _creation_errors("cache folder", folder, "set SPECTER_GRAPH_CACHE to"):
        folder.mkdir(parents=True, exist_ok=True)
    return folder


@contextmanager
def _creation_errors(kind: str, folder: Path | str, change: str) -> Iterator[None]:
    """Raise the InputError of a folder for an error of the operating system."""
    try:
        yield
    except OSError as error:
        raise InputError(
            f"the {kind} {folder} cannot be created or written: {error.strerror or error}",
            f"{change} a folder that you can write to",
        ) from error


def read_text(path: Path | str) -> str:
    """Return the text of a file in UTF-8, without a byte order mark.

    Raises:
        InputError: The file cannot be read.
    """
    try:
        return Path(path).read_text("utf-8-sig")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError(f"{path} is not UTF-8 (byte {error.start + 1})") from error


def read_ids(path: Path) -> set[str]:
    """Read a file with one id per line; blank lines are ignored.

    Raises:
        InputError: The file cannot be read.
    """
    return {line.strip() for line in read_text(path).splitlines() if line.strip()}


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def check_parent(path: Path | str) -> None:
    """Raise InputError if the parent folder of the path does not exist."""
    parent = Path(path).absolute().parent
    if not os.path.isdir(parent):
        raise InputError(f"folder not found: {parent}", f"create it: mkdir -p {parent}")


def check_file(path: Path | str) -> None:
    """Raise InputError if `complete_file(path)` would: it would replace a pipe or a device."""
    check_parent(path)
    if os.path.exists(path) and not os.path.isfile(path):
        raise no_file_error(path, "name a file")
    with write_errors(Path(path)):
        require_writable(Path(path).absolute().parent)


def no_file_error(path: Path | str, hint: str) -> InputError:
    """Return the error for a path that is a folder, a pipe or a device."""
    kind = "a folder" if os.path.isdir(path) else "a pipe or a device"
    return InputError(f"{path} is {kind}, not a file", hint)


def create_folder(folder: Path | str) -> None:
    """Create a folder for output, before the work whose results it will have.

    Raises:
        InputError: The folder cannot be created or written.
    """
    with _creation_errors("folder", folder, "name"):
        Path(folder).mkdir(parents=True, exist_ok=True)
        require_writable(folder)


def require_writable(folder: Path | str) -> None:
    """Raise PermissionError if a folder cannot be written, as on a disk that is read-only."""
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, "no permission to write")


@contextmanager
def complete_file(path: Path | str) -> Iterator[Path]:
    """Yield the path of a temporary file that is renamed to `path` if no error occurs.

    Raises:
        InputError: The file cannot be written.
    """
    check_file(path)
    path = Path(path)
    unfinished = _unfinished_path(path)
    try:
        with write_errors(path):
            yield unfinished
            unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def write_file(path: Path | str, content: str | bytes, mode: int = 0o666) -> None:
    """Write a file, text in UTF-8, as `complete_file` does."""
    with complete_file(path) as unfinished:
        unfinished.touch(mode)
        unfinished.write_bytes(content.encode() if isinstance(content, str) else content)


def jinja_environment(package: str, folder: str = ".") -> "Environment":
    """Return a Jinja environment of the templates in a package, which escapes all values."""
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader(package, folder),
        undefined=StrictUndefined,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def write_page(path: Path | str, package: str, template: str, **values: object) -> None:
    """Write an HTML page from a Jinja template in a package, as `complete_file` does."""
    write_file(path, jinja_environment(package).get_template(template).render(values))


@contextmanager
def complete_folder(path: Path) -> Iterator[Path]:
    """Yield the path of a temporary folder that is renamed to `path` if no error occurs.

    Raises:
        InputError: The folder cannot be written, or `path` exists and is not an empty folder.
    """
    check_new_folder(path)
    unfinished = _unfinished_path(path)
    try:
        with write_errors(path):
            unfinished.mkdir()
            yield unfinished
            share_weights(unfinished)
            if path.is_dir():
                path.rmdir()
            unfinished.rename(path)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def share_weights(folder: Path) -> None:
    """Give weights the mode of other new files: safetensors lets only the owner read them."""
    mode = folder.stat().st_mode & 0o666
    for file in folder.rglob("*.safetensors"):
        file.chmod(mode)


def check_new_folder(path: Path) -> None:
    """Raise InputError if `complete_folder(path)` would."""
    check_parent(path)
    if path.exists() and not (path.is_dir() and not any(path.iterdir())):
        raise InputError(f"{path} already exists", "name a new folder")


@contextmanager
def compressed(unfinished: Path, path: Path) -> Iterator[IO[bytes]]:
    """Open `unfinished` for writing, compressed as the suffix of `path` says (.gz, .zst)."""
    if path.suffix == ".gz":
        # Without a name and a time in the header, the same content gives the same bytes.
        with unfinished.open("wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as packed:
            yield cast(IO[bytes], packed)
    elif path.suffix == ".zst":
        with zstandard.open(unfinished, "wb") as packed:
            yield packed
    else:
        with unfinished.open("wb") as plain:
            yield plain


@contextmanager
def write_errors(path: Path) -> Iterator[None]:
    """Raise the InputError of `path` for an error of the operating system or a full disk."""
    try:
        yield
    except Exception as error:
        if not (isinstance(error, OSError) or _is_full(error)):
            raise
        raise write_error(path, error) from error


def _is_full(error: Exception) -> bool:
    """Return True if a disk is full; safetensors, in Rust, raises an error that is no OSError."""
    number = error.errno if isinstance(error, OSError) else None
    return number == errno.ENOSPC or f"(os error {errno.ENOSPC})" in str(error)


def write_error(path: Path, error: Exception) -> InputError:
    """Return the InputError for a file or folder that cannot be written."""
    if _is_full(error):
        return InputError(f"the disk of {path} is full", "free some space, or use another disk")
    reason = getattr(error, "strerror", None) or error
    return InputError(f"{path} cannot be written: {reason}", "name another path")


def reserve_space(file: Path) -> None:
    """Reserve the disk space of a sparse file: a full disk kills a process that writes to its map.

    Raises:
        OSError: The disk is full.
    """
    if hasattr(os, "posix_fallocate"):  # macOS and Windows have none
        with file.open("r+b") as opened:
            os.posix_fallocate(opened.fileno(), 0, file.stat().st_size)


def unknown_suffix(path: Path | str, suffixes: Iterable[str]) -> InputError:
    """Return the InputError for a file whose suffix is none of these."""
    return InputError(
        f"{path} has no known suffix, so its format is unknown", f"use one of {', '.join(suffixes)}"
    )


def _unfinished_path(path: Path) -> Path:
    """Return a random name: at a known one, another user could prepare a link."""
    return path.with_name(f".{path.name}.{secrets.token_hex(8)}.unfinished")
