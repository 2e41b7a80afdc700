"""The service under load: open loops of similar papers and of searches, then closed-loop clients.

    python bench/serve.py --instance demo --seconds 60

Starts `specter-graph serve` as a process of its own, warms it until Neo4j has compiled what it is
asked, and then asks in rounds, each of so many seconds: similar papers at 50 a second; searches by
text at 10 a second; 45 of the ones and 5 of the others a second; 50 clients that each ask again as
soon as they are answered. In the open loops a request is due at its time whether or not the ones
before it are answered, and its latency counts from then. Texts and papers are different each time.
Memory is the process's resident set. `asked late by` is the 95th percentile of how late this
program itself was: more than some milliseconds, and the machine has too few cores left for both,
and the latencies are not the service's.
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
"""Pages of a paper by the names of their rounds."""


class Load:
    """Asks one service, and notes latencies in milliseconds and statuses by kind of question."""

    def __init__(self, address: str, ids: list[str], titles: list[str], seed: int) -> None:
        self.client = httpx.AsyncClient(
            base_url=address, timeout=30, limits=httpx.Limits(max_connections=400)
        )
        self._ids, self._titles = ids, titles
        self._rng = random.Random(seed)
        self.milliseconds: dict[str, list[float]] = {}
        self.statuses: Counter[str] = Counter()
        self.late: list[float] = []

    async def ask(self, kind: str, address: str, due: float) -> None:
        """Ask, and note the answer; its latency counts from `due`."""
        self.late.append(1000 * (time.perf_counter() - due))
        try:
            answer = await self.client.get(address)
            self.statuses[f"{kind} {answer.status_code}"] += 1
            if answer.status_code != 200:
                return
        except httpx.HTTPError as error:
            self.statuses[f"{kind} {type(error).__name__}"] += 1
            return
        self.milliseconds.setdefault(kind, []).append(1000 * (time.perf_counter() - due))

    def similar(self) -> str:
        """An address of papers similar to any."""
        return f"/v1/papers/{quote(self._rng.choice(self._ids))}/similar?k=10"

    def search(self) -> str:
        """An address of a search that nobody has made before."""
        words = " ".join(self._rng.choice(self._titles).split()[:6])
        return f"/v1/search?q={quote(f'{words} {self._rng.randrange(10**6)}')}"

    def page(self, kind: str) -> str:
        """An address of a page of any paper."""
        return PAGES[kind].format(id=quote(self._rng.choice(self._ids)))

    async def open_loop(self, kind: str, rate: float, seconds: float) -> None:
        """Ask at a rate, whoever is still waiting."""
        make = {"similar": self.similar, "search": self.search}.get(kind, partial(self.page, kind))
        begun, requested = time.perf_counter(), []
        for number in range(int(rate * seconds)):
            due = begun + number / rate
            await asyncio.sleep(max(0.0, due - time.perf_counter()))
            requested.append(asyncio.create_task(self.ask(kind, make(), due)))
        await asyncio.gather(*requested)

    async def closed_loop(self, clients: int, seconds: float) -> None:
        """Ask again as soon as there is an answer."""
        until = time.perf_counter() + seconds

        async def one() -> None:
            while (now := time.perf_counter()) < until:
                await self.ask("similar", self.similar(), now)

        await asyncio.gather(*(one() for _ in range(clients)))

    def summary(self) -> dict[str, Any]:
        """The figures so far, forgotten afterwards."""
        reported: dict[str, Any] = {"statuses": dict(self.statuses)}
        for kind, each in self.milliseconds.items():
            p50, p95, p99 = np.percentile(each, [50, 95, 99]).round(1).tolist()
            reported[kind] = {"p50": p50, "p95": p95, "p99": p99, "max": round(max(each), 1)}
        reported["asked late by"] = round(float(np.percentile(self.late, 95)), 1)
        self.milliseconds, self.statuses, self.late = {}, Counter(), []
        return reported


async def rounds(load: Load, server: psutil.Process, seconds: float) -> dict[str, Any]:
    """All rounds, each with the memory of the service after it."""
    figures: dict[str, Any] = {}

    async def note(name: str, work: Coroutine[Any, Any, Any]) -> None:
        begun = time.perf_counter()
        await work
        took = time.perf_counter() - begun
        memory = server.memory_info().rss // 2**20
        figures[name] = load.summary() | {"seconds": round(took, 1), "resident MiB": memory}

    await note("warm up", load.closed_loop(4, min(seconds, 10)))
    await note("first searches", load.open_loop("search", 2, min(seconds, 10)))
    await note("warm up of searches", load.open_loop("search", 5, min(seconds, 30)))
    await note("similar at 50/s", load.open_loop("similar", 50, seconds))
    await note("search at 10/s", load.open_loop("search", 10, seconds))
    await note(
        "similar at 45/s, search at 5/s",
        asyncio.gather(
            load.open_loop("similar", 45, seconds), load.open_loop("search", 5, seconds)
        ),
    )
    await note("50 clients", load.closed_loop(50, seconds))
    return figures


async def page_rounds(load: Load, rate: float, seconds: float) -> dict[str, Any]:
    """A round of each page at a rate, after one at a fifth of it that warms it up."""
    figures: dict[str, Any] = {}
    for kind in PAGES:
        await load.open_loop(kind, rate / 5, min(seconds, 10))
        load.summary()
        await load.open_loop(kind, rate, seconds)
        figures[f"{kind} at {rate:g}/s"] = load.summary()
    return figures


@click.command()
@click.option("--instance", default="demo", show_default=True)
@click.option("--space", default="specter", show_default=True)
@click.option("--seconds", default=60.0, show_default=True)
@click.option("--page-rate", type=float, help="Ask for each page at this rate, and nothing else.")
@click.option("--seed", default=0, show_default=True)
@click.option("-o", "--output", type=click.Path(path_type=Path))
def main(
    instance: str,
    space: str,
    seconds: float,
    page_rate: float | None,
    seed: int,
    output: Path | None,
) -> None:
    """Serve, ask, and tell the figures."""
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
