"""Review venues in the graph: submissions, reviewers, bids, conflicts and assignments.

`import_venue` writes the records of `loaders.review_records`. The other functions read them back,
find conflicts of interest, and count citations between reviewers and submissions. Callers use the
ids that the venue gave. In the graph, a submission has the id `VENUE/ID`, and a reviewer is an
author::

    (:Submission)-[:SUBMITTED_TO]->(:ReviewVenue)<-[:REVIEWS_FOR]-(:Author:Reviewer)
    (:Author)-[:SUBMITTED]->(:Submission)-[:REFERS_TO]->(:Paper)
    (:Author:Reviewer)-[:BID|DECLARED_CONFLICT|ASSIGNED]->(:Submission)
    (:Author)-[:WROTE_ARCHIVED]->(:ArchivePaper)
"""

from specter_graph.graph.reviewing.archive_papers import (
    group_by_label,
    import_archives,
    read_paper_vectors,
    read_texts,
    read_titles,
    read_titles_by_label,
)
from specter_graph.graph.reviewing.assignment_changes import (
    AssignmentChange,
    change_assigned,
    read_changes,
    undo_change,
)
from specter_graph.graph.reviewing.assignments import (
    PairPaths,
    find_paths,
    list_assignments,
    read_assigned,
    read_settings,
    write_assigned,
    write_settings,
)
from specter_graph.graph.reviewing.citation_signals import (
    CitationSignals,
    PairCitationCounts,
    count_citation_signals,
)
from specter_graph.graph.reviewing.conflict_detection import find_conflicts
from specter_graph.graph.reviewing.resolve_people import archive_owners, find_authors
from specter_graph.graph.reviewing.score_summary import (
    ScoreSummary,
    read_best_affinities,
    read_score_summary,
    write_score_summary,
)
from specter_graph.graph.reviewing.venue_data import (
    MAX_VENUE_NAME_LENGTH,
    ReviewerPaper,
    VenueCounts,
    VenueReviewer,
    list_venues,
    read_bids,
    read_reviewer_papers,
    read_reviewers,
    read_submission_vectors,
    read_submissions,
    require_venue,
    stale_submissions,
    write_submission_vectors,
)
from specter_graph.graph.reviewing.venue_import import ImportSummary, import_venue
from specter_graph.graph.reviewing.venue_removal import (
    remove_reviewers,
    remove_submissions,
    remove_venue,
)
from specter_graph.loaders.review_records import REVIEWER, Assigned, Submission

__all__ = [
    "MAX_VENUE_NAME_LENGTH",
    "REVIEWER",
    "Assigned",
    "AssignmentChange",
    "CitationSignals",
    "ImportSummary",
    "PairCitationCounts",
    "PairPaths",
    "ReviewerPaper",
    "ScoreSummary",
    "Submission",
    "VenueCounts",
    "VenueReviewer",
    "archive_owners",
    "change_assigned",
    "count_citation_signals",
    "find_authors",
    "find_conflicts",
    "find_paths",
    "group_by_label",
    "import_archives",
    "import_venue",
    "list_assignments",
    "list_venues",
    "read_assigned",
    "read_best_affinities",
    "read_bids",
    "read_changes",
    "read_paper_vectors",
    "read_reviewer_papers",
    "read_reviewers",
    "read_score_summary",
    "read_settings",
    "read_submission_vectors",
    "read_submissions",
    "read_texts",
    "read_titles",
    "read_titles_by_label",
    "remove_reviewers",
    "remove_submissions",
    "remove_venue",
    "require_venue",
    "stale_submissions",
    "undo_change",
    "write_assigned",
    "write_score_summary",
    "write_settings",
    "write_submission_vectors",
]
