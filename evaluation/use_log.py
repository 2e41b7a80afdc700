"""What was shown and opened, as the service notes it (docs/service.md), and what it is good for.

A log is JSON Lines of three kinds, each with the time and a session:

    {"list": "9f2c", "page": "similar", "query": "a", "shown": ["b", "c"], "spaces": ["sgc", "sgc"]}
    {"list": "9f2c", "place": 1, "clicked": "c"}
    {"opened": "c"}

`spaces` names for each place the embedding space that brought the paper there.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from specter_graph.core.errors import InputError
from specter_graph.evaluation.interleaving import Team, Wins, wins
from specter_graph.evaluation.propensity import Impression

Page = Literal["search", "similar"]


class _Event(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    at: str
    session: str


class Shown(_Event):
    """A list that was shown: `query` is what it answers, a paper's id on the page "similar"."""

    list: str
    page: Page
    query: str
    shown: tuple[str, ...]
    spaces: tuple[str, ...]


class Clicked(_Event):
    """A paper of a list that was opened from it."""

    list: str
    place: int
    clicked: str


class Opened(_Event):
    """A paper whose page was opened, from wherever."""

    opened: str


Event = Shown | Clicked | Opened
_List: TypeAlias = tuple[str, str, str, tuple[str, ...], tuple[str, ...]]
_EVENT: TypeAdapter[Event] = TypeAdapter(Event)


def read_use(path: Path) -> list[Event]:
    """The events of a log in the order of time; a last line that a kill has cut is left out.

    Raises InputError for any other line that is none.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
    events = []
    for number, line in enumerate(lines[:-1], 1):  # behind the last line's end there is nothing
        try:
            events.append(_EVENT.validate_json(line))
        except ValidationError as error:
            raise InputError(f"{path}, line {number}: no event of a log of use") from error
    return events


def impressions(events: Sequence[Event], space: str | None = None) -> list[Impression]:
    """A space's lists of similar papers with their clicks, for `evaluate tasks --click-log`.

    Of one space, by default that of most lists: those that a page shows side by side compete for
    the same click.
    """
    clicked = _clicked(events)
    lists = [
        (each, each.spaces[0])
        for each in events
        if isinstance(each, Shown) and each.page == "similar" and len({*each.spaces}) == 1
    ]
    if space is None and lists:
        [(space, _)] = Counter(of for _, of in lists).most_common(1)
    return [
        Impression(
            each.query, each.shown, frozenset(each.shown[place] for place in clicked[each.list])
        )
        for each, of in lists
        if of == space
    ]


def readings(events: Sequence[Event]) -> Iterator[dict[str, str]]:
    """Who opened what, as `load readers` reads it: a session is a reader, each paper once."""
    seen = set()
    for each in events:
        if isinstance(each, Opened) and (each.session, each.opened) not in seen:
            seen.add((each.session, each.opened))
            yield {
                "reader": each.session,
                "paper": each.opened,
                "at": each.at,
                "session": each.session,
            }


def preferences(events: Sequence[Event]) -> dict[tuple[str, str], Wins]:
    """By pair of spaces whose papers shared lists: how many lists each won.

    The same list, shown again to the same session, is one list. Behind the places that the two
    filled in turns, where one of them had no paper left, clicks do not count.
    """
    clicked = _clicked(events)
    found: dict[tuple[str, str], dict[_List, set[int]]] = defaultdict(dict)
    for each in events:
        if isinstance(each, Shown) and len({*each.spaces}) == 2:
            one, other = sorted({*each.spaces})
            key = (each.session, each.page, each.query, each.shown, each.spaces)
            found[one, other].setdefault(key, set()).update(clicked[each.list])

    def teams(pair: tuple[str, str], spaces: tuple[str, ...], places: set[int]) -> list[Team]:
        drafted: list[Team] = []
        for space in spaces:
            drafted.append("a" if space == pair[0] else "b")
            if abs(drafted.count("a") - drafted.count("b")) > 1:
                drafted.pop()
                break
        return [drafted[place] for place in sorted(places) if place < len(drafted)]

    return {
        pair: wins(teams(pair, key[-1], places) for key, places in lists.items())
        for pair, lists in found.items()
    }


def _clicked(events: Sequence[Event]) -> dict[str, set[int]]:
    """By list the places that were clicked: only what the same session was shown there counts."""
    lists = {each.list: each for each in events if isinstance(each, Shown)}
    found: dict[str, set[int]] = defaultdict(set)
    for each in events:
        if isinstance(each, Clicked) and (shown := lists.get(each.list)):
            at = dict(enumerate(shown.shown))
            if shown.session == each.session and at.get(each.place) == each.clicked:
                found[each.list].add(each.place)
    return found
