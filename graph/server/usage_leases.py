"""Who uses a server right now: a lease file for each command, named after its process.

A command that was killed leaves its file behind; the lease is dead all the same, because no
process with that pid and that start time runs any more.
"""

import secrets
import time
from pathlib import Path

import psutil

_CLOCK_SECONDS = 2.0  # how far two readings of a process's start time may lie apart


def take_lease(home: Path) -> Path:
    """Note that this process uses the server; the file that says so is returned."""
    folder = home / "leases"
    folder.mkdir(parents=True, exist_ok=True)
    own = psutil.Process()
    lease = folder / f"{own.pid}-{own.create_time():.2f}-{secrets.token_hex(4)}"
    lease.touch()
    note_use(home)
    return lease


def give_back(lease: Path) -> None:
    """End a lease; the idle time is counted from here."""
    lease.unlink(missing_ok=True)
    if lease.parent.exists():  # the instance may have been removed meanwhile
        note_use(lease.parent.parent)


def live_leases(home: Path) -> int:
    """How many leases have a living process; files of dead ones are removed."""
    live = 0
    for lease in (home / "leases").glob("*-*-*"):
        pid, created, _token = lease.name.split("-")
        if _runs(int(pid), float(created)):
            live += 1
        else:
            lease.unlink(missing_ok=True)
    return live


def note_use(home: Path) -> None:
    """Count the idle time from now."""
    (home / "used").touch()


def idle_seconds(home: Path) -> float:
    """Seconds since the server was last leased, given back or started."""
    try:
        return time.time() - (home / "used").stat().st_mtime
    except FileNotFoundError:
        return 0.0


def _runs(pid: int, created: float) -> bool:
    try:
        return abs(psutil.Process(pid).create_time() - created) < _CLOCK_SECONDS
    except psutil.NoSuchProcess:
        return False
