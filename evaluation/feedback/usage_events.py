"""The usage log of the service (docs/service.md): lists that were shown, and what was opened.

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
from specter_graph.evaluation.feedback.clicks import Impression
from specter_graph.evaluation.feedback.interleaving import Team, Wins, count_wins

Page = Literal["search", "similar"]


class _Event(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    at: str
    session: str


class Shown(_Event):
    """A list that was shown for `query`, which is a paper's id on the page "similar"."""

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
    """A paper whose page was opened, from a list or from elsewhere."""

    opened: str


Event = Shown | Clicked | Opened
_List: TypeAlias = tuple[str, str, str, tuple[str, ...], tuple[str, ...]]
_EVENT: TypeAdapter[Event] = TypeAdapter(Event)


def read_usage_log(path: Path) -> list[Event]:
    """Read the events of a log in the order of time; an incomplete last line is skipped.

    Raises InputError for any other line that is not an event.
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
    """Return a space's lists of similar papers with their clicks, for `evaluate tasks --click-log`.

    Only one space, by default that with the most lists: those that a page shows side by side
    compete for the same click.
    """
    clicked = _clicked(events)
    lists = [
        (event, event.spaces[0])
        for event in events
        if isinstance(event, Shown) and event.page == "similar" and len({*event.spaces}) == 1
    ]
    if space is None and lists:
        [(space, _)] = Counter(name for _, name in lists).most_common(1)
    return [
        Impression(
            event.query, event.shown, frozenset(event.shown[place] for place in clicked[event.list])
        )
        for event, name in lists
        if name == space
    ]


def views(events: Sequence[Event]) -> Iterator[dict[str, str]]:
    """Yield what was opened, as `load readers` reads it: a session is a reader, each paper once."""
    seen = set()
    for event in events:
        if isinstance(event, Opened) and (event.session, event.opened) not in seen:
            seen.add((event.session, event.opened))
            yield {
                "reader": event.session,
                "paper": event.opened,
                "at": event.at,
                "session": event.session,
            }


def preferences(events: Sequence[Event]) -> dict[tuple[str, str], Wins]:
    """Return by pair of spaces that shared lists the number of lists that each won.

    The same list, shown again to the same session, is one list. Behind the places that the two
    filled in turns, where one of them had no paper left, clicks do not count.
    """
    clicked = _clicked(events)
    pairs: dict[tuple[str, str], dict[_List, set[int]]] = defaultdict(dict)
    for event in events:
        if isinstance(event, Shown) and len({*event.spaces}) == 2:
            one, other = sorted({*event.spaces})
            key = (event.session, event.page, event.query, event.shown, event.spaces)
            pairs[one, other].setdefault(key, set()).update(clicked[event.list])

    def teams(pair: tuple[str, str], spaces: tuple[str, ...], places: set[int]) -> list[Team]:
        drafted: list[Team] = []
        for space in spaces:
            drafted.append("a" if space == pair[0] else "b")
            if abs(drafted.count("a") - drafted.count("b")) > 1:
                drafted.pop()
                break
        return [drafted[place] for place in sorted(places) if place < len(drafted)]

    return {
        pair: count_wins(teams(pair, key[-1], places) for key, places in lists.items())
        for pair, lists in pairs.items()
    }


def _clicked(events: Sequence[Event]) -> dict[str, set[int]]:
    """Return the clicked places by list; only papers that the session was shown there count."""
    lists = {event.list: event for event in events if isinstance(event, Shown)}
    clicked: dict[str, set[int]] = defaultdict(set)
    for event in events:
        if isinstance(event, Clicked) and (shown := lists.get(event.list)):
            paper = dict(enumerate(shown.shown)).get(event.place)
            if shown.session == event.session and paper == event.clicked:
                clicked[event.list].add(event.place)
    return clicked
