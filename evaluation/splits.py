"""Papers and readers in three parts, by a hash of the id or by time."""

from collections.abc import Callable, Iterable, Sequence
from typing import Literal, TypeVar

from specter_graph.loaders.records import DRAW_PRIME, draw

Part = Literal["train", "validation", "test"]
Item = TypeVar("Item")

SHARE = 0.1
"""Of the papers for test, and again for validation, where no papers are held out."""


def part_of(name: str, share: float) -> Part:
    """The part that a paper or reader belongs to.

    By the same rule as held-out papers (`graph.split`), so that with the same share all
    held-out papers are in their own part here.
    """
    place = draw(name) / DRAW_PRIME
    return "test" if place < share else "validation" if place < 2 * share else "train"


def at_random(
    items: Iterable[Item], name: Callable[[Item], str], share: float
) -> dict[Part, list[Item]]:
    """Items by the part that their names belong to."""
    parts: dict[Part, list[Item]] = {"train": [], "validation": [], "test": []}
    for item in items:
        parts[part_of(name(item), share)].append(item)
    return parts


def in_order(items: Sequence[Item], share: float) -> dict[Part, list[Item]]:
    """Items that stand in the order of time: the last are for test, those before for validation."""
    size = round(len(items) * share)
    ends = len(items) - 2 * size, len(items) - size
    return {
        "train": list(items[: ends[0]]),
        "validation": list(items[ends[0] : ends[1]]),
        "test": list(items[ends[1] :]),
    }
