"""Citations and readings of merged papers: one relationship, and by which ids it was told.

Where a paper is named by another id than that of the node, the relationship keeps the ids in its
property `named`. A citation that was told under several ids keeps each telling in `tellings`, as
JSON, and says itself what they say together. So merging can be undone exactly.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, TypeAlias

import neo4j
import orjson

from specter_graph.graph.deduplication.into import run
from specter_graph.loaders.records import Citation, Reading, draw

CitedAs: TypeAlias = dict[str, "Telling"]
"""Tellings of one citation, by the id that each gives the cited paper."""


@dataclass(frozen=True, slots=True)
class Telling:
    """What a citation says when it is told under one id.

    `apart` is the rank of a citation that was told apart from records, else None.
    """

    apart: int | None = None
    intents: tuple[str, ...] | None = None
    influential: bool | None = None
    contexts: tuple[str, ...] | None = None


def told_citations(cited: str, properties: Mapping[str, Any]) -> CitedAs:
    """The tellings that the properties of a citation of the paper `cited` hold."""
    if (written := properties.get("tellings")) is not None:
        return {key: _telling(each) for key, each in orjson.loads(written).items()}
    [named] = properties.get("named") or [cited]
    return {named: _telling(properties)}


def telling_of(citation: Citation | None) -> Telling:
    """What a record tells of a citation beyond the id; None where it tells nothing."""
    if citation is None:
        return Telling()
    return Telling(None, citation.intents or None, citation.influential, citation.contexts or None)


def _telling(properties: Mapping[str, Any]) -> Telling:
    return Telling(
        properties.get("apart"),
        _texts(properties.get("intents")),
        properties.get("influential"),
        _texts(properties.get("contexts")),
    )


def as_json(value: object) -> str:
    """JSON of records, without what says nothing."""
    return orjson.dumps(_bare(value)).decode()


def _bare(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, dict):
        return {key: _bare(each) for key, each in value.items()}
    if isinstance(value, tuple):
        return [_bare(each) for each in value]
    if not is_dataclass(value):
        return value
    said = {field.name: getattr(value, field.name) for field in fields(value)}
    return {name: _bare(each) for name, each in said.items() if each is not None and each != ()}


def _texts(values: Iterable[str] | None) -> tuple[str, ...] | None:
    return None if values is None else tuple(values)


def joined_texts(
    one: tuple[str, ...] | None, other: tuple[str, ...] | None
) -> tuple[str, ...] | None:
    """What two tellings quote together, in an order that does not depend on theirs."""
    if one is None or other is None or one == other:
        return other if one is None else one
    return tuple(sorted({*one, *other}))


def joined(one: Telling, other: Telling) -> Telling:
    """What two tellings say together."""
    ranks = [each.apart for each in (one, other) if each.apart is not None]
    opinions = [each.influential for each in (one, other) if each.influential is not None]
    return Telling(
        max(ranks, default=None),
        joined_texts(one.intents, other.intents),
        any(opinions) if opinions else None,
        joined_texts(one.contexts, other.contexts),
    )


def _replaced(old: Telling, new: Telling) -> Telling:
    """What counts of two tellings under one id, the newer second; as in loading."""
    if new.apart is None:
        return new if old.apart is None else old
    return new if old.apart is None or old.apart < new.apart else old


def citation_row(cited: str, tellings: CitedAs) -> dict[str, object]:
    """The properties of a citation of the paper `cited`; null removes one."""
    ordered = dict(sorted(tellings.items()))
    said, *more = ordered.values()
    for telling in more:
        said = joined(said, telling)
    return {
        "named": None if ordered.keys() == {cited} else list(ordered),
        "tellings": as_json(ordered) if more else None,
        "apart": said.apart,
        "intents": None if said.intents is None else list(said.intents),
        "influential": said.influential,
        "contexts": None if said.contexts is None else list(said.contexts),
    }


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of tellings: of all that are `known` now, those new, and those known better."""

    known: int = 0
    new: int = 0
    changed: int = 0


def tell_citations(
    tx: neo4j.ManagedTransaction, told: Mapping[tuple[str, str], CitedAs]
) -> Outcome:
    """Make citations, or add to those that are there.

    Keys are (citing, cited), the nodes between which the citations are; papers that are not there
    become stubs. What a merged paper tells of itself is left out.
    """
    told = {pair: told[pair] for pair in sorted(told) if pair[0] != pair[1]}
    there = {
        (row["citing"], row["cited"]): told_citations(row["cited"], row["properties"])
        for row in run(tx, "citations_there", pairs=list(told))
    }
    papers = _numbers(end for pair in told for end in pair)
    rows, new, changed = [], 0, 0
    for (citing, cited), tellings in told.items():
        known = there.get((citing, cited), {})
        now = known | {
            key: _replaced(known[key], telling) if key in known else telling
            for key, telling in tellings.items()
        }
        new += len(now) - len(known)
        changed += sum(known[key] != now[key] for key in known)
        if now != known:
            rows.append(
                {
                    "citing": papers[citing],
                    "cited": papers[cited],
                    "properties": citation_row(cited, now),
                }
            )
    if rows:
        run(tx, "citations", papers=_paper_rows(papers), citations=rows)
    return Outcome(sum(map(len, told.values())), new, changed)


ReadAs: TypeAlias = dict[Reading, set[str]]
"""Readings, whose `paper` is the node, with the ids that named the paper."""


def tell_readings(tx: neo4j.ManagedTransaction, told: Mapping[Reading, set[str]]) -> Outcome:
    """Make readings, or add to those that are there the ids that name the paper."""
    there = _readings_there(tx, told)
    made, renamed, new = [], [], 0
    papers = _numbers(reading.paper for reading in told)
    for reading in sorted(told, key=_order):
        element, known = there.get(reading, (None, set()))
        now = known | told[reading]
        new += len(now) - len(known)
        named = None if now == {reading.paper} else sorted(now)
        if element is None:
            made.append(
                {
                    "reader": reading.reader,
                    "kind": reading.kind,
                    "paper": papers[reading.paper],
                    "at": reading.at,
                    "session": reading.session,
                    "named": named,
                }
            )
        elif now != known:
            renamed.append({"element": element, "named": named})
    if made:
        run(tx, "readings", papers=_paper_rows(papers), readings=made)
    if renamed:
        run(tx, "reading_names", readings=renamed)
    return Outcome(sum(map(len, told.values())), new)


def _readings_there(
    tx: neo4j.ManagedTransaction, told: Iterable[Reading]
) -> dict[Reading, tuple[str, set[str]]]:
    pairs = sorted({(reading.reader, reading.paper) for reading in told})
    return {
        reading_of(row): (row["element"], named_by(row["paper"], row["properties"]))
        for row in run(tx, "readings_there", pairs=pairs)
    }


def reading_of(row: Mapping[str, Any]) -> Reading:
    """The reading of a row with reader, kind, paper and properties."""
    properties = row["properties"]
    return Reading(
        row["reader"], row["paper"], row["kind"], properties.get("at"), properties.get("session")
    )


def named_by(paper: str, properties: Mapping[str, Any]) -> set[str]:
    """The ids by which the properties of a reading name its paper."""
    return set(properties.get("named") or [paper])


def read_as(readings: Iterable[tuple[Reading, str]]) -> ReadAs:
    """Readings, each with an id that names its paper, by what is to be one relationship."""
    told: ReadAs = defaultdict(set)
    for reading, named in readings:
        told[reading].add(named)
    return told


def _order(reading: Reading) -> tuple[str, ...]:
    return reading.paper, reading.reader, reading.kind, reading.at or "", reading.session or ""


def _numbers(ids: Iterable[str]) -> dict[str, int]:
    return {key: number for number, key in enumerate(sorted(set(ids)))}


def _paper_rows(papers: Iterable[str]) -> list[dict[str, object]]:
    return [{"id": key, "draw": draw(key)} for key in papers]
