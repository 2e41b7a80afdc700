"""The map's page with 100,000 papers in Chromium: how soon it is drawn, and each frame's time.

    python bench/map.py --papers 100000

Serves the page's own template, script and style, with a map of made places in the place of a
graph's, and turns the wheel and drags as a person would, one event a frame. `script` is how long
each frame's own drawing took, `frame` the time from one frame to the next, which holds what the
browser did besides; 16.7 ms are 60 frames a second. Chromium draws without a GPU here.
"""

import json
import shutil
import time
from typing import Any

import click
import numpy as np
from playwright.sync_api import Page, sync_playwright

from specter_graph.pipelines.corpus_map import COLORS, SIDE
from specter_graph.service.templating import environment

ADDRESS = "http://map.example"
WATCH = """
async ([events]) => {
  const canvas = document.querySelector("canvas"), box = canvas.getBoundingClientRect();
  const frames = [], scripts = [];
  const ask = window.requestAnimationFrame;
  window.requestAnimationFrame = (work) => ask((now) => {
    const begun = performance.now();
    work(now);
    scripts.push(performance.now() - begun);
  });
  let last = await new Promise(ask);
  for (let i = 0; i < events; i++) {
    const zoom = Math.floor(i / 20) % 2 ? 30 : -30;
    const where = { clientX: box.left + box.width * 0.6, clientY: box.top + box.height * 0.4 };
    canvas.dispatchEvent(new WheelEvent("wheel", { deltaY: zoom, cancelable: true, ...where }));
    const now = await new Promise(ask);
    frames.push(now - last);
    last = now;
  }
  return { frames, scripts };
}
"""


def created_map(papers: int, seed: int = 0) -> dict[str, Any]:
    """A map as `specter-graph spaces map` writes it: clusters of papers of a field each."""
    drawn = np.random.default_rng(seed)
    centers = drawn.uniform(0.1, 0.9, (200, 2))
    of = drawn.integers(0, len(centers), papers)
    places = np.clip(centers[of] + drawn.normal(0, 0.02, (papers, 2)), 0, 1)
    x, y = (np.round(places.T * SIDE).astype(int)).tolist()
    labels = ((of % (COLORS + 1)) - 1).tolist()
    names = [f"field {number}" for number in range(COLORS)]
    return {
        "space": "specter",
        "ids": [f"hep-ph/{number:07}" for number in range(papers)],
        "x": x,
        "y": y,
        "year": drawn.integers(1992, 2026, papers).tolist(),
        "fields": names,
        "field": labels,
        "topics": names,
        "topic": labels,
    }


def reported(milliseconds: list[float]) -> dict[str, float]:
    """The median, the 95th percentile and the worst."""
    p50, p95 = np.percentile(milliseconds, [50, 95]).round(1).tolist()
    return {"p50": p50, "p95": p95, "max": round(max(milliseconds), 1)}


def open_map(page: Page, content: str) -> float:
    """Open the page; the seconds until all points are drawn."""
    from importlib.resources import files

    static = files("specter_graph.service").joinpath("static")
    html = environment().get_template("map.html").render(
        here="/map", noted=False, space="specter", spaces=["specter"], there=True
    )  # fmt: skip

    def answer(route: Any) -> None:  # noqa: ANN401, Playwright's
        path = route.request.url.removeprefix(ADDRESS)
        if path.startswith("/static/"):
            kinds = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
            body = static.joinpath(path.rpartition("/")[2]).read_bytes()
            route.fulfill(body=body, content_type=kinds[path.rpartition(".")[2]])
        elif path.startswith("/v1/map"):
            route.fulfill(body=content, content_type="application/json")
        else:
            route.fulfill(body=html, content_type="text/html")

    page.route("**/*", answer)
    begun = time.perf_counter()
    page.goto(f"{ADDRESS}/map")
    page.wait_for_selector("canvas[data-points]")
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
    return time.perf_counter() - begun


@click.command()
@click.option("--papers", default=100_000, show_default=True)
@click.option("--events", default=120, show_default=True)
def main(papers: int, events: int) -> None:
    """Draw, zoom, and tell the figures."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    content = json.dumps(created_map(papers))
    with sync_playwright() as running:
        browser = running.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1200, "height": 800})
        seconds = open_map(page, content)
        watched = page.evaluate(WATCH, [events])
        browser.close()
    figures = {name: reported(watched[name]) for name in ("frames", "scripts")}
    click.echo(json.dumps({"papers": papers, "drawn after, s": round(seconds, 2), **figures}))


if __name__ == "__main__":
    main()
