"""kill -9 at random moments of a load, the loader first, then the server; then the same load again.

    python bench/kills.py [--kills 20] [--papers 6000] [--seed 0]

Loads a generated corpus in files with `specter-graph load`, as a user would. Each time the load is
killed somewhere in the time that it takes undisturbed, and the same command is run again; the graph
must be the one of the undisturbed load, in all nodes, properties and relationships. Works in a
folder of its own, with the user's jars; nothing is kept. Exits with 1 when a graph differs.
"""

import json
import os
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import click
import psutil
from corpus import write_jsonl

sys.path.insert(0, str(Path(__file__).parents[1]))

from specter_graph.graph.database import connect
from specter_graph.graph.maintenance.delete import clear
from specter_graph.graph.server import Endpoint, Instance
from specter_graph.settings import Settings
from tests.graph.canonical import canonical

FILES = 12


class Loads:
    """The same load, again and again, into one instance."""

    def __init__(self, instance: Instance, folder: Path, paths: list[Path]) -> None:
        self._instance = instance
        self._command = [
            *(sys.executable, "-m", "specter_graph", "load", "jsonl", *map(str, paths)),
            *(
                "--instance",
                instance.name,
                "--rejects",
                str(folder / "rejects.jsonl"),
                "--format",
                "json",
            ),
        ]
        self._environment = os.environ | {"SPECTER_GRAPH_DATA": str(folder)}

    def start(self) -> "subprocess.Popen[bytes]":
        """Begin to load."""
        return subprocess.Popen(
            self._command,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def complete(self) -> dict[str, int]:
        """Load; what the command printed."""
        with self.start() as loader:
            printed, message = loader.communicate()
            assert loader.returncode == 0, message.decode()
        summary: dict[str, int] = json.loads(printed)
        return summary

    def killed(self, victim: str, moment: float) -> float | None:
        """Load into the empty graph and kill so many seconds later; None if it had ended."""
        self.empty()
        with self.start() as loader:
            time.sleep(moment)
            ended = loader.poll() is not None
            if victim == "loader":
                loader.kill()
            elif not ended:
                self.kill_server()
            loader.communicate()
        return None if ended else moment

    def up(self) -> Endpoint:
        """The server, which stays up between loads."""
        return self._instance.up(keep=True)

    def empty(self) -> None:
        """Clear the graph."""
        endpoint = self.up()
        with connect(endpoint.uri, endpoint.username, endpoint.password) as db:
            clear(db)

    def digest(self) -> str:
        """Of the whole graph."""
        endpoint = self.up()
        with connect(endpoint.uri, endpoint.username, endpoint.password) as db:
            return sha256(repr(canonical(db)).encode()).hexdigest()[:16]

    def kill_server(self) -> None:
        """As the system would that runs out of memory."""
        pid = self._instance.status().pid
        assert pid is not None
        server = psutil.Process(pid)
        server.kill()
        server.wait()


@click.command()
@click.option("--kills", default=20, show_default=True, help="Of each of the two.")
@click.option("--papers", default=6_000, show_default=True)
@click.option("--seed", default=0, show_default=True)
def main(kills: int, papers: int, seed: int) -> None:
    """Kill, load again and compare."""
    random, differing = Random(seed), 0
    with TemporaryDirectory() as name:
        folder = Path(name)
        instance = Instance("kills", folder, Settings().specter_graph_cache)
        loads = Loads(instance, folder, write_jsonl(folder, papers, 10 * papers, FILES))
        try:
            loads.empty()
            loads.complete()  # the server is warm
            loads.empty()
            started = time.monotonic()
            loads.complete()
            seconds = time.monotonic() - started
            expected = loads.digest()
            print(f"undisturbed: {seconds:.1f} s, digest {expected}", flush=True)
            for victim in kills * ["loader"] + kills * ["server"]:
                while not (moment := loads.killed(victim, random.uniform(0, seconds))):
                    pass  # it had ended before
                again = loads.complete()
                digest = loads.digest()
                differing += digest != expected
                says = "the same" if digest == expected else f"ANOTHER: {digest}"
                print(
                    f"{victim} killed {moment:.1f} s into the load; {again['parts_done_before']} of"
                    f" {FILES} files were done; afterwards {says}",
                    flush=True,
                )
        finally:
            instance.remove()
    print(f"{2 * kills - differing} of {2 * kills} graphs the same")
    sys.exit(differing > 0)


if __name__ == "__main__":
    main()
