"""Read all files of a venue into the records to import."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypedDict

from specter_graph.graph.database import Database
from specter_graph.graph.reviewing.profiles import archive_owners, authors_of_people
from specter_graph.graph.reviewing.venue_import import VenueRecords
from specter_graph.loaders.review_records import Reviewer, new_author_id
from specter_graph.matching.io.lists import (
    new_author,
    read_bids,
    read_conflicts,
    read_institutions,
    read_memberships,
    read_quotas,
    read_relations,
    read_reviewers,
    with_quotas,
    with_stored_ids,
)
from specter_graph.matching.io.openreview import read_archives
from specter_graph.matching.io.rows import ReadReport
from specter_graph.matching.io.submissions import read_submission_conflicts, read_submissions


class VenueFiles(TypedDict, total=False):
    """Files of a venue; the modules of this package describe their formats.

    Attributes:
        submissions: Submissions.
        reviewers: Reviewers.
        archives: Folder of OpenReview's archives, which contain reviewers with their papers.
        bids: Bids; they replace all stored bids.
        conflicts: Declared conflicts; they replace the earlier list.
        quotas: Minimum and maximum loads of reviewers.
        affiliations: Institutions of people; they replace all stored ones.
        relations: Relations of people; they replace all stored ones.
        institutions: Aliases and parents of institutions; they replace all stored ones.
    """

    submissions: Path | str | None
    reviewers: Path | str | None
    archives: Path | str | None
    bids: Path | str | None
    conflicts: Path | str | None
    quotas: Path | str | None
    affiliations: Path | str | None
    relations: Path | str | None
    institutions: Path | str | None


def read_venue_files(
    db: Database, files: Mapping[str, Path], stored: Sequence[Reviewer]
) -> tuple[VenueRecords, list[str]]:
    """Read the files of a venue.

    Args:
        db: The graph, which knows the authors of archives.
        files: The files, by the names of `VenueFiles`.
        stored: The reviewers that the venue has.

    Returns:
        The records, and what was not read; see `ImportSummary.ignored`.

    Raises:
        InputError: A file cannot be used.
    """
    records = VenueRecords()
    places = records.places
    report = ReadReport(withdrawn=records.withdrawn, places=places)
    archives = files.get("archives")
    archived = read_archives(archives) if archives else None
    reviewers = files.get("reviewers")
    people = read_reviewers(reviewers, report) if reviewers else []
    if archived:
        listed = {person.id for person in people}
        # Archives have no loads, so a stored reviewer stays.
        stored_as = {new_author_id(person.id): person for person in stored}
        others = [person for person in archived.reviewers if person.id not in listed]
        if people or any("@" in reviewer.id for reviewer in stored):
            unlisted = (other.id for other in others if new_author_id(other.id) not in stored_as)
            records.unlisted = [*unlisted]
        people += [stored_as.get(new_author_id(person.id), person) for person in others]
    people = with_stored_ids(people, stored, places)
    if quotas := files.get("quotas"):
        people = with_quotas(people or stored, read_quotas(quotas, report), places)
    records.reviewers = people
    newcomers = [new_author(person) for person in people if "@" in person.id]
    if bids := files.get("bids"):
        records.bids = read_bids(bids, report)
    if submissions := files.get("submissions"):
        records.submissions = read_submissions(submissions, report)
        records.submission_conflicts = read_submission_conflicts(submissions)
    if conflicts := files.get("conflicts"):
        gone = {*records.withdrawn}
        declared = read_conflicts(conflicts, report)
        records.conflicts = [conflict for conflict in declared if conflict.submission not in gone]
    if archived:
        known = authors_of_people(db, [person.id for person in archived.reviewers])
        owners = archive_owners(db, [paper.id for paper in archived.papers])
        archived = archived.with_authors(known).with_owners(owners)
        newcomers = [*archived.authors, *newcomers]  # the later ones have the names of the list
        records.archived = archived.papers
    records.newcomers = newcomers
    if affiliations := files.get("affiliations"):
        records.memberships = read_memberships(affiliations, report)
    if relations := files.get("relations"):
        records.relations = read_relations(relations, report)
    if institutions := files.get("institutions"):
        records.institutions = read_institutions(institutions, report)
    return records, report.ignored
