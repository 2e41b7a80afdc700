"""Compute the possible triplets of each source from the records, by their definition."""

import random
from collections import Counter, defaultdict
from collections.abc import Iterable
from itertools import groupby

from specter_graph.graph.triplets.mine import TripletStream
from specter_graph.loaders.records import Reading, sample_key
from tests.graph.citation_graphs import Truth

Counts = dict[str, Counter[str]]
"""Counts of what each other training paper shares with a training paper."""

Row = tuple[str, str, str, bool]


def rows(stream: TripletStream) -> list[Row]:
    return [tuple(row.values()) for batch in stream for row in batch.to_pylist()]


def by_query(result: list[Row]) -> dict[str, list[Row]]:
    return {query: list(group) for query, group in groupby(result, key=lambda row: row[0])}


def count_pairs(facts: Truth, sets: Iterable[Iterable[str]]) -> Counts:
    counts: Counts = {paper: Counter() for paper in facts.training}
    for some in sets:
        known = {*some} & facts.training
        for one in known:
            counts[one].update(known - {one})
    return counts


def co_citations(facts: Truth) -> Counts:
    return count_pairs(facts, (facts.cites[paper] for paper in facts.training))


def couplings(facts: Truth) -> Counts:
    citing = defaultdict(set)
    for paper in facts.training:
        for cited in facts.cites[paper]:
            if not facts.hides(cited):
                citing[cited].add(paper)
    return count_pairs(facts, citing.values())


def co_readings(facts: Truth, readings: Iterable[Reading], kind: str) -> Counts:
    """Papers of a reader and session; with a hold-out, without the paper of the last reading."""
    sessions, last = defaultdict(set), {}
    for reading in readings:
        if reading.kind == kind and reading.paper in facts.cites:
            order = (reading.at or "", sample_key(reading.paper), reading.paper)
            last[reading.reader] = max(last.get(reading.reader, order), order)
    for reading in readings:
        is_last = facts.fraction and last[reading.reader][2] == reading.paper
        if reading.kind == kind and not is_last:
            sessions[reading.reader, reading.session].add(reading.paper)
    return count_pairs(facts, sessions.values())


def random_readings(size: int, readers: int, seed: int = 0) -> list[Reading]:
    """Return readers who keep papers near each other, and view some in one of two sessions.

    Half of the readers have times of their views.
    """
    rng, times = random.Random(seed), random.Random(seed)
    result = set()
    for number in range(readers):
        place = rng.randrange(size)
        for _ in range(8):
            paper = f"p{(place + rng.randrange(12)) % size}"
            result.add(Reading(f"r{number}", paper, "SAVED"))
            at = f"2020-01-{times.randrange(10, 30)}" if number % 2 else None
            result.add(Reading(f"r{number}", paper, "VIEWED", at, rng.choice("ab")))
    return sorted(
        result,
        key=lambda each: (each.reader, each.paper, each.kind, each.session or "", each.at or ""),
    )
