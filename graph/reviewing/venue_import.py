"""Import the submissions, reviewers, bids and declared conflicts of a venue.

Importing the same records again changes nothing. A changed submission or reviewer replaces the
stored one, and entries that a list lacks stay. A list of bids or of declared conflicts replaces the
venue's earlier list in one transaction; conflicts in a file of submissions replace only those that
these submissions had from such a file. Submissions and reviewers are written in several
transactions: if the import was interrupted, run it again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from specter_graph.core.errors import GraphError, counted, summarize_names
from specter_graph.core.progress import batches
from specter_graph.graph.database import Database
from specter_graph.graph.reviewing.archive_papers import import_archives
from specter_graph.graph.reviewing.profiles import (
    authors_of_people,
    list_unknown,
    require_single_authors,
    write_email_memberships,
    write_institutions,
    write_memberships,
    write_relations,
)
from specter_graph.graph.reviewing.venue_data import (
    ROWS_PER_WRITE,
    checked_name,
    find_submission,
    possible_ids,
    replace_rows,
    submission_id,
)
from specter_graph.loaders import identifiers
from specter_graph.loaders.records import Author, Paper
from specter_graph.loaders.review_records import (
    Bid,
    Conflict,
    InstitutionLink,
    Membership,
    Relation,
    Reviewer,
    Submission,
    member_id,
    new_author_id,
)

_SUBMISSIONS_PER_WRITE = 500
_REFERENCES_PER_READ = 5_000


@dataclass(slots=True)
class ImportSummary:
    """Numbers of imported records, and the ids that the graph does not know.

    Attributes:
        submissions: Number of imported submissions.
        reviewers: Number of imported reviewers.
        bids: Number of imported bids.
        conflicts: Number of imported conflicts.
        unknown_authors: Authors of submissions who cause no conflicts, because they are neither
            known nor given by an e-mail address or a profile of OpenReview; each once.
        unknown_references: Ids of references of submissions, each once.
        unknown_bids: Number of bids with an unknown reviewer or submission.
        first_unknown_bid: The first of them, with its place; None if there is none.
        affiliations: Number of imported affiliations of people.
        relations: Number of imported relations of people.
        institutions: Number of pairs of institutions of which one is a part or a name of the other.
        withdrawn: Number of earlier submissions that the file says are withdrawn: they are removed.
        unknown_people: Ids of people with affiliations or relations, each once.
        unlisted_reviewers: Ids of new reviewers who have archives, but are in no list of reviewers,
            although the venue has reviewers from a list.
        ignored: Columns that were not read, as "FILE: COLUMN", and skipped rows, as
            "FILE: REASON (rows: 2)".
    """

    submissions: int = 0
    reviewers: int = 0
    bids: int = 0
    conflicts: int = 0
    unknown_authors: tuple[str, ...] = ()
    unknown_references: tuple[str, ...] = ()
    unknown_bids: int = 0
    first_unknown_bid: str | None = None
    affiliations: int = 0
    relations: int = 0
    institutions: int = 0
    withdrawn: int = 0
    unknown_people: tuple[str, ...] = ()
    unlisted_reviewers: tuple[str, ...] = ()
    ignored: tuple[str, ...] = ()


@dataclass(slots=True)
class VenueRecords:
    """Records of a venue to import.

    Attributes:
        submissions: Submissions to add or replace, with distinct ids.
        reviewers: Reviewers to add or replace.
        bids: All bids of the venue, None to keep the stored ones.
        conflicts: The list of declared conflicts of the venue, None to keep the stored ones.
        submission_conflicts: Conflicts in the file of `submissions`; they replace only those of
            these submissions. Without any, the stored ones stay.
        newcomers: Reviewers who may be missing from the graph, such as owners of empty archives.
        archived: Papers of reviewers' archives; see `import_archives`.
        year: Year of the venue, None to keep the stored one.
        memberships: All declared affiliations of people, None to keep the stored ones.
        relations: All declared relations of people, None to keep the stored ones.
        institutions: All aliases and parents of institutions, None to keep the stored ones.
        unlisted: See `ImportSummary.unlisted_reviewers`.
        withdrawn: Ids of withdrawn submissions, which `ReviewVenue.load` removes.
        places: Lines of files that have the records, for errors.
    """

    submissions: Sequence[Submission] = ()
    reviewers: Sequence[Reviewer] = ()
    bids: Sequence[Bid] | None = None
    conflicts: Sequence[Conflict] | None = None
    submission_conflicts: Sequence[Conflict] = ()
    newcomers: Sequence[Author] = ()
    archived: Sequence[Paper] = ()
    year: int | None = None
    memberships: Sequence[Membership] | None = None
    relations: Sequence[Relation] | None = None
    institutions: Sequence[InstitutionLink] | None = None
    unlisted: Sequence[str] = ()
    withdrawn: list[str] = field(default_factory=list)
    places: dict[object, str] = field(default_factory=dict)


def import_venue(db: Database, venue: str, records: VenueRecords) -> ImportSummary:
    """Write the records of a venue to the graph.

    Args:
        db: The database.
        venue: Name of the venue.
        records: The records.

    Returns:
        Numbers of imported records, and the ids that the graph does not know.

    Raises:
        InputError: The name of the venue cannot be used.
        GraphError: A reviewer is unknown or ambiguous, two reviewers have the same e-mail address,
            or a conflict has an unknown reviewer or submission. Nothing is written.
    """
    checked_name(venue)
    summary, places = ImportSummary(), records.places
    summary.unlisted_reviewers = tuple(records.unlisted)
    people = _reviewer_rows(
        db, records.reviewers, {author.id: author for author in records.newcomers}, places
    )
    names = _Names(db, venue, people, records.submissions)
    conflicts = records.conflicts
    declared = None if conflicts is None else _conflict_rows(names, conflicts, places)
    of_submissions = _conflict_rows(names, records.submission_conflicts, places)
    bids = None if records.bids is None else _bid_rows(names, records.bids, summary, places)
    import_archives(db, records.archived)
    db.write("reviewing/venue", venue=venue, year=records.year)
    summary.reviewers = _write_rows(db, "reviewers", people, venue=venue)
    summary.submissions = _write_submissions(db, names, records.submissions, summary)
    if people or records.submissions:
        write_email_memberships(db, venue)
    if bids is not None:
        summary.bids = replace_rows(db, venue, "bids", bids)
    if declared is not None:
        summary.conflicts = replace_rows(db, venue, "declared", declared)
    if of_submissions:
        papers = [submission_id(venue, paper.id) for paper in records.submissions]
        summary.conflicts += replace_rows(
            db, venue, "declared", of_submissions, source="submissions", papers=papers
        )
    unknown: list[str] = []
    if records.memberships is not None:
        summary.affiliations, unknown = write_memberships(db, venue, records.memberships)
    if records.relations is not None:
        summary.relations, others = write_relations(db, venue, records.relations)
        unknown += others
    if records.institutions is not None:
        summary.institutions = write_institutions(db, venue, records.institutions)
    summary.unknown_people = tuple(dict.fromkeys(unknown))
    return summary


def _reviewer_rows(
    db: Database,
    reviewers: Sequence[Reviewer],
    newcomers: Mapping[str, Author],
    places: Mapping[object, str],
) -> list[dict[str, Any]]:
    authors = authors_of_people(db, (reviewer.id for reviewer in reviewers))
    for reviewer in reviewers:
        new = {reviewer.id, new_author_id(reviewer.id)} & newcomers.keys()
        if reviewer.id not in authors and new:
            authors[reviewer.id] = sorted(new)[:1]
    author_of = require_single_authors(
        authors,
        (reviewer.id for reviewer in reviewers),
        {reviewer.id: places[reviewer] for reviewer in reviewers if reviewer in places},
    )
    rows = []
    for reviewer in reviewers:
        author = author_of[reviewer.id]
        properties = asdict(reviewer) | {"tracks": list(reviewer.tracks) or None}
        properties["key"] = properties.pop("id")
        del properties["name"]
        name = newcomers[author].name if author in newcomers else author
        rows.append({"author": author, "name": name, "properties": properties})
    return sorted(rows, key=lambda row: str(row["author"]))


class _Names:
    """The people and submissions of a venue, those of this import too, by the names in files.

    Files name a reviewer by the id in the list of reviewers, by another id of the same author, by
    e-mail address, or by the number of a member of EasyChair.
    """

    def __init__(
        self,
        db: Database,
        venue: str,
        people: Sequence[dict[str, Any]],
        papers: Sequence[Submission],
    ) -> None:
        self.venue = venue
        self._db = db
        self._papers = {submission_id(venue, paper.id) for paper in papers}
        stored = db.read("reviewing/reviewers_of", venue=venue)
        new = {
            person["author"]: {**person["properties"], "author": person["author"]}
            for person in people
        }
        self._author_of: dict[str, str] = {}
        for row in (*stored, *new.values()):
            self._author_of[row["key"]] = row["author"]
            if row["member"]:
                self._author_of[member_id(row["member"])] = row["author"]
        owners: dict[str, dict[str, Any]] = {}
        for row in ({row["author"]: row for row in stored} | new).values():
            if not row["email"]:
                continue
            email = row["email"].lower()
            if email in owners and row["author"] in new:
                raise GraphError(
                    f"the reviewers {owners[email]['key']!r} and {row['key']!r} have the same"
                    f" e-mail address, {email}",
                    "correct one of them, or keep one: files can name reviewers by their addresses",
                )
            owners[email] = row
        self._by_email = {email: row["author"] for email, row in owners.items()}

    def authors(self, given: Iterable[str]) -> dict[str, list[str]]:
        """Map names of people to authors of the graph, reviewers or not; others are omitted."""
        names = [*dict.fromkeys(given)]
        known = {name: [author] for name in names if (author := self._find_reviewer(name))}
        return known | authors_of_people(self._db, (name for name in names if name not in known))

    def pairs(self, pairs: Iterable[tuple[str, str]]) -> dict[tuple[str, str], tuple[str, str]]:
        """Map pairs of a reviewer and a submission to ids in the graph; others are omitted."""
        pairs = [*dict.fromkeys(pairs)]
        reviewers = {*self._author_of.values()}
        author_of = {
            name: authors[0]
            for name, authors in self.authors(name for name, _ in pairs).items()
            if len(authors) == 1 and authors[0] in reviewers
        }
        id_of = {paper: submission_id(self.venue, paper) for _, paper in pairs}
        possible = {id for written in id_of.values() for id in possible_ids(written)}
        ids = sorted(possible - self._papers)
        known = self._papers | {
            row["id"]
            for batch in batches(ids, ROWS_PER_WRITE)
            for row in self._db.read("reviewing/known_submissions", ids=batch)
        }
        return {
            (name, paper): (author_of[name], id)
            for name, paper in pairs
            if name in author_of and (id := find_submission(id_of[paper], known))
        }

    def _find_reviewer(self, name: str) -> str | None:
        return self._author_of.get(name) or self._by_email.get(name.lower())


def _write_submissions(
    db: Database, names: _Names, submissions: Sequence[Submission], summary: ImportSummary
) -> int:
    venue = names.venue
    authors = names.authors(key for submission in submissions for key in submission.authors)
    references = _find_references(
        db, (key for submission in submissions for key in submission.references)
    )
    unknown = list_unknown((key for each in submissions for key in each.authors), authors)
    authors |= _create_authors(db, unknown)
    summary.unknown_authors = tuple(key for key in unknown if key not in authors)
    cited = (key for submission in submissions for key in submission.references)
    summary.unknown_references = tuple(list_unknown(cited, references))
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
            "authors": _list_positions(submission.authors, authors),
            "references": sorted(
                {references[key] for key in submission.references if key in references}
            ),
        }
        for submission in sorted(submissions, key=lambda submission: submission.id)
    ]
    return _write_rows(db, "submissions", rows, venue=venue, size=_SUBMISSIONS_PER_WRITE)


def _create_authors(db: Database, unknown: Iterable[str]) -> dict[str, list[str]]:
    """Create the authors that have an e-mail address or an OpenReview profile as id."""
    ids = {
        key: f"email:{key.lower()}" if "@" in key else f"openreview:{key}"
        for key in unknown
        if "@" in key or key.startswith("~")
    }
    rows = [{"id": author, "name": key} for key, author in ids.items()]
    for batch in batches(sorted(rows, key=lambda row: row["id"]), ROWS_PER_WRITE):
        db.write("reviewing/new_authors", authors=batch)
    return {key: [author] for key, author in ids.items()}


def _list_positions(
    ids: Iterable[str], authors: Mapping[str, Sequence[str]]
) -> list[dict[str, str | int]]:
    """Return the authors that the graph has, each with its first position in the list."""
    positions: dict[str, int] = {}
    for position, key in enumerate(ids, 1):
        for author in authors.get(key, ()):
            positions.setdefault(author, position)
    return [{"id": author, "position": place} for author, place in sorted(positions.items())]


def _find_references(db: Database, references: Iterable[str]) -> dict[str, str]:
    """Map references to the ids of their papers; unknown references are omitted."""
    papers: dict[str, str] = {}
    for batch in batches(dict.fromkeys(references), _REFERENCES_PER_READ):
        rows = []
        for key in batch:
            name = identifiers.doi(key) or identifiers.parse_identifier(key)
            scheme, value = (name.scheme, name.value) if name else (None, None)
            rows.append({"given": key, "scheme": scheme, "value": value})
        for row in db.read("reviewing/references", references=rows):
            papers[row["given"]] = min(row["id"], papers.get(row["given"], row["id"]))
    return papers


def _bid_rows(
    names: _Names, bids: Sequence[Bid], summary: ImportSummary, places: Mapping[object, str]
) -> list[dict[str, Any]]:
    known = names.pairs((bid.reviewer, bid.submission) for bid in bids)
    unknown = [bid for bid in bids if (bid.reviewer, bid.submission) not in known]
    summary.unknown_bids = len(unknown)
    if unknown:
        place = f"{places[unknown[0]]}, " if unknown[0] in places else ""
        summary.first_unknown_bid = f"{place}{unknown[0].reviewer}, {unknown[0].submission}"
    rows = {
        pair: {"author": pair[0], "submission": pair[1], "value": float(bid.value)}
        for bid in bids
        if (pair := known.get((bid.reviewer, bid.submission)))
    }
    return [*rows.values()]


def _conflict_rows(
    names: _Names, conflicts: Sequence[Conflict], places: Mapping[object, str]
) -> list[dict[str, Any]]:
    known = names.pairs((conflict.reviewer, conflict.submission) for conflict in conflicts)
    unknown = [each for each in conflicts if (each.reviewer, each.submission) not in known]
    if unknown:
        listed = [f"{pair.reviewer}, {pair.submission}" for pair in unknown]
        place = f"{places[unknown[0]]}: " if unknown[0] in places else ""
        raise GraphError(
            f"{place}{counted(len(unknown), 'declared conflict has', 'declared conflicts have')}"
            " a reviewer or a submission that"
            f" {names.venue!r} does not have: {summarize_names(listed)}",
            "load missing people in a list of reviewers, with the role chair if they do not review;"
            " or use the ids of the venue's lists; or remove these conflicts",
        )
    rows = {}
    for conflict in conflicts:
        author, submission = pair = known[conflict.reviewer, conflict.submission]
        rows[pair] = {"author": author, "submission": submission, "reason": conflict.evidence}
    return [*rows.values()]


def _write_rows(
    db: Database,
    kind: str,
    rows: Sequence[dict[str, Any]],
    *,
    venue: str,
    size: int = ROWS_PER_WRITE,
) -> int:
    """Run reviewing/KIND with one transaction for each batch; return the number of rows."""
    for batch in batches(rows, size):
        db.write(f"reviewing/{kind}", **{kind: batch}, venue=venue)
    return len(rows)
