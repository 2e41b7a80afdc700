"""Store assignments, their changes and scores; read the paths and topics that explain a pair."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import neo4j
import numpy as np
from pydantic import TypeAdapter

from specter_graph.core.errors import GraphError, OutdatedError, summarize_names
from specter_graph.core.progress import batches, timestamp
from specter_graph.core.vectors import Vectors
from specter_graph.graph.database import Database, run_statement
from specter_graph.graph.reviewing.venue_data import (
    natural_order,
    replace_rows,
    require_venue,
    reviewer_authors,
    submission_id,
)
from specter_graph.loaders.review_records import REVIEWER, AssignedPair, normalize_name

_MAX_PATHS = 10
_PAIRS_PER_READ = 500
MAX_BEST_AFFINITIES = 20
"""Number of affinities that are stored for each submission."""


@dataclass(frozen=True, slots=True)
class PairPaths:
    """Citation paths and common topics of a reviewer and a submission.

    Attributes:
        reviewer: Id of the reviewer.
        submission: Id of the submission.
        cited: Ids of papers of the reviewer that the submission cites.
        shared: Pairs of a paper that both cite and the reviewer's paper that cites it.
        two_hops: Pairs of a paper that the submission cites and the reviewer's paper that it cites.
        topics: Topics of the submission that the reviewer's papers also have.
    """

    reviewer: str
    submission: str
    cited: tuple[str, ...] = ()
    shared: tuple[tuple[str, str], ...] = ()
    two_hops: tuple[tuple[str, str], ...] = ()
    topics: tuple[str, ...] = ()

    @property
    def papers(self) -> set[str]:
        """Ids of all papers on the paths."""
        return {*self.cited, *chain.from_iterable(self.shared + self.two_hops)}

    def by_kind(self, titles: Mapping[str, str] | None = None) -> dict[str, list[str]]:
        """Return the nonempty kinds of paths with headings, with titles in place of ids, if any."""
        known = titles or {}
        headings = {
            "papers of the reviewer that the submission cites": [
                known.get(cited, cited) for cited in self.cited
            ],
            "papers that both cite": [known.get(cited, cited) for cited, _ in self.shared],
            "papers between": [
                " -> ".join(known.get(id, id) for id in hops) for hops in self.two_hops
            ],
            "topics in common": [*self.topics],
        }
        return {heading: entries for heading, entries in headings.items() if entries}


def find_paths(
    db: Database, venue: str, pairs: Iterable[tuple[str, str]], limit: int = _MAX_PATHS
) -> Iterator[PairPaths]:
    """Yield the papers and topics that connect pairs of a reviewer and a submission.

    Each kind has at most `limit` entries, sorted by id. Pairs that the venue does not have are
    omitted.
    """
    require_venue(db, venue)
    author_of = reviewer_authors(db, venue)
    known = ((author_of[key], key, paper) for key, paper in pairs if key in author_of)
    for batch in batches(known, _PAIRS_PER_READ):
        names = {
            (author, submission_id(venue, paper)): (key, paper) for author, key, paper in batch
        }
        rows = [{"author": author, "submission": paper} for author, paper in names]
        for row in db.read("reviewing/paths", pairs=rows, limit=limit):
            fields = {*map(normalize_name, row["fields"])}
            yield PairPaths(
                *names[row["author"], row["submission"]],
                cited=tuple(row["cited"]),
                shared=tuple((one, other) for one, other in row["shared"]),
                two_hops=tuple((one, other) for one, other in row["two_hops"]),
                topics=tuple(topic for topic in row["topics"] if normalize_name(topic) in fields),
            )


def write_assigned(
    db: Database,
    venue: str,
    pairs: Iterable[AssignedPair],
    name: str = REVIEWER,
    settings: str | None = None,
    present: Iterable[AssignedPair] | None = None,
) -> None:
    """Replace an assignment of a venue and its settings in one transaction.

    Its list of changes is deleted. Without pairs and settings, nothing of the assignment is left.

    Args:
        db: The database.
        venue: Name of the venue.
        pairs: The new pairs.
        name: Name of the assignment.
        settings: The settings as JSON.
        present: The stored pairs that the caller has read; None replaces any pairs.

    Raises:
        GraphError: The venue does not have a reviewer or a submission.
        OutdatedError: Another call has changed the stored pairs.
    """
    require_venue(db, venue)
    author_of = reviewer_authors(db, venue)
    pairs = list(pairs)
    ids = {pair.submission: submission_id(venue, pair.submission) for pair in pairs}
    known = {row["id"] for row in db.read("reviewing/known_submissions", ids=[*ids.values()])}
    unknown = [pair.reviewer for pair in pairs if pair.reviewer not in author_of]
    unknown += [key for key, paper in ids.items() if paper not in known]
    if unknown:
        raise GraphError(
            f"the venue {venue!r} does not have {summarize_names(unknown)}",
            "load its reviewers and submissions again",
        )
    rows = [
        {
            "author": author_of[pair.reviewer],
            "submission": ids[pair.submission],
            "affinity": pair.affinity,
            "locked": pair.locked,
        }
        for pair in pairs
    ]
    expected = None if present is None else set(present)

    def check(tx: neo4j.ManagedTransaction) -> None:
        run_statement(tx, "reviewing/lock_venue", venue=venue)
        if expected is None:
            return
        stored = run_statement(tx, "reviewing/assigned_of", venue=venue, name=name)
        if {AssignedPair(**row) for row in stored} != expected:
            raise OutdatedError(
                f"the assignment {name!r} of {venue!r} has changed in the meantime;"
                " nothing is written",
                "run the command again",
            )

    replace_rows(
        db,
        venue,
        "assigned",
        rows,
        check=check,
        name=name,
        changes_property=assignment_property("changes", name),
        settings_property=assignment_property("settings", name),
        settings=settings,
    )


def read_assigned(db: Database, venue: str, name: str = REVIEWER) -> list[AssignedPair]:
    """Return an assignment of a venue in the natural order of submissions and reviewers."""
    require_venue(db, venue)
    rows = db.read("reviewing/assigned_of", venue=venue, name=name)
    pairs = [AssignedPair(**row) for row in rows]
    return sorted(pairs, key=lambda pair: [*map(natural_order, (pair.submission, pair.reviewer))])


def list_assignments(db: Database, venue: str) -> dict[str, int]:
    """Return the numbers of reviews of the assignments of a venue, by name."""
    require_venue(db, venue)
    rows = db.read("reviewing/assignments_of", venue=venue)
    return {row["name"]: row["reviews"] for row in rows}


def read_settings(db: Database, venue: str, name: str) -> str | None:
    """Return the settings of the last scoring and assignment as JSON, None before the first."""
    settings: str | None = _read_property(db, venue, "settings", name)
    return settings


def assignment_property(kind: str, name: str) -> str:
    """Return the property of a venue that holds the settings or the changes of an assignment."""
    return kind if name == REVIEWER else f"{kind} {name}"


def _read_property(db: Database, venue: str, kind: str, name: str) -> Any:  # noqa: ANN401
    require_venue(db, venue)
    return db.value(
        "reviewing/venue_property", venue=venue, property=assignment_property(kind, name)
    )


@dataclass(frozen=True, slots=True)
class ScoreSummary:
    """A summary of the last scoring of a venue.

    Attributes:
        percentiles: The affinity percentiles 0 to 100 of all pairs.
        is_current: False if the reviewers or the texts of their papers have changed since.
    """

    percentiles: list[float]
    is_current: bool


def write_score_summary(
    db: Database,
    venue: str,
    submissions: Sequence[str],
    affinity: Vectors,
    spaces: Sequence[str] = (),
) -> None:
    """Store the highest affinities of each submission, and the percentiles of all pairs.

    Args:
        db: The database.
        venue: Name of the venue.
        submissions: Ids of the submissions, the rows of `affinity`.
        affinity: (submissions, reviewers) float32.
        spaces: The embedding spaces, none if the affinities are from a file.
    """
    reviewers = affinity.shape[1]
    first = max(0, reviewers - MAX_BEST_AFFINITIES)
    best = np.sort(np.partition(affinity, first, axis=1)[:, first:], axis=1)[:, ::-1]
    db.write(
        "reviewing/write_score_summary",
        venue=venue,
        percentiles=np.percentile(affinity, np.arange(101)).tolist(),
        reviewers=reviewers,
        spaces=list(spaces) or None,
        best=[
            {"submission": submission_id(venue, key), "affinities": row}
            for key, row in zip(submissions, best.tolist(), strict=True)
        ],
    )


def read_score_summary(db: Database, venue: str) -> ScoreSummary | None:
    """Return the summary of the last scoring, None before a scoring."""
    require_venue(db, venue)
    [row] = db.read("reviewing/score_summary", venue=venue)
    return None if row["percentiles"] is None else ScoreSummary(**row)


def read_best_affinities(db: Database, venue: str) -> dict[str, float]:
    """Return the highest affinity of each submission that was scored, by its id."""
    rows = db.read("reviewing/best_affinities", venue=venue)
    return {row["submission"]: row["affinity"] for row in rows}


@dataclass(frozen=True, slots=True)
class AssignmentChange:
    """A change of the assignment by a person.

    Attributes:
        submission: Id of the submission.
        removed: The removed pair, None if one was only added.
        added: The added pair, None if one was only removed.
        at: Time of the change, ISO 8601 in UTC.
    """

    submission: str
    removed: AssignedPair | None
    added: AssignedPair | None
    at: str


_CHANGE = TypeAdapter(AssignmentChange)


def read_changes(db: Database, venue: str, name: str) -> list[AssignmentChange]:
    """Return the changes of an assignment since it was made, the oldest first."""
    stored = _read_property(db, venue, "changes", name) or []
    return [_CHANGE.validate_json(change) for change in stored]


def change_assigned(
    db: Database,
    venue: str,
    submission: str,
    removed: AssignedPair | None,
    added: AssignedPair | None,
    name: str,
) -> None:
    """Replace a pair of the assignment in one transaction, and store the change.

    Args:
        db: The database.
        venue: Name of the venue.
        submission: Id of the submission.
        removed: The pair to remove, None to only add one.
        added: The pair to add, None to only remove one.
        name: Name of the assignment.

    Raises:
        OutdatedError: Another call has changed the stored assignment.
    """
    changes = read_changes(db, venue, name)
    now = timestamp()
    change = AssignmentChange(submission, removed, added, now)
    _write_change(db, venue, name, change, len(changes), [*changes, change])


def undo_change(db: Database, venue: str, name: str, known: int | None = None) -> AssignmentChange:
    """Undo the last change of an assignment, if it is the last one of the `known` changes.

    Raises:
        GraphError: The assignment has no stored change.
        OutdatedError: Another call has changed the stored assignment.
    """
    changes = read_changes(db, venue, name)
    if not changes:
        raise GraphError(f"the assignment {name!r} of {venue!r} has no change to undo")
    last = changes[-1]
    reverse = replace(last, removed=last.added, added=last.removed)
    known = len(changes) if known is None else known
    _write_change(db, venue, name, reverse, known, changes[:-1])
    return last


def _write_change(
    db: Database,
    venue: str,
    name: str,
    change: AssignmentChange,
    known: int,
    changes: Sequence[AssignmentChange],
) -> None:
    """Write a change, and the list of changes; `known` is the length of the stored list."""
    author_of, added = reviewer_authors(db, venue), change.added
    gone, new = (
        None if pair is None else author_of.get(pair.reviewer, "")
        for pair in (change.removed, added)
    )
    changed = db.write(
        "reviewing/change_assigned",
        venue=venue,
        name=name,
        property=assignment_property("changes", name),
        submission=submission_id(venue, change.submission),
        removed=gone,
        added=new,
        affinity=added.affinity if added else None,
        locked=added.locked if added else None,
        known=known,
        changes=[_CHANGE.dump_json(each).decode() for each in changes],
    )
    if [row["changed"] for row in changed] != [1]:
        raise OutdatedError(
            f"the assignment {name!r} of {venue!r} has changed in the meantime; nothing is written",
            "load the page again, and decide anew",
        )
