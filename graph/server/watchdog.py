"""Stops a server that a command started once nobody has used it for a while.

A small process of its own, detached like the server: it outlives the command, and ends with the
server. A server that `up` was asked for has none.
"""

import sys
import time
from pathlib import Path

from filelock import FileLock, Timeout

from specter_graph.graph.server.instance import Instance
from specter_graph.graph.server.process import find_server, is_alive

_LOOK_SECONDS = 2.0


def watch(instance: Instance) -> None:
    """Look at the instance until its server is gone or is to stay."""
    process = find_server(instance.home)
    while True:
        time.sleep(min(_LOOK_SECONDS, instance.idle_seconds / 4))
        gone = process is None or not is_alive(process)
        if (gone or instance.is_idle()) and instance.stop_when_idle():
            return
        if gone:
            process = find_server(instance.home)


def main() -> None:
    """Watch the instance that the arguments name, unless another watchdog does."""
    name, data_dir, cache_dir, idle_seconds = sys.argv[1:]
    instance = Instance(
        name, Path(data_dir), Path(cache_dir), idle_minutes=float(idle_seconds) / 60
    )
    try:
        with FileLock(instance.home / "watchdog.lock", timeout=0):
            watch(instance)
    except Timeout:
        return


if __name__ == "__main__":
    main()
