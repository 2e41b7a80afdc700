"""Measure the map page in Chromium: the time until it is drawn, and the time of each frame.

    python bench/map.py --papers 1000000

Serves the template, script and style of the page with a generated map, and sends one wheel event
per frame. `scripts` is the time of the page's drawing in each frame, `frames` the time between
frames, both in milliseconds; 16.7 ms are 60 frames per second. Chromium draws without a GPU.
"""

import gzip
import json
import shutil
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Any

import click
import numpy as np
from playwright.sync_api import Page, sync_playwright

from specter_graph.pipelines.corpus_map import COLORS, SIDE
from specter_graph.service.templating import render

WATCH = """
async ([events]) => {
  const canvas = document.querySelector("canvas"), box = canvas.getBoundingClientRect();
  const frames = [], scripts = [];
  const request = window.requestAnimationFrame;
  window.requestAnimationFrame = (work) => request((now) => {
    const started = performance.now();
    work(now);
    scripts.push(performance.now() - started);
  });
  let last = await new Promise(request);
  for (let i = 0; i < events; i++) {
    const zoom = Math.floor(i / 20) % 2 ? 30 : -30;
    const position = { clientX: box.left + box.width * 0.6, clientY: box.top + box.height * 0.4 };
    canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: zoom, cancelable: true, ...position }));
    const now = await new Promise(request);
    frames.push(now - last);
    last = now;
  }
  return { frames, scripts };
}
"""


def generate_map(papers: int, seed: int = 0) -> dict[str, Any]:
    """Return a map in the format of `specter-graph spaces map`, with clusters of one field each."""
    rng = np.random.default_rng(seed)
    centers = rng.uniform(0.1, 0.9, (200, 2))
    cluster = rng.integers(0, len(centers), papers)
    positions = np.clip(centers[cluster] + rng.normal(0, 0.02, (papers, 2)), 0, 1)
    x, y = (np.round(positions.T * SIDE).astype(int)).tolist()
    labels = ((cluster % (COLORS + 1)) - 1).tolist()
    names = [f"field {number}" for number in range(COLORS)]
    return {
        "space": "specter",
        "ids": [f"hep-ph/{number:07}" for number in range(papers)],
        "x": x,
        "y": y,
        "year": rng.integers(1992, 2026, papers).tolist(),
        "fields": names,
        "field": labels,
        "topics": names,
        "topic": labels,
    }


def percentiles(milliseconds: list[float]) -> dict[str, float]:
    """Return the median, the 95th percentile and the maximum."""
    p50, p95 = np.percentile(milliseconds, [50, 95]).round(1).tolist()
    return {"p50": p50, "p95": p95, "max": round(max(milliseconds), 1)}


def page_server(content: bytes) -> ThreadingHTTPServer:
    """Return a server of the page, its script and style, and the map, at a free port."""
    static = files("specter_graph.service").joinpath("static")
    values = {"space": "specter", "spaces": ["specter"], "list": "", "has_map": True}
    html = render({"path": "/map"}, "map.html", **values).encode()
    kinds = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """Answer one request."""
            body, kind = html, "text/html"
            if self.path.startswith("/static/"):
                name = self.path.rpartition("/")[2]
                body, kind = static.joinpath(name).read_bytes(), kinds[name.rpartition(".")[2]]
            elif self.path.startswith("/v1/map"):
                body, kind = content, "application/json"
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            if body is content:
                self.send_header("Content-Encoding", "gzip")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *arguments: object) -> None:
            """Print nothing."""

    return ThreadingHTTPServer(("127.0.0.1", 0), Handler)


def open_map(page: Page, address: str) -> float:
    """Open the page, and return the seconds until all points are drawn."""
    started = time.perf_counter()
    page.goto(address)
    page.wait_for_selector("canvas[data-points]")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    return time.perf_counter() - started


@click.command()
@click.option("--papers", default=100_000, show_default=True, help="Number of papers.")
@click.option("--events", default=120, show_default=True, help="Wheel events, one per frame.")
def main(papers: int, events: int) -> None:
    """Open the page, zoom, and print the figures."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    content = gzip.compress(json.dumps(generate_map(papers)).encode())
    server = page_server(content)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1200, "height": 800})
        seconds = open_map(page, f"http://127.0.0.1:{server.server_port}/map")
        times = page.evaluate(WATCH, [events])
        browser.close()
    figures = {name: percentiles(times[name]) for name in ("frames", "scripts")}
    click.echo(json.dumps({"papers": papers, "seconds until drawn": round(seconds, 2), **figures}))


if __name__ == "__main__":
    main()
