"""Lands what a venue hands in: its submissions and reviewers, bids and declared conflicts.

The same again changes nothing; a submission or a reviewer with other words replaces the one before,
and those that are not named stay. A list of bids or of declared conflicts replaces all of the
venue's, in one transaction. Batches of submissions and reviewers are transactions of their own: a
load that was killed is run again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import neo4j

from specter_graph.core.batching import batches
from specter_graph.core.errors import GraphError
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.reviewing.read import authors_of, checked_name, submission_id
from specter_graph.graph.reviewing.resolve_people import few, find_people, one_each
from specter_graph.graph.schema import apply_schema
from specter_graph.loaders import identifiers
from specter_graph.loaders.records import Author
from specter_graph.loaders.review_records import Bid, Conflict, Reviewer, Submission

_SUBMISSIONS = 500
_ROWS = 10_000
_REFERENCES = 5_000


@dataclass(slots=True)
class Landed:
    """What landed, and what was passed over because the graph does not know it.

    `ignored_columns` are those of its files that are not read, as "FILE: COLUMN";
    `unknown_authors` and `unknown_references` are different ids in submissions; `unknown_bids` are
    bids by others than reviewers or on other submissions.
    """

    submissions: int = 0
    reviewers: int = 0
    bids: int = 0
    conflicts: int = 0
    unknown_authors: tuple[str, ...] = ()
    unknown_references: tuple[str, ...] = ()
    unknown_bids: int = 0
    ignored_columns: tuple[str, ...] = ()


def land(
    db: Database,
    venue: str,
    *,
    submissions: Iterable[Submission] = (),
    reviewers: Iterable[Reviewer] = (),
    bids: Iterable[Bid] | None = None,
    conflicts: Iterable[Conflict] | None = None,
    newcomers: Iterable[Author] = (),
    year: int | None = None,
) -> Landed:
    """Write what a venue hands in to the graph, and say what became of it.

    `newcomers` are reviewers whom the graph need not know: the owners of archives, which may be
    empty. None for bids or conflicts leaves those of before. Raises GraphError, before anything is
    changed, for a reviewer whom the graph does not know or who is unclear; and, when the others
    have landed, for a conflict of somebody or something that the venue does not have.
    """
    checked_name(venue)
    apply_schema(db)
    landed = Landed()
    people = _reviewers(db, list(reviewers), {each.id: each for each in newcomers})
    papers = list(submissions)
    _check_keys(papers)
    db.write(statement("reviewing/venue").text, venue=venue, year=year)
    landed.reviewers = _write(db, "reviewers", people, venue=venue)
    landed.submissions = _write_submissions(db, venue, papers, landed)
    if bids is not None:
        _land_bids(db, venue, list(bids), landed)
    if conflicts is not None:
        _land_conflicts(db, venue, list(conflicts), landed)
    return landed


def _reviewers(
    db: Database, reviewers: Sequence[Reviewer], newcomers: Mapping[str, Author]
) -> list[dict[str, Any]]:
    found = find_people(db, (reviewer.id for reviewer in reviewers))
    for reviewer in reviewers:
        own = {reviewer.id, f"openreview:{reviewer.id}"} & newcomers.keys()
        if reviewer.id not in found and own:
            found[reviewer.id] = sorted(own)[:1]
    author_of = one_each(found, (reviewer.id for reviewer in reviewers))
    rows = []
    for reviewer in reviewers:
        author = author_of[reviewer.id]
        properties = {
            "key": reviewer.id,
            "minimum": reviewer.minimum,
            "maximum": reviewer.maximum,
            "senior": reviewer.senior,
        }
        name = newcomers[author].name if author in newcomers else author
        rows.append({"author": author, "name": name, "properties": properties})
    return sorted(rows, key=lambda row: str(row["author"]))


def _check_keys(submissions: Iterable[Submission]) -> None:
    seen: set[str] = set()
    for submission in submissions:
        if submission.id in seen:
            raise GraphError(f"two submissions have the id {submission.id!r}", "keep one of them")
        seen.add(submission.id)


def _write_submissions(
    db: Database, venue: str, submissions: Sequence[Submission], landed: Landed
) -> int:
    authors = find_people(db, (key for each in submissions for key in each.authors))
    references = _references(db, (key for each in submissions for key in each.references))
    landed.unknown_authors = _unknown((each.authors for each in submissions), authors)
    landed.unknown_references = _unknown((each.references for each in submissions), references)
    rows = [
        {
            "id": submission_id(venue, each.id),
            "properties": {
                "key": each.id,
                "title": each.title,
                "abstract": each.abstract,
                "topics": list(each.topics),
            },
            "authors": _places(each.authors, authors),
            "references": sorted({references[key] for key in each.references if key in references}),
        }
        for each in sorted(submissions, key=lambda each: each.id)
    ]
    return _write(db, "submissions", rows, venue=venue, size=_SUBMISSIONS)


def _places(
    given: Iterable[str], authors: Mapping[str, Sequence[str]]
) -> list[dict[str, str | int]]:
    """The authors that the graph knows, each in the first of the places given."""
    places: dict[str, int] = {}
    for position, key in enumerate(given, 1):
        for author in authors.get(key, ()):
            places.setdefault(author, position)
    return [{"id": author, "position": position} for author, position in sorted(places.items())]


def _unknown(given: Iterable[Iterable[str]], found: Mapping[str, object]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(key for some in given for key in some if key not in found))


def _references(db: Database, given: Iterable[str]) -> dict[str, str]:
    """For references the ids of the papers that they mean; those of none are left out."""
    text = statement("reviewing/references").text
    found: dict[str, str] = {}
    for some in batches(dict.fromkeys(given), _REFERENCES):
        rows = []
        for key in some:
            name = identifiers.doi(key) or identifiers.named(key)
            scheme, value = (name.scheme, name.value) if name else (None, None)
            rows.append({"given": key, "scheme": scheme, "value": value})
        for row in db.read(text, references=rows):
            found[row["given"]] = min(row["id"], found.get(row["given"], row["id"]))
    return found


def _land_bids(db: Database, venue: str, bids: Sequence[Bid], landed: Landed) -> None:
    known = _known_pairs(db, venue, [(bid.reviewer, bid.submission) for bid in bids])
    values = [
        (pair, float(bid.value))
        for bid in bids
        if (pair := known.get((bid.reviewer, bid.submission)))
    ]
    rows = [
        {"author": author, "submission": submission, "value": value}
        for (author, submission), value in dict(values).items()
    ]
    landed.bids = db.transaction(partial(_replace, what="bids", rows=rows, venue=venue))
    landed.unknown_bids = len(bids) - len(values)


def _land_conflicts(
    db: Database, venue: str, conflicts: Sequence[Conflict], landed: Landed
) -> None:
    pairs = [(each.reviewer, each.submission) for each in conflicts]
    known = _known_pairs(db, venue, pairs)
    unknown = [
        f"{reviewer}, {paper}" for reviewer, paper in pairs if (reviewer, paper) not in known
    ]
    if unknown:
        raise GraphError(
            f"{len(unknown)} declared conflicts are of others than reviewers of {venue!r}, or with"
            f" other submissions: {few(unknown)}",
            "name both as the venue's lists do, or take them out",
        )
    reasons = {known[each.reviewer, each.submission]: each.evidence for each in conflicts}
    rows = [
        {"author": author, "submission": submission, "reason": reason}
        for (author, submission), reason in reasons.items()
    ]
    landed.conflicts = db.transaction(partial(_replace, what="declared", rows=rows, venue=venue))


def _known_pairs(
    db: Database, venue: str, pairs: Sequence[tuple[str, str]]
) -> dict[tuple[str, str], tuple[str, str]]:
    """For pairs of a reviewer and a submission their ids in the graph; others are left out."""
    of_venue = authors_of(db, venue)
    mine = {*of_venue.values()}
    others = find_people(db, (reviewer for reviewer, _ in pairs if reviewer not in of_venue))
    author_of = of_venue | {
        given: authors[0]
        for given, authors in others.items()
        if len(authors) == 1 and authors[0] in mine
    }
    text = statement("reviewing/known_submissions").text
    wanted = {submission_id(venue, submission) for _, submission in pairs}
    known = {
        row["id"] for some in batches(sorted(wanted), _ROWS) for row in db.read(text, ids=some)
    }
    return {
        (reviewer, paper): (author_of[reviewer], submission_id(venue, paper))
        for reviewer, paper in pairs
        if reviewer in author_of and submission_id(venue, paper) in known
    }


def _replace(
    tx: neo4j.ManagedTransaction, what: str, rows: Sequence[dict[str, Any]], venue: str
) -> int:
    """Run match/forget_WHAT, then match/WHAT some rows at a time; return how many there were."""
    tx.run(statement(f"reviewing/forget_{what}").text, venue=venue).consume()
    text = statement(f"reviewing/{what}").text
    for some in batches(rows, _ROWS):
        tx.run(text, {what: some}).consume()
    return len(rows)


def _write(
    db: Database,
    what: str,
    rows: Sequence[dict[str, Any]],
    *,
    size: int = _ROWS,
    **parameters: object,
) -> int:
    """Run match/WHAT with some rows a transaction; how many there were."""
    text = statement(f"reviewing/{what}").text
    for some in batches(rows, size):
        db.write(text, **{what: some}, **parameters)
    return len(rows)
