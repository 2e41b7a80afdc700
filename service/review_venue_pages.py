"""Pages of reviewers: reviewers for a text, a venue, and the upload of the lists of a venue."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain
from math import inf
from statistics import median
from typing import Annotated

from fastapi import APIRouter, Form, Request, UploadFile
from pydantic import ValidationError
from starlette.responses import HTMLResponse, RedirectResponse, Response

from specter_graph.core.errors import GraphError, InputError
from specter_graph.graph import reviewing as venues
from specter_graph.graph.reviewing import MAX_VENUE_NAME_LENGTH
from specter_graph.service import job_routes, reviewer_routes
from specter_graph.service.auth import MayWriteDep, WriteScope
from specter_graph.service.dependencies import Backend, BackendDep
from specter_graph.service.error_responses import validation_message
from specter_graph.service.job_records import MatchJob
from specter_graph.service.models import ReviewerSuggestions
from specter_graph.service.paper_routes import Offset
from specter_graph.service.reviewer_routes import AssignmentName, VenueName
from specter_graph.service.service_settings import MIB
from specter_graph.service.templating import render, venue_address

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
write_router = APIRouter(include_in_schema=False, dependencies=[WriteScope])

SUBMISSIONS_PER_PAGE = 10
REVIEWERS_PER_SUBMISSION = 5
MAX_CHANGES = 5


@router.get("/match")
def match(request: Request, backend: BackendDep, may_write: MayWriteDep) -> HTMLResponse:
    """Show the venues, a form for a text, and a form for the lists of a new venue."""
    return _match_page(request, backend, may_write)


@router.post("/match/text")
def match_text(
    request: Request,
    backend: BackendDep,
    may_write: MayWriteDep,
    venue: Annotated[str, Form(max_length=MAX_VENUE_NAME_LENGTH)] = "",
    text: Annotated[str, Form(max_length=10_000)] = "",
) -> HTMLResponse:
    """Find reviewers for a text, which is not in the URL because it may be unpublished."""
    suggestions = error = None
    if text.strip():
        try:
            suggestions = reviewer_routes.suggest_for_text(backend, venue, text)
        except (InputError, GraphError) as raised:
            error = raised.one_line
    return _match_page(
        request, backend, may_write, venue=venue, text=text, suggestions=suggestions, error=error
    )


@router.get("/match/{venue}")
def venue_page(
    request: Request,
    backend: BackendDep,
    may_write: MayWriteDep,
    venue: VenueName,
    name: AssignmentName = venues.REVIEWER,
    offset: Offset = 0,
) -> str:
    """Show the submissions of a venue, those without a good reviewer first, with the reasons."""
    matching = backend.graph.venue(venue)
    assignments, assigned = matching.assignments(), matching.assigned(name)
    [record] = [counts for counts in backend.graph.venues() if counts.name == venue]
    submissions = _worst_first(backend, venue, assigned)
    end = offset + SUBMISSIONS_PER_PAGE
    suggestions: list[ReviewerSuggestions] = []
    error = None
    try:
        if page := submissions[offset:end]:
            suggestions = reviewer_routes.suggest_for_submissions(
                backend, venue, page, None, REVIEWERS_PER_SUBMISSION, name=name, with_assigned=True
            )
    except (InputError, GraphError) as raised:
        error = raised.one_line
    jobs = [
        job
        for job in job_routes.list_jobs(backend, may_write)
        if isinstance(job.request, MatchJob) and job.request.venue == venue
    ]
    previous = max(0, offset - SUBMISSIONS_PER_PAGE) or None
    changes = matching.changes(name)
    return render(
        "venue.html",
        request.scope,
        venue=record,
        name=name,
        assignments=assignments,
        assigned=assignments.get(name, 0),
        suggestions=suggestions,
        good=median(pair.affinity for pair in assigned) if assigned else None,
        scale=reviewer_routes.affinity_scale(
            backend, venue, record.reviewers, matching.settings(name).assignment.role
        ),
        loads=Counter(pair.reviewer for pair in assigned),
        titles=_titles(backend, suggestions),
        changes=changes[: -MAX_CHANGES - 1 : -1],
        change_count=len(changes),
        error=error,
        job=next(iter(jobs), None),
        files=next((job.files for job in jobs if job.files), {}),
        may_write=may_write and backend.jobs is not None,
        before=venue_address(venue, name, offset=previous) if offset else None,
        after=venue_address(venue, name, offset=end) if end < len(submissions) else None,
    )


@write_router.post("/match")
def start(
    request: Request,
    backend: BackendDep,
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
    """Queue a matching with its lists."""
    lists = {
        "submissions": submissions,
        "reviewers": reviewers,
        "bids": bids,
        "conflicts": conflicts,
    }
    try:
        job = MatchJob(
            kind="match",
            venue=venue.strip(),
            per_submission=per_submission,
            max_load=max_load,
            fair=fair,
            replace=replace,
        )
        job_routes.add_match(backend, job, lists)
    except ValidationError as error:
        message = validation_message(error.errors())
    except (InputError, GraphError) as error:
        message = error.one_line
    else:
        return RedirectResponse("/status#jobs", 303)
    return _match_page(request, backend, may_write=True, venue=venue, upload_error=message)


def _worst_first(
    backend: Backend, venue: str, assigned: Sequence[venues.Assigned]
) -> list[venues.Submission]:
    """Return the submissions by the affinity of their best assigned reviewer, the lowest first.

    Before an assignment, the best reviewer of the last scoring counts.
    Submissions without an affinity come first.
    """
    best = {} if assigned else venues.read_best_affinities(backend.database, venue)
    for pair in assigned:
        best[pair.submission] = max(pair.affinity, best.get(pair.submission, pair.affinity))
    submissions = venues.read_submissions(backend.database, venue)
    return sorted(submissions, key=lambda submission: best.get(submission.id, -inf))


def _titles(backend: Backend, suggestions: Sequence[ReviewerSuggestions]) -> dict[str, str]:
    """Return the titles of the papers on citation paths, by id."""
    ids = {
        id
        for suggestion in suggestions
        for reviewer in suggestion.reviewers
        for id in (
            *reviewer.paths.cited,
            *chain.from_iterable(reviewer.paths.shared + reviewer.paths.two_hops),
        )
    }
    return venues.read_titles(backend.database, sorted(ids))


def _match_page(
    request: Request,
    backend: Backend,
    may_write: bool,
    *,
    venue: str = "",
    text: str = "",
    suggestions: ReviewerSuggestions | None = None,
    error: str | None = None,
    upload_error: str | None = None,
) -> HTMLResponse:
    page = render(
        "match.html",
        request.scope,
        venues=backend.graph.venues(),
        may_write=may_write and backend.jobs is not None,
        max_name_length=MAX_VENUE_NAME_LENGTH,
        mebibytes=backend.settings.max_lists // MIB,
        venue=venue,
        text=text,
        suggestions=suggestions,
        error=error,
        upload_error=upload_error,
    )
    return HTMLResponse(page, 400 if error or upload_error else 200)
