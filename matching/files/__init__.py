"""Reads what a venue hands in: submissions, reviewers, archives, bids, conflicts, quotas.

In come files of people and of OpenReview; out go the records of `matching.records`, and the papers
of archives as `loaders.records.Paper`. What cannot be used ends in one InputError that names the
file, the line and the id. Columns that are not known are added to the list `ignored`.
"""

from specter_graph.matching.files.archives import Archives, read_archives
from specter_graph.matching.files.pairs import BIDS, read_bids, read_conflicts
from specter_graph.matching.files.reviewers import read_quotas, read_reviewers, with_quotas
from specter_graph.matching.files.submissions import read_submissions

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
