"""Pages of reviewers: reviewers for a text, a venue, its lists, and its assignments."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain
from math import inf
from statistics import mean, median
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Form, Query
from starlette.responses import HTMLResponse, RedirectResponse, Response

from specter_graph.core.errors import GraphError, InputError, QueryTimeoutError
from specter_graph.graph.reviewing import assignments, venue_data
from specter_graph.graph.reviewing.archive_papers import read_titles
from specter_graph.graph.reviewing.venue_data import MAX_VENUE_NAME_LENGTH, VenueReviewer
from specter_graph.loaders.review_records import REVIEWER, AssignedPair, Submission
from specter_graph.matching.affinity.recommend_reviewers import score_submissions
from specter_graph.matching.assignment.venue_assignment import AssignSettings, load_bounds
from specter_graph.service import job_routes, reviewer_routes
from specter_graph.service.auth import MayWriteDep, WriteScope
from specter_graph.service.dependencies import Backend, BackendDep
from specter_graph.service.job_records import MatchJob
from specter_graph.service.models import ReviewerSuggestions, SuggestedReviewer
from specter_graph.service.paper_routes import Offset
from specter_graph.service.reviewer_routes import (
    AssignmentName,
    VenueName,
    affinity_scale,
    assigned_pairs,
)
from specter_graph.service.service_settings import MIB
from specter_graph.service.templating import RenderDep, venue_address

router = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)
write_router = APIRouter(include_in_schema=False, dependencies=[WriteScope])

SUBMISSIONS_PER_PAGE = 10
REVIEWERS_PER_SUBMISSION = 5
MAX_CHANGES = 5
LOADS_PER_PAGE = 100
Id = Annotated[str, Query(max_length=1_000)]
FormId = Annotated[str, Form(max_length=1_000)]
FormName = Annotated[str, Form(max_length=MAX_VENUE_NAME_LENGTH)]


@dataclass(frozen=True, slots=True)
class _AssignmentPage:
    """A request for a page about an assignment of a venue."""

    render: RenderDep
    backend: BackendDep
    venue: VenueName
    name: AssignmentName = REVIEWER
    offset: Offset = 0

    def links(self, page: str, size: int, total: int, **values: str) -> dict[str, str | None]:
        """Return the addresses of the pages `before` and `after` this page of a list."""
        address = partial(venue_address, self.venue, self.name, page, **values)
        previous, following = max(0, self.offset - size) or None, self.offset + size
        return {
            "before": address(offset=previous) if self.offset else None,
            "after": address(offset=following) if following < total else None,
        }


_PageDep = Annotated[_AssignmentPage, Depends()]


@router.get("/match")
@router.post("/match/text")
def match(
    render: RenderDep,
    backend: BackendDep,
    venue: FormName = "",
    text: Annotated[str, Form(max_length=10_000)] = "",
) -> str:
    """Show the venues, reviewers for a text, and forms for a text and for the lists of a venue.

    The text is not in the URL because it may be unpublished.
    """
    suggestions = reviewer_routes.suggest_for_text(backend, venue, text) if text.strip() else None
    return render(
        "match.html",
        venues=backend.graph.venues(),
        max_name_length=MAX_VENUE_NAME_LENGTH,
        list_suffixes=",".join(job_routes.LIST_SUFFIXES),
        mebibytes=backend.settings.max_lists // MIB,
        venue=venue,
        text=text,
        suggestions=suggestions,
    )


@router.get("/match/{venue}")
def venue_page(page: _PageDep, may_write: MayWriteDep, find: Id = "") -> str:
    """Show the submissions of a venue, those without a good reviewer first, with the reasons.

    `find` is the id of a submission, or words of titles.
    """
    jobs = [
        job
        for job in job_routes.list_jobs(page.backend, may_write)
        if isinstance(job.request, MatchJob) and job.request.venue == page.venue
    ]
    values = {
        "job": next(iter(jobs), None),
        "files": next((job.files for job in jobs if job.files), {}),
    }

    def show(error: str | None = None) -> str:
        graph_values = _venue_values(page, find, suggests=error is None)
        return page.render("venue.html", **graph_values, **values, error=error)

    key = ("venue", page.venue, page.name, page.offset, find, may_write, repr(values))
    try:
        return page.backend.database.shared(key, show)
    except (InputError, GraphError, QueryTimeoutError) as raised:
        return show(raised.one_line)


def _venue_values(page: _AssignmentPage, find: str, *, suggests: bool) -> dict[str, Any]:
    """Return the values of the page of a venue that depend on the graph only.

    Without suggestions, the page has the assigned reviewers without reasons.
    """
    backend, venue, name = page.backend, page.venue, page.name
    matching = backend.graph.venue(venue)
    stored, settings = matching.assignments(), matching.settings(name).assignment
    assigned = assigned_pairs(backend, venue, name)
    [record] = [counts for counts in backend.graph.venues() if counts.name == venue]
    submissions = _matching(find, _sort_worst_first(backend, venue, assigned))
    shown = submissions[page.offset : page.offset + SUBMISSIONS_PER_PAGE]
    reviewers = matching.reviewers()
    suggestions = [] if suggests else _without_reasons(shown, assigned, reviewers)
    if suggests and (ids := [submission.id for submission in shown]):
        suggestions = reviewer_routes.suggest_for_submissions(
            backend, venue, ids, None, REVIEWERS_PER_SUBMISSION, name=name, with_assigned=True
        )
    changes = matching.changes(name)
    return {
        "venue": record,
        "name": name,
        "find": find,
        "assignments": stored,
        "assigned": stored.get(name, 0),
        "suggestions": suggestions,
        "good": median(pair.affinity for pair in assigned) if assigned else None,
        "scale": reviewer_routes.affinity_scale(backend, venue, record.reviewers, settings.role),
        "loads": _loads(reviewers, assigned, settings),
        "bids": _bids(backend, venue) if record.bids else {},
        "titles": _titles(backend, suggestions),
        "changes": changes[: -MAX_CHANGES - 1 : -1],
        "change_count": len(changes),
        **page.links("", SUBMISSIONS_PER_PAGE, len(submissions), find=find),
    }


def _matching(find: str, submissions: list[Submission]) -> list[Submission]:
    """Return the submission with an id, or else those with all words in the title."""
    if same := [submission for submission in submissions if submission.id == find.strip()]:
        return same
    words = find.casefold().split()
    return [
        submission
        for submission in submissions
        if all(word in submission.title.casefold() for word in words)
    ]


def _without_reasons(
    submissions: Sequence[Submission],
    assigned: Sequence[AssignedPair],
    reviewers: Sequence[VenueReviewer],
) -> list[ReviewerSuggestions]:
    """Return the assigned reviewers of submissions, the highest affinity first."""
    names = {reviewer.id: reviewer.name for reviewer in reviewers}
    pairs = _by_submission(assigned)
    return [
        ReviewerSuggestions(
            submission=submission.id,
            title=submission.title,
            reviewers=[
                SuggestedReviewer(
                    reviewer=id, name=names[id], affinity=affinity, papers=[], assigned=True
                )
                for id, affinity in sorted(own.items(), key=lambda pair: -pair[1])
            ],
        )
        for submission in submissions
        if (own := pairs.get(submission.id, {})) or assigned
    ]


def _bids(backend: Backend, venue: str) -> dict[str, dict[str, float]]:
    """Return the values of bids by submission and reviewer."""
    bids: dict[str, dict[str, float]] = defaultdict(dict)
    for (reviewer, submission), value in venue_data.bid_values(backend.database, venue).items():
        bids[submission][reviewer] = value
    return bids


def _loads(
    reviewers: Sequence[VenueReviewer], assigned: Sequence[AssignedPair], settings: AssignSettings
) -> dict[str, str]:
    """Return the load of each reviewer with its maximum: "4 of 6"."""
    counts = Counter(pair.reviewer for pair in assigned)
    return {
        reviewer.id: f"{counts[reviewer.id]} of {load_bounds(reviewer, settings)[1]}"
        for reviewer in reviewers
    }


@write_router.post("/match")
def start(backend: BackendDep, form: Annotated[job_routes.MatchForm, Form()]) -> Response:
    """Queue a matching with its lists and archives."""
    job_routes.add_match(backend, form)
    return RedirectResponse("/status#jobs", 303)


def _sort_worst_first(
    backend: Backend, venue: str, assigned: Sequence[AssignedPair]
) -> list[Submission]:
    """Return the submissions by the affinity of their best assigned reviewer, the lowest first.

    Before an assignment, the best reviewer of the last scoring counts.
    Submissions without an affinity come first.
    """
    best = {} if assigned else assignments.read_best_affinities(backend.database, venue)
    for pair in assigned:
        best[pair.submission] = max(pair.affinity, best.get(pair.submission, pair.affinity))
    submissions = venue_data.read_submissions(backend.database, venue)
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
    return read_titles(backend.database, sorted(ids))


@router.get("/match/{venue}/load")
def load_page(page: _PageDep) -> str:
    """Show the load of each reviewer with its bounds, the highest load first."""
    backend, venue, name = page.backend, page.venue, page.name
    settings = backend.graph.venue(venue).settings(name).assignment
    reviewers = venue_data.read_reviewers(backend.database, venue, settings.role)
    assigned = assigned_pairs(backend, venue, name)
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
    return page.render(
        "load.html",
        venue=venue,
        name=name,
        rows=rows[page.offset : page.offset + LOADS_PER_PAGE],
        counts=sorted(counts.items()),
        **page.links("/load", LOADS_PER_PAGE, len(rows)),
    )


@router.get("/match/{venue}/compare")
def compare_page(page: _PageDep, other: AssignmentName = "") -> str:
    """Show two assignments beside each other, the submissions that lose most first."""
    backend, venue, name = page.backend, page.venue, page.name
    names = [*backend.graph.venue(venue).assignments()]
    other = other or next((assignment for assignment in names if assignment != name), name)
    pairs = {side: assigned_pairs(backend, venue, side) for side in (name, other)}
    of_submission = {side: _by_submission(pairs[side]) for side in pairs}

    def best(side: str, submission: str) -> float:
        return max(of_submission[side].get(submission, {}).values(), default=0.0)

    submissions = venue_data.read_submissions(backend.database, venue)
    rows = []
    for each in sorted(submissions, key=lambda each: best(other, each.id) - best(name, each.id)):
        sides = [of_submission[side].get(each.id, {}) for side in (name, other)]
        if sides[0].keys() != sides[1].keys():
            rows.append({"submission": each, "pairs": sides})
    return page.render(
        "compare_assignments.html",
        venue=venue,
        name=name,
        other=other,
        names=names,
        figures=[_assignment_figures(pairs[side], len(submissions)) for side in (name, other)],
        common=len(
            {(pair.submission, pair.reviewer) for pair in pairs[name]}
            & {(pair.submission, pair.reviewer) for pair in pairs[other]}
        ),
        rows=rows[page.offset : page.offset + LOADS_PER_PAGE],
        changed=len(rows),
        reviewer_names=venue_data.distinct_names(
            venue_data.read_reviewers(backend.database, venue)
        ),
        **page.links("/compare", LOADS_PER_PAGE, len(rows), other=other),
    )


def _by_submission(pairs: Sequence[AssignedPair]) -> dict[str, dict[str, float]]:
    """Return the affinities of the assigned reviewers of each submission."""
    groups: dict[str, dict[str, float]] = defaultdict(dict)
    for pair in pairs:
        groups[pair.submission][pair.reviewer] = pair.affinity
    return groups


def _assignment_figures(pairs: Sequence[AssignedPair], submissions: int) -> dict[str, float]:
    """Return the figures that two assignments are compared by."""
    affinities = [pair.affinity for pair in pairs] or [0.0]
    best = [max(group.values()) for group in _by_submission(pairs).values()]
    good = median(affinities)
    loads = Counter(pair.reviewer for pair in pairs)
    return {
        "reviews": len(pairs),
        "mean affinity": mean(affinities),
        "lowest best affinity of a submission": min(best, default=0.0),
        "submissions without a reviewer": submissions - len(best),
        "submissions without a good reviewer": submissions
        - sum(affinity >= good for affinity in best),
        "reviewers with a submission": len(loads),
        "highest load": max(loads.values(), default=0),
    }


@router.get("/match/{venue}/change")
def change_page(page: _PageDep, submission: Id, removed: Id = "", added: Id = "") -> str:
    """Show the cost of replacing a reviewer of a submission, before it is done."""
    backend, venue, name = page.backend, page.venue, page.name
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
    return page.render(
        "change.html",
        venue=venue,
        name=name,
        submission=scores.submissions[0],
        pairs=pairs,
        names=venue_data.distinct_names(scores.reviewers),
        others=sorted(others, key=lambda reviewer: -affinity[reviewer.id]),
        affinity=affinity,
        scale=affinity_scale(backend, venue, len(scores.reviewers), role),
        removed=removed,
        added=added,
        change=change,
    )


@write_router.post("/match/{venue}/change")
def change(
    backend: BackendDep,
    venue: VenueName,
    submission: FormId,
    removed: FormId = "",
    added: FormId = "",
    name: FormName = REVIEWER,
) -> Response:
    """Replace a reviewer of a submission."""
    backend.graph.venue(venue).change(
        submission, removed=removed or None, added=added or None, name=name
    )
    return _changes_of(venue, name)


@write_router.post("/match/{venue}/undo")
def undo(
    backend: BackendDep,
    venue: VenueName,
    known: Annotated[int, Form()],
    name: FormName = REVIEWER,
) -> Response:
    """Undo the last change of an assignment, if it is the last one of the `known` changes."""
    backend.graph.venue(venue).undo(name, known)
    return _changes_of(venue, name)


def _changes_of(venue: str, name: str) -> Response:
    return RedirectResponse(f"{venue_address(venue, name)}#changes", 303)
