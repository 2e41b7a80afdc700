"""Stand-ins for rated expertise, made of who wrote and cited what; no ratings are needed.

An author's earlier papers are the profile; what the author wrote and cited later tells what the
author knows about. Each function returns a `Proxy`, whose grades are on the scale of ratings, so
that `expertise.evaluate_expertise` measures predictions on it. None leaks: a graded paper is in no
profile of its authors, and all of a profile is older than the author's later papers.

- `graded`: for an author, orders papers: later own ones (5), newly cited by these (4), cited or
  citing those (2.5), others (1).
- `read`: for an author, orders newly cited papers alone, as a participant of a survey rates papers
  that were read: by how much of their references the author wrote or cites elsewhere (1 to 5).
- `reviewers`: for a new paper, orders authors: its own (5), whom it cites (4), others (1). Here the
  keys of grades are papers, and their items authors.
"""

from collections import Counter, defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TypeVar

import numpy as np

from specter_graph.loaders.records import Paper

LONGEST, SHORTEST = 20, 8
"""Papers of a profile, the latest ones, and those without which an author is left out."""

_OWN, _CITED, _NEAR, _OTHER = 5.0, 4.0, 2.5, 1.0
_LATER = 4  # later papers of an author that are needed
_AUTHORS = 20  # of a paper: of more of them, hardly one knows it well


_Item = TypeVar("_Item", int, str)


@dataclass(frozen=True, slots=True)
class Proxy:
    """`profiles` are ids of papers by author; `grades`, from 1 to 5, by author and paper."""

    profiles: dict[str, list[str]]
    grades: dict[str, dict[str, float]]


class Literature:
    """Papers with authors, references and dates; those without a year are left out.

    Papers are in order of time from here on; what they cite are only papers that are here too.
    """

    def __init__(self, papers: Iterable[Paper]) -> None:
        dated = [paper for paper in papers if paper.year is not None]
        self.papers = sorted(dated, key=lambda paper: (_date(paper), paper.id))
        self.place = {paper.id: place for place, paper in enumerate(self.papers)}

    @cached_property
    def written(self) -> dict[str, list[int]]:
        """The papers of each author, in order of time."""
        found: dict[str, list[int]] = defaultdict(list)
        for place, paper in enumerate(self.papers):
            if len(paper.authors) <= _AUTHORS:
                for author in dict.fromkeys(author.id for author in paper.authors):
                    found[author].append(place)
        return dict(sorted(found.items()))

    @cached_property
    def cited(self) -> list[set[int]]:
        """What each paper cites."""
        return [
            {self.place[key] for key in paper.references if key in self.place} - {place}
            for place, paper in enumerate(self.papers)
        ]

    @cached_property
    def citing(self) -> dict[int, set[int]]:
        """By which papers each is cited."""
        found: dict[int, set[int]] = defaultdict(set)
        for place, cited in enumerate(self.cited):
            for other in cited:
                found[other].add(place)
        return found

    def ids(self, places: Iterable[int]) -> list[str]:
        """The ids of papers."""
        return [self.papers[place].id for place in places]


def graded(literature: Literature, *, seed: int = 0) -> Proxy:
    """Own, cited, near and other papers for authors to order; see the module."""
    draws, proxy = np.random.default_rng(seed), Proxy({}, {})
    everything = set(range(len(literature.papers)))
    for author, own in literature.written.items():
        earlier, later = _parted(own)
        if not later:
            continue
        new = _newly_cited(literature, earlier, later)
        near = {p for place in new for p in (*literature.cited[place], *literature.citing[place])}
        known = {*own, *new, *_bibliography(literature, earlier)}
        pools = {*later}, new, near - known, everything - known - near
        if min(map(len, pools)) < 2:
            continue
        grades: dict[str, float] = {}
        kinds = zip(pools, (3, 3, 2, 2), (_OWN, _CITED, _NEAR, _OTHER), strict=True)
        for pool, most, grade in kinds:
            grades |= dict.fromkeys(literature.ids(_drawn(draws, pool, most)), grade)
        proxy.profiles[author] = literature.ids(earlier[-LONGEST:])
        proxy.grades[author] = grades
    return proxy


def read(
    literature: Literature, *, seed: int = 0, most: int = 10, least_references: int = 8
) -> Proxy:
    """Newly cited papers for authors to order; see the module.

    Papers with fewer than `least_references` are not graded.
    """
    draws, proxy = np.random.default_rng(seed), Proxy({}, {})
    for author, own in literature.written.items():
        earlier, later = _parted(own)
        if not later:
            continue
        familiar: Counter[str] = Counter(dict.fromkeys(literature.ids(own), 2))
        for place in own:
            familiar.update(dict.fromkeys(literature.papers[place].references, 1))
        pool = {
            place
            for place in _newly_cited(literature, earlier, later)
            if len(literature.papers[place].references) >= least_references
        }
        if len(pool) < most:
            continue
        chosen = _drawn(draws, pool, most)
        proxy.profiles[author] = literature.ids(earlier[-LONGEST:])
        proxy.grades[author] = {
            literature.papers[place].id: _familiarity(literature.papers[place], familiar)
            for place in chosen
        }
    return proxy


def reviewers(
    literature: Literature,
    *,
    seed: int = 0,
    share: float = 0.2,
    others: int = 10,
    only: Container[str] | None = None,
) -> Proxy:
    """Own, cited and other authors for the last `share` of papers to order; see the module.

    `only` leaves out the papers that are not in it.
    """
    draws, proxy = np.random.default_rng(seed), Proxy({}, {})
    cut = round(len(literature.papers) * (1 - share))
    earlier = {who: [p for p in own if p < cut] for who, own in literature.written.items()}
    earlier = {who: own for who, own in earlier.items() if len(own) >= SHORTEST}
    wrote: dict[int, list[str]] = defaultdict(list)
    for author, own in literature.written.items():
        for place in own:
            if author in earlier:
                wrote[place].append(author)
    everyone = list(earlier)
    for place in range(cut, len(literature.papers)):
        authors = wrote[place]
        cited = {who for other in literature.cited[place] for who in wrote[other]} - {*authors}
        if not authors or not cited:
            continue
        if only is not None and literature.papers[place].id not in only:
            continue
        drawn = draws.choice(len(everyone), min(others, len(everyone)), replace=False)
        grades = {everyone[number]: _OTHER for number in drawn}
        grades |= dict.fromkeys(_drawn(draws, cited, 5), _CITED) | dict.fromkeys(authors, _OWN)
        proxy.grades[literature.papers[place].id] = grades
    proxy.profiles.update({who: literature.ids(own[-LONGEST:]) for who, own in earlier.items()})
    return proxy


def transposed(scores: Mapping[str, Mapping[str, float]]) -> dict[str, dict[str, float]]:
    """Scores by paper and reviewer, from those by reviewer and paper."""
    turned: dict[str, dict[str, float]] = defaultdict(dict)
    for outer, own in scores.items():
        for inner, score in own.items():
            turned[inner][outer] = score
    return dict(turned)


def _parted(own: Sequence[int]) -> tuple[Sequence[int], Sequence[int]]:
    """An author's earlier two thirds and later papers; none where there are too few."""
    cut = len(own) * 2 // 3
    return (own[:cut], own[cut:]) if cut >= SHORTEST and len(own) - cut >= _LATER else ([], [])


def _bibliography(literature: Literature, places: Iterable[int]) -> set[int]:
    return {cited for place in places for cited in literature.cited[place]}


def _newly_cited(literature: Literature, earlier: Sequence[int], later: Sequence[int]) -> set[int]:
    """What the later papers cite, the earlier ones do not, and the author did not write."""
    before = _bibliography(literature, earlier)
    return _bibliography(literature, later) - before - {*earlier, *later}


def _familiarity(paper: Paper, familiar: Mapping[str, int]) -> float:
    """1 to 5 in halves: the mean over references of how often the author used them, up to 3."""
    used = sum(min(familiar.get(key, 0), 3) for key in paper.references) / len(paper.references)
    return round(2 * min(1 + 4 * used / 1.2, 5)) / 2


def _drawn(draws: np.random.Generator, pool: Iterable[_Item], most: int) -> list[_Item]:
    ordered = sorted(pool)
    return [ordered[i] for i in draws.choice(len(ordered), min(most, len(ordered)), replace=False)]


def _date(paper: Paper) -> str:
    return paper.published or f"{paper.year}"
