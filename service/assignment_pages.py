"""Pages of an assignment: the load of each reviewer, and changes of one pair with their cost."""

from collections import Counter, defaultdict
from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from specter_graph.graph import reviewing as venues
from specter_graph.matching.affinity.recommend_reviewers import score_submissions
from specter_graph.matching.assignment.venue_assignment import load_bounds
from specter_graph.service.auth import MayWriteDep, WriteScope
from specter_graph.service.dependencies import BackendDep
from specter_graph.service.paper_routes import Offset
from specter_graph.service.reviewer_routes import AssignmentName, VenueName, affinity_scale
from specter_graph.service.templating import render, venue_address

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
write_router = APIRouter(include_in_schema=False, dependencies=[WriteScope])

LOADS_PER_PAGE = 100

Id = Annotated[str, Query(max_length=1_000)]
FormId = Annotated[str, Form(max_length=1_000)]
FormName = Annotated[str, Form(max_length=venues.MAX_VENUE_NAME_LENGTH)]


@router.get("/match/{venue}/load")
def load_page(
    request: Request,
    backend: BackendDep,
    venue: VenueName,
    name: AssignmentName = venues.REVIEWER,
    offset: Offset = 0,
) -> str:
    """Show the load of each reviewer with its bounds, the highest load first."""
    settings = backend.graph.venue(venue).settings(name).assignment
    reviewers = venues.read_reviewers(backend.database, venue, settings.role)
    assigned = venues.read_assigned(backend.database, venue, name)
    loads = Counter(pair.reviewer for pair in assigned)
    totals: dict[str, float] = defaultdict(float)
    for pair in assigned:
        totals[pair.reviewer] += pair.affinity
    rows = [
        {
            "reviewer": reviewer,
            "load": (load := loads[reviewer.id]),
            "bounds": load_bounds(reviewer, settings),
            "affinity": totals[reviewer.id] / load if load else None,
        }
        for reviewer in sorted(reviewers, key=lambda reviewer: -loads[reviewer.id])
    ]
    counts = Counter(loads[reviewer.id] for reviewer in reviewers)
    end = offset + LOADS_PER_PAGE
    previous = max(0, offset - LOADS_PER_PAGE) or None
    return render(
        "load.html",
        request.scope,
        venue=venue,
        name=name,
        rows=rows[offset:end],
        counts=sorted(counts.items()),
        before=venue_address(venue, name, "/load", offset=previous) if offset else None,
        after=venue_address(venue, name, "/load", offset=end) if end < len(rows) else None,
    )


@router.get("/match/{venue}/change")
def change_page(
    request: Request,
    backend: BackendDep,
    may_write: MayWriteDep,
    venue: VenueName,
    submission: Id,
    removed: Id = "",
    added: Id = "",
    name: AssignmentName = venues.REVIEWER,
) -> str:
    """Show the cost of replacing a reviewer of a submission, before it is done."""
    matching = backend.graph.venue(venue)
    settings = matching.settings(name)
    role = settings.assignment.role
    scores = score_submissions(backend.database, venue, [submission], settings.scoring, role)
    pairs = [pair for pair in matching.assigned(name) if pair.submission == submission]
    present = {pair.reviewer for pair in pairs}
    others = [reviewer for reviewer in scores.reviewers if reviewer.id not in present]
    affinity = dict(zip(scores.columns, scores.affinity[0].tolist(), strict=True))
    change = None
    if removed or added:
        change = matching.evaluate_change(
            submission, removed=removed or None, added=added or None, name=name
        )
    return render(
        "change.html",
        request.scope,
        venue=venue,
        name=name,
        submission=scores.submissions[0],
        pairs=pairs,
        names={reviewer.id: reviewer.name for reviewer in scores.reviewers},
        others=sorted(others, key=lambda reviewer: -affinity[reviewer.id]),
        affinity=affinity,
        scale=affinity_scale(backend, venue, len(scores.reviewers), role),
        removed=removed,
        added=added,
        change=change,
        may_write=may_write and backend.jobs is not None,
    )


@write_router.post("/match/{venue}/change")
def change(
    backend: BackendDep,
    venue: VenueName,
    submission: FormId,
    removed: FormId = "",
    added: FormId = "",
    name: FormName = venues.REVIEWER,
) -> Response:
    """Replace a reviewer of a submission."""
    backend.graph.venue(venue).change(
        submission, removed=removed or None, added=added or None, name=name
    )
    return _changes_of(venue, name)


@write_router.post("/match/{venue}/undo")
def undo(backend: BackendDep, venue: VenueName, name: FormName = venues.REVIEWER) -> Response:
    """Undo the last change of an assignment."""
    backend.graph.venue(venue).undo(name)
    return _changes_of(venue, name)


def _changes_of(venue: str, name: str) -> Response:
    return RedirectResponse(f"{venue_address(venue, name)}#changes", 303)
