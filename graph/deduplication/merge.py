"""Combine papers that are the same into one paper: a pass after loading.

**Groups.** Papers that share an identifier are the same, also over several steps (connected
components). A stub whose id is an identifier, such as `doi:10.1/x`, is the same as the papers that
have the identifier. On request title, year and first author together count as an identifier. A
group with contradictions is a conflict (`conflicts`) and is not combined.

**Data.** Each paper of a group becomes a SourceRecord with the content that the graph had under its
id, and one paper is written from all of them (`combine`, a pure function of the contents and the
preference of sources). Its sample key is the smallest of all: it is held out when one of them is.
Citations and readings of members are kept as NAMES of the SourceRecords, and those of the paper are
derived from them (`graph.loading.source_records`).

**Merge.** Groups with pending records are restored (`groups`), as are groups that are connected
with other papers now; then all new groups are combined. So the graph after a merge is the same as
after loading everything in any order and merging once.

**Interruption.** Each transaction changes some groups completely. Run an interrupted merge again to
complete it. Two merges at once wait for each other. Do not load while a merge runs; the next merge
repairs what a load has written beside it.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, TypeAlias

import neo4j
import orjson

from specter_graph.core.atomic_files import complete_file
from specter_graph.core.progress import Progress, batches, silent
from specter_graph.graph.database import Database, run_statement
from specter_graph.graph.deduplication.combine import (
    CombinedRecord,
    Member,
    Preference,
    combine,
    lock_members,
    member_of_row,
)
from specter_graph.graph.deduplication.duplicates import (
    MergeConflict,
    find_conflict,
    same_papers,
    size_conflict,
)
from specter_graph.graph.deduplication.group_writer import IDS, combine_groups, restore_groups

_ROWS = 10_000

WriteLine: TypeAlias = Callable[[dict[str, Any]], None]


@dataclass(frozen=True, slots=True)
class MergeSummary:
    """The result of a merge.

    Attributes:
        merged: Papers combined from several by this merge.
        restored: Papers that were restored to their members before.
        conflicts: Groups that were not combined.
        ids: All members of combined papers in the graph.
        seconds: Duration.
    """

    merged: int
    restored: int
    conflicts: int
    ids: int
    seconds: float


def merge(
    db: Database,
    *,
    prefer: Sequence[str] = (),
    by_title: bool = False,
    report: Path | str | None = None,
    progress: Progress = silent,
) -> MergeSummary:
    """Combine papers that are the same, by these rules; papers merged by other rules, too.

    Args:
        db: The graph.
        prefer: Sources in the order of preference.
        by_title: Also combine papers of the same title, year and first author.
        report: File for all combined papers and all conflicts, as JSON Lines.
        progress: Called with the number of groups.

    Raises:
        InputError: The report cannot be written.
    """
    started = monotonic()
    preference = Preference(prefer)
    with report_file(report) as write_line, merge_lock(db):
        _record_rules(db, preference, by_title=by_title)
        db.commit("deduplication/mark_replaced", rows=_ROWS)
        pending = [row["paper"] for row in db.read("deduplication/pending")]
        restored, combined, conflicts = restore_batches(db, pending), 0, 0
        groups = same_papers(db, by_title=by_title)
        for done, batch in _batch_groups(groups):
            progress("merge", done, len(groups))
            work = partial(_merge_groups, groups=batch, preference=preference)
            again, new, new_conflicts = db.transaction(work)
            restored += again
            combined += new
            conflicts += len(new_conflicts)
            for conflict in new_conflicts:
                write_line(conflict_line(conflict))
        progress("merge", len(groups), len(groups))
        if report:
            for row in db.stream("deduplication/combined", fetch_size=200):
                members = [member_of_row(member) for member in row["members"]]
                write_line(combined_line("merged", combine(members, preference), members))
    ids = merge_status(db).members
    return MergeSummary(combined, restored, conflicts, ids, monotonic() - started)


def merge_again(db: Database, *, report: Path | str | None, progress: Progress) -> MergeSummary:
    """Merge by the rules of the last merge, or by the default rules if there was none."""
    rules = db.read("deduplication/rules")
    known: dict[str, Any] = rules[0] if rules else {}
    return merge(db, **known, report=report, progress=progress)


def merge_lock(db: Database) -> AbstractContextManager[None]:
    """Wait for another merge or deletion to end, and lock out others."""
    return db.lock("deduplication/lock")


@dataclass(frozen=True, slots=True)
class MergeStatus:
    """Counts of the members of combined papers, and of those with `pending` records."""

    members: int
    pending: int


def merge_status(db: Database) -> MergeStatus:
    """Count the members of combined papers, and those that wait for a merge; fast at any size."""
    [row] = db.read("deduplication/counts")
    return MergeStatus(**row)


def preview(db: Database, report: Path | str) -> None:
    """List in a file what `merge` would combine, and the conflicts; nothing is changed."""
    preference = Preference()
    with report_file(report) as write_line:
        for group in same_papers(db):
            work = partial(_preview_group, papers=group, preference=preference)
            write_line(db.transaction(work))


def _preview_group(
    tx: neo4j.ManagedTransaction, papers: Sequence[str], preference: Preference
) -> dict[str, Any]:
    if against := size_conflict(papers):
        return conflict_line(against)
    rows = run_statement(tx, "deduplication/members", papers=papers)
    members = [member_of_row(row) for row in rows]
    members += lock_members(tx, {*papers} - {row["paper"] for row in rows})
    if against := find_conflict(members):
        return conflict_line(against)
    return combined_line("same", combine(members, preference), members)


def restore_batches(db: Database, papers: Iterable[str]) -> int:
    """Restore combined papers, some in a transaction; return how many they were."""
    restored = 0
    for batch in batches(papers, IDS):
        db.transaction(partial(restore_groups, papers=batch))
        restored += len(batch)
    return restored


def _record_rules(db: Database, preference: Preference, *, by_title: bool) -> None:
    """Record the rules; where they differ from those before, mark everything as pending."""
    rules = {"prefer": preference.order, "by_title": by_title}
    known = db.read("deduplication/rules")
    if known != [rules]:
        if known:
            db.commit("deduplication/mark_all", rows=_ROWS)
        db.write("deduplication/record_rules", **rules)


def _batch_groups(groups: Iterable[list[str]]) -> Iterator[tuple[int, list[list[str]]]]:
    """Yield groups of about IDS papers together, with the number of groups before."""
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


def _merge_groups(
    tx: neo4j.ManagedTransaction, groups: Iterable[list[str]], preference: Preference
) -> tuple[int, int, list[MergeConflict]]:
    """Combine the groups without conflicts, after combined papers among them are restored.

    Returns how many were restored, how many are combined, and the conflicts.
    """
    restored = restore_groups(tx, [id for group in groups for id in group])
    groups = [[id for paper in group for id in restored.get(paper, [paper])] for group in groups]
    conflicts = [against for group in groups if (against := size_conflict(group))]
    small = [group for group in groups if not size_conflict(group)]
    papers = {
        loaded.id: loaded for loaded in lock_members(tx, [id for group in small for id in group])
    }
    ready = []
    for group in small:
        members = [papers[id] for id in group if id in papers]
        if against := find_conflict(members):
            conflicts.append(against)
        elif len(members) > 1:
            ready.append(members)
    combine_groups(tx, ready, preference)
    return len(restored), len(ready), conflicts


@contextmanager
def report_file(path: Path | str | None) -> Iterator[WriteLine]:
    """Open a report, which appears when it is complete, for lines; with None, ignore the lines.

    Raises InputError when it cannot be written.
    """
    if path is None:
        yield lambda line: None
        return
    with complete_file(path) as unfinished, unfinished.open("wb") as file:

        def write(line: dict[str, Any]) -> None:
            file.write(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE))

        yield write


def combined_line(kind: str, combined: CombinedRecord, members: Sequence[Member]) -> dict[str, Any]:
    """Describe a combined paper: the member that each property is from, and where they differ."""
    paper = combined.paper.id
    return {
        "kind": kind,
        "paper": paper,
        "absorbed": sorted(member.id for member in members if member.id != paper),
        "sources": {member.id: member.source for member in sorted(members, key=lambda m: m.id)},
        "origins": combined.origins,
        "differences": combined.differences,
    }


def conflict_line(conflict: MergeConflict) -> dict[str, Any]:
    """Describe a conflict."""
    return {"kind": "conflict", **asdict(conflict)}
