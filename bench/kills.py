"""Kill loads with kill -9 at random times, repeat them, and compare the graphs.

    python bench/kills.py [--kills 20] [--papers 6000] [--seed 0]

Loads a generated corpus of several files with `specter-graph load`. Each load is killed at a random
time within the duration of an uninterrupted load: first the loader `--kills` times, then the
server. Then the same command runs again. The graph must equal that of the uninterrupted load in
all nodes, properties and relationships. The benchmark uses a temporary folder and the installed
jars. Exits with 1 if a graph differs.
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


class Loader:
    """Runs the same load into one instance."""

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
        """Start a load."""
        return subprocess.Popen(
            self._command,
            env=self._environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )

    def load(self) -> dict[str, int]:
        """Load, and return the summary that the command prints."""
        with self.start() as process:
            printed, message = process.communicate()
            assert process.returncode == 0, message.decode()
        summary: dict[str, int] = json.loads(printed)
        return summary

    def load_and_kill(self, victim: str, delay: float) -> float | None:
        """Clear, load, and kill after `delay` seconds; return None if the load had ended."""
        self.clear()
        with self.start() as process:
            time.sleep(delay)
            ended = process.poll() is not None
            if victim == "loader":
                process.kill()
            elif not ended:
                self.kill_server()
            process.communicate()
        return None if ended else delay

    def start_server(self) -> Endpoint:
        """Start the server, which runs until it is killed."""
        return self._instance.up(keep=True)

    def clear(self) -> None:
        """Clear the graph."""
        endpoint = self.start_server()
        with connect(*endpoint.login) as db:
            clear(db)

    def digest(self) -> str:
        """Return a digest of the graph."""
        endpoint = self.start_server()
        with connect(*endpoint.login) as db:
            return sha256(repr(canonical(db)).encode()).hexdigest()[:16]

    def kill_server(self) -> None:
        """Kill the server, as a system without free memory does."""
        pid = self._instance.status().pid
        assert pid is not None
        server = psutil.Process(pid)
        server.kill()
        server.wait()


@click.command()
@click.option(
    "--kills", default=20, show_default=True, help="Kills of the loader, and of the server."
)
@click.option("--papers", default=6_000, show_default=True, help="Number of papers.")
@click.option("--seed", default=0, show_default=True)
def main(kills: int, papers: int, seed: int) -> None:
    """Kill, load again and compare."""
    random, differing = Random(seed), 0
    with TemporaryDirectory() as name:
        folder = Path(name)
        instance = Instance("kills", folder, Settings().specter_graph_cache)
        loader = Loader(instance, folder, write_jsonl(folder, papers, 10 * papers, FILES))
        try:
            loader.clear()
            loader.load()  # warms the server
            loader.clear()
            started = time.monotonic()
            loader.load()
            seconds = time.monotonic() - started
            expected = loader.digest()
            print(f"uninterrupted: {seconds:.1f} s, digest {expected}", flush=True)
            for victim in kills * ["loader"] + kills * ["server"]:
                while not (delay := loader.load_and_kill(victim, random.uniform(0, seconds))):
                    pass  # the load ended before the kill
                summary = loader.load()
                digest = loader.digest()
                differing += digest != expected
                outcome = "the same graph" if digest == expected else f"another graph: {digest}"
                print(
                    f"{victim} killed {delay:.1f} s into the load; {summary['parts_done_before']}"
                    f" of {FILES} files were loaded; after the second load: {outcome}",
                    flush=True,
                )
        finally:
            instance.delete()
    print(f"{2 * kills - differing} of {2 * kills} graphs are the same")
    sys.exit(differing > 0)


if __name__ == "__main__":
    main()
