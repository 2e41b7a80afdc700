"""Leases, which show the commands that use a server, and the idle time of the server.

A lease is a locked file. The operating system releases the lock when the process ends, so a killed
command leaves no lease.
"""

import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout


@contextmanager
def hold(lease: FileLock, home: Path) -> Iterator[None]:
    """Release a lease at the end of the block; the idle time starts there."""
    try:
        yield
    finally:
        lease.release()
        Path(lease.lock_file).unlink(missing_ok=True)
        if home.exists():  # the instance may have been removed
            note_use(home)


def take_lease(home: Path) -> FileLock:
    """Take a lease, and remove the files of processes that were killed.

    Call it while the instance is locked, so that no other process removes the new file.
    """
    folder = home / "leases"
    folder.mkdir(parents=True, exist_ok=True)
    for path in folder.glob("*.lock"):
        if not is_held(path):
            path.unlink(missing_ok=True)
    lease = FileLock(folder / f"{secrets.token_hex(8)}.lock", thread_local=False)
    lease.acquire()
    note_use(home)
    return lease


def count_leases(home: Path) -> int:
    """Count the leases of running processes."""
    return sum(map(is_held, (home / "leases").glob("*.lock")))


def is_held(path: Path) -> bool:
    """Return True if a process holds the lock of a file."""
    try:
        with FileLock(path, timeout=0):
            return False
    except Timeout:
        return True


def note_use(home: Path) -> None:
    """Restart the idle time."""
    (home / "used").touch()


def idle_seconds(home: Path) -> float:
    """Return the seconds since the server was started, or a lease was taken or released."""
    try:
        return time.time() - (home / "used").stat().st_mtime
    except FileNotFoundError:
        return 0.0
