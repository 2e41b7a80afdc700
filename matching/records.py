"""What a matching is made of: submissions, reviewers, and what is known of pairs of them."""

from specter_graph.loaders.review_records import (
    Assigned,
    Bid,
    Conflict,
    Kind,
    Quota,
    Reviewer,
    Submission,
)

__all__ = ["Assigned", "Bid", "Conflict", "Kind", "Quota", "Reviewer", "Submission"]
