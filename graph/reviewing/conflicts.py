"""Finds conflicts of interest between the reviewers of a venue and the authors of submissions.

A submission whose authors are not known has none but those declared. Where several papers or
affiliations speak for a conflict, the evidence is the newest of those that are certain.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from specter_graph.core.batching import batches
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.reviewing.read import require_venue, submission_id, submissions
from specter_graph.loaders.review_records import Conflict, Kind

YEARS = 3
ADVISED = 2
"""So many papers with the one first and the other last let us suppose an advisor."""

_SUBMISSIONS = 500
_LONGEST_TITLE = 80
_NAMED = 3
Row = dict[str, Any]


def find_conflicts(
    db: Database,
    venue: str,
    *,
    years: int = YEARS,
    year: int | None = None,
    only: Iterable[str] | None = None,
) -> Iterator[Conflict]:
    """Yield the conflicts of a venue, or of some submissions: one of each kind for a pair.

    Papers and affiliations count from `years` years before `year` on, which is that of the venue,
    or else the current one. Raises GraphError where there is no such venue.
    """
    year = year or require_venue(db, venue) or datetime.now(UTC).year
    parameters = {"venue": venue, "since": year - years, "papers": ADVISED}
    keys = [each.id for each in submissions(db, venue)] if only is None else list(only)
    for some in batches(keys, _SUBMISSIONS):
        ids = [submission_id(venue, key) for key in some]
        for kind, evidence in _EVIDENCE.items():
            seen: set[tuple[str, str]] = set()
            text = statement(f"reviewing/conflicts_{kind}").text
            for row in db.read(text, submissions=ids, **parameters):
                pair = row["reviewer"], row["submission"]
                if pair not in seen:
                    seen.add(pair)
                    certain = row.get("certain", kind != "advisor")
                    yield Conflict(*pair, kind, evidence(row), certain)


def _author(row: Row) -> str:
    return f"{row['name']} is an author"


def _coauthor(row: Row) -> str:
    title = row["title"] or row["paper"]
    if len(title) > _LONGEST_TITLE:
        title = f"{title[:_LONGEST_TITLE].rstrip()}..."
    more = f", and {row['papers'] - 1} more" if row["papers"] > 1 else ""
    year = row["year"] or "year unknown"
    return f'wrote "{title}" ({row["paper"]}, {year}) with {row["author"]}{more}'


def _affiliation(row: Row) -> str:
    own, theirs = (row[side] or "an unknown year" for side in ("reviewer_last", "author_last"))
    return f"was at {row['affiliation']} in {own}, and the author {row['author']} in {theirs}"


def _advisor(row: Row) -> str:
    ids = row["papers"]
    papers = ", ".join(ids[:_NAMED]) + (", ..." if len(ids) > _NAMED else "")
    places = "last author, with {} first," if row["advises"] else "first author, with {} last,"
    years = f", {min(row['years'])} to {max(row['years'])}" if row["years"] else ""
    return f"{places.format(row['author'])} of {len(ids)} papers ({papers}{years})"


def _declared(row: Row) -> str:
    reason: str = row["reason"]
    return reason


_EVIDENCE: dict[Kind, Callable[[Row], str]] = {
    "author": _author,
    "coauthor": _coauthor,
    "affiliation": _affiliation,
    "advisor": _advisor,
    "declared": _declared,
}
