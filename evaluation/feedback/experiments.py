"""Comparison of two rankings by the clicks of users.

- A/B experiments: half of the sessions see one ranking, half another. A session, not a list, is
  assigned to an arm. The variance of the click-through rate is therefore that of a ratio of sums
  over sessions, by the delta method (Deng, Knoblich and Lu 2018, "Applying the Delta Method in
  Metric Analytics").
- Interleaving: one list combines both rankings (Radlinski, Kurup and Joachims 2008, "How Does
  Clickthrough Data Reflect Retrieval Quality?", section 4.2: team-draft interleaving).
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from math import ceil, exp, log
from random import Random
from typing import Any, Literal

import numpy as np

from specter_graph.core.errors import InputError
from specter_graph.core.statistics import LEVEL, Interval, sign_test
from specter_graph.evaluation.metrics.ranking import Floats

Team = Literal["a", "b"]


def arm_of(session: str, arms: Sequence[str]) -> str:
    """Return the arm of a session by a hash, so that no assignment is stored."""
    digest = sha256("\n".join((*arms, session)).encode()).digest()
    return arms[int.from_bytes(digest[:8]) % len(arms)]


@dataclass(frozen=True, slots=True)
class SessionClicks:
    """The number of lists and of lists with a click of each session, (sessions,) float64."""

    lists: Floats
    clicked: Floats

    @classmethod
    def count(cls, lists: Mapping[str, Sequence[bool]]) -> "SessionClicks":
        """Count the lists of each session; a list is True if it was clicked."""
        counts = [(len(own), sum(own)) for own in lists.values()]
        return cls(*np.array(counts, dtype=np.float64).reshape(-1, 2).T)

    @property
    def rate(self) -> float:
        """The click-through rate: the share of lists with a click."""
        return float(self.clicked.sum() / self.lists.sum()) if len(self.lists) else 0.0

    @property
    def relative_variance(self) -> float:
        """The variance of log(rate), times the number of sessions."""
        residuals = (self.clicked - self.rate * self.lists) / self.clicked.mean()
        return float((residuals**2).sum() / (len(residuals) - 1))

    @property
    def is_comparable(self) -> bool:
        """True with at least two sessions and a click."""
        return len(self.lists) > 1 and bool(self.clicked.any())


@dataclass(frozen=True, slots=True)
class ArmComparison:
    """The clicks of two arms."""

    a: SessionClicks
    b: SessionClicks

    @property
    def lift(self) -> tuple[Interval, float] | None:
        """The relative change of the rate from a to b with its interval, and the two-sided p.

        The logarithm of the ratio of the rates is taken as normal. Returns None if an arm has no
        click or fewer than two sessions.
        """
        from scipy.stats import norm

        if not (self.a.is_comparable and self.b.is_comparable):
            return None
        change = log(self.b.rate / self.a.rate)
        error = sum(arm.relative_variance / len(arm.lists) for arm in (self.a, self.b)) ** 0.5
        if not error:
            return None
        bound = norm.ppf((1 + LEVEL) / 2) * error
        lift, low, high = (exp(x) - 1 for x in (change, change - bound, change + bound))
        return Interval(lift, low, high), float(2 * norm.sf(abs(change) / error))

    @property
    def assignment_p(self) -> float:
        """The p of the sign test that both arms got as many sessions.

        A small value (below 0.001) means that sessions of one arm are missing from the log.
        """
        result = sign_test(len(self.a.lists), len(self.b.lists))
        return result[1] if result else 1.0

    def as_json(self) -> dict[str, Any]:
        """Return the counts, rates, lift with its interval, and p."""
        lift, p = self.lift or (None, None)
        return {
            "sessions": [len(arm.lists) for arm in (self.a, self.b)],
            "lists": [int(arm.lists.sum()) for arm in (self.a, self.b)],
            "clicked": [int(arm.clicked.sum()) for arm in (self.a, self.b)],
            "rates": [self.a.rate, self.b.rate],
            "lift": lift and lift.value,
            "interval": lift and [lift.low, lift.high],
            "p": p,
            "assignment_p": self.assignment_p,
        }


def sessions_needed(clicks: SessionClicks, lift: float, power: float = 0.8) -> int:
    """Return the sessions in each arm with which a lift is detected with a probability.

    Args:
        clicks: Clicks on the present ranking: their rate, and its variance between sessions.
        lift: Relative change of the rate, such as 0.1; negative for a loss.
        power: Probability that a two-sided test at 5 % rejects.

    Raises:
        InputError: There are too few clicks, or the lift leads to no rate between 0 and 1.
    """
    from scipy.stats import norm

    if not clicks.is_comparable:
        raise InputError("a plan needs at least two sessions and one click")
    rate = clicks.rate * (1 + lift)
    if not 0 < rate < 1 or not lift:
        raise InputError(
            f"a lift of {lift:+.0%} from a click-through rate of {clicks.rate:.1%} is not possible"
        )
    variance = clicks.relative_variance
    # The relative variance of a share p is (1 - p) / p; sessions disperse both arms alike
    changed = variance * (1 / rate - 1) / (1 / clicks.rate - 1) if clicks.rate < 1 else variance
    quantiles = norm.ppf((1 + LEVEL) / 2) + norm.ppf(power)
    return ceil(float(quantiles) ** 2 * (variance + changed) / log(1 + lift) ** 2)


def team_draft(a: Sequence[str], b: Sequence[str], generator: Random) -> list[tuple[str, Team]]:
    """Interleave two rankings; return the papers of the list with the team that chose each.

    In each round, both teams in random order choose their highest paper that is not on the list
    yet, until one team has no papers left (algorithm 2).
    """
    chosen: dict[str, Team] = {}
    sizes = {"a": 0, "b": 0}
    rankings: dict[Team, Sequence[str]] = {"a": a, "b": b}
    while {*a} - chosen.keys() and {*b} - chosen.keys():
        level = sizes["a"] == sizes["b"]
        first: bool = generator.random() < 0.5 if level else sizes["a"] < sizes["b"]
        team: Team = "a" if first else "b"
        chosen[next(paper for paper in rankings[team] if paper not in chosen)] = team
        sizes[team] += 1
    return list(chosen.items())


def winner(teams: Iterable[Team | None]) -> Team | None:
    """Return the team that occurs more often, of clicked papers or won lists; None for a tie."""
    counts = [*teams]
    difference = counts.count("a") - counts.count("b")
    return None if difference == 0 else "a" if difference > 0 else "b"


@dataclass(frozen=True, slots=True)
class Wins:
    """The number of sessions that each team won; sessions without clicks are not counted."""

    a: int
    b: int
    ties: int

    @property
    def test(self) -> tuple[Interval, float] | None:
        """The share of b among the sessions that were won, and the p of the sign test, if any."""
        return sign_test(self.b, self.a)

    def as_json(self) -> dict[str, Any]:
        """Return the counts, the share of b with its interval, and p."""
        share, p = self.test or (None, None)
        return asdict(self) | {
            "share": share and share.value,
            "interval": share and [share.low, share.high],
            "p": p,
        }


def count_wins(sessions: Iterable[Iterable[Sequence[Team]]]) -> Wins:
    """Count the sessions in which each team won more lists.

    The lists of a session are not independent, so each session counts once in the sign test.

    Args:
        sessions: The lists of each session; a list is given as the teams of its clicked papers.
    """
    clicked = ([winner(teams) for teams in lists if teams] for lists in sessions)
    won = [winner(lists) for lists in clicked if lists]
    return Wins(won.count("a"), won.count("b"), won.count(None))
