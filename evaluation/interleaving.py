"""Which of two rankings people prefer: one list of both, and whose papers are clicked.

Radlinski, Kurup and Joachims (2008), "How Does Clickthrough Data Reflect Retrieval Quality?",
section 4.2: team-draft interleaving.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from random import Random
from typing import Any, Literal

Team = Literal["a", "b"]


def team_draft(a: Sequence[str], b: Sequence[str], generator: Random) -> list[tuple[str, Team]]:
    """Interleave two rankings: the papers of one list, each with the team that chose it.

    In turns, the first of each pair drawn by a coin, a team chooses its highest paper that is not
    on the list yet, until one of them has none left (Algorithm 2).
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
    """The team of most of the clicked papers; None for a tie."""
    counts = [*teams]
    difference = counts.count("a") - counts.count("b")
    return None if difference == 0 else "a" if difference > 0 else "b"


@dataclass(frozen=True, slots=True)
class Wins:
    """Of how many lists each team won; lists without a click are not counted at all."""

    a: int
    b: int
    ties: int

    @property
    def share(self) -> float | None:
        """Of the lists with a winner those that b won; None without any."""
        decided = self.a + self.b
        return self.b / decided if decided else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The 95 % interval of the share (Clopper and Pearson 1934)."""
        from scipy.stats import binomtest

        if not self.a + self.b:
            return None
        found = binomtest(self.b, self.a + self.b).proportion_ci(0.95, method="exact")
        return float(found.low), float(found.high)

    @property
    def p(self) -> float | None:
        """Of the two-sided sign test of b against a."""
        from scipy.stats import binomtest

        decided = self.a + self.b
        return float(binomtest(self.b, decided).pvalue) if decided else None

    def as_json(self) -> dict[str, Any]:
        """All of it."""
        return asdict(self) | {"share": self.share, "interval": self.interval, "p": self.p}


def wins(lists: Iterable[Iterable[Team]]) -> Wins:
    """Count the lists that each team won; each list is the teams of its clicked papers."""
    won = [winner(teams) for teams in map(list, lists) if teams]
    return Wins(won.count("a"), won.count("b"), won.count(None))
