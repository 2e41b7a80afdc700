"""Kill Neo4j under `serve` with kill -9, and measure the failed requests and the recovery time.

    python bench/service_kill.py --instance hepph [--rate 50] [--seconds 60] [--kill-at 10]

Requests similar papers in an open loop: a request is sent at its scheduled time, whether or not
earlier responses have arrived. Prints as JSON the number of responses by status, the latencies of
each status in milliseconds, and the seconds from the kill to the last response that is not 200.
Exits with 1 if a status was neither 200 nor 503, or if the service did not recover.
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


async def send_requests(
    address: str, paths: list[str], rate: float, due: float
) -> list[tuple[float, str, float]]:
    """Send requests at their times; return seconds since the start, statuses and latencies (ms)."""
    started = time.perf_counter()
    responses: list[tuple[float, str, float]] = []
    pool = httpx.Limits(max_connections=400)
    async with httpx.AsyncClient(base_url=address, timeout=60, limits=pool) as client:

        async def send(path: str, at: float) -> None:
            await asyncio.sleep(max(0.0, started + at - time.perf_counter()))
            try:
                status = str((await client.get(path)).status_code)
            except httpx.HTTPError as error:
                status = type(error).__name__
            now = time.perf_counter() - started
            responses.append((now, status, 1000 * (now - at)))

        await asyncio.gather(*(send(path, due + n / rate) for n, path in enumerate(paths)))
    return responses


def kill_after(seconds: float, instance: str) -> None:
    """Kill the server of an instance, as a system without free memory does."""
    pid = Settings().local(instance).status().pid
    assert pid is not None
    time.sleep(seconds)
    psutil.Process(pid).kill()


def summarize(responses: list[tuple[float, str, float]], killed: float) -> dict[str, object]:
    """Return counts and latencies by status, and the time of the last failure."""
    by_status: dict[str, list[float]] = defaultdict(list)
    for _, status, milliseconds in responses:
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
    failed = [at for at, status, _ in responses if status != "200" and at > killed]
    return {
        "statuses": dict(Counter(status for _, status, _ in responses)),
        "milliseconds": latencies,
        "seconds from the kill to the last failure": round(max(failed, default=killed) - killed, 1),
        "last status": max(responses)[1],
    }


@click.command()
@click.option("--instance", default="demo", show_default=True, help="Local instance.")
@click.option("--space", default="specter", show_default=True, help="Space of the service.")
@click.option("--rate", default=50.0, show_default=True, help="Requests per second.")
@click.option("--seconds", default=60.0, show_default=True, help="Duration.")
@click.option(
    "--kill-at", default=10.0, show_default=True, help="Seconds from the start to the kill."
)
@click.option("--seed", default=0, show_default=True, help="Random seed.")
def main(instance: str, space: str, rate: float, seconds: float, kill_at: float, seed: int) -> None:
    """Start the service, send requests, kill Neo4j, and print the figures."""
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

        async def run() -> list[tuple[float, str, float]]:
            await send_requests(address, paths[: int(5 * rate)], rate / 2, 1.0)  # warm
            task = asyncio.create_task(send_requests(address, paths, rate, 0.0))
            await asyncio.to_thread(kill_after, kill_at, instance)
            return await task

        responses = asyncio.run(run())
    finally:
        service.terminate()
        service.wait()
    figures = summarize(responses, kill_at)
    click.echo(json.dumps(figures, indent=1))
    statuses = {status for _, status, _ in responses}
    sys.exit(not (statuses <= {"200", "503"} and figures["last status"] == "200"))


if __name__ == "__main__":
    main()
