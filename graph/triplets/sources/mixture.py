"""Several sources at once (SPECTER, section 6): that of each triplet is drawn."""

from collections.abc import Mapping, Sequence
from itertools import count, cycle

from specter_graph.core.triplet_settings import Multitask
from specter_graph.graph.triplets.sources.candidates import Finder, Found, generator

_STREAM = 3


class MultitaskFinder:
    """Draws for each triplet of a query one of the sources, of those that have a positive for it.

    A paper that any of the sources relates to the query is no easy negative, and none that is a
    positive of one source is a hard negative of another.
    """

    def __init__(self, finders: Mapping[str, Finder], source: Multitask, seed: int) -> None:
        self._finders = finders
        self._weights = {str(name): weight for name, weight in source.distribution.items()}
        self._source = source
        self._seed = seed

    def find(self, ids: list[str]) -> list[Found]:
        """What is eligible for these query papers, in their order."""
        found = {name: finder.find(ids) for name, finder in self._finders.items()}
        return [
            self._mixed({name: each[place] for name, each in found.items()})
            for place in range(len(ids))
        ]

    def _mixed(self, found: Mapping[str, Found]) -> Found:
        first = next(iter(found.values()))
        usable = sorted(name for name, each in found.items() if each.positives)
        if not usable:
            return Found(first.query, first.draw, [], [], [])
        weights = [self._weights[name] for name in usable]
        drawn = generator(self._seed, _STREAM, first.draw).choice(
            usable, self._source.per_query, p=[weight / sum(weights) for weight in weights]
        )
        rows = mixed({name: found[name] for name in usable}, drawn.tolist(), self._source.hard)
        return Found(
            first.query,
            first.draw,
            [positive for positive, _, _ in rows],
            [negative for _, negative, _ in rows if negative is not None],
            sorted({paper for each in found.values() for paper in each.related}),
            [name for _, _, name in rows],
        )


def mixed(
    found: Mapping[str, Found], drawn: Sequence[str], hard: int
) -> list[tuple[str, str | None, str]]:
    """The triplets of a query, given the source of each: positive, hard negative or None, source.

    The first `hard` of them get a hard negative where their source has one left; those that have
    one are put first.
    """
    positives = {name: cycle(each.positives) for name, each in found.items()}
    taken = {paper for each in found.values() for paper in each.positives}
    rows = []
    for place, name in zip(count(), drawn, strict=False):
        left = (paper for paper in found[name].hard if paper not in taken)
        negative = next(left, None) if place < hard else None
        taken |= {negative} if negative is not None else set()
        rows.append((next(positives[name]), negative, name))
    return sorted(rows, key=lambda row: row[1] is None)
