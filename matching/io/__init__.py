"""Read the files of a venue: submissions, reviewers, archives, bids, conflicts, quotas.

Files are tables, or exports of OpenReview, HotCRP, EasyChair and Microsoft CMT. The readers return
`loaders.review_records`, and `loaders.records.Paper` for papers of archives. The first row that
cannot be used raises an InputError with file, line and id. Unknown columns are added to the list
`ignored`.
"""

from specter_graph.matching.io.lists import (
    BIDS,
    new_author,
    read_bids,
    read_conflicts,
    read_quotas,
    read_reviewers,
    with_quotas,
    with_stored_ids,
)
from specter_graph.matching.io.reviewer_archives import Archives, read_archives
from specter_graph.matching.io.submissions import read_submission_conflicts, read_submissions

__all__ = [
    "BIDS",
    "Archives",
    "new_author",
    "read_archives",
    "read_bids",
    "read_conflicts",
    "read_quotas",
    "read_reviewers",
    "read_submission_conflicts",
    "read_submissions",
    "with_quotas",
    "with_stored_ids",
]
