"""Import the submissions, reviewers, bids and declared conflicts of a venue.

Importing the same records again changes nothing. A changed submission or reviewer replaces the
stored one, and entries that a list lacks stay. A list of bids or of declared conflicts replaces the
venue's earlier list in one transaction. Submissions and reviewers are written in several
transactions: if the import was interrupted, run it again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import neo4j

from specter_graph.core.batching import batches
from specter_graph.core.errors import GraphError, summarize_names
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.reviewing.profiles import (
    write_email_memberships,
    write_institutions,
    write_memberships,
    write_relations,
)
from specter_graph.graph.reviewing.resolve_people import find_authors, require_single_authors
from specter_graph.graph.reviewing.venue_data import (
    checked_name,
    read_reviewers,
    reviewer_authors,
    submission_id,
)
from specter_graph.graph.schema import apply_schema
from specter_graph.loaders import identifiers
from specter_graph.loaders.records import Author
from specter_graph.loaders.review_records import (
    Bid,
    Conflict,
    InstitutionLink,
    Membership,
    Relation,
    Reviewer,
    Submission,
)

_SUBMISSIONS_PER_WRITE = 500
_ROWS_PER_WRITE = 10_000
_REFERENCES_PER_READ = 5_000


@dataclass(slots=True)
class ImportSummary:
    """Numbers of imported records, and the ids that the graph does not know.

    Attributes:
        submissions: Number of imported submissions.
        reviewers: Number of imported reviewers.
        bids: Number of imported bids.
        conflicts: Number of imported conflicts.
        unknown_authors: Ids of authors of submissions, each once.
        unknown_references: Ids of references of submissions, each once.
        unknown_bids: Number of bids with an unknown reviewer or submission.
        affiliations: Number of imported affiliations of people.
        relations: Number of imported relations of people.
        institutions: Number of pairs of institutions of which one is a part or a name of the other.
        unknown_people: Ids of people with affiliations or relations, each once.
        ignored_columns: Columns that were not read, as "FILE: COLUMN".
    """

    submissions: int = 0
    reviewers: int = 0
    bids: int = 0
    conflicts: int = 0
    unknown_authors: tuple[str, ...] = ()
    unknown_references: tuple[str, ...] = ()
    unknown_bids: int = 0
    affiliations: int = 0
    relations: int = 0
    institutions: int = 0
    unknown_people: tuple[str, ...] = ()
    ignored_columns: tuple[str, ...] = ()


def import_venue(
    db: Database,
    venue: str,
    *,
    submissions: Iterable[Submission] = (),
    reviewers: Iterable[Reviewer] = (),
    bids: Iterable[Bid] | None = None,
    conflicts: Iterable[Conflict] | None = None,
    newcomers: Iterable[Author] = (),
    year: int | None = None,
    memberships: Sequence[Membership] | None = None,
    relations: Sequence[Relation] | None = None,
    institutions: Sequence[InstitutionLink] | None = None,
) -> ImportSummary:
    """Write the records of a venue to the graph.

    Args:
        db: The database.
        venue: Name of the venue.
        submissions: Submissions to add or replace.
        reviewers: Reviewers to add or replace.
        bids: All bids of the venue, None to keep the stored ones.
        conflicts: All declared conflicts of the venue, None to keep the stored ones.
        newcomers: Reviewers who may be missing from the graph, such as owners of empty archives.
        year: Year of the venue, None to keep the stored one.
        memberships: All declared affiliations of people, None to keep the stored ones.
        relations: All declared relations of people, None to keep the stored ones.
        institutions: All aliases and parents of institutions, None to keep the stored ones.

    Returns:
        Numbers of imported records, and the ids that the graph does not know.

    Raises:
        GraphError: A reviewer is unknown or ambiguous, or two submissions have the same id. In
            these cases nothing is written. If a conflict has an unknown reviewer or submission,
            everything except the conflicts is written.
    """
    checked_name(venue)
    apply_schema(db)
    summary = ImportSummary()
    people = _reviewer_rows(db, list(reviewers), {author.id: author for author in newcomers})
    papers = list(submissions)
    _check_ids(papers)
    db.write(statement("reviewing/venue").text, venue=venue, year=year)
    summary.reviewers = _write(db, "reviewers", people, venue=venue)
    summary.submissions = _write_submissions(db, venue, papers, summary)
    if people or papers:
        write_email_memberships(db, venue)
    if bids is not None:
        _write_bids(db, venue, list(bids), summary)
    if conflicts is not None:
        _write_conflicts(db, venue, list(conflicts), summary)
    unknown: list[str] = []
    if memberships is not None:
        summary.affiliations, unknown = write_memberships(db, venue, memberships)
    if relations is not None:
        summary.relations, others = write_relations(db, venue, relations)
        unknown += others
    if institutions is not None:
        summary.institutions = write_institutions(db, venue, institutions)
    summary.unknown_people = tuple(dict.fromkeys(unknown))
    return summary


def _reviewer_rows(
    db: Database, reviewers: Sequence[Reviewer], newcomers: Mapping[str, Author]
) -> list[dict[str, Any]]:
    authors = find_authors(db, (reviewer.id for reviewer in reviewers))
    for reviewer in reviewers:
        new = {reviewer.id, f"openreview:{reviewer.id}"} & newcomers.keys()
        if reviewer.id not in authors and new:
            authors[reviewer.id] = sorted(new)[:1]
    author_of = require_single_authors(authors, (reviewer.id for reviewer in reviewers))
    rows = []
    for reviewer in reviewers:
        author = author_of[reviewer.id]
        properties = {
            "key": reviewer.id,
            "minimum": reviewer.minimum,
            "maximum": reviewer.maximum,
            "senior": reviewer.senior,
            "email": reviewer.email,
            "role": reviewer.role,
            "tracks": list(reviewer.tracks) or None,
            "region": reviewer.region,
        }
        name = newcomers[author].name if author in newcomers else author
        rows.append({"author": author, "name": name, "properties": properties})
    return sorted(rows, key=lambda row: str(row["author"]))


def _check_ids(submissions: Iterable[Submission]) -> None:
    seen: set[str] = set()
    for submission in submissions:
        if submission.id in seen:
            raise GraphError(f"two submissions have the id {submission.id!r}", "keep one of them")
        seen.add(submission.id)


def _write_submissions(
    db: Database, venue: str, submissions: Sequence[Submission], summary: ImportSummary
) -> int:
    authors = find_authors(db, (key for submission in submissions for key in submission.authors))
    references = _find_references(
        db, (key for submission in submissions for key in submission.references)
    )
    summary.unknown_authors = _unknown((submission.authors for submission in submissions), authors)
    authors |= _create_authors(db, summary.unknown_authors)
    summary.unknown_references = _unknown(
        (submission.references for submission in submissions), references
    )
    rows = [
        {
            "id": submission_id(venue, submission.id),
            "properties": {
                "key": submission.id,
                "title": submission.title,
                "abstract": submission.abstract,
                "topics": list(submission.topics),
                "demand": submission.demand,
                "track": submission.track,
            },
            "authors": _positions(submission.authors, authors),
            "references": sorted(
                {references[key] for key in submission.references if key in references}
            ),
        }
        for submission in sorted(submissions, key=lambda submission: submission.id)
    ]
    return _write(db, "submissions", rows, venue=venue, size=_SUBMISSIONS_PER_WRITE)


def _create_authors(db: Database, unknown: Iterable[str]) -> dict[str, list[str]]:
    """Create the authors that have an e-mail address or an OpenReview profile as id."""
    ids = {
        key: f"email:{key.lower()}" if "@" in key else f"openreview:{key}"
        for key in unknown
        if "@" in key or key.startswith("~")
    }
    rows = [{"id": author, "name": key} for key, author in ids.items()]
    for batch in batches(sorted(rows, key=lambda row: row["id"]), _ROWS_PER_WRITE):
        db.write(statement("reviewing/new_authors").text, authors=batch)
    return {key: [author] for key, author in ids.items()}


def _positions(
    ids: Iterable[str], authors: Mapping[str, Sequence[str]]
) -> list[dict[str, str | int]]:
    """Return the authors that the graph has, each with its first position in the list."""
    positions: dict[str, int] = {}
    for position, key in enumerate(ids, 1):
        for author in authors.get(key, ()):
            positions.setdefault(author, position)
    return [{"id": author, "position": place} for author, place in sorted(positions.items())]


def _unknown(lists: Iterable[Iterable[str]], known: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for ids in lists for key in ids if key not in known))


def _find_references(db: Database, references: Iterable[str]) -> dict[str, str]:
    """Map references to the ids of their papers; unknown references are omitted."""
    text = statement("reviewing/references").text
    papers: dict[str, str] = {}
    for batch in batches(dict.fromkeys(references), _REFERENCES_PER_READ):
        rows = []
        for key in batch:
            name = identifiers.doi(key) or identifiers.named(key)
            scheme, value = (name.scheme, name.value) if name else (None, None)
            rows.append({"given": key, "scheme": scheme, "value": value})
        for row in db.read(text, references=rows):
            papers[row["given"]] = min(row["id"], papers.get(row["given"], row["id"]))
    return papers


def _write_bids(db: Database, venue: str, bids: Sequence[Bid], summary: ImportSummary) -> None:
    known = _known_pairs(db, venue, [(bid.reviewer, bid.submission) for bid in bids])
    values = {
        known[bid.reviewer, bid.submission]: float(bid.value)
        for bid in bids
        if (bid.reviewer, bid.submission) in known
    }
    rows = [
        {"author": author, "submission": submission, "value": value}
        for (author, submission), value in values.items()
    ]
    summary.bids = db.transaction(partial(_replace, kind="bids", rows=rows, venue=venue))
    summary.unknown_bids = sum((bid.reviewer, bid.submission) not in known for bid in bids)


def _write_conflicts(
    db: Database, venue: str, conflicts: Sequence[Conflict], summary: ImportSummary
) -> None:
    pairs = [(conflict.reviewer, conflict.submission) for conflict in conflicts]
    known = _known_pairs(db, venue, pairs)
    unknown = [
        f"{reviewer}, {paper}" for reviewer, paper in pairs if (reviewer, paper) not in known
    ]
    if unknown:
        raise GraphError(
            f"{len(unknown)} declared conflicts have a reviewer or a submission that {venue!r} does"
            f" not have: {summarize_names(unknown)}",
            "use the ids of the venue's lists, or remove these conflicts",
        )
    reasons = {
        known[conflict.reviewer, conflict.submission]: conflict.evidence for conflict in conflicts
    }
    rows = [
        {"author": author, "submission": submission, "reason": reason}
        for (author, submission), reason in reasons.items()
    ]
    summary.conflicts = db.transaction(partial(_replace, kind="declared", rows=rows, venue=venue))


def _known_pairs(
    db: Database, venue: str, pairs: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], tuple[str, str]]:
    """Map pairs of a reviewer and a submission to ids in the graph; unknown pairs are omitted."""
    author_of = reviewer_authors(db, venue)
    reviewers = {*author_of.values()}
    by_email = {
        person.reviewer.email.lower(): person.author
        for person in read_reviewers(db, venue)
        if person.reviewer.email
    }
    author_of |= {
        name: by_email[name.lower()]
        for name, _ in pairs
        if name not in author_of and name.lower() in by_email
    }
    others = find_authors(db, (reviewer for reviewer, _ in pairs if reviewer not in author_of))
    author_of |= {
        given: authors[0]
        for given, authors in others.items()
        if len(authors) == 1 and authors[0] in reviewers
    }
    text = statement("reviewing/known_submissions").text
    ids = sorted({submission_id(venue, submission) for _, submission in pairs})
    known = {
        row["id"] for batch in batches(ids, _ROWS_PER_WRITE) for row in db.read(text, ids=batch)
    }
    return {
        (reviewer, paper): (author_of[reviewer], submission_id(venue, paper))
        for reviewer, paper in pairs
        if reviewer in author_of and submission_id(venue, paper) in known
    }


def _replace(
    tx: neo4j.ManagedTransaction, kind: str, rows: Sequence[dict[str, Any]], venue: str
) -> int:
    """Run reviewing/forget_KIND, then reviewing/KIND in batches; return the number of rows."""
    tx.run(statement(f"reviewing/forget_{kind}").text, venue=venue).consume()
    text = statement(f"reviewing/{kind}").text
    for batch in batches(rows, _ROWS_PER_WRITE):
        tx.run(text, {kind: batch}).consume()
    return len(rows)


def _write(
    db: Database,
    kind: str,
    rows: Sequence[dict[str, Any]],
    *,
    venue: str,
    size: int = _ROWS_PER_WRITE,
) -> int:
    """Run reviewing/KIND with one transaction for each batch; return the number of rows."""
    text = statement(f"reviewing/{kind}").text
    for batch in batches(rows, size):
        db.write(text, **{kind: batch}, venue=venue)
    return len(rows)
