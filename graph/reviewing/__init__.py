"""Venues that have papers reviewed: what they hand in lands in the graph, and is asked of it.

In come the records of `loaders.review_records`; out go conflicts of interest, citation signals, and
what an affinity is computed from. Everywhere reviewers and submissions go by the ids that the venue
gave them; within the graph a submission is `VENUE/ID`, and a reviewer an author::

    (:Submission)-[:SUBMITTED_TO]->(:ReviewVenue)<-[:REVIEWS_FOR]-(:Author:Reviewer)
    (:Author)-[:SUBMITTED]->(:Submission)-[:REFERS_TO]->(:Paper)
    (:Author:Reviewer)-[:BID|DECLARED_CONFLICT|ASSIGNED]->(:Submission)
    (:Author)-[:WROTE_ARCHIVED]->(:ArchivePaper)
"""

from specter_graph.graph.reviewing.archives import (
    by_label,
    land_archives,
    read_paper_vectors,
    texts_of,
    titles_of,
)
from specter_graph.graph.reviewing.assignments import (
    Paths,
    assigned,
    paths,
    read_settings,
    write_assigned,
    write_settings,
)
from specter_graph.graph.reviewing.citations import Signal, Signals, signals
from specter_graph.graph.reviewing.conflicts import find_conflicts
from specter_graph.graph.reviewing.delete import remove_reviewers, remove_submissions, remove_venue
from specter_graph.graph.reviewing.import_venue import Landed, land
from specter_graph.graph.reviewing.read import (
    LONGEST_NAME,
    ReviewerPaper,
    VenueReviewer,
    VenueSize,
    bids,
    read_submission_vectors,
    require_venue,
    reviewer_papers,
    reviewers,
    stale_submissions,
    submissions,
    venues,
    write_submission_vectors,
)
from specter_graph.graph.reviewing.resolve_people import owners
from specter_graph.loaders.review_records import Assigned, Submission

__all__ = [
    "LONGEST_NAME",
    "Assigned",
    "Landed",
    "Paths",
    "ReviewerPaper",
    "Signal",
    "Signals",
    "Submission",
    "VenueReviewer",
    "VenueSize",
    "assigned",
    "bids",
    "by_label",
    "find_conflicts",
    "land",
    "land_archives",
    "owners",
    "paths",
    "read_paper_vectors",
    "read_settings",
    "read_submission_vectors",
    "remove_reviewers",
    "remove_submissions",
    "remove_venue",
    "require_venue",
    "reviewer_papers",
    "reviewers",
    "signals",
    "stale_submissions",
    "submissions",
    "texts_of",
    "titles_of",
    "venues",
    "write_assigned",
    "write_settings",
    "write_submission_vectors",
]
