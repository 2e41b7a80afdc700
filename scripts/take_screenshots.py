"""Take the pictures of docs/service.md from a running service, with Chromium.

    specter-graph serve --instance hepph &
    python scripts/take_screenshots.py http://127.0.0.1:8000 --venue HEP-2003 --paper hep-ph/9911341

The pictures are docs/service-search.png, service-map.png, service-explore.png and
service-venue.png, 1,200 pixels wide. The map of the space must exist, and the venue must be
assigned. Without --venue or --paper, the picture of it is not taken.
"""

import shutil
from pathlib import Path
from urllib.parse import quote

import click
from playwright.sync_api import Page, sync_playwright

DOCS = Path(__file__).parent.parent / "docs"
WIDTH, HEIGHT = 1_200, 900


def show_map(page: Page) -> None:
    """Wait until the map is drawn, and color it by topic."""
    page.wait_for_selector("canvas[data-points]")
    page.get_by_label("Color by").select_option("topic")
    page.wait_for_timeout(1_000)


def show_graph(page: Page) -> None:
    """Wait until the graph is drawn, and show the card of its second paper."""
    page.wait_for_selector(".network[data-papers]")
    page.locator("#papers tbody tr").nth(1).hover()
    page.wait_for_timeout(1_000)


@click.command()
@click.argument("address")
@click.option("--query", default="gluon jet", show_default=True)
@click.option("--venue", default="")
@click.option("--paper", default="")
def main(address: str, query: str, venue: str, paper: str) -> None:
    """Take the pictures of the service at ADDRESS."""
    paths = {
        "search": (f"/?q={quote(query)}", None),
        "map": ("/map", show_map),
        **({"explore": (f"/explore?id={quote(paper)}", show_graph)} if paper else {}),
        **({"venue": (f"/match/{quote(venue)}", None)} if venue else {}),
    }
    with sync_playwright() as running:
        chromium = shutil.which("chromium") or shutil.which("chromium-browser")
        browser = running.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_page(
            base_url=address, viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light"
        )
        for name, (path, prepare) in paths.items():
            page.goto(path)
            if prepare:
                prepare(page)
            page.screenshot(path=DOCS / f"service-{name}.png")
        browser.close()


if __name__ == "__main__":
    main()
