"""Find conflicts of interest between the reviewers of a venue and the authors of submissions.

A submission without known authors has declared conflicts, and likely ones with reviewers who wrote
a paper of its title. If several papers or affiliations cause a conflict, the evidence is the newest
one that is certain, or else the newest one.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from specter_graph.core.progress import batches
from specter_graph.graph.database import Database
from specter_graph.graph.reviewing.venue_data import (
    VenueReviewer,
    read_reviewers,
    read_submissions,
    require_venue,
    reviewers_by_email,
    submission_id,
)
from specter_graph.loaders.review_records import Conflict, Kind

CONFLICT_YEARS = 3
MIN_ADVISED_PAPERS = 2
"""Common papers, with one as first and the other as last author, that suggest an advisor."""

_SUBMISSIONS_PER_READ = 500
_MAX_TITLE_LENGTH = 80
_MAX_PAPERS = 3
Row = dict[str, Any]


def find_conflicts(
    db: Database,
    venue: str,
    *,
    conflict_years: int = CONFLICT_YEARS,
    submissions: Iterable[str] | None = None,
) -> Iterator[Conflict]:
    """Yield the conflicts of a venue: at most one of each kind for a pair.

    Args:
        db: The database.
        venue: Name of the venue.
        conflict_years: Years before the year of the venue, or else this year, in which papers and
            affiliations count.
        submissions: Ids of the submissions to check, None for all.

    Raises:
        GraphError: The graph has no such venue.
    """
    year = require_venue(db, venue)
    parameters = {"venue": venue, "since": year - conflict_years, "papers": MIN_ADVISED_PAPERS}
    keys = (
        [submission.id for submission in read_submissions(db, venue)]
        if submissions is None
        else list(submissions)
    )
    by_email = reviewers_by_email(read_reviewers(db, venue))
    equal_titles = _find_equal_titles(db, venue, [submission_id(venue, key) for key in keys])
    institutions = _DeclaredInstitutions(db, venue, year - conflict_years)
    for batch in batches(keys, _SUBMISSIONS_PER_READ):
        ids = [submission_id(venue, key) for key in batch]
        for kind, evidence in _EVIDENCE.items():
            conflicts = [
                Conflict(
                    *(row["reviewer"], row["submission"], kind, evidence(row)),
                    certain=row.get("certain", kind != "advisor"),
                )
                for row in db.read(f"reviewing/conflicts_{kind}", submissions=ids, **parameters)
            ]
            if kind == "author":
                conflicts += _find_email_conflicts(db, by_email, ids)
                conflicts += chain.from_iterable(equal_titles.get(key, ()) for key in batch)
            elif kind == "affiliation":
                conflicts += institutions.conflicts(ids)
            first: dict[tuple[str, str], Conflict] = {}
            for conflict in sorted(conflicts, key=lambda conflict: not conflict.certain):
                first.setdefault((conflict.reviewer, conflict.submission), conflict)
            yield from first.values()


def _find_email_conflicts(
    db: Database, by_email: Mapping[str, VenueReviewer], submissions: Sequence[str]
) -> Iterator[Conflict]:
    """Yield reviewers whose e-mail address is all that is known of an author."""
    if not by_email:
        return
    for row in db.read("reviewing/email_authors", submissions=submissions):
        if reviewer := by_email.get(row["email"]):
            evidence = f"{row['email']} is an author"
            yield Conflict(reviewer.id, row["submission"], "author", evidence)


def _find_equal_titles(
    db: Database, venue: str, submissions: Sequence[str]
) -> dict[str, list[Conflict]]:
    """Return conflicts with reviewers who wrote a paper of the same title, such as a preprint.

    Titles of one or two words do not count.
    """
    titles: dict[str, list[str]] = defaultdict(list)
    for row in db.read("reviewing/submission_titles", submissions=submissions):
        if len(row["title"].split()) > 2:
            titles[row["title"].strip().lower()].append(row["submission"])
    conflicts: dict[str, list[Conflict]] = defaultdict(list)
    if titles:
        for row in db.read("reviewing/papers_with_titles", venue=venue, titles=dict(titles)):
            evidence = f"{_describe_paper(row)}, which has the title of the submission"
            conflicts[row["submission"]].append(
                Conflict(row["reviewer"], row["submission"], "author", evidence, False)
            )
    return conflicts


class _DeclaredInstitutions:
    """Declared institutions: the same one, or one that is a part or another name of the other."""

    def __init__(self, db: Database, venue: str, since: int) -> None:
        self._db = db
        self._parameters = {"venue": venue, "since": since}
        self._people: dict[str, list[Row]] = defaultdict(list)
        for row in db.read("reviewing/reviewer_places", **self._parameters):
            self._people[row["institution"]].append(row)
        self._near: dict[str, set[str]] = defaultdict(set)
        for row in db.read("reviewing/institutions_of", venue=venue):
            self._near[row["institution"]].add(row["above"])
            self._near[row["above"]].add(row["institution"])

    def conflicts(self, submissions: Sequence[str]) -> list[Conflict]:
        """Return the conflicts of submissions, the certain ones first."""
        conflicts = []
        for theirs in self._db.read(
            "reviewing/author_places", submissions=submissions, **self._parameters
        ):
            institution = theirs["institution"]
            for place in (institution, *sorted(self._near[institution])):
                for own in self._people.get(place, ()):
                    is_declared = own["declared"] or theirs["declared"]
                    # The statement conflicts_affiliation has undeclared ones of one institution.
                    if own["author"] != theirs["author"] and (is_declared or place != institution):
                        conflicts.append(_describe_institutions(own, theirs, place == institution))
        return sorted(conflicts, key=lambda conflict: not conflict.certain)


def _describe_institutions(own: Row, theirs: Row, same: bool) -> Conflict:
    place = own["name"].removeprefix("domain:")
    other = "there too" if same else f"at {theirs['name'].removeprefix('domain:')}, which belongs"
    evidence = f"is or was at {place}, and the author {theirs['author_name']} {other}"
    evidence += "" if same else " to it or has it as a part"
    certain = own["certain"] and theirs["certain"]
    return Conflict(own["key"], theirs["key"], "affiliation", evidence, certain)


def _describe_relation(row: Row) -> str:
    until = f" until {row['until']}" if row["until"] else ""
    return f"relation with the author {row['author']}: {row['relation']}{until}"


def _describe_paper(row: Row, *details: object) -> str:
    title = row["title"] or row["paper"]
    if len(title) > _MAX_TITLE_LENGTH:
        title = f"{title[:_MAX_TITLE_LENGTH].rstrip()}..."
    return f'wrote "{title}" ({", ".join(map(str, (row["paper"], *details)))})'


def _describe_coauthor(row: Row) -> str:
    more = f", and {row['papers'] - 1} more" if row["papers"] > 1 else ""
    year = row["year"] or "year unknown"
    return f"{_describe_paper(row, year)} with {row['author']}{more}"


def _describe_affiliation(row: Row) -> str:
    own, theirs = (row[side] or "an unknown year" for side in ("reviewer_last", "author_last"))
    return f"was at {row['affiliation']} in {own}, and the author {row['author']} in {theirs}"


def _describe_advisor(row: Row) -> str:
    ids = row["papers"]
    papers = ", ".join(ids[:_MAX_PAPERS]) + (", ..." if len(ids) > _MAX_PAPERS else "")
    places = "last author, with {} first," if row["advises"] else "first author, with {} last,"
    years = f", {min(row['years'])} to {max(row['years'])}" if row["years"] else ""
    return f"{places.format(row['author'])} of {len(ids)} papers ({papers}{years})"


_EVIDENCE: dict[Kind, Callable[[Row], str]] = {
    "author": lambda row: f"{row['name']} is an author",
    "coauthor": _describe_coauthor,
    "affiliation": _describe_affiliation,
    "advisor": _describe_advisor,
    "relation": _describe_relation,
    "declared": lambda row: str(row["reason"]),
}
