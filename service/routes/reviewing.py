"""Routes that find reviewers: the venues of the graph, and the best reviewers for submissions."""

from typing import Annotated

from fastapi import APIRouter, Path
from starlette.responses import Response

from specter_graph.graph.reviewing import LONGEST_NAME
from specter_graph.service.models import MatchAsked, ReviewVenue, Suggestions
from specter_graph.service.views import reviewing
from specter_graph.service.web.dependencies import TheBackend

router = APIRouter(tags=["reviewers"])

Venue = Annotated[str, Path(max_length=LONGEST_NAME, examples=["ICLR-2027"])]


@router.get("/reviewers")
def venues(backend: TheBackend) -> list[ReviewVenue]:
    """List the venues that have submissions and reviewers."""
    return reviewing.listed(backend)


@router.post("/reviewers/match")
def match(backend: TheBackend, asked: MatchAsked) -> list[Suggestions]:
    """Find the best reviewers of a venue for a text, or for some of its submissions."""
    return reviewing.match(backend, asked)


@router.get("/reviewers/{venue}/assignment", response_class=Response)
def assignment(backend: TheBackend, venue: Venue) -> Response:
    """Download who reviews what, as CSV: submission, reviewer, affinity, locked."""
    text = reviewing.assignment(backend, venue)
    headers = {"Content-Disposition": 'attachment; filename="assignment.csv"'}
    return Response(text, media_type="text/csv", headers=headers)
