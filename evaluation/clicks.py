"""Clicks for the recommendation task: from a click log, or made of reading histories."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import orjson

from specter_graph.core.errors import InputError
from specter_graph.evaluation.propensity import Impression, propensities
from specter_graph.evaluation.recommendation import Click, ClickLog
from specter_graph.evaluation.splits import at_random, in_order
from specter_graph.loaders.records import draw

SHOWN = 10
"""Papers on a list that is made of a history."""

_PER_READER = 5


def read_click_log(path: Path) -> list[Impression]:
    """The impressions of a JSON Lines file, in the order of time in which they stand.

    A line is {"query": "a", "shown": ["b", "c"], "clicked": ["c"]}; what nobody clicked counts too:
    it tells how much the places are looked at. Raises InputError for a line that is none.
    """
    log = []
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror or error}") from error
    for number, line in enumerate(lines, 1):
        try:
            told = orjson.loads(line)
            shown = tuple(map(str, told["shown"]))
            impression = Impression(str(told["query"]), shown, frozenset(map(str, told["clicked"])))
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{path}, line {number}: no list that was shown",
                'a line is {"query": "a", "shown": ["b", "c"], "clicked": ["c"]}',
            ) from error
        if not impression.clicked <= set(shown):
            raise InputError(f"{path}, line {number}: what was clicked was not shown")
        log.append(impression)
    return log


def from_log(log: Sequence[Impression], share: float) -> ClickLog:
    """The clicks of a log, the newest for test; propensities are estimated on the oldest alone."""
    parts = in_order(log, share)
    train, validation, test = (
        [
            Click(each.query, paper, each.shown)
            for each in parts[part]
            for paper in sorted(each.clicked)
        ]
        for part in ("train", "validation", "test")
    )
    return ClickLog(train, validation, test, propensities(parts["train"]))


def from_histories(
    histories: Iterable[tuple[str, Sequence[str]]],
    papers: Sequence[str],
    share: float,
    seed: int = 0,
) -> ClickLog:
    """Clicks made of what readers read one after the other.

    `histories` are readers with their papers in order. Of up to five places in a history the paper
    there is the query and the next one is clicked, on a list of ten at random places; the others
    are random papers that the reader never read. So no place is favoured, and all propensities are
    1. Readers, not clicks, are split: what a reader of the test part reads is nowhere else.
    """
    ordered = sorted(papers)
    parts = at_random(histories, lambda history: history[0], share)
    train, validation, test = (
        [click for history in parts[part] for click in _clicks(history, ordered, seed)]
        for part in ("train", "validation", "test")
    )
    return ClickLog(train, validation, test, np.ones(SHOWN))


def _clicks(history: tuple[str, Sequence[str]], papers: Sequence[str], seed: int) -> list[Click]:
    reader, read = history
    own = set(read)
    generator = np.random.default_rng((seed, draw(reader)))
    places = generator.permutation(len(read) - 1)[:_PER_READER] if len(read) > 1 else ()
    clicks = []
    for place in sorted(places):
        query, clicked = read[place], read[place + 1]
        enough = min(len(papers), SHOWN + len(own))
        sample = generator.choice(len(papers), size=enough, replace=False)
        others = [papers[i] for i in sample if papers[i] not in own][: SHOWN - 1]
        if query != clicked and others:
            shown = generator.permutation([clicked, *others])
            clicks.append(Click(query, clicked, tuple(map(str, shown))))
    return clicks
