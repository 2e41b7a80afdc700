"""Test each page in a real headless Chromium: light and dark, on a wide screen and on a phone.

Skipped without a browser. SPECTER_GRAPH_SCREENSHOTS=FOLDER stores screenshots.
"""

import itertools
import json
import os
import shutil
from pathlib import Path
from xml.etree import ElementTree

import networkx
import pytest

from specter_graph.pipelines.corpus_map import make_map
from specter_graph.service.app import build_service
from specter_graph.service.auth import hash_key
from specter_graph.service.job_queue import JobQueue
from specter_graph.service.service_settings import ServiceSettings
from tests.servers import serving
from tests.service.small_service import ALONE, FLAVOR, GLUE, HALO, JETS, STUB

playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
axe = pytest.importorskip("axe_playwright_python.sync_playwright")
expect = playwright.expect  # waits, because a click returns before the next page is complete

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no Chromium here: apt-get install chromium"
)
BIB = "@article{one, title={The quark and gluon jet}, year={2001}}"
OURS = 50_000
"""Maximum bytes of JavaScript and CSS of a page."""
FIRST_PAGE = 150_000
EXPLORE = 500_000
"""Maximum for Explore, which loads Cytoscape.js."""


@pytest.fixture(scope="module")
def address(small, surroundings, tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    make_map(small.database, "specter", folder)
    settings = ServiceSettings(data_folder=folder)
    with serving(build_service(small, settings, JobQueue(folder, None, surroundings))) as served:
        yield served


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield started
        started.close()


@pytest.fixture
def page(browser, address):
    """Return a page that fails on errors, violations of the policy, and requests to other hosts."""
    opened = browser.new_page(base_url=address, viewport={"width": 1200, "height": 800})
    wrong, urls = [], []
    opened.on(
        "console", lambda message: wrong.append(message.text) if message.type == "error" else None
    )
    opened.on("pageerror", lambda error: wrong.append(str(error)))
    opened.on("dialog", lambda dialog: (wrong.append(dialog.message), dialog.dismiss()))
    opened.on("request", lambda request: urls.append(request.url))
    yield opened
    opened.close()
    assert wrong == []
    assert [url for url in urls if not url.startswith(address)] == []


@pytest.fixture
def plain(browser, address):
    """Return a page on a phone without JavaScript."""
    opened = browser.new_page(
        base_url=address, java_script_enabled=False, viewport={"width": 390, "height": 800}
    )
    yield opened
    opened.close()


def keep(page, name):
    if folder := os.environ.get("SPECTER_GRAPH_SCREENSHOTS"):
        page.screenshot(path=Path(folder, f"{name}.png"), full_page=True)


def ids(page, where="main"):
    page.wait_for_load_state()
    return [link.get_attribute("href") for link in page.locator(f"{where} a.paper").all()]


def test_a_browser_asks_for_a_key_and_sends_it_with_each_request(small, browser):
    service = build_service(small, ServiceSettings(read_keys=lambda: {hash_key("right"): "write"}))
    with (
        serving(service) as address,
        browser.new_context(
            base_url=address, http_credentials={"username": "anna", "password": "right"}
        ) as context,
    ):
        page, refused = context.new_page(), []
        page.on(
            "response",
            lambda response: refused.append(response.status) if not response.ok else None,
        )
        page.goto("/explore")
        page.get_by_label("Add a seed").fill("gluon jet")
        page.keyboard.press("Enter")
        expect(page.locator("main")).to_contain_text("gluon")
        assert refused == []


def test_from_a_question_to_a_paper_by_keyboard_alone(page):
    page.goto("/")
    page.keyboard.press("/")
    page.keyboard.type("gluon jet")
    page.keyboard.press("Enter")
    page.wait_for_selector(".hit")
    assert page.locator(".hit mark").count()
    assert page.locator(".hit .reasons").count()
    keep(page, "search")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    first = page.locator(".hit a.paper").first
    title = first.inner_text()
    assert page.evaluate("document.activeElement.textContent") == title
    page.keyboard.press("Enter")
    page.wait_for_selector("article h1")
    assert page.locator("h1").inner_text() == title


def test_the_first_page_is_an_overview_of_the_corpus(page):
    page.goto("/")
    most_cited = page.locator("div", has=page.get_by_role("heading", name="Most cited"))
    assert most_cited.last.locator("li").count() == 2  # no other paper is cited
    assert page.locator(".bars rect").count() >= 3
    page.get_by_role("heading", name="Map").scroll_into_view_if_needed()
    page.wait_for_selector(".small canvas[data-points='6']")
    keep(page, "home")
    page.get_by_role("link", name="Map").last.click()
    page.wait_for_selector("#map-tools")


def test_filters_narrow_the_results_and_stay(page):
    page.goto("/?q=gluon+jet")
    page.locator("summary").click()
    page.get_by_label("From year").fill("2003")
    page.get_by_role("button", name="Search").click()
    page.wait_for_url("**since=2003**")
    result = ids(page, ".hit")
    assert result
    assert not any(JETS in each or GLUE in each for each in result)
    assert page.get_by_label("From year").input_value() == "2003"


def test_a_paper_shows_one_list_of_similar_papers_and_its_citations_as_a_graph(page):
    page.goto(f"/papers/{JETS}")
    switch = page.get_by_role("group", name="Similar by")
    assert switch.get_by_role("link").all_inner_texts() == ["text", "citations", "both", "other"]
    by_text = ids(page, ".hits")
    for name in ("citations", "both"):
        switch.get_by_role("link", name=name).click()
        page.wait_for_url(f"**by={name}**")
        assert page.locator(".hit .reasons").count()
    assert {*ids(page, ".hits")} >= {*by_text}
    assert "common" in page.locator(".hits").inner_text()
    page.get_by_role("link", name="Citation graph").click()
    page.wait_for_selector(".graph svg a")
    expect(page.locator("#around")).to_be_in_viewport()
    assert page.locator(".graph svg a").count() == 5
    assert page.locator(".graph svg line").count() == 6
    keep(page, "paper")
    page.locator(".graph svg a:not(.own)").first.focus()
    assert page.locator(".graph line.lit").count()
    page.keyboard.press("Enter")
    page.wait_for_function(f"location.pathname != '/papers/{JETS}'")
    assert page.locator("h1").inner_text()
    page.get_by_text("Cite as BibTeX").click()
    assert page.locator("article pre").inner_text().startswith("@article{")


def test_a_point_of_the_graph_can_be_dragged_without_leaving_the_page(page):
    page.goto(f"/papers/{JETS}")
    page.wait_for_selector(".graph svg a")
    point = page.locator(".graph svg .own circle")
    point.scroll_into_view_if_needed()
    before = point.bounding_box()
    page.mouse.move(before["x"] + 8, before["y"] + 8)
    page.mouse.down()
    page.mouse.move(before["x"] + 60, before["y"] + 40, steps=4)
    page.mouse.up()
    after = point.bounding_box()
    assert after["x"] - before["x"] == pytest.approx(52, abs=6)
    assert page.url.endswith(JETS)


def test_a_hit_leads_to_its_authors_its_source_and_the_papers_that_cite_it(page):
    page.goto("/?q=gluon+jet")
    hit = page.locator(f".hit:has(a.paper[href='/papers/{JETS}'])")
    assert "Phys Rev D · 2001 · cited 3 times" in hit.inner_text()
    assert hit.get_by_role("link", name="arXiv").get_attribute("href").endswith(JETS)
    assert page.locator(".reasons a").count()
    link = page.locator(".reasons a").first
    title = link.inner_text()
    link.click()
    page.wait_for_selector("article h1")
    assert page.locator("h1").inner_text() == title
    page.go_back()
    hit.get_by_role("link", name="Author bob").click()
    page.wait_for_selector("text=Co-authors")


def test_facets_narrow_the_results_and_the_order_changes_without_javascript(plain):
    plain.goto("/?q=gluon+jet")
    years = plain.locator(".facets section", has=plain.get_by_role("heading", name="Years"))
    assert years.locator("li").all_inner_texts() == [
        "2005 1", "2004 1", "2003 1", "2002 1", "2001 1", "2000 1"
    ]  # fmt: skip
    plain.get_by_role("link", name="citations").click()
    assert ids(plain, ".hit")[:2] == [f"/papers/{each}" for each in (GLUE, JETS)]
    plain.get_by_role("link", name="date").click()
    assert ids(plain, ".hit")[0] == f"/papers/{ALONE}"
    plain.locator(".facets").get_by_role("link", name="Author bob").click()
    assert ids(plain, ".hit") == [f"/papers/{each}" for each in (FLAVOR, JETS)]
    assert "sort=date" in plain.url  # the state is in the address
    plain.locator(".facets").get_by_role("link", name="2001").click()
    assert ids(plain, ".hit") == [f"/papers/{JETS}"]
    plain.get_by_role("link", name="author Author bob").click()
    assert ids(plain, ".hit") == [f"/papers/{JETS}"]
    assert "author" not in plain.url


def test_a_hit_is_cited_in_two_formats_and_reached_by_keys(page):
    page.goto("/?q=gluon+jet")
    hit = page.locator(f".hit:has(a.paper[href='/papers/{JETS}'])")
    for name, start in (("BibTeX", "@article{"), ("RIS", "TY  - JOUR")):
        with page.expect_download() as got:
            hit.get_by_role("link", name=name).click()
        assert got.value.path().read_text().startswith(start)
    page.keyboard.press("j")
    first = ids(page, ".hit")[0]
    page.keyboard.press("s")
    page.wait_for_url(f"**{first}#similar")


def test_a_misspelled_word_leads_to_the_right_one(page):
    page.goto("/?q=neutrinno&since=2001")
    assert "No paper has a word of this query" in page.locator(".note").inner_text()
    page.get_by_role("link", name="neutrino", exact=True).click()
    page.wait_for_url("**q=neutrino&**")
    assert "since=2001" in page.url
    assert page.locator(".note").count() == 0
    assert any(link.endswith(FLAVOR) for link in ids(page, ".hit"))


def test_a_name_leads_to_the_author(page):
    page.goto("/?q=author+bob")
    line = page.locator("p:has-text('Authors:')").first
    assert line.inner_text() == "Authors: Author bob (2 papers)"
    line.get_by_role("link").click()
    page.wait_for_selector("text=Co-authors")
    assert page.locator("h1").inner_text() == "Author bob"


def test_missing_references_by_an_abstract_and_by_a_bibliography(page, tmp_path):
    page.goto("/missing")
    page.get_by_label("Title and abstract").fill("jet of quark and gluon")
    page.get_by_role("button", name="Find").click()
    page.wait_for_selector("#hits")
    assert ids(page, "[aria-labelledby=hits]")
    assert ids(page, "[aria-labelledby=outside]") == [f"/papers/{STUB}"]
    file = tmp_path / "my.bib"
    file.write_text(BIB)
    assert not page.get_by_label("Bibliography").is_visible()  # the results come first
    page.get_by_text("Change the draft").click()
    page.get_by_label("Bibliography").set_input_files(file)
    page.get_by_role("button", name="Find").click()
    page.wait_for_selector("text=1 of 1 entries")
    keep(page, "missing")
    assert not any(JETS in each for each in ids(page))
    assert page.locator("h3.group").count()
    box = page.locator(".hit input[type=checkbox]").first
    box.check()
    with page.expect_download() as got:
        page.get_by_role("button", name="BibTeX").click()
    assert got.value.path().read_text().startswith("@article{")
    page.get_by_text("Change the draft").click()
    page.get_by_label("Published until").fill("2000")
    page.get_by_role("button", name="Find").click()
    page.wait_for_selector("text=1 of 1 entries", state="detached")
    page.wait_for_selector("#hits")
    assert ids(page, "[aria-labelledby=hits]") == [f"/papers/{GLUE}"]
    assert page.get_by_label("Published until").input_value() == "2000"


def test_references_that_a_paper_may_lack_are_on_its_page_and_more_on_the_next(page):
    page.goto(f"/papers/{ALONE}")
    page.get_by_role("link", name="Missing references").click()
    page.wait_for_selector("#missing")
    some = ids(page, "[aria-labelledby=missing]")
    assert some
    page.get_by_role("link", name="More").click()
    page.wait_for_selector("#hits")
    assert {*ids(page, "[aria-labelledby=hits]")} >= {*some}
    assert page.get_by_label("Id of a paper").input_value() == ALONE


def test_references_and_citations_are_grouped_by_topic_or_year(page):
    page.goto(f"/papers/{JETS}?tab=citations")
    assert page.locator("main section h2").all_inner_texts() == ["No topic 3"]
    page.get_by_role("link", name="year", exact=True).click()
    page.wait_for_url("**group=year**")
    assert page.locator("main section h2").all_inner_texts() == ["2004 1", "2003 1", "2002 1"]


def test_references_that_are_not_in_the_corpus_are_a_group_of_their_own(page):
    for group in ("topic", "year"):
        page.goto(f"/papers/{GLUE}?tab=references&group={group}")
        assert page.locator("main section h2").all_inner_texts()[-1] == "Not in this corpus 1"
        assert ids(page, ".ids") == [f"/papers/{STUB}"]


def test_a_seed_leads_to_a_graph_that_grows_and_is_exported(page, tmp_path):
    page.goto("/explore")
    page.get_by_role("searchbox").fill("gluon jet")
    page.get_by_role("button", name="Search").click()
    page.locator(f"main li a[href*='{GLUE.replace('/', '%2F')}']").click()
    page.wait_for_selector(".network[data-papers='6']")
    assert page.locator("#papers tr").count() == 7  # and the heading
    keep(page, "explore")
    graph = "document.querySelector('.network').graph"
    assert page.locator(".years").inner_text().split() == ["2000", "2005"]
    assert len({*page.evaluate(f"{graph}.nodes().map(n => n.style('background-color'))")}) == 6
    shown = "filter(n => !n.hasClass('covered'))"
    box = "n => n.boundingBox({includeNodes: false, includeOverlays: false})"
    boxes = page.evaluate(f"{graph}.nodes().{shown}.map({box})")
    assert boxes
    assert not any(
        a["x1"] < b["x2"] and b["x1"] < a["x2"] and a["y1"] < b["y2"] and b["y1"] < a["y2"]
        for a, b in itertools.combinations(boxes, 2)
    )
    place = page.evaluate(f"{graph}.getElementById('{JETS}').renderedPosition()")
    box = page.locator("#network").bounding_box()
    page.mouse.move(box["x"] + place["x"], box["y"] + place["y"])
    page.wait_for_selector("#card a.paper")
    assert page.locator("#card a.paper").inner_text() == "the quark and gluon jet"
    assert page.locator("tr.near a").get_attribute("href") == f"/papers/{JETS}"
    page.mouse.down()
    page.mouse.up()
    saved = page.locator("#card").get_by_role("link", name="Save to a list")
    assert saved.get_attribute("href") == "/lists?id=" + JETS.replace("/", "%2F")
    page.get_by_role("button", name="Pin", exact=True).click()
    assert page.evaluate(f"{graph}.getElementById('{JETS}').locked()")
    with page.expect_response("**/v1/explore?**"):
        page.get_by_role("button", name="Expand").click()
    page.wait_for_timeout(200)
    for name, start in (("PNG", b"\x89PNG"), ("SVG", b"<svg "), ("GraphML", b"<?xml ")):
        with page.expect_download() as got:
            page.get_by_role("button", name=name, exact=True).click()
        assert got.value.path().read_bytes().startswith(start)
    drawn = networkx.read_graphml(got.value.path())
    assert len(drawn) == 6
    similar = [{a, b} for a, b, kind in drawn.edges(data="kind") if kind == "similar"]
    assert all(similar.count(pair) == 1 for pair in similar)
    assert drawn.nodes[JETS]["citations"] == 3
    page.get_by_role("link", name="Add as seed").click()
    page.wait_for_url("**id=**id=**")
    assert page.get_by_role("list", name="Seeds").locator("li").count() == 2
    file = tmp_path / "my.bib"
    file.write_text(BIB)
    page.goto("/explore")
    page.get_by_label("bibliography").set_input_files(file)
    page.get_by_role("button", name="Explore").click()
    page.wait_for_selector("#papers")
    assert ids(page, "#papers")[0] == f"/papers/{JETS}"


def test_a_paper_is_saved_to_a_new_list_which_is_exported_without_javascript(plain):
    plain.goto("/lists")
    assert "no reading lists" in plain.locator("main").inner_text()
    plain.goto("/?q=gluon+jet")
    hit = plain.locator(f".hit:has(a.paper[href='/papers/{JETS}'])")
    hit.get_by_role("link", name="Save to a list").click()
    plain.get_by_label("Name of a new list").fill("Jets & more")
    plain.get_by_label("Note").fill("read first")
    plain.get_by_role("button", name="Save").click()
    assert ids(plain, "ol.hits")[0] == f"/papers/{JETS}"
    assert plain.locator(".note").inner_text() == "read first"
    assert ids(plain, "[aria-labelledby=similar]")
    keep(plain, "list")
    plain.goto("/")
    plain.locator("section", has_text="Recent lists").get_by_role(
        "link", name="Jets & more"
    ).click()
    with plain.expect_download() as got:
        plain.get_by_role("link", name="list.bib").click()
    assert "read first" in got.value.path().read_text()
    plain.locator("summary", has_text="Edit").click()
    plain.get_by_label("Note").fill("")
    plain.get_by_role("button", name="Save the note").click()
    assert plain.locator(".note").count() == 0
    plain.locator("summary", has_text="Edit").click()
    plain.get_by_role("button", name="Remove from the list").click()
    assert "no papers yet" in plain.locator("main").inner_text()


def test_what_is_new_is_a_page_with_feeds_and_a_button_that_runs_the_watches(page, small):
    page.goto("/lists")
    page.get_by_role("link", name="What is new").click()
    assert "no watches yet" in page.locator("main").inner_text()
    small.watches.add("paper", JETS, name="jets & more")
    small.database.write("MATCH (w:Watch) SET w.created = datetime({epochMillis: 0})")
    try:
        new = {paper.id for paper in small.watches.run(lambda papers: None)}
        page.reload()
        assert len(ids(page, "ol.hits")) == len(new) >= 4
        assert "cites the quark and gluon jet" in page.locator("main").inner_text()
        keep(page, "new")
        page.get_by_role("rowheader", name="jets & more").get_by_role("link").click()
        assert page.locator("h1").inner_text() == "What is new: jets & more"
        links = {kind: page.get_by_role("link", name=kind) for kind in ("RSS", "JSON Feed")}
        rss, feed = (page.request.get(link.get_attribute("href")) for link in links.values())
        items = ElementTree.fromstring(rss.body()).findall("channel/item")
        assert rss.headers["content-type"].startswith("application/rss+xml")
        assert feed.json()["version"] == "https://jsonfeed.org/version/1.1"
        for item, entry in zip(items, feed.json()["items"], strict=True):
            assert item.findtext("guid") == entry["id"]
            assert item.findtext("title") == entry["title"]
            assert item.findtext("link") == entry["url"]
            assert page.request.get(entry["url"]).ok
            assert item.findtext("pubDate").endswith("+0000")
        assert {entry["tags"][0] for entry in feed.json()["items"]} == {"jets & more"}
        page.get_by_role("button", name="Look for new papers").click()
        page.locator(".job", has_text="watch").wait_for()  # fails if there are several
    finally:
        small.watches.delete("jets & more")


def test_the_page_of_a_paper_without_a_record_leads_to_the_paper(page):
    page.goto(f"/papers/{STUB}")
    link = page.locator("article").get_by_role("link", name="arXiv")
    assert link.get_attribute("href") == f"https://arxiv.org/abs/{STUB}"


def test_two_papers_are_compared_with_the_path_between_them(page):
    page.goto(f"/papers/{HALO}")
    page.get_by_role("link", name="Compare with another paper").click()
    assert page.get_by_label("First paper").input_value() == HALO
    page.get_by_label("Second paper").fill(GLUE)
    page.get_by_role("button", name="Compare").click()
    page.wait_for_selector(".steps")
    assert ids(page, ".steps") == [f"/papers/{each}" for each in (HALO, JETS, GLUE)]
    assert page.locator("meter").count() == 2
    keep(page, "compare")
    page.get_by_label("Second paper").fill("gluon jet")  # words, not an id
    page.get_by_role("button", name="Compare").click()
    choice = page.locator("main section li a").first
    title = choice.inner_text()
    choice.click()
    page.wait_for_selector("meter")
    assert title in page.locator(".columns").first.inner_text()
    page.goto(f"/compare?a={GLUE}&b={STUB}")
    expect(page.get_by_text("a vector is missing")).to_have_count(1)


def test_an_author_leads_to_papers_and_coauthors(page):
    page.goto(f"/papers/{FLAVOR}")
    page.locator("article").get_by_role("link", name="Author bob").click()
    page.wait_for_selector("text=Co-authors")
    assert ids(page) == [f"/papers/{FLAVOR}", f"/papers/{JETS}"]
    keep(page, "author")


def test_the_map_draws_every_paper_marks_results_and_opens_a_paper(page):
    page.goto("/map")
    page.wait_for_selector("canvas[data-points='6']")
    drawn = "c => { const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data;" \
        " let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n; }"  # fmt: skip
    canvas = page.locator("canvas")
    page.wait_for_timeout(200)
    before = canvas.evaluate(drawn)
    assert before
    page.get_by_label("Mark search results").fill("gluon")
    page.keyboard.press("Enter")
    page.wait_for_selector("text=marked: “gluon”")
    page.wait_for_timeout(200)
    assert canvas.evaluate(drawn) > before  # a ring around each
    slider = page.get_by_label("Until")
    slider.fill("2000")
    page.wait_for_selector("canvas[data-points='1']")
    slider.fill("2005")
    page.wait_for_selector("canvas[data-points='6']")
    page.get_by_label("Color by").select_option("year")
    assert page.locator("#legend li").count() >= 5
    assert page.get_by_role("option", name="topic").count() == 0  # there are none
    keep(page, "map")
    box = canvas.bounding_box()
    place = page.request.get("/v1/map").json()
    scale = min(box["width"], box["height"]) * 0.94 / 65535
    x, y = ((place[method][0] - 65535 / 2) * scale for method in ("x", "y"))
    page.mouse.move(box["x"] + box["width"] / 2 + x, box["y"] + box["height"] / 2 + y)
    page.wait_for_selector("#map-status a")
    page.mouse.down()
    page.mouse.up()
    page.wait_for_selector("article h1")
    page.request.post("/lists/add", form={"id": JETS, "new": "drawn"})
    page.goto("/lists?name=drawn")
    page.get_by_role("link", name="Show them on the map").click()
    page.wait_for_selector("text=1 paper marked: the list drawn")


def test_the_address_of_a_paper_is_no_route_below_another(page):
    page.goto("/map")
    addresses = page.evaluate("['a/similar', 'hep-ph/1', 'similar/b'].map(paperAddress)")
    assert addresses == ["/papers/a%2Fsimilar", "/papers/hep-ph/1", "/papers/similar/b"]


def test_a_map_with_topics_is_colored_by_topic(page):
    topics = {"topics": ["jets"], "topic": [0] * 6}
    page.route("**/v1/map?*", lambda route: route.fulfill(json=route.fetch().json() | topics))
    page.goto("/map")
    expect(page.get_by_label("Color by")).to_have_value("topic")
    expect(page.locator("#legend")).to_contain_text("jets")


def test_a_venue_is_matched_from_its_lists_to_the_download(page, tmp_path):
    lists = {
        "submissions": "id,title,abstract,authors\n1,gluon jet again,jet of quark,a/bob\n",
        "reviewers": "id\na/ann\na/bob\na/cleo\n",
    }
    page.goto("/match")
    page.get_by_label("Name of the venue").fill("ICLR-2027")
    for what, text in lists.items():
        (tmp_path / f"{what}.csv").write_text(text)
        page.get_by_label(f"{what.capitalize()}: a table").set_input_files(tmp_path / f"{what}.csv")
    archives = [tmp_path / f"~{name}1.jsonl" for name in ("Dora_New", "Eve_New")]
    for archive in archives:
        note = {"id": archive.stem[1:], "content": {"title": "gluon jets", "abstract": ""}}
        archive.write_text(json.dumps(note) + "\n")
    page.get_by_label("Archives:").set_input_files(archives)
    page.get_by_label("Reviewers per submission").fill("1")
    page.get_by_role("button", name="Match").click()
    page.wait_for_url("**/status#jobs")
    page.wait_for_selector(".job[data-state=running] .signal")
    job = page.locator(".job", has_text="match")
    assert job.get_by_role("button", name="Cancel").count() == 1
    # without a reload
    page.wait_for_selector(".job[data-state=done]:has-text('match')", timeout=120_000)
    keep(page, "status")
    page.goto("/match")
    page.get_by_role("link", name="ICLR-2027").click()
    page.wait_for_selector("td:has-text('author')")
    expect(page.locator(".hit tbody tr")).to_have_count(5)
    assert page.locator("tr:has-text('~Eve_New1')").count() == 1
    assert page.locator("tr:has-text('bob') >> text=author").count()
    assert page.locator("tr:has-text('assigned') >> text=bob").count() == 0
    assert ids(page)
    keep(page, "venue")
    page.set_viewport_size({"width": 390, "height": 844})
    assert not page.locator(".wide").first.evaluate("one => one.scrollWidth > one.clientWidth")
    keep(page, "venue-phone")
    with page.expect_download() as got:
        page.get_by_role("link", name="assignment.csv").first.click()
    assert got.value.path().read_text().splitlines()[1].startswith("1,~")
    page.get_by_role("link", name="matching.html").first.click()
    assert "ICLR-2027" in page.locator("h1").inner_text()


def test_a_reviewer_is_replaced_after_its_cost_is_shown_and_the_change_undone_without_javascript(
    plain,
):
    plain.goto("/match/ICLR-2027")
    assert plain.get_by_text("Changes").count() == 0
    before = plain.locator("tr:has(.signal) th").first.inner_text()
    plain.get_by_role("link", name="Replace").click()
    plain.get_by_label("Assign").select_option(index=1)
    plain.get_by_role("button", name="Show the cost").click()
    expect(plain.locator(".figures li:has-text('total affinity')")).to_have_count(1)
    new = plain.get_by_label("Assign").locator("[selected]").text_content().split(" (")[0]
    keep(plain, "change")
    plain.get_by_role("button", name="Confirm the change").click()
    expect(plain.locator("#changes li")).to_have_count(1)
    assert plain.locator("tr:has(.signal) th").first.inner_text().startswith(new)
    plain.get_by_role("button", name="Undo").click()
    expect(plain.locator("tr:has(.signal) th").first).to_have_text(before, use_inner_text=True)
    expect(plain.locator("#changes")).to_have_count(0)
    plain.get_by_role("link", name="Load of each reviewer").click()
    expect(plain.locator("tbody tr")).to_have_count(5)


def test_the_cost_of_a_change_names_a_conflict_of_interest(page):
    page.goto("/match/ICLR-2027/change?submission=1&added=a/bob")
    assert page.locator("li:has-text('conflict of interest: author')").count() == 1


def test_a_job_is_started_and_cancelled_without_javascript(plain):
    plain.goto("/status")
    plain.locator("form:has-text('Create the map')").get_by_label("Space").fill("other")
    plain.get_by_role("button", name="Create the map").click()
    plain.locator(".job:has-text('map')").get_by_role("button", name="Cancel").first.click()
    expect(plain.locator(".job[data-state=cancelled]")).to_have_count(1)


def test_a_page_of_another_site_starts_no_job(browser, address):
    page = browser.new_page()
    page.route("https://evil.example/", lambda route: route.fulfill(
        content_type="text/html", body=f"<form action='{address}/jobs' method='post'>"
        "<input name='kind' value='map'><input name='space' value='specter'><button>Go</button>",
    ))  # fmt: skip
    page.goto("https://evil.example/")
    with page.expect_navigation():
        page.get_by_role("button").click()
    assert "other sites" in page.locator("main").inner_text()
    page.close()


def test_scripts_in_titles_are_not_run(page):
    page.goto("/?q=gluon")
    page.goto("/papers/evil/%3Cb%3E&%22'%3F%23%25")
    assert page.locator("h1").inner_text().startswith("<script>alert")
    page.wait_for_selector(".graph svg a")
    page.goto("/authors/a/all")
    assert "<img src=x" in page.locator("h1").inner_text()


def test_an_unknown_paper_gives_404(browser, address):
    page = browser.new_page(base_url=address)
    assert page.goto("/papers/hep-ph/99").status == 404
    assert "There is no paper" in page.locator("main").inner_text()
    assert page.goto("/nothing").status == 404
    assert "There is no page /nothing" in page.locator("main").inner_text()
    page.get_by_role("searchbox").fill("gluon jet")
    page.get_by_role("button", name="Search").click()
    assert ids(page, ".hit")
    page.close()


def test_every_page_is_complete_without_javascript(plain):
    plain.goto("/")
    plain.get_by_role("searchbox").fill("gluon jet")
    plain.get_by_role("button", name="Search").click()
    plain.locator(".hit a.paper").first.click()
    expect(plain.locator(".hits .hit").first).to_be_visible()
    for tab in ("Cited by", "Prior and derivative works", "Possible reviewers"):
        plain.locator(".tabs").get_by_role("link", name=tab).click()
        expect(plain.locator(".tabs [aria-current]")).to_contain_text(tab)
        assert ids(plain) or tab == "Possible reviewers"
    plain.goto(f"/explore?id={JETS}")
    assert len(ids(plain, "#papers")) == 6
    plain.goto("/missing")
    plain.get_by_label("Title and abstract").fill("gluon jet")
    plain.get_by_role("button", name="Find").click()
    assert ids(plain)
    plain.goto("/map")
    assert "needs JavaScript" in plain.locator("main").inner_text()


TABS = ("references", "citations&group=year", "lineage", "missing", "reviewers")
PAGES = ["/", "/?q=gluon+jet", "/?q=author+bob&sort=date&since=1999", f"/papers/{JETS}",
         *(f"/papers/{JETS}?tab={tab}" for tab in TABS), f"/explore?id={JETS}", "/explore?q=gluon",
         f"/missing?id={ALONE}", "/lists", f"/lists?id={JETS}", "/new",
         f"/compare?a={HALO}&b={GLUE}",
         "/authors/a/bob", "/map", "/status", "/match", "/match/ICLR-2027", "/match/ICLR-2027/load",
         "/match/ICLR-2027/change?submission=1&added=a/bob", "/report"]  # fmt: skip


def test_every_page_obeys_the_rules_of_accessibility_and_the_budget(browser, address):
    page = browser.new_page(base_url=address)
    sizes = []
    page.on("response", lambda got: sizes.append(len(got.body())) if "/static/" in got.url else 0)
    rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]
    colors = {"type": "rule", "values": ["color-contrast"]}
    for path in PAGES:
        sizes.clear()
        page.goto(path)
        page.wait_for_load_state("networkidle")
        for scheme, checked in (("light", rules), ("dark", colors)):
            page.emulate_media(color_scheme=scheme)
            options = {"runOnly": checked, "resultTypes": ["violations"]}
            result = axe.Axe().run(page, options=options).response["violations"]
            violations = [(each["id"], each["nodes"][0]["html"]) for each in result]
            assert violations == [], (path, scheme)
        assert 0 < sum(sizes) < (OURS if "explore?id" not in path else EXPLORE)
    page.close()


SHIFTS = """() => new Promise((done) => new PerformanceObserver((list) => done(
    list.getEntries().reduce((sum, entry) => sum + entry.value, 0)
)).observe({ type: "layout-shift", buffered: true }) || setTimeout(() => done(0), 500))"""


def test_the_first_page_is_small_and_no_page_shifts_while_it_loads(page):
    page.goto("/")
    page.wait_for_load_state("networkidle")
    sent = "performance.getEntries().reduce((sum, each) => sum + (each.transferSize || 0), 0)"
    assert 10_000 < page.evaluate(sent) < FIRST_PAGE
    for path in ("/", "/?q=gluon+jet", f"/papers/{JETS}", f"/explore?id={JETS}"):
        page.goto(path)
        page.wait_for_load_state("networkidle")
        assert page.evaluate(SHIFTS) < 0.1, path


@pytest.mark.parametrize("width", [320, 2200])
def test_no_page_is_wider_than_its_window(browser, address, width):
    page = browser.new_page(base_url=address, viewport={"width": width, "height": 700})
    for path in PAGES:
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        if width == 320 and path == f"/papers/{JETS}":
            keep(page, "phone")
    page.close()


def test_a_phone_shows_the_links_and_the_search_in_a_row_each(page):
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto("/status")
    assert page.locator("header").bounding_box()["height"] < 70
    current = page.locator("header [aria-current]").bounding_box()
    assert current["x"] + current["width"] <= 390
    page.goto("/?q=gluon+jet")
    expect(page.locator(".facets")).not_to_be_in_viewport()
    page.get_by_role("link", name="Narrow the results").click()
    expect(page.locator(".facets")).to_be_in_viewport()
    page.goto("/")
    boxes = [
        page.locator(f"main .search .row {each}").bounding_box() for each in ("input", "button")
    ]
    assert boxes[0]["y"] == pytest.approx(boxes[1]["y"], abs=2)


def test_only_a_service_that_allows_changes_offers_to_save(page):
    page.goto("/?q=gluon+jet")
    save = page.get_by_role("link", name="Save to a list").first
    expect(save).to_be_visible()
    page.evaluate("document.body.classList.add('read-only')")
    expect(save).to_be_hidden()
