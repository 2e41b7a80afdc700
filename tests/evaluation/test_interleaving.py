"""Test team-draft interleaving and the selection of a winner."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specter_graph.evaluation.feedback.experiments import Wins, count_wins, team_draft, winner

papers = st.lists(st.sampled_from("abcdefgh"), unique=True)


class Coin(Random):
    """Random generator with fixed results: at heads, the first team selects first."""

    def __init__(self, falls: str) -> None:
        super().__init__(0)
        self.falls = iter(falls)

    def random(self) -> float:
        return 0.1 if next(self.falls) == "h" else 0.9


def test_the_draft_by_hand():
    # Heads: a selects x, b its next, w; heads: a selects y, b its last, v.
    expected = [("x", "a"), ("w", "b"), ("y", "a"), ("v", "b")]
    assert team_draft("xyz", "xwv", Coin("hh")) == expected
    # Heads as before; tails: b selects v
    assert team_draft("xyz", "xwv", Coin("ht")) == [("x", "a"), ("w", "b"), ("v", "b")]
    # Tails: b selects x, a then y; tails: b selects w, a its last
    expected = [("x", "b"), ("y", "a"), ("w", "b"), ("z", "a")]
    assert team_draft("xyz", "xwv", Coin("tt")) == expected
    assert team_draft("", "xy", Random(0)) == []


@given(papers, papers, st.integers(0, 99))
def test_teams_alternate_and_no_paper_occurs_twice(a, b, seed):
    drawn = team_draft(a, b, Random(seed))
    names = [paper for paper, _ in drawn]
    assert len(names) == len({*names})
    for end in range(0, len(drawn) + 1, 2):
        assert [team for _, team in drawn[:end]].count("a") == end // 2
    for team, ranking in (("a", a), ("b", b)):
        own = [paper for paper, of in drawn if of == team]
        assert own == sorted(own, key=list(ranking).index)
    assert {*a} <= {*names} or {*b} <= {*names}


def test_equal_rankings_favor_neither_team():
    first = [team_draft("xy", "xy", Random(seed))[0][1] for seed in range(400)]
    assert 150 < first.count("a") < 250


def test_a_list_is_won_by_the_team_with_more_clicks():
    assert winner("aab") == "a"
    assert winner("b") == "b"
    assert winner("ab") is None
    sessions = [["aab"], ["b"], ["ab"], [""], ["bb"], ["bba"]]
    assert count_wins(sessions) == Wins(1, 3, 1)


def test_a_session_is_won_by_the_team_with_more_lists():
    assert count_wins([["a", "a", "bbb", "ab", ""], ["a", "b"], ["", ""], []]) == Wins(1, 0, 1)


def test_sessions_with_tastes_of_their_own_rarely_make_equal_rankings_significant():
    drawn, significant = Random(0), 0
    for _ in range(400):
        sessions = []
        for _ in range(40):
            taste = drawn.betavariate(1, 1)  # this session's share of clicks on papers of a
            lists = range(drawn.randint(1, 8))
            sessions.append(["a" if drawn.random() < taste else "b" for _ in lists])
        _, p = count_wins(sessions).test
        significant += p < 0.05
    assert significant < 0.08 * 400  # if each list counts: 24 %


def test_the_sign_test_by_hand():
    won = Wins(a=1, b=7, ties=5)
    share, p = won.test
    assert share.value == 7 / 8
    assert p == pytest.approx(2 * (1 + 8) / 2**8)
    low, high = share.low, share.high
    # At each end of the interval, one tail has 2.5 %: at least 7, or at most 7, out of 8
    assert 8 * low**7 * (1 - low) + low**8 == pytest.approx(0.025)
    assert 1 - high**8 == pytest.approx(0.025)
    assert Wins(0, 0, 3).test is None
