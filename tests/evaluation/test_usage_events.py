"""Test the usage log: its events, and the data sets that are derived from it."""

import json
from random import Random

import pytest
from click.testing import CliRunner

from specter_graph.cli import cli
from specter_graph.core.errors import InputError
from specter_graph.evaluation.feedback.clicks import propensities, read_click_log
from specter_graph.evaluation.feedback.experiments import Wins, team_draft
from specter_graph.evaluation.feedback.usage_events import (
    Clicked,
    Opened,
    Shown,
    impressions,
    preferences,
    read_usage_log,
    views,
)

AT = {"at": "2027-01-01T00:00:00+00:00"}


def shown(name, papers, spaces, session="s", query="q", page="similar"):
    return Shown(**AT, session=session, list=name, page=page, query=query, shown=tuple(papers),
                 spaces=tuple(spaces))  # fmt: skip


def clicked(name, place, paper, session="s"):
    return Clicked(**AT, session=session, list=name, place=place, clicked=paper)


def opened(paper, session="s"):
    return Opened(**AT, session=session, opened=paper)


def test_written_events_are_read_except_for_a_truncated_line(tmp_path):
    events = [shown("1", "ab", ["x", "x"]), clicked("1", 1, "b"), opened("b")]
    file = tmp_path / "use.jsonl"
    lines = [event.model_dump_json(exclude_none=True) + "\n" for event in events]
    file.write_text("".join(lines) + lines[0][:30])
    assert read_usage_log(file) == events
    file.write_text("\ufeff" + "\n".join(lines) + " \n")
    assert read_usage_log(file) == events
    file.write_text("".join(lines) + "{}\n")
    with pytest.raises(InputError, match="line 4: not an event"):
        read_usage_log(file)
    with pytest.raises(InputError, match="cannot be read"):
        read_usage_log(tmp_path / "nothing")


def test_position_bias_is_tested_without_propensities(tmp_path):
    lists = [shown("1", "abc", "xxx"), clicked("1", 0, "a"), shown("2", "bac", "xxx")]
    file = tmp_path / "use.jsonl"
    command = ["feedback", "positions", str(file), "--format", "json"]
    for events, queries in ((lists, 1), (lists[:2], None)):  # the second log has no swapped list
        file.write_text(
            "".join(event.model_dump_json(exclude_none=True) + "\n" for event in events)
        )
        done = CliRunner().invoke(cli, command)
        if queries is None:
            assert "too few papers at several positions" in str(done.exception)
            continue
        assert done.exit_code == 0, done.output
        tested = json.loads(done.stdout)
        assert (tested["queries"], tested["higher"], tested["propensities"]) == (1, 1.0, None)
        assert "no propensities: no swapped paper was clicked at position 2" in done.stderr


def test_only_a_click_of_the_session_on_a_shown_paper_counts():
    events = [
        shown("1", "abc", ["x"] * 3),
        clicked("1", 2, "c"),
        clicked("1", 2, "c"),
        clicked("1", 0, "b"),  # b was not shown
        clicked("1", 1, "b", session="other"),
        clicked("2", 0, "a"),  # this list does not exist
        clicked("1", 9, "c"),
        shown("3", "ab", ["x"] * 2, page="search"),
    ]
    [only] = impressions(events)
    assert (only.query, only.shown, only.clicked) == ("q", ("a", "b", "c"), {"c"})


def test_clicks_are_of_one_space_by_default_the_one_with_the_largest_number_of_lists():
    events = [
        shown("1", "ab", "xx"), shown("2", "cd", "yy"),
        shown("3", "ef", "yy"), shown("4", "ab", "xy"),
    ]  # fmt: skip
    assert [each.shown for each in impressions(events)] == [("c", "d"), ("e", "f")]
    assert [each.shown for each in impressions(events, "x")] == [("a", "b")]
    assert impressions([]) == []


def test_a_session_becomes_a_reader_who_opened_each_paper_once():
    events = [opened("a"), opened("b"), opened("a"), opened("a", "t"), shown("1", "a", ["x"])]
    assert [(each["reader"], each["paper"], each["session"]) for each in views(events)] == [
        ("s", "a", "s"), ("s", "b", "s"), ("t", "a", "t")
    ]  # fmt: skip


def test_views_have_the_format_of_load_readers(tmp_path):
    from specter_graph.loaders import open_corpus
    from specter_graph.loaders.records import Reading

    file = tmp_path / "views.jsonl"
    file.write_text("".join(json.dumps(each) + "\n" for each in views([opened("a")])))
    [reading] = [each for each in open_corpus("readers", file) if isinstance(each, Reading)]
    assert reading == Reading("s", "a", "VIEWED", AT["at"], "s")


def test_sessions_are_won_by_clicked_lists_and_a_repeated_list_counts_once():
    ab = ["sgc", "specter", "sgc"]
    events = [
        shown("1", "abc", ab), clicked("1", 0, "a"),
        shown("2", "abc", ab), clicked("2", 2, "c"),  # the repeated list: 2 to 0 in one list
        shown("3", "abc", ab, session="t"), clicked("3", 1, "b", session="t"),
        shown("4", "abc", ab, query="r"), clicked("4", 0, "a"), clicked("4", 1, "b"),
        shown("5", "abc", ab, query="nobody clicks"),
        shown("6", "abc", ["sgc"] * 3), clicked("6", 0, "a"),
        # only sgc has papers after rank 2: readers who continue click on its papers
        shown("7", "abcd", ["specter", "sgc", "sgc", "sgc"], query="t"), clicked("7", 3, "d"),
        shown("8", "abc", ab[1:] + ab[:1], session="u"), clicked("8", 0, "a", session="u"),
        shown("9", "abc", ab, session="u"), clicked("9", 0, "a", session="u"),
    ]  # fmt: skip
    # s: one list for sgc, one tie; t: one for specter; u: one for each
    assert preferences(events) == {("sgc", "specter"): Wins(a=1, b=1, ties=1)}


def test_clicks_of_swapped_lists_estimate_the_examination_of_ranks(tmp_path):
    # Readers examine ranks with these probabilities, and click on relevant papers
    looked = [1.0, 0.6, 0.3]
    relevant = {"a": 0.8, "b": 0.5, "c": 0.6}
    drawn, events = Random(1), []
    for number in range(6_000):
        papers = ["a", "b", "c"]
        one, other = drawn.sample(range(3), 2)
        papers[one], papers[other] = papers[other], papers[one]
        events.append(shown(str(number), papers, ["x"] * 3))
        events += [
            clicked(str(number), place, paper)
            for place, paper in enumerate(papers)
            if drawn.random() < looked[place] * relevant[paper]
        ]
    file = tmp_path / "clicks.jsonl"
    lists = [(each.query, each.shown, sorted(each.clicked)) for each in impressions(events)]
    names = ("query", "shown", "clicked")
    file.write_text(
        "".join(json.dumps(dict(zip(names, each, strict=True))) + "\n" for each in lists)
    )
    assert propensities(read_click_log(file)) == pytest.approx(looked, abs=0.06)


def test_the_space_that_readers_prefer_wins():
    good, drawn, events = {"a", "b", "c"}, Random(3), []
    for number in range(60):
        one, other = drawn.sample("abcxyz", 6), drawn.sample("abcdef", 6)
        better = sorted(other, key=lambda paper: paper not in good)
        both = team_draft(one, better, drawn)[:4]
        spaces = ["sgc" if team == "a" else "specter" for _, team in both]
        papers = [paper for paper, _ in both]
        events.append(shown(str(number), papers, spaces, session=str(number)))
        events += [
            clicked(str(number), place, paper, session=str(number))
            for place, paper in enumerate(papers)
            if paper in good and drawn.random() < 0.7
        ]
    won = preferences(events)["sgc", "specter"]
    assert won.b > won.a
    share, p = won.test
    assert share.low > 0.5
    assert p < 0.05
