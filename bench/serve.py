"""Measure the latency of the service under load: open loops of requests, then closed-loop clients.

    python bench/serve.py --instance demo --seconds 60

Starts `specter-graph serve` in a separate process, warms it up until Neo4j has compiled the
queries, and measures rounds of `--seconds`: similar papers at 50 requests per second; searches by
text at 10 per second; 45 requests for similar papers and 5 searches per second; 50 clients, each of
which sends a request when it has received the previous response. In an open loop, a request is sent
at its scheduled time, whether or not earlier responses have arrived, and its latency is measured
from that time. Texts and papers are random. Memory is the resident set of the process.

`sent late by` is the 95th percentile of the delay with which this program sent its requests. If it
is more than some milliseconds, the machine has too few cores for both programs, and the latencies
are not those of the service alone.
"""

import asyncio
import json
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Coroutine
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click
import httpx
import numpy as np
import psutil

from specter_graph.cli.options import open_graph
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.embeddings.spaces import read_vectors

PAGES = {
    "paper": "/papers/{id}",
    "related papers": "/papers/{id}?by=both",
    "references": "/papers/{id}?tab=references",
    "prior works": "/papers/{id}?tab=lineage",
    "missing references": "/papers/{id}?tab=missing",
    "reviewers": "/papers/{id}?tab=reviewers",
    "explore": "/v1/explore?id={id}",
}
"""Pages of a paper, by the names of their rounds."""


class Load:
    """Sends requests to a service; records latencies (ms) and statuses by kind of request."""

    def __init__(self, address: str, ids: list[str], titles: list[str], seed: int) -> None:
        self.client = httpx.AsyncClient(
            base_url=address, timeout=30, limits=httpx.Limits(max_connections=400)
        )
        self._ids, self._titles = ids, titles
        self._rng = random.Random(seed)
        self.milliseconds: dict[str, list[float]] = {}
        self.statuses: Counter[str] = Counter()
        self.delays: list[float] = []

    async def request(self, kind: str, address: str, due: float) -> None:
        """Send a request, and record its response; the latency is measured from `due`."""
        self.delays.append(1000 * (time.perf_counter() - due))
        try:
            response = await self.client.get(address)
            self.statuses[f"{kind} {response.status_code}"] += 1
            if response.status_code != 200:
                return
        except httpx.HTTPError as error:
            self.statuses[f"{kind} {type(error).__name__}"] += 1
            return
        self.milliseconds.setdefault(kind, []).append(1000 * (time.perf_counter() - due))

    def similar(self) -> str:
        """Return an address of papers similar to a random one."""
        return f"/v1/papers/{quote(self._rng.choice(self._ids))}/similar?k=10"

    def search(self) -> str:
        """Return an address of a search that has not been sent before."""
        words = " ".join(self._rng.choice(self._titles).split()[:6])
        return f"/v1/search?q={quote(f'{words} {self._rng.randrange(10**6)}')}"

    def page(self, kind: str) -> str:
        """Return an address of a page of a random paper."""
        return PAGES[kind].format(id=quote(self._rng.choice(self._ids)))

    async def open_loop(self, kind: str, rate: float, seconds: float) -> None:
        """Send requests at a rate, whether or not earlier responses have arrived."""
        next_address = {"similar": self.similar, "search": self.search}.get(
            kind, partial(self.page, kind)
        )
        started, tasks = time.perf_counter(), []
        for number in range(int(rate * seconds)):
            due = started + number / rate
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            tasks.append(asyncio.create_task(self.request(kind, next_address(), due)))
        await asyncio.gather(*tasks)

    async def closed_loop(self, clients: int, seconds: float) -> None:
        """Run clients that send a request when they have received the previous response."""
        until = time.perf_counter() + seconds

        async def run_client() -> None:
            while (now := time.perf_counter()) < until:
                await self.request("similar", self.similar(), now)

        await asyncio.gather(*(run_client() for _ in range(clients)))

    def summary(self) -> dict[str, Any]:
        """Return the figures since the previous call."""
        figures: dict[str, Any] = {"statuses": dict(self.statuses)}
        for kind, values in self.milliseconds.items():
            p50, p95, p99 = np.percentile(values, [50, 95, 99]).round(1).tolist()
            figures[kind] = {"p50": p50, "p95": p95, "p99": p99, "max": round(max(values), 1)}
        figures["sent late by"] = round(float(np.percentile(self.delays, 95)), 1)
        self.milliseconds, self.statuses, self.delays = {}, Counter(), []
        return figures


async def rounds(load: Load, server: psutil.Process, seconds: float) -> dict[str, Any]:
    """Run all rounds, and return their figures with the memory of the service after each."""
    figures: dict[str, Any] = {}

    async def run_round(name: str, work: Coroutine[Any, Any, Any]) -> None:
        started = time.perf_counter()
        await work
        elapsed = time.perf_counter() - started
        memory = server.memory_info().rss // 2**20
        figures[name] = load.summary() | {"seconds": round(elapsed, 1), "resident MiB": memory}

    await run_round("warm up", load.closed_loop(4, min(seconds, 10)))
    await run_round("first searches", load.open_loop("search", 2, min(seconds, 10)))
    await run_round("warm up of searches", load.open_loop("search", 5, min(seconds, 30)))
    await run_round("similar at 50/s", load.open_loop("similar", 50, seconds))
    await run_round("search at 10/s", load.open_loop("search", 10, seconds))
    await run_round(
        "similar at 45/s, search at 5/s",
        asyncio.gather(
            load.open_loop("similar", 45, seconds), load.open_loop("search", 5, seconds)
        ),
    )
    await run_round("50 clients", load.closed_loop(50, seconds))
    return figures


async def page_rounds(load: Load, rate: float, seconds: float) -> dict[str, Any]:
    """Run a round for each page, after a warm-up at a fifth of the rate."""
    figures: dict[str, Any] = {}
    for kind in PAGES:
        await load.open_loop(kind, rate / 5, min(seconds, 10))
        load.summary()
        await load.open_loop(kind, rate, seconds)
        figures[f"{kind} at {rate:g}/s"] = load.summary()
    return figures


@click.command()
@click.option("--instance", default="demo", show_default=True, help="Local instance.")
@click.option("--space", default="specter", show_default=True, help="Space of the service.")
@click.option("--seconds", default=60.0, show_default=True, help="Duration of a round.")
@click.option("--page-rate", type=float, help="Request each page at this rate, and nothing else.")
@click.option("--seed", default=0, show_default=True, help="Random seed.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="File for the figures.")
def main(
    instance: str,
    space: str,
    seconds: float,
    page_rate: float | None,
    seed: int,
    output: Path | None,
) -> None:
    """Start the service, send requests, and print the figures."""
    with open_graph(instance) as graph:
        ids, _ = read_vectors(graph.database, space)
        titles = [text.title for text in paper_texts(graph.database)]
        command = [sys.executable, "-m", "specter_graph", "serve", "--port", "0"]
        process = subprocess.Popen(
            [*command, "--instance", instance, "--space", space],
            stdout=subprocess.PIPE,
            text=True,
        )
        assert process.stdout is not None
        try:
            address = process.stdout.readline().strip()

            async def work() -> dict[str, Any]:
                load = Load(address, ids, titles, seed)
                if page_rate:
                    return await page_rounds(load, page_rate, seconds)
                return await rounds(load, psutil.Process(process.pid), seconds)

            figures = asyncio.run(work())
        finally:
            process.terminate()
            process.wait()
    click.echo(json.dumps(figures, indent=1))
    if output:
        output.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
