"""Change single pairs of a stored assignment, and undo the changes."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import TypeAdapter

from specter_graph.core.errors import GraphError
from specter_graph.core.progress import timestamp
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.reviewing.assignments import assignment_property
from specter_graph.graph.reviewing.venue_data import require_venue, reviewer_authors, submission_id
from specter_graph.loaders.review_records import Assigned


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
    removed: Assigned | None
    added: Assigned | None
    at: str


_CHANGE = TypeAdapter(AssignmentChange)


def read_changes(db: Database, venue: str, name: str) -> list[AssignmentChange]:
    """Return the changes of an assignment since it was made, the oldest first."""
    require_venue(db, venue)
    text = statement("reviewing/changes").text
    stored = db.value(text, venue=venue, property=assignment_property("changes", name))
    return [_CHANGE.validate_json(change) for change in stored]


def change_assigned(
    db: Database,
    venue: str,
    submission: str,
    removed: Assigned | None,
    added: Assigned | None,
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
        GraphError: The stored assignment has changed since.
    """
    changes = read_changes(db, venue, name)
    now = timestamp()
    change = AssignmentChange(submission, removed, added, now)
    _write(db, venue, name, change, len(changes), [*changes, change])


def undo_change(db: Database, venue: str, name: str) -> AssignmentChange:
    """Undo the last change of an assignment and return it.

    Raises:
        GraphError: There is no change, or the stored assignment has changed since.
    """
    changes = read_changes(db, venue, name)
    if not changes:
        raise GraphError(f"the assignment {name!r} of {venue!r} has no change to undo")
    last = changes[-1]
    reverse = replace(last, removed=last.added, added=last.removed)
    _write(db, venue, name, reverse, len(changes), changes[:-1])
    return last


def _write(
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
        statement("reviewing/change_assigned").text,
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
        raise GraphError(
            f"the assignment {name!r} of {venue!r} has changed in the meantime; nothing is written",
            "load the page again, and decide anew",
        )
