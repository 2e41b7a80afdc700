"""Test the usage log: its events without personal data, and that it is off by default."""

import json
import os
import stat
from dataclasses import fields
from urllib.parse import unquote

import numpy as np
import pytest
from click.testing import CliRunner

from specter_graph.cli import cli
from specter_graph.core.errors import InputError
from specter_graph.evaluation.feedback.experiments import arm_of
from specter_graph.evaluation.feedback.usage_events import Clicked, Opened, Shown, read_usage_log
from specter_graph.evaluation.protocols.click_ranker import Ranker
from specter_graph.evaluation.protocols.recommender import Recommender
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, record_space
from specter_graph.graph.search.hits import SearchHit
from specter_graph.service.service_settings import UsageLogSettings
from specter_graph.service.usage_recorder import SessionLog, UsageLog
from tests.service.small_service import FLAVOR, ask


@pytest.fixture
def recorded(small, tmp_path):
    """Return a function that opens a browser at a service with a usage log."""

    def open(**settings):
        file = tmp_path / "use.jsonl"
        return ask(small, usage_log=UsageLogSettings(file, **settings)), lambda: read_usage_log(
            file
        )

    return open


def links(page):
    import lxml.html

    result = lxml.html.fromstring(page.text).xpath("//main//a[@class='paper']")
    return [link.get("href") for link in result]


def choices(page):
    import lxml.html

    return lxml.html.fromstring(page.text).xpath("//*[@aria-label='Similar by']/a/text()")


def test_by_default_nothing_is_logged_and_no_cookie_set(client):
    page = client.get("/?q=gluon+jet")
    assert "set-cookie" not in page.headers
    assert "noted" not in page.text
    assert all("?" not in link for link in links(page))


def test_a_click_is_logged_with_its_list_and_rank_and_opens_the_paper(recorded):
    client, events = recorded()
    with client:
        page = client.get("/?q=gluon+jet")
        cookie = page.headers["set-cookie"]
        assert "Max-Age" not in cookie
        assert "expires" not in cookie.lower()
        assert "HttpOnly" in cookie
        second = links(page)[1]
        (shown,) = events()
        assert second.endswith(f"?list={shown.list}&place=1")
        assert "without personal data" in page.text
        followed = client.get(second)
        assert followed.status_code == 200
        assert "?" not in str(followed.url)  # a shared link does not repeat the click
    first, click, opened, *similar = events()
    assert first == shown
    assert isinstance(click, Clicked)
    assert isinstance(opened, Opened)
    assert (click.list, click.place, click.clicked) == (shown.list, 1, shown.shown[1])
    assert opened.opened == shown.shown[1]
    assert {each.session for each in events()} == {shown.session}
    assert [(each.page, each.query, each.spaces[0]) for each in similar] == [
        ("similar", opened.opened, "specter")
    ]


def test_the_log_has_no_user_and_no_query_by_default(recorded, tmp_path):
    client, events = recorded()
    with client:
        client.get(
            "/?q=gluon+jet", headers={"User-Agent": "Browser 1", "X-Forwarded-For": "9.9.9.9"}
        )
        client.get("/?q=gluon+jet")
    text = (tmp_path / "use.jsonl").read_text()
    for private in ("gluon", 'jet"', "Browser", "9.9.9.9", "testclient", "127.0.0.1"):
        assert private not in text.partition('"shown"')[0]
    one, other = events()
    assert one.query == other.query  # the same words have the same hash
    client, events = recorded(log_queries=True)
    with client:
        client.get("/?q=gluon+jet")
    assert events()[-1].query == "gluon jet"


@pytest.mark.parametrize("header", ["Sec-GPC", "DNT"])
def test_do_not_track_is_respected(recorded, header, tmp_path):
    client, _ = recorded()
    with client:
        page = client.get("/?q=gluon+jet", headers={header: "1"})
    assert "set-cookie" not in page.headers
    assert (tmp_path / "use.jsonl").read_text() == ""


def test_a_foreign_cookie_is_replaced_and_an_invalid_list_is_refused(recorded, tmp_path):
    client, events = recorded()
    with client:
        client.get("/?q=gluon", headers={"Cookie": 'use=x"}\\n{"evil'})
        assert client.get('/papers/alone?list={"a"}').status_code == 422
        assert client.get("/papers/alone?list=" + "0" * 16 + "&place=-1").status_code == 422
    [shown] = events()
    assert len(shown.session) == 32


def test_lists_are_swapped_at_the_given_rate_and_equally_within_a_session(recorded, small):
    client, events = recorded(swap_rate=1.0)
    with client:
        client.get("/papers/alone")
        client.get("/papers/alone")
    lists = [each for each in events() if isinstance(each, Shown) and each.spaces[0] == "specter"]
    assert lists[0].shown == lists[1].shown
    nearest = [each.id for each in small.similar("alone", k=8)]
    places = [n for n, one in enumerate(nearest) if lists[0].shown[n] != one]
    assert [nearest[n] for n in places] == [lists[0].shown[n] for n in reversed(places)]
    assert len(places) == 2


def test_an_interleaved_list_has_results_of_both_spaces_on_both_pages(recorded, small):
    client, events = recorded(interleave="other")
    with client:
        page = client.get("/papers/alone")
        assert choices(page) == ["specter and other", "citations", "both"]
        assert client.get("/?q=gluon+jet").status_code == 200
        client.get("/?q=gluon+jet&space=other")
    similar, search, plain = (each for each in events() if isinstance(each, Shown))
    for each in (similar, search):
        assert {*each.spaces} == {"specter", "other"}
        assert abs(each.spaces.count("specter") - each.spaces.count("other")) <= 1
    assert {*plain.spaces} == {"other"}


def test_half_of_the_sessions_use_another_space_and_the_log_compares_both(recorded, tmp_path):
    client, events = recorded(ab="other")
    with client:
        for _ in range(24):
            client.cookies.clear()
            page = client.get("/papers/alone")
            assert choices(page) == ["specter or other", "citations", "both"]
            search = client.get("/?q=gluon+jet")
            client.get(links(search)[0])
    lists = [each for each in events() if isinstance(each, Shown)]
    arms = {}
    for each in lists:
        assert each.arms == ("specter", "other")
        assert {*each.spaces} == {arm_of(each.session, each.arms)}
        arms.setdefault(each.session, each.spaces[0])
    assert len(arms) == 24
    assert {*arms.values()} == {"specter", "other"}
    log = str(tmp_path / "use.jsonl")
    output = CliRunner().invoke(cli, ["feedback", "ab", log, "--format", "json"])
    similar, search = sorted(json.loads(output.stdout), key=lambda row: row["page"], reverse=True)
    assert (similar["rates"], search["rates"]) == ([0, 0], [1, 1])
    assert sum(search["sessions"]) == 24
    assert similar["lift"] is None


def test_a_recommender_of_the_log_ranks_for_its_half(recorded, small, tmp_path, surroundings):
    client, _ = recorded(swap_rate=1.0)
    with client:
        for _ in range(60):
            client.cookies.clear()
            page = client.get("/papers/alone")
            listed = [link for link in links(page) if "list=" in link]
            client.get(next(link for link in listed if FLAVOR in unquote(link)))
            client.get(listed[0])
    log, file = str(tmp_path / "use.jsonl"), tmp_path / "recommender.npz"
    for arguments in (
        ["positions", log],
        ["plan", log],
        ["train-recommender", log, "-o", str(file)],
    ):
        done = CliRunner().invoke(cli, ["feedback", *arguments], env=surroundings)
        assert done.exit_code == 0, done.output
    recommender = Recommender.load(file)
    candidates = [hit.id for hit in small.similar("alone", k=8)]
    assert recommender.rank(small.database, "alone", candidates)[0] == FLAVOR
    with pytest.raises(InputError, match="is not a recommender"):
        Recommender.load(tmp_path / "use.jsonl")
    damaged = tmp_path / "damaged.npz"
    weights = {each.name: np.zeros(3) for each in fields(Ranker)}
    np.savez(damaged, space=np.array("specter"), **weights)
    for content in (damaged.read_bytes(), file.read_bytes()[:-40], b""):
        damaged.write_bytes(content)
        options = ["serve", "--port", "0", "--recommender", str(damaged)]
        refused = CliRunner().invoke(cli, options, env=surroundings)
        assert f"{damaged} is not a recommender" in str(refused.exception)
        assert refused.stdout == ""  # the address is printed when everything is loaded

    settings = UsageLogSettings(tmp_path / "second.jsonl", ab="recommender")
    with ask(small, usage_log=settings, recommender=file) as client:
        for _ in range(12):
            client.cookies.clear()
            assert choices(client.get("/papers/alone"))[0] == "specter or recommender"
            assert client.get("/?q=gluon").status_code == 200
    log = read_usage_log(tmp_path / "second.jsonl")
    shown = [each for each in log if isinstance(each, Shown) and each.arms]
    assert {each.page for each in shown} == {"similar"}
    first = {each.spaces[0]: each.shown[0] for each in shown}
    assert first == {"specter": candidates[0], "recommender": FLAVOR}


def test_the_command_computes_views_clicks_and_a_winner_from_the_log(recorded, tmp_path):
    client, _ = recorded(interleave="other")
    with client:
        for query, place in (("gluon jet", 0), ("gluon", 1)):
            client.get(links(client.get("/", params={"q": query}))[place])
    client, _ = recorded()
    with client:
        client.get("/papers/alone")
    log, views, clicks = (str(tmp_path / f"{name}.jsonl") for name in ("use", "views", "clicks"))

    def run(*arguments):
        done = CliRunner().invoke(cli, ["feedback", *arguments])
        assert done.exit_code == 0, done.output
        return done.output

    assert f" views in {views}" in run("export-views", log, "-o", views)
    read = [
        json.loads(line)["paper"] for line in (tmp_path / "views.jsonl").read_text().splitlines()
    ]
    assert len(read) == len({*read}) > 0
    assert run("export-clicks", log, "-o", clicks) == f"1 list in {clicks}\n"
    assert run("export-clicks", log, "-o", clicks, "--space", "none") == f"0 lists in {clicks}\n"
    assert "a plan needs lists of one space in two sessions" in run("plan", log)
    [comparison] = json.loads(run("compare", log, "--format", "json"))
    assert comparison["spaces"] == ["other", "specter"]
    assert comparison["a"] + comparison["b"] + comparison["ties"] == 1  # one session
    assert "won" in run("compare", log)


def test_logging_queries_and_experiments_need_a_usage_log():
    from specter_graph.cli.serving import serve

    for arguments, message in (
        (["--swap-rate", "0.1"], "need --log-use"),
        (
            ["--log-use", "use.jsonl", "--interleave", "a", "--ab", "b"],
            "only one of --interleave",
        ),
        (["--log-use", "use.jsonl", "--ab", "recommender"], "needs --recommender"),
    ):
        refused = CliRunner().invoke(serve, arguments)
        assert refused.exit_code == 2
        assert message in refused.output


def test_searches_are_not_shared_with_a_space_that_cannot_embed_them(small, surroundings, tmp_path):
    from specter_graph.cli.serving import serve

    db = small.database
    record_space(db, EmbeddingSpace("smoothed", "sgc", 2, "", "specter", ""))
    options = ["--port", "0", "--log-use", str(tmp_path / "use.jsonl"), "--interleave", "smoothed"]
    try:
        refused = CliRunner().invoke(serve, options, env=surroundings)
        itself = CliRunner().invoke(serve, [*options[:-1], "specter"], env=surroundings)
    finally:
        db.write("MATCH (s:EmbeddingSpace {property: 'smoothed'}) DELETE s")
    assert (itself.exit_code, "another space than --space" in itself.output) == (2, True)
    assert isinstance(refused.exception, InputError)
    assert "'smoothed' has no model" in refused.exception.message


def test_a_log_is_continued_after_its_last_complete_line(tmp_path, caplog):
    file = tmp_path / "use.jsonl"
    one = Opened(at="2027", session="s", opened="a")
    UsageLog(UsageLogSettings(file)).write(one)
    with file.open("a") as cut:
        cut.write('{"at": "20')
    log = UsageLog(UsageLogSettings(file))
    log.write(one)
    assert read_usage_log(file) == [one, one]
    with pytest.raises(InputError, match="cannot be written"):
        UsageLog(UsageLogSettings(tmp_path))
    file.unlink()
    file.mkdir()
    log.write(one)
    assert "the event was not logged" in caplog.text


def test_other_users_cannot_read_the_log(tmp_path):
    before = os.umask(0o022)
    try:
        log = UsageLog(UsageLogSettings(tmp_path / "use.jsonl"))
        assert stat.S_IMODE(log.settings.file.stat().st_mode) == 0o600
        log.settings.file.unlink()  # a rotation
        log.write(Opened(at="2027", session="s", opened="a"))
        assert stat.S_IMODE(log.settings.file.stat().st_mode) == 0o600
    finally:
        os.umask(before)


def test_hits_of_both_spaces_precede_hits_of_one_space(tmp_path):
    use = SessionLog(UsageLog(UsageLogSettings(tmp_path / "use.jsonl")), "s")
    a, b = ([SearchHit(each, each, None, 0.0) for each in ids] for ids in ("abcdef", "xa"))
    for one, other, spaces in ((a, b, ("A", "B")), (b, a, ("B", "A"))):
        drawn = use.interleaved("q", one, other, spaces)
        assert sorted(paper.id for paper, _ in drawn) == list("abcdefx")
        assert [(paper.id, of) for paper, of in drawn][-3:] == [("d", "A"), ("e", "A"), ("f", "A")]
