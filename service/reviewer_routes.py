"""Routes of reviewers: venues, the best reviewers for submissions or a text, and assignments."""

from collections import defaultdict
from collections.abc import Sequence
from io import StringIO
from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import Response

from specter_graph.core.errors import InputError
from specter_graph.graph import reviewing as venues
from specter_graph.graph.reviewing import MAX_VENUE_NAME_LENGTH
from specter_graph.matching.affinity.recommend_reviewers import (
    choose_space,
    recommend_reviewers,
    submission_vectors,
)
from specter_graph.matching.io.score_files import write_assigned_rows
from specter_graph.service.dependencies import Backend, BackendDep
from specter_graph.service.models import (
    MatchRequest,
    PairConflict,
    ReviewerSuggestions,
    ReviewVenueCounts,
    SuggestedReviewer,
)

router = APIRouter(tags=["reviewers"])

VenueName = Annotated[str, Path(max_length=MAX_VENUE_NAME_LENGTH, examples=["ICLR-2027"])]


@router.get("/reviewers")
def list_venues(backend: BackendDep) -> list[ReviewVenueCounts]:
    """List the venues that have submissions and reviewers."""
    return [ReviewVenueCounts.model_validate(venue) for venue in backend.graph.venues()]


@router.post("/reviewers/match")
def match(backend: BackendDep, request: MatchRequest) -> list[ReviewerSuggestions]:
    """Find the best reviewers of a venue for a text, or for some of its submissions."""
    if request.text.strip():
        return [suggest_for_text(backend, request.venue, request.text, request.space, request.k)]
    submissions = {
        submission.id: submission
        for submission in venues.read_submissions(backend.database, request.venue)
    }
    if unknown := [id for id in request.submissions if id not in submissions]:
        raise InputError(f"the venue {request.venue!r} has no submission {unknown[0]!r}")
    chosen = [submissions[id] for id in dict.fromkeys(request.submissions)]
    return suggest_for_submissions(backend, request.venue, chosen, request.space, request.k)


@router.get("/reviewers/{venue}/assignment", response_class=Response)
def assignment(backend: BackendDep, venue: VenueName) -> Response:
    """Download the assignment as CSV: submission, reviewer, affinity, locked."""
    text = StringIO()
    write_assigned_rows(text, _assigned(backend, venue))
    headers = {"Content-Disposition": 'attachment; filename="assignment.csv"'}
    return Response(text.getvalue(), media_type="text/csv", headers=headers)


def suggest_for_text(
    backend: Backend, venue: str, text: str, space: str | None = None, k: int = 5
) -> ReviewerSuggestions:
    """Return the best reviewers of a venue for a text."""
    space = choose_space(backend.database, space)
    vectors = backend.texts.embed(text, space)[None]
    [best] = recommend_reviewers(backend.database, venue, vectors, space, k)
    reviewers = [SuggestedReviewer.model_validate(reviewer) for reviewer in best]
    return ReviewerSuggestions(submission=None, title=None, reviewers=reviewers)


def suggest_for_submissions(
    backend: Backend,
    venue: str,
    submissions: Sequence[venues.Submission],
    space: str | None,
    k: int,
) -> list[ReviewerSuggestions]:
    """Return the best reviewers of each submission, with conflicts and current assignments."""
    space = choose_space(backend.database, space)
    ids = [submission.id for submission in submissions]
    vectors = submission_vectors(backend.database, venue, space, ids)
    suggestions = recommend_reviewers(backend.database, venue, vectors, space, k)
    conflicts = defaultdict(list)
    for conflict in venues.find_conflicts(backend.database, venue, only=ids):
        pair = (conflict.submission, conflict.reviewer)
        conflicts[pair].append(PairConflict.model_validate(conflict))
    assigned = {(pair.submission, pair.reviewer) for pair in _assigned(backend, venue)}
    return [
        ReviewerSuggestions(
            submission=submission.id,
            title=submission.title,
            reviewers=[
                SuggestedReviewer.model_validate(reviewer).model_copy(
                    update={
                        "conflicts": conflicts[submission.id, reviewer.reviewer],
                        "assigned": (submission.id, reviewer.reviewer) in assigned,
                    }
                )
                for reviewer in best
            ],
        )
        for submission, best in zip(submissions, suggestions, strict=True)
    ]


def _assigned(backend: Backend, venue: str) -> list[venues.Assigned]:
    venues.require_venue(backend.database, venue)
    return venues.read_assigned(backend.database, venue)
