"""The usage log of the service (docs/service.md): lists that were shown, clicks, opened papers.

A log is JSON Lines with three kinds of events, each with a time and a session:

    {"list": "9f2c", "page": "similar", "query": "a", "shown": ["b", "c"], "spaces": ["sgc", "sgc"]}
    {"list": "9f2c", "place": 1, "clicked": "c"}
    {"opened": "c"}

`spaces` names for each position the space that ranked the paper there, or `recommender`.
A list of an A/B experiment also has `arms`, the two rankings that are compared.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from specter_graph.core.errors import InputError
from specter_graph.evaluation.feedback.clicks import Impression, log_lines
from specter_graph.evaluation.feedback.experiments import (
    ArmComparison,
    SessionClicks,
    Team,
    Wins,
    arm_of,
    count_wins,
)

Page = Literal["search", "similar"]

_List: TypeAlias = tuple[str, str, str, tuple[str, ...], tuple[str, ...]]
"""Session, page, query, papers and spaces: a list that is shown again in a session is the same."""


class _Event(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    at: str
    session: str


class Shown(_Event):
    """A list that was shown for `query`, on the page "similar" the id of a paper."""

    list: str
    page: Page
    query: str
    shown: tuple[str, ...]
    spaces: tuple[str, ...]
    arms: tuple[str, str] | None = None


class Clicked(_Event):
    """A click on a paper of a list."""

    list: str
    place: int
    clicked: str


class Opened(_Event):
    """A paper whose page was opened."""

    opened: str


Event = Shown | Clicked | Opened
_EVENT: TypeAdapter[Event] = TypeAdapter(Event)


def read_usage_log(path: Path) -> list[Event]:
    """Read the events of a log, oldest first; blank and incomplete last lines are skipped.

    Raises InputError for any other line that is not an event.
    """
    events = []
    for number, line in log_lines(path):
        if not line.endswith(b"\n"):  # the last one is incomplete
            break
        try:
            events.append(_EVENT.validate_json(line))
        except ValidationError as error:
            raise InputError(f"{path}, line {number}: not an event of a usage log") from error
    return events


def impressions(events: Sequence[Event], space: str | None = None) -> list[Impression]:
    """Return the lists of similar papers of a space with their clicks, for a click log.

    The default is the space with the most lists. Lists of several spaces on one page compete for
    the same click, so only one space is used.
    """
    clicked = _read_clicked_positions(events)
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
    """Yield the opened papers in the format of `load readers`: a session is a reader."""
    first: dict[tuple[str, str], str] = {}
    for event in events:
        if isinstance(event, Opened):
            first.setdefault((event.session, event.opened), event.at)
    for (session, paper), at in first.items():
        yield {"reader": session, "paper": paper, "at": at, "session": session}


def preferences(events: Sequence[Event]) -> dict[tuple[str, str], Wins]:
    """Count, for each pair of interleaved spaces, the sessions in which each won more lists.

    A list that was shown to a session several times counts once. Clicks below the interleaved
    positions, after one space had no papers left, do not count.
    """
    pairs: dict[tuple[str, str], dict[str, list[list[Team]]]] = defaultdict(dict)
    for event, places in _distinct_lists(events).values():
        if len({*event.spaces}) == 2:
            one, other = sorted({*event.spaces})
            drafted: list[Team] = []
            for space in event.spaces:
                drafted.append("a" if space == one else "b")
                if abs(drafted.count("a") - drafted.count("b")) > 1:
                    drafted.pop()
                    break
            teams = [drafted[place] for place in sorted(places) if place < len(drafted)]
            pairs[one, other].setdefault(event.session, []).append(teams)
    return {pair: count_wins(sessions.values()) for pair, sessions in pairs.items()}


def experiments(events: Sequence[Event]) -> dict[tuple[Page, tuple[str, str]], ArmComparison]:
    """Return the clicks of both arms of each A/B experiment, by the page and the arms."""
    clicks: dict[tuple[Page, tuple[str, str]], dict[str, dict[str, list[bool]]]] = {}
    for event, places in _distinct_lists(events).values():
        if event.arms:
            by_arm = clicks.setdefault((event.page, event.arms), {arm: {} for arm in event.arms})
            of_session = by_arm[arm_of(event.session, event.arms)]
            of_session.setdefault(event.session, []).append(bool(places))
    return {
        key: ArmComparison(*(SessionClicks.count(by_arm[arm]) for arm in key[1]))
        for key, by_arm in clicks.items()
    }


def session_clicks(events: Sequence[Event], space: str | None) -> dict[Page, SessionClicks]:
    """Return the clicks on the lists of a space by page, by default those of the first space."""
    by_page: dict[Page, dict[str, list[bool]]] = defaultdict(lambda: defaultdict(list))
    for event, places in _distinct_lists(events).values():
        space = space or event.spaces[0]
        if {*event.spaces} == {space}:
            by_page[event.page][event.session].append(bool(places))
    return {page: SessionClicks.count(lists) for page, lists in by_page.items()}


def _distinct_lists(events: Sequence[Event]) -> dict[_List, tuple[Shown, set[int]]]:
    """Return each list with papers, and the clicked positions of all times it was shown."""
    clicked = _read_clicked_positions(events)
    lists: dict[_List, tuple[Shown, set[int]]] = {}
    for event in events:
        if isinstance(event, Shown) and event.shown:
            key = (event.session, event.page, event.query, event.shown, event.spaces)
            lists.setdefault(key, (event, set()))[1].update(clicked[event.list])
    return lists


def _read_clicked_positions(events: Sequence[Event]) -> dict[str, set[int]]:
    """Return the clicked positions of each list, if the session was shown the paper there."""
    lists = {event.list: event for event in events if isinstance(event, Shown)}
    clicked: dict[str, set[int]] = defaultdict(set)
    for event in events:
        if isinstance(event, Clicked) and (shown := lists.get(event.list)):
            paper = dict(enumerate(shown.shown)).get(event.place)
            if shown.session == event.session and paper == event.clicked:
                clicked[event.list].add(event.place)
    return clicked
