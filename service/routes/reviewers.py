"""Routes for reviewers: the venues of the graph, and the best reviewers for submissions."""

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import Response

from specter_graph.graph.reviewing import MAX_VENUE_NAME_LENGTH
from specter_graph.service.models import MatchRequest, ReviewerSuggestions, ReviewVenueCounts
from specter_graph.service.views import suggested_reviewers
from specter_graph.service.web.dependencies import TheBackend

router = APIRouter(tags=["reviewers"])

Venue = Annotated[str, Path(max_length=MAX_VENUE_NAME_LENGTH, examples=["ICLR-2027"])]


@router.get("/reviewers")
def list_venues(backend: TheBackend) -> list[ReviewVenueCounts]:
    """List the venues that have submissions and reviewers."""
    return suggested_reviewers.list_venues(backend)


@router.post("/reviewers/match")
def match(backend: TheBackend, request: MatchRequest) -> list[ReviewerSuggestions]:
    """Find the best reviewers of a venue for a text, or for some of its submissions."""
    return suggested_reviewers.match(backend, request)


@router.get("/reviewers/{venue}/assignment", response_class=Response)
def assignment(backend: TheBackend, venue: Venue) -> Response:
    """Download the assignment as CSV: submission, reviewer, affinity, locked."""
    text = suggested_reviewers.assignment(backend, venue)
    headers = {"Content-Disposition": 'attachment; filename="assignment.csv"'}
    return Response(text, media_type="text/csv", headers=headers)
