"""Read the files of a venue: submissions, reviewers, archives, bids, conflicts, quotas.

Files are tables or exports of OpenReview. They become `loaders.review_records`, papers of archives
`loaders.records.Paper`. The first row that cannot be used raises one InputError with file, line and
id. Unknown columns are added to the list `ignored`.
"""

from specter_graph.matching.io.archives import Archives, read_archives
from specter_graph.matching.io.lists import (
    BIDS,
    read_bids,
    read_conflicts,
    read_quotas,
    read_reviewers,
    with_quotas,
)
from specter_graph.matching.io.submissions import read_submissions

__all__ = [
    "BIDS",
    "Archives",
    "read_archives",
    "read_bids",
    "read_conflicts",
    "read_quotas",
    "read_reviewers",
    "read_submissions",
    "with_quotas",
]
