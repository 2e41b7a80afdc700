"""Suggested reviewers for the API and the pages; nothing is written."""

from collections import defaultdict
from collections.abc import Sequence
from io import StringIO

from specter_graph.core.errors import InputError
from specter_graph.graph import reviewing as venues
from specter_graph.matching.affinity.recommend_reviewers import (
    choose_space,
    recommend_reviewers,
    submission_vectors,
)
from specter_graph.matching.io.score_files import write_assigned_rows
from specter_graph.service.models import (
    MatchRequest,
    PairConflict,
    ReviewerSuggestions,
    ReviewVenueCounts,
    SuggestedReviewer,
)
from specter_graph.service.web.dependencies import Backend


def list_venues(backend: Backend) -> list[ReviewVenueCounts]:
    """List the venues with their numbers of submissions, reviewers and reviews."""
    return [ReviewVenueCounts.model_validate(each) for each in backend.graph.venues()]


def match(backend: Backend, request: MatchRequest) -> list[ReviewerSuggestions]:
    """Return the best reviewers for a text, or for each of the given submissions."""
    if request.text.strip():
        space = choose_space(backend.database, request.space)
        vectors = backend.texts.embed(request.text, space)[None]
        [best] = recommend_reviewers(backend.database, request.venue, vectors, space, request.k)
        reviewers = [SuggestedReviewer.model_validate(each) for each in best]
        return [ReviewerSuggestions(submission=None, title=None, reviewers=reviewers)]
    by_id = {each.id: each for each in venues.read_submissions(backend.database, request.venue)}
    if unknown := [key for key in request.submissions if key not in by_id]:
        raise InputError(f"the venue {request.venue!r} has no submission {unknown[0]!r}")
    chosen = [by_id[key] for key in dict.fromkeys(request.submissions)]
    return for_submissions(backend, request.venue, chosen, request.space, request.k)


def for_submissions(
    backend: Backend,
    venue: str,
    submissions: Sequence[venues.Submission],
    space: str | None,
    k: int,
) -> list[ReviewerSuggestions]:
    """Return the best reviewers of each submission, with conflicts and assigned pairs marked."""
    space = choose_space(backend.database, space)
    keys = [each.id for each in submissions]
    vectors = submission_vectors(backend.database, venue, space, keys)
    recommended = recommend_reviewers(backend.database, venue, vectors, space, k)
    conflicts = defaultdict(list)
    for each in venues.find_conflicts(backend.database, venue, only=keys):
        conflicts[each.submission, each.reviewer].append(PairConflict.model_validate(each))
    assigned = {(each.submission, each.reviewer) for each in _assigned(backend, venue)}
    return [
        ReviewerSuggestions(
            submission=own.id,
            title=own.title,
            reviewers=[
                SuggestedReviewer.model_validate(each).model_copy(
                    update={
                        "conflicts": conflicts[own.id, each.reviewer],
                        "assigned": (own.id, each.reviewer) in assigned,
                    }
                )
                for each in best
            ],
        )
        for own, best in zip(submissions, recommended, strict=True)
    ]


def assignment(backend: Backend, venue: str) -> str:
    """Return the assignment as CSV."""
    text = StringIO()
    write_assigned_rows(text, _assigned(backend, venue))
    return text.getvalue()


def _assigned(backend: Backend, venue: str) -> list[venues.Assigned]:
    venues.require_venue(backend.database, venue)
    return venues.read_assigned(backend.database, venue)
