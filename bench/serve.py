"""Measure the latency of the service under load: open loops of requests, then closed-loop clients.

    python bench/serve.py --instance demo --seconds 60

Starts `specter-graph serve` in a separate process, warms it up until Neo4j has compiled the
queries, and measures rounds of `--seconds`: similar papers at 50 requests per second; searches by
text at 10 per second; 45 requests for similar papers and 5 searches per second; 50 clients, each of
which sends a request when it has received the previous response. In an open loop, a request is sent
at its scheduled time, whether or not earlier responses have arrived, and its latency is measured
from that time. Texts and papers are random. Memory is the resident set of the process.

    python bench/serve.py --instance demo --page-rate 50 --seconds 4

Requests each page of the service at this rate in an open loop, then a random page each time, and
prints the processor time of a request in the service and in Neo4j. Then it opens the first page in
Chromium.

`sent late by` is the 95th percentile of the delay with which this program sent its requests. If it
is more than some milliseconds, the machine has too few cores for both programs, and the latencies
are not those of the service alone.
"""

import asyncio
import json
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import quote

import click
import httpx
import numpy as np
import psutil
from playwright.sync_api import sync_playwright

from specter_graph.cli.options import open_graph
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.embeddings.spaces import read_vectors
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.settings import Settings

PAGES = {
    "home": "/",
    "results": "/?q={words}",
    "paper": "/papers/{id}",
    "paper, by text and citations": "/papers/{id}?by=both",
    "paper, references": "/papers/{id}?tab=references",
    "paper, citations": "/papers/{id}?tab=citations",
    "paper, prior works": "/papers/{id}?tab=lineage",
    "paper, missing references": "/papers/{id}?tab=missing",
    "paper, reviewers": "/papers/{id}?tab=reviewers",
    "explore": "/explore?id={id}",
    "graph of explore": "/v1/explore?id={id}",
    "map": "/map",
    "lists": "/lists",
    "a list": "/lists?name={list}",
    "new": "/new",
    "missing references": "/missing?id={id}",
    "reviewers": "/match",
    "reviewers of a venue": "/match/{venue}",
}
"""Pages by the names of their rounds, with random papers `id` and `words` of titles."""
MIXED = "all pages"
"""Name of the round with random pages."""

FIRST_PAGES = 9
"""Times that the first page is opened, after once for the start of the browser."""
LIST = "bench/serve.py"
"""Reading list that is created for a page, and deleted."""
MAX_LISTED = 20
TIMING = """
() => {
  const [page] = performance.getEntriesByType("navigation");
  const files = [page, ...performance.getEntriesByType("resource")];
  return {
    response: page.responseEnd, "DOM interactive": page.domInteractive, load: page.loadEventEnd,
    kilobytes: files.reduce((sum, file) => sum + file.transferSize, 0) / 1000,
  };
}
"""


class Load:
    """Sends requests to a service; records latencies (ms) and statuses by kind of request."""

    def __init__(
        self, address: str, ids: list[str], titles: list[str], seed: int, pages: Mapping[str, str]
    ) -> None:
        self.client = httpx.AsyncClient(
            base_url=address, timeout=30, limits=httpx.Limits(max_connections=400)
        )
        self._ids, self._titles, self.pages = ids, titles, pages
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

    def page(self, address: str) -> str:
        """Return the address of a page with a random paper, or four words of a random title."""
        words = self._rng.choice(self._titles).split()
        start = self._rng.randrange(max(1, len(words) - 3))
        return address.format(
            id=quote(self._rng.choice(self._ids)), words=quote(" ".join(words[start : start + 4]))
        )

    def any_page(self) -> str:
        """Return the address of a random page."""
        return self.page(self._rng.choice([*self.pages.values()]))

    async def open_loop(self, kind: str, rate: float, seconds: float) -> None:
        """Send requests at a rate, whether or not earlier responses have arrived."""
        requests = {"similar": self.similar, "search": self.search, MIXED: self.any_page}
        next_address = requests.get(kind) or partial(self.page, self.pages[kind])
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

    async def run_round(name: str, work: Awaitable[object]) -> None:
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


async def page_rounds(
    load: Load, processes: Mapping[str, psutil.Process], rate: float, seconds: float
) -> dict[str, Any]:
    """Run a round for each page, and one with all of them, after a warm-up at a fifth of the rate.

    The model is loaded before. The figures have the processor time of a request in each process.
    """
    figures: dict[str, Any] = {}
    await load.request("first search", load.page(PAGES["results"]), time.perf_counter())
    for kind in (*load.pages, MIXED):
        await load.open_loop(kind, rate / 5, min(seconds, 10) / 2)
        load.summary()
        before = {name: process_seconds(process) for name, process in processes.items()}
        await load.open_loop(kind, rate, seconds)
        used = {
            f"{name} CPU ms": round(
                1000 * (process_seconds(process) - before[name]) / (rate * seconds), 1
            )
            for name, process in processes.items()
        }
        figures[f"{kind} at {rate:g}/s"] = load.summary() | used
        click.echo(f"{kind}: {figures[f'{kind} at {rate:g}/s']}", err=True)
    return figures


def process_seconds(process: psutil.Process) -> float:
    """Return the processor time of a process in seconds."""
    times = process.cpu_times()
    return float(times.user + times.system)


@contextmanager
def pages_of(graph: LiteratureGraph, listed: Sequence[str]) -> Iterator[dict[str, str]]:
    """Yield the pages of a graph, with those of a reading list and of a review venue, if any."""
    graph.lists.create(LIST)
    try:
        graph.lists.add(LIST, listed)
        venue = next((venue.name for venue in graph.venues()), None)
        yield {
            name: page.replace("{list}", quote(LIST)).replace("{venue}", quote(venue or ""))
            for name, page in PAGES.items()
            if venue or "{venue}" not in page
        }
    finally:
        graph.lists.delete(LIST)


def first_page(address: str) -> dict[str, Any]:
    """Open the first page in Chromium with empty caches, and return milliseconds and kilobytes.

    `interactive` is the time from the start of the navigation until the key `/` has moved the focus
    to the field of the search, so the script of the page has run.
    """
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    loads: list[dict[str, float]] = []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for _ in range(FIRST_PAGES + 1):
            page = browser.new_context(viewport={"width": 1200, "height": 800}).new_page()
            page.goto(address, wait_until="commit")
            interactive = None
            while interactive is None:
                page.keyboard.press("/")
                interactive = page.evaluate(
                    "() => document.activeElement?.id === 'q' ? performance.now() : null"
                )
            page.wait_for_load_state("networkidle")
            loads.append({"interactive": interactive, **page.evaluate(TIMING)})
            page.context.close()
        browser.close()
    return {
        name: round(float(np.median([load[name] for load in loads[1:]])), 1) for name in loads[0]
    }


@click.command()
@click.option("--instance", default="demo", show_default=True, help="Local instance.")
@click.option("--space", default="specter", show_default=True, help="Space of the service.")
@click.option("--seconds", default=60.0, show_default=True, help="Duration of a round.")
@click.option(
    "--page-rate",
    type=float,
    help="Request the pages at this rate, open the first one in Chromium, and nothing else.",
)
@click.option(
    "--page", multiple=True, type=click.Choice([*PAGES]), help="With --page-rate: this page."
)
@click.option("--seed", default=0, show_default=True, help="Random seed.")
@click.option("-o", "--output", type=click.Path(path_type=Path), help="File for the figures.")
def main(
    instance: str,
    space: str,
    seconds: float,
    page_rate: float | None,
    page: tuple[str, ...],
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
        service, pid = psutil.Process(process.pid), Settings().local(instance).status().pid
        processes = {"service": service} | ({"Neo4j": psutil.Process(pid)} if pid else {})
        try:
            address = process.stdout.readline().strip()
            if page_rate:
                with pages_of(graph, ids[:MAX_LISTED]) as pages:
                    chosen = {name: pages[name] for name in page or pages}
                    load = Load(address, ids, titles, seed, chosen)
                    figures = asyncio.run(page_rounds(load, processes, page_rate, seconds))
                figures["first page"] = first_page(address)
            else:
                load = Load(address, ids, titles, seed, {})
                figures = asyncio.run(rounds(load, service, seconds))
        finally:
            process.terminate()
            process.wait()
    click.echo(json.dumps(figures, indent=1))
    if output:
        output.write_text(json.dumps(figures, indent=1))


if __name__ == "__main__":
    main()
