"""kill -9 of Neo4j under `serve`: who is answered what, and when the service is back.

    python bench/service_kill.py --instance hepph [--rate 50] [--seconds 60] [--kill-at 10]

Asks for similar papers in an open loop: a request is sent at its time, whether or not the ones
before it are answered. Prints, as JSON, how many requests got each status, the latencies of each
status in milliseconds, and the seconds from the kill to the last answer that is not 200.
Exits with 1 when any status but 200 and 503 was seen, or the service did not come back.
"""

import asyncio
import json
import random
import subprocess
import sys
import time
from collections import Counter, defaultdict
from urllib.parse import quote

import click
import httpx
import numpy as np
import psutil

from specter_graph.cli.options import open_graph
from specter_graph.graph.embeddings.spaces import read_vectors
from specter_graph.settings import Settings


async def ask(
    address: str, paths: list[str], rate: float, due: float
) -> list[tuple[float, str, float]]:
    """Ask for each path at its time; the seconds since the start, the status, the milliseconds."""
    begun = time.perf_counter()
    answers: list[tuple[float, str, float]] = []
    pool = httpx.Limits(max_connections=400)
    async with httpx.AsyncClient(base_url=address, timeout=60, limits=pool) as client:

        async def one(path: str, at: float) -> None:
            await asyncio.sleep(max(0.0, begun + at - time.perf_counter()))
            try:
                status = str((await client.get(path)).status_code)
            except httpx.HTTPError as error:
                status = type(error).__name__
            now = time.perf_counter() - begun
            answers.append((now, status, 1000 * (now - at)))

        await asyncio.gather(*(one(path, due + n / rate) for n, path in enumerate(paths)))
    return answers


def kill_after(seconds: float, instance: str) -> None:
    """Kill the server of an instance, as the system would that runs out of memory."""
    pid = Settings().local(instance).status().pid
    assert pid is not None
    time.sleep(seconds)
    psutil.Process(pid).kill()


def figures_of(answers: list[tuple[float, str, float]], killed: float) -> dict[str, object]:
    """Counts and latencies by status, and when the last request failed."""
    by_status: dict[str, list[float]] = defaultdict(list)
    for _, status, milliseconds in answers:
        by_status[status].append(milliseconds)
    latencies = {
        status: dict(
            zip(
                ("p50", "p95", "p99", "max"),
                np.percentile(each, [50, 95, 99, 100]).round(1),
                strict=True,
            )
        )
        for status, each in sorted(by_status.items())
    }
    failed = [at for at, status, _ in answers if status != "200" and at > killed]
    return {
        "statuses": dict(Counter(status for _, status, _ in answers)),
        "milliseconds": latencies,
        "seconds from the kill to the last failure": round(max(failed, default=killed) - killed, 1),
        "last status": max(answers)[1],
    }


@click.command()
@click.option("--instance", default="demo", show_default=True)
@click.option("--space", default="specter", show_default=True)
@click.option("--rate", default=50.0, show_default=True, help="Requests a second.")
@click.option("--seconds", default=60.0, show_default=True)
@click.option("--kill-at", default=10.0, show_default=True, help="Seconds after the start.")
@click.option("--seed", default=0, show_default=True)
def main(instance: str, space: str, rate: float, seconds: float, kill_at: float, seed: int) -> None:
    """Serve, ask, kill, and print the figures."""
    with open_graph(instance) as graph:
        ids, _ = read_vectors(graph.database, space)
    rng = random.Random(seed)
    paths = [
        f"/v1/papers/{quote(rng.choice(ids))}/similar?k=10" for _ in range(int(rate * seconds))
    ]
    command = [sys.executable, "-m", "specter_graph", "serve", "--port", "0"]
    service = subprocess.Popen(
        [*command, "--instance", instance, "--space", space], stdout=subprocess.PIPE, text=True
    )
    assert service.stdout is not None
    try:
        address = service.stdout.readline().strip()

        async def both() -> list[tuple[float, str, float]]:
            await ask(address, paths[: int(5 * rate)], rate / 2, 1.0)  # warm
            requested = asyncio.create_task(ask(address, paths, rate, 0.0))
            await asyncio.to_thread(kill_after, kill_at, instance)
            return await requested

        answers = asyncio.run(both())
    finally:
        service.terminate()
        service.wait()
    figures = figures_of(answers, kill_at)
    click.echo(json.dumps(figures, indent=1))
    statuses = {status for _, status, _ in answers}
    sys.exit(not (statuses <= {"200", "503"} and figures["last status"] == "200"))


if __name__ == "__main__":
    main()
