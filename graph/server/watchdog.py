"""A process that stops an idle server, for servers that a command started without `up`.

It is detached like the server: it outlives the command that started it, and ends with the server.
"""

import sys
import time
from pathlib import Path

from filelock import FileLock, Timeout

from specter_graph.graph.server.instance import Instance
from specter_graph.graph.server.process import find_server, is_alive

_POLL_INTERVAL = 2.0


def watch(instance: Instance) -> None:
    """Check the instance until its server has ended or is to run until `down`."""
    process = find_server(instance.home)
    while True:
        time.sleep(min(_POLL_INTERVAL, instance.idle_seconds / 4))
        ended = process is None or not is_alive(process)
        if (ended or instance.is_idle()) and instance.stop_when_idle():
            return
        if ended:
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
