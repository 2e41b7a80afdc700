"""What a load tells of papers that are merged waits beside them for the next merge."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import neo4j

from specter_graph.graph.deduplication.into import merged_into, run
from specter_graph.graph.deduplication.told import Member, decoded_item, encoded_item, member
from specter_graph.graph.loading.record_precedence import rank
from specter_graph.graph.loading.record_rows import Entry, combined
from specter_graph.graph.loading.record_writer import Written
from specter_graph.loaders.records import Abstract, Citation, Labels, Paper, draw

_SUBJECTS = {Citation: "citing", Abstract: "id", Labels: "id"}
"""Kinds of items that tell of a paper as its record does, and where they name it."""


@dataclass(slots=True)
class Rest:
    """What is left to be written now, and what became of that which waits."""

    papers: Collection[Entry]
    apart: Mapping[type, list[Any]]
    aside: Written = field(default_factory=Written)


def set_aside(
    tx: neo4j.ManagedTransaction,
    papers: Mapping[str, Entry],
    apart: Mapping[type, list[Any]],
    load: int,
) -> Rest:
    """Lay beside merged papers their records, and what is told of them like records.

    What they tell already need not wait. Citations and readings of merged papers by others are not
    meant: they are written at once.
    """
    merged = merged_into(tx, [*papers, *(_subject(each) for each in _like_records(apart))])
    if not merged:
        return Rest(papers.values(), apart)
    records = _records_aside(tx, [papers[key] for key in sorted(papers) if key in merged], load)
    items = _items_aside(tx, [each for each in _like_records(apart) if _subject(each) in merged])
    rest = {
        kind: [e for e in each if kind not in _SUBJECTS or _subject(e) not in merged]
        for kind, each in apart.items()
    }
    return Rest(
        [entry for key, entry in papers.items() if key not in merged],
        {kind: each for kind, each in rest.items() if each},
        Written(
            records["new"] + items["new"],
            records["changed"],
            records["same"] + items["same"],
            records["better"] + records["worse"] + items["again"],
        ),
    )


def _like_records(apart: Mapping[type, list[Any]]) -> list[Citation | Abstract | Labels]:
    return [item for kind in _SUBJECTS for item in apart.get(kind, ())]


def _subject(item: Citation | Abstract | Labels) -> str:
    subject: str = getattr(item, _SUBJECTS[type(item)])
    return subject


def _records_aside(
    tx: neo4j.ManagedTransaction, entries: Iterable[Entry], load: int
) -> Counter[str]:
    by_id = {entry.paper.id: entry for entry in entries}
    if not by_id:
        return Counter()
    for row in run(tx, "remembered", ids=[*by_id]):
        if row["waiting"]:
            entry, paper = by_id[row["id"]], decoded_item(row["waiting"])
            assert isinstance(paper, Paper)
            known = Entry.of(paper, row["record"])
            again = row["load"] == load
            by_id[row["id"]] = combined(entry, known) if again else entry.completed(known)
    rows = [
        {
            "id": key,
            "draw": draw(key),
            "record": entry.record,
            "paper": encoded_item(entry.paper),
        }
        for key, entry in by_id.items()
    ]
    return Counter(row["state"] for row in run(tx, "aside_records", papers=rows, load=load))


def _items_aside(
    tx: neo4j.ManagedTransaction, items: Iterable[Citation | Abstract | Labels]
) -> Counter[str]:
    of: dict[str, list[Citation | Abstract | Labels]] = defaultdict(list)
    for item in items:
        of[_subject(item)].append(item)
    if not of:
        return Counter()
    states: Counter[str] = Counter()
    rows = []
    for row in run(tx, "remembered", ids=sorted(of)):
        known, waiting = member(row), set(row["items"] or ())
        distinct = dict.fromkeys(of[row["id"]])
        texts = [encoded_item(item) for item in distinct if not _tells(known, item)]
        new = [text for text in texts if text not in waiting]
        states["new"] += len(new)
        states["same"] += len(distinct) - len(new)
        states["again"] += len(of[row["id"]]) - len(distinct)
        if new:
            rows.append({"id": row["id"], "items": new})
    if rows:
        run(tx, "aside_items", papers=rows)
    return states


def _tells(known: Member, item: Citation | Abstract | Labels) -> bool:
    """Whether it is told already, as loading would find it."""
    told = known.told
    if isinstance(item, Abstract):
        there = told.abstract or ""
        return (len(there), there) >= (len(item.text), item.text)
    if isinstance(item, Labels):
        labels = {(label.scheme, label.id) for label in told.labels}
        return {(label.scheme, label.id) for label in item.fields} <= labels
    ranks = {apart.cited: apart.telling.apart or 0 for apart in told.citations}
    return ranks.get(item.cited, -1) >= rank(item)
