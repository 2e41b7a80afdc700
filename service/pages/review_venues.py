"""Pages for reviewers: of a text, of a venue, and the form for a new venue."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import APIRouter, Form, Request, UploadFile
from pydantic import ValidationError
from starlette.responses import HTMLResponse, RedirectResponse, Response

from specter_graph.core.errors import GraphError, InputError
from specter_graph.graph import reviewing as venues
from specter_graph.graph.reviewing import MAX_VENUE_NAME_LENGTH
from specter_graph.service.jobs import Match
from specter_graph.service.models import MatchRequest, ReviewerSuggestions
from specter_graph.service.pages.status import said
from specter_graph.service.routes.jobs import contents
from specter_graph.service.routes.reviewers import Venue
from specter_graph.service.routes.search import Offset
from specter_graph.service.views import jobs as job_views
from specter_graph.service.views import suggested_reviewers
from specter_graph.service.web.auth import MayWrite, Writes
from specter_graph.service.web.config import MIB
from specter_graph.service.web.dependencies import Backend, TheBackend
from specter_graph.service.web.templates import path, render, with_query

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
writing = APIRouter(include_in_schema=False, dependencies=[Writes])

SUBMISSIONS_PER_PAGE = 10
REVIEWERS_PER_SUBMISSION = 5


@router.get("/match")
def match(request: Request, backend: TheBackend, may_write: MayWrite) -> HTMLResponse:
    """Show the venues, the form for a text, and the form for a new venue."""
    return _match(request, backend, may_write, {})


@router.post("/match/text")
def of_text(
    request: Request,
    backend: TheBackend,
    may_write: MayWrite,
    venue: Annotated[str, Form(max_length=MAX_VENUE_NAME_LENGTH)] = "",
    text: Annotated[str, Form(max_length=10_000)] = "",
) -> HTMLResponse:
    """Find reviewers for a text. The text is never in an address: it can be unpublished."""
    found, wrong = None, None
    if text.strip():
        try:
            [found] = suggested_reviewers.match(backend, MatchRequest(venue=venue, text=text))
        except (InputError, GraphError) as error:
            wrong = error.one_line
    given = {"venue": venue, "text": text, "found": found, "wrong": wrong}
    return _match(request, backend, may_write, given)


@router.get("/match/{venue}")
def of_venue(
    request: Request, backend: TheBackend, may_write: MayWrite, venue: Venue, offset: Offset = 0
) -> str:
    """Show the submissions of a venue with their best reviewers, the reasons and the conflicts."""
    every = venues.read_submissions(backend.database, venue)
    [size] = [each for each in suggested_reviewers.list_venues(backend) if each.name == venue]
    shown, wrong = every[offset : offset + SUBMISSIONS_PER_PAGE], None
    found: list[ReviewerSuggestions] = []
    try:
        if shown:
            found = suggested_reviewers.for_submissions(
                backend, venue, shown, None, REVIEWERS_PER_SUBMISSION
            )
    except (InputError, GraphError) as error:
        wrong = error.one_line
    jobs = [
        each
        for each in job_views.every_job(backend, may_write)
        if isinstance(each.asked, Match) and each.asked.venue == venue
    ]
    address = f"/match/{path(venue)}"
    more = offset + SUBMISSIONS_PER_PAGE < len(every)
    return render(
        "venue.html",
        request.scope,
        venue=size,
        found=found,
        wrong=wrong,
        job=next(iter(jobs), None),
        files=next((each.files for each in jobs if each.files), {}),
        may_write=may_write and backend.jobs is not None,
        before=with_query(address, offset=max(0, offset - SUBMISSIONS_PER_PAGE) or None)
        if offset
        else None,
        after=with_query(address, offset=offset + SUBMISSIONS_PER_PAGE) if more else None,
    )


@writing.post("/match")
def start(
    request: Request,
    backend: TheBackend,
    venue: Annotated[str, Form(max_length=MAX_VENUE_NAME_LENGTH)] = "",
    submissions: UploadFile | None = None,
    reviewers: UploadFile | None = None,
    bids: UploadFile | None = None,
    conflicts: UploadFile | None = None,
    per_submission: Annotated[int, Form()] = 3,
    max_load: Annotated[int, Form()] = 6,
    fair: Annotated[bool, Form()] = False,
    replace: Annotated[bool, Form()] = False,
) -> Response:
    """Queue a matching job with the uploaded lists."""
    try:
        asked = Match(
            kind="match",
            venue=venue.strip(),
            per_submission=per_submission,
            max_load=max_load,
            fair=fair,
            replace=replace,
        )
        lists = contents(
            submissions=submissions, reviewers=reviewers, bids=bids, conflicts=conflicts
        )
        job_views.add_match(backend, asked, lists)
    except ValidationError as error:
        wrong = said(error)
    except (InputError, GraphError) as error:
        wrong = error.one_line
    else:
        return RedirectResponse("/status#jobs", 303)
    return _match(request, backend, True, {"venue": venue, "refused": wrong})


def _match(
    request: Request, backend: Backend, may_write: bool, given: Mapping[str, object]
) -> HTMLResponse:
    empty = dict.fromkeys(("venue", "text"), "") | dict.fromkeys(("found", "wrong", "refused"))
    page = render(
        "match.html",
        request.scope,
        venues=suggested_reviewers.list_venues(backend),
        may_write=may_write and backend.jobs is not None,
        longest=MAX_VENUE_NAME_LENGTH,
        mebibytes=backend.terms.lists // MIB,
        **{**empty, **given},
    )
    return HTMLResponse(page, 400 if given.get("wrong") or given.get("refused") else 200)
