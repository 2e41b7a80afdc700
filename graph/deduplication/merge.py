"""Makes one paper of what several sources tell of it: a pass after loading.

**What is the same.** Papers that share an identifier are one paper, and so are papers that are
connected over several such steps (connected components); a stub whose id is an identifier, such as
`doi:10.1/x`, belongs to the papers that have it. On request title, year and first author count as
an identifier. What speaks against it makes a component a conflict, and nothing in it is merged
(`conflicts`).

**What a merged paper says** is a function of its records and the preference of sources alone
(`united`). So is its id. Its draw is the smallest of theirs: it is held out when one of them is
(`holdout`).

**How it is kept.** For each id under which the paper was told there is a node (:Merged {id, record,
load, told})-[:INTO]->(:Paper): `told` is what the graph said of it before, as JSON. Only the paper
itself has the label Paper; the nodes that it took in become these Merged ones. A relationship that
names the paper by an id that it took in keeps that id in its property `named` (`tellings`).
So nothing is lost, and merged papers can be taken apart exactly (`take_apart`).

**Loading afterwards.** A record of a merged paper that the graph has already changes nothing. A
changed one, and what else tells of a merged paper like a record, waits in its Merged node for the
next merge (`aside`), while the paper stays as it is; citations and readings of merged papers by
others are made at once (`names`).

**Why the order does not matter.** A merge takes apart every merged paper of which something new is
told, or which is connected with others now; it writes what waits as if it had been loaded into a
graph without merged papers; then it merges what is the same. So the result is that of loading
everything, in any order, and merging once.

**Killed,** it goes on when it is run again: each step is a transaction that leaves a graph with
labels that say what is left to do. Waiting: to be taken apart. Unsettled: citations and readings
may have to be moved. Unwritten: does not say yet what its sources tell. Two merges at once wait for
each other. Nothing should be loaded while a merge runs; what a load has made anew all the same, the
next merge mends.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import neo4j

from specter_graph.core.progress import Progress, silent
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.deduplication.components import same_papers
from specter_graph.graph.deduplication.conflicts import Conflict, conflict, too_many
from specter_graph.graph.deduplication.into import IDS, run
from specter_graph.graph.deduplication.merge_lock import alone
from specter_graph.graph.deduplication.report import conflict_line, report_file, united_line
from specter_graph.graph.deduplication.settle import settle
from specter_graph.graph.deduplication.take_apart import take_apart
from specter_graph.graph.deduplication.told import Member, encoded, member, members
from specter_graph.graph.deduplication.united import Preference, unite
from specter_graph.graph.deduplication.write import write_united
from specter_graph.graph.schema import apply_schema
from specter_graph.loaders.records import draw

_ROWS = 10_000


@dataclass(frozen=True, slots=True)
class MergeSummary:
    """What a merge did.

    `merged` papers were made of several, anew or for the first time, after `taken_apart` were
    taken apart; `conflicts` are groups of papers that were not merged. `ids` are all ids under
    which the merged papers of the graph were told, their own among them.
    """

    merged: int
    taken_apart: int
    conflicts: int
    ids: int
    seconds: float


def merge(
    db: Database,
    *,
    prefer: Sequence[str] = (),
    by_title: bool = False,
    report: Path | None = None,
    progress: Progress = silent,
) -> MergeSummary:
    """Make papers that are the same one, by these rules: also those that were merged by others.

    `report` is a file for all merged papers and all conflicts, one JSON object a line. Raises
    InputError when it cannot be written.
    """
    started = monotonic()
    preference = Preference(prefer)
    apply_schema(db)
    with report_file(report) as tell, alone(db):
        _keep_rules(db, preference, by_title=by_title)
        db.commit(statement("deduplication/strays_wait").text, rows=_ROWS)
        settle(db)
        write_united(db, preference)
        taken = take_apart(db)
        groups = [*_to_be_merged(db, same_papers(db, by_title=by_title))]
        again = take_apart(db)
        conflicts, made = 0, 0
        for done, batch in _batches(groups):
            progress("merge", done, len(groups))
            work = partial(_merge_some, groups=batch, preference=preference)
            found, absorbed = db.transaction(work)
            made += absorbed
            conflicts += len(found)
            for each in found:
                tell(conflict_line(each))
        progress("merge", len(groups), len(groups))
        settle(db)
        write_united(db, preference)
        for paper, made_of in _all_merged(db) if report else ():
            tell(united_line("merged", unite(paper, made_of, preference), made_of))
    ids = merged(db).ids
    return MergeSummary(made, taken + again, conflicts, ids, monotonic() - started)


@dataclass(frozen=True, slots=True)
class Merged:
    """What is merged: the ids under which merged papers were told, and how many of them `waiting`.

    Of the latter something was told since.
    """

    ids: int
    waiting: int


def merged(db: Database) -> Merged:
    """Count what is merged, and what waits to be; quick at any size."""
    [row] = db.read(statement("deduplication/counts").text)
    return Merged(**row)


def preview(db: Database, report: Path) -> None:
    """Say in a file what `merge` would make one, and what not; nothing is changed."""
    preference = Preference()
    with report_file(report) as tell:
        for _, batch in _batches(same_papers(db)):
            for group in batch:
                tell(db.transaction(partial(_previewed, papers=group, preference=preference)))


def _keep_rules(db: Database, preference: Preference, *, by_title: bool) -> None:
    """Note the rules; when they are others than before, merge all anew."""
    rules = {"prefer": preference.order, "by_title": by_title}
    known = db.read(statement("deduplication/rules").text)
    if known != [rules]:
        if known:
            db.commit(statement("deduplication/all_wait").text, rows=_ROWS)
        db.write(statement("deduplication/record_rules").text, **rules)


def _to_be_merged(db: Database, groups: Iterable[list[str]]) -> Iterator[list[str]]:
    """Groups of papers that are the same; merged ones among them wait to be taken apart.

    In their place are the papers that they are made of.
    """
    for _, batch in _batches(groups):
        made_of: dict[str, list[str]] = {}
        papers = sorted({paper for group in batch for paper in group})
        for row in db.write(statement("deduplication/wait").text, papers=papers):
            made_of.setdefault(row["paper"], []).append(row["id"])
        for group in batch:
            yield sorted(id for paper in group for id in made_of.get(paper, [paper]))


def _batches(groups: Iterable[list[str]]) -> Iterator[tuple[int, list[list[str]]]]:
    """Some groups at a time, with the number of those before."""
    batch: list[list[str]] = []
    done = 0
    for group in groups:
        batch.append(group)
        if sum(map(len, batch)) >= IDS:
            yield done, batch
            done += len(batch)
            batch = []
    if batch:
        yield done, batch


def _merge_some(
    tx: neo4j.ManagedTransaction, groups: Iterable[list[str]], preference: Preference
) -> tuple[list[Conflict], int]:
    """Merge the groups in which nothing is against it; the conflicts, and how many were merged."""
    conflicts = [against for group in groups if (against := too_many(group))]
    small = [group for group in groups if not too_many(group)]
    known = {each.id: each for each in members(tx, (id for group in small for id in group))}
    own, absorbed = [], []
    for group in small:
        # A stub that nothing names any more may have gone.
        found = [known[id] for id in group if id in known]
        if len(found) < 2:
            continue
        if against := conflict(found):
            conflicts.append(against)
            continue
        canonical = preference.canonical(found)
        smallest = min(draw(each.id) for each in found)
        own.append(_row(canonical) | {"smallest": smallest})
        absorbed += [_row(each) | {"into": canonical.id} for each in found if each != canonical]
    run(tx, "remember", papers=sorted(own, key=_id))
    run(tx, "absorb", papers=sorted(absorbed, key=_id))
    return conflicts, len(own)


def _row(member: Member) -> dict[str, object]:
    return {
        "id": member.id,
        "draw": draw(member.id),
        "record": member.record,
        "load": member.load,
        "told": encoded(member.told),
    }


def _id(row: dict[str, object]) -> str:
    return str(row["id"])


def _previewed(
    tx: neo4j.ManagedTransaction, papers: Sequence[str], preference: Preference
) -> dict[str, Any]:
    """A line for papers that are the same, merged ones among them."""
    if against := too_many(papers):
        return conflict_line(against)
    merged = run(tx, "members", papers=papers)
    apart = {*papers} - {row["paper"] for row in merged}
    found = [*map(member, merged), *members(tx, apart)]
    if against := conflict(found):
        return conflict_line(against)
    united = unite(preference.canonical(found).id, found, preference)
    return united_line("same", united, found)


def _all_merged(db: Database) -> Iterator[tuple[str, list[Member]]]:
    for row in db.stream(statement("deduplication/all_merged").text, fetch_size=200):
        yield row["paper"], [*map(member, row["members"])]
