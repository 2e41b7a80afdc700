"""Interleaving: compare two rankings by the clicks on one list that combines both.

Radlinski, Kurup and Joachims (2008), "How Does Clickthrough Data Reflect Retrieval Quality?",
section 4.2: team-draft interleaving.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from random import Random
from typing import Any, Literal

from specter_graph.core.statistics import Interval, sign_test

Team = Literal["a", "b"]


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


def winner(teams: Iterable[Team]) -> Team | None:
    """Return the team with more clicked papers; None for a tie."""
    counts = [*teams]
    difference = counts.count("a") - counts.count("b")
    return None if difference == 0 else "a" if difference > 0 else "b"


@dataclass(frozen=True, slots=True)
class Wins:
    """The number of lists that each team won; lists without clicks are not counted."""

    a: int
    b: int
    ties: int

    @property
    def test(self) -> tuple[Interval, float] | None:
        """The share of b among the lists that were won, and the p of the sign test, if any."""
        return sign_test(self.b, self.a)

    def as_json(self) -> dict[str, Any]:
        """Return the counts, the share of b with its interval, and p."""
        share, p = self.test or (None, None)
        return asdict(self) | {
            "share": share and share.value,
            "interval": share and [share.low, share.high],
            "p": p,
        }


def count_wins(lists: Iterable[Iterable[Team]]) -> Wins:
    """Count the lists that each team won; a list is given as the teams of its clicked papers."""
    won = [winner(teams) for teams in map(list, lists) if teams]
    return Wins(won.count("a"), won.count("b"), won.count(None))
