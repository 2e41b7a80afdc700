"""The jars of a lock in the user's cache, fetched when they are not there.

No repository address stands here: jgo knows the one that Maven itself uses.
"""

import errno
import shutil
from pathlib import Path

from filelock import FileLock

from specter_graph.core.errors import ServerError
from specter_graph.core.progress import Progress, silent
from specter_graph.graph.server.jar_lock import Jar, Lock

_SPARE = 200_000_000


def jar_folder(lock: Lock, cache_dir: Path) -> Path:
    """The folder whose `lib` and `plugins` hold the jars of this lock, fetched or not."""
    return cache_dir / lock.name


def fetched(lock: Lock, cache_dir: Path) -> bool:
    """Whether every jar is there in its full size; the sums were checked when it came."""
    folder = jar_folder(lock, cache_dir)
    return all(_is_whole(folder / jar.folder / jar.filename, jar) for jar in lock.jars)


def damaged(lock: Lock, cache_dir: Path) -> list[str]:
    """The names of the jars that are there but are not those of the lock any more."""
    from specter_graph.graph.server.download import sha256_of

    folder = jar_folder(lock, cache_dir)
    return [
        jar.filename
        for jar in lock.jars
        if (path := folder / jar.folder / jar.filename).exists() and sha256_of(path) != jar.sha256
    ]


def fetch_jars(
    lock: Lock,
    cache_dir: Path,
    *,
    repository: str | None = None,
    progress: Progress = silent,
) -> Path:
    """Make sure that every jar of the lock is in the cache, and return their folder.

    Safe when several processes do it at once: one fetches, the others wait. A download that broke
    off goes on where it stopped. `repository` is the root of a Maven repository, such as a mirror
    of your own; by default the one that jgo knows.

    Raises ServerError when a jar cannot be had, has a wrong checksum twice, or the disk is full.
    """
    folder = jar_folder(lock, cache_dir)
    if fetched(lock, cache_dir):
        return folder
    # Not at the top: with its HTTP client it would cost every command a third of a second.
    from specter_graph.graph.server.download import default_repository, download

    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / ".lock"):
            missing = [
                jar for jar in lock.jars if not _is_whole(folder / jar.folder / jar.filename, jar)
            ]
            if missing:  # else another process has just fetched them
                _check_space(folder, missing)
                download(missing, folder, repository or default_repository(), progress)
    except OSError as error:
        raise _disk_error(error, folder) from error
    return folder


def _is_whole(path: Path, jar: Jar) -> bool:
    try:
        return path.stat().st_size == jar.size
    except FileNotFoundError:
        return False


def _check_space(folder: Path, missing: list[Jar]) -> None:
    needed = sum(jar.size for jar in missing) + _SPARE
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise ServerError(
            f"the disk of {folder} has {free // 10**6} MB free, "
            f"fetching Neo4j takes {needed // 10**6} MB",
            "free some space, or set XDG_CACHE_HOME to a folder on another disk",
        )


def _disk_error(error: OSError, folder: Path) -> ServerError:
    if error.errno == errno.ENOSPC:
        return ServerError(
            f"the disk of {folder} is full",
            "free some space and run the command again: it goes on where it stopped",
        )
    return ServerError(f"cannot write to {folder}: {error}", "check its permissions")
