"""The smallest cut behind a flow that misses units: who is short, and of whom."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import reduce

import numpy as np

from specter_graph.matching.assignment.network import Demand, Flow
from specter_graph.matching.assignment.problem import Bools


@dataclass(frozen=True, eq=False)
class Cut:
    """One side: direct and aside, the two nodes of a paper, (papers,); reviewer, (reviewers,)."""

    direct: Bools
    aside: Bools
    reviewer: Bools

    def union(self, other: "Cut") -> "Cut":
        """Both, which is a cut too: nothing leads out of it."""
        return Cut(
            self.direct | other.direct, self.aside | other.aside, self.reviewer | other.reviewer
        )


def cuts(flow: Flow, eligible: Bools, demand: Demand, *, loads: bool) -> Iterator[Cut]:
    """All that could help the papers that lack a reviewer if it could itself be helped, in parts.

    With `loads` the same for reviewers below the minimum. No pair is between two parts.
    """
    lacking = (flow.unmet if loads else flow.unplaced) > 0
    whole = _Walk(flow, eligible, demand, loads).from_all(lacking)
    papers, reviewers = whole.direct | whole.aside, whole.reviewer.copy()
    while papers.any() or reviewers.any():
        rows, columns = _connected(eligible, papers, reviewers)
        yield Cut(whole.direct & rows, whole.aside & rows, columns)
        papers, reviewers = papers & ~rows, reviewers & ~columns


def _connected(eligible: Bools, papers: Bools, reviewers: Bools) -> tuple[Bools, Bools]:
    """Of these, the first and all that eligible pairs link to it."""
    rows, columns = np.zeros_like(papers), np.zeros_like(reviewers)
    first = np.flatnonzero(papers)[:1]
    columns[np.flatnonzero(reviewers)[: 1 - first.size]] = True
    rows[first] = True
    new_rows, new_columns = rows, columns
    while new_rows.any() or new_columns.any():
        found = eligible[new_rows].any(0) & reviewers & ~columns
        linked = eligible[:, new_columns].any(1) & papers & ~rows
        columns, rows = columns | found, rows | linked
        new_rows, new_columns = linked, found
    return rows, columns


def merged(parts: Iterable[Cut], together: Callable[[Cut, Cut], bool]) -> list[Cut]:
    """The cuts, those that belong together as one."""
    whole: list[Cut] = []
    for cut in parts:
        near = [other for other in whole if together(cut, other)]
        whole = [other for other in whole if not any(other is one for one in near)]
        whole.append(reduce(Cut.union, near, cut))
    return whole


class _Walk:
    """Along residual arcs over all eligible pairs: ahead from a paper, or back from a reviewer."""

    def __init__(self, flow: Flow, eligible: Bools, demand: Demand, backwards: bool) -> None:
        carried = np.zeros(eligible.shape, np.bool_)
        carried[tuple(flow.chosen.T)] = True
        side = np.broadcast_to(demand.side, eligible.shape)
        through = np.bincount(flow.chosen[demand.sides(*flow.chosen.T), 0], minlength=len(eligible))
        # Kinds of pairs by the paper's node: straight from it, and through aside.
        self._open = (eligible & ~carried & ~side, eligible & ~carried & side)
        self._used = (carried & ~side, carried & side)
        if backwards:
            self._open, self._used = self._used, self._open
        able = through < demand.aside, through > 0  # from the paper to aside, and back
        self._across = able[::-1] if backwards else able

        self._backwards = backwards

    def from_all(self, lacking: Bools) -> Cut:
        """All that these papers reach, or that reaches these reviewers."""
        nodes = np.zeros((2, len(self._open[0])), np.bool_)
        if not self._backwards:
            nodes[0] = lacking
            return self._grown(nodes, np.zeros(self._open[0].shape[1], np.bool_))
        nodes[:] = [used[:, lacking].any(1) for used in self._used]
        return self._grown(nodes, lacking.copy())

    def _grown(self, nodes: Bools, reviewers: Bools) -> Cut:
        done = np.zeros_like(nodes)
        while True:
            nodes[1] |= nodes[0] & self._across[0]
            nodes[0] |= nodes[1] & self._across[1]
            if not (new := nodes & ~done).any():
                return Cut(nodes[0], nodes[1], reviewers)
            done = nodes.copy()
            found = np.zeros_like(reviewers)
            for kind in (0, 1):
                found |= self._open[kind][new[kind]].any(0)
            found &= ~reviewers
            reviewers |= found
            for kind in (0, 1):
                nodes[kind] |= self._used[kind][:, found].any(1)
