"""Routes of reviewers: venues, the best reviewers for submissions or a text, and assignments."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from specter_graph.graph.reviewing import assignments, venue_data
from specter_graph.graph.reviewing.assignments import find_paths
from specter_graph.graph.reviewing.conflict_detection import find_conflicts
from specter_graph.graph.reviewing.venue_data import MAX_VENUE_NAME_LENGTH
from specter_graph.loaders.review_records import REVIEWER, AssignedPair
from specter_graph.matching.affinity.aggregation import AffinityScale, top_reviewers
from specter_graph.matching.affinity.recommend_reviewers import (
    RecommendedReviewer,
    choose_space,
    recommend_reviewers,
    score_submissions,
    with_papers,
)
from specter_graph.matching.affinity.scoring import VenueScores
from specter_graph.matching.io.score_files import write_assigned_rows
from specter_graph.service.dependencies import Backend, BackendDep
from specter_graph.service.models import (
    CitationPaths,
    MatchRequest,
    PairConflict,
    ReviewerSuggestions,
    SuggestedReviewer,
)

MAX_PATHS = 3
"""Maximum number of paths of a kind between a reviewer and a submission."""

router = APIRouter(tags=["reviewers"])

VenueName = Annotated[
    str,
    Path(max_length=MAX_VENUE_NAME_LENGTH, examples=["ICLR-2027"], description="Name of a venue."),
]
AssignmentName = Annotated[
    str, Query(max_length=MAX_VENUE_NAME_LENGTH, description="Name of the assignment.")
]


@router.get("/reviewers")
def list_venues(backend: BackendDep) -> list[venue_data.VenueCounts]:
    """List the venues that have submissions and reviewers."""
    return [*backend.graph.venues()]


@router.post("/reviewers/match")
def match(backend: BackendDep, request: MatchRequest) -> list[ReviewerSuggestions]:
    """Find the best reviewers of a venue for a text, or for some of its submissions."""
    if request.text.strip():
        return [suggest_for_text(backend, request.venue, request.text, request.space, request.k)]
    ids = [*dict.fromkeys(request.submissions)]
    return suggest_for_submissions(
        backend, request.venue, ids, request.space, request.k, name=request.name
    )


class _CsvResponse(Response):
    media_type = "text/csv"


@router.get("/reviewers/{venue}/assignment", response_class=_CsvResponse)
def assignment(backend: BackendDep, venue: VenueName, name: AssignmentName = REVIEWER) -> Response:
    """Download an assignment as CSV: submission, reviewer, affinity, locked."""
    text = StringIO()
    write_assigned_rows(text, backend.graph.venue(venue).assigned(name))
    headers = {"Content-Disposition": 'attachment; filename="assignment.csv"'}
    return _CsvResponse(text.getvalue(), headers=headers)


def assigned_pairs(backend: Backend, venue: str, name: str) -> list[AssignedPair]:
    """Return an assignment; no pairs if it has the default name and is not made yet."""
    matching = backend.graph.venue(venue)
    if name == REVIEWER and name not in matching.assignments():
        return []
    return matching.assigned(name)


def suggest_for_text(
    backend: Backend, venue: str, text: str, space: str | None = None, k: int = 5
) -> ReviewerSuggestions:
    """Return the best reviewers of a venue for a text, by default in the space of its scores."""
    [used, *_] = backend.graph.venue(venue).settings().scoring.spaces or (None,)
    space = choose_space(backend.database, space or used)
    vectors = backend.texts.embed(text, space)[None]
    [best] = recommend_reviewers(backend.database, venue, vectors, space, k)
    reviewers = [SuggestedReviewer.model_validate(reviewer) for reviewer in best]
    return ReviewerSuggestions(submission=None, title=None, reviewers=reviewers)


def suggest_for_submissions(
    backend: Backend,
    venue: str,
    ids: Sequence[str],
    space: str | None,
    k: int,
    *,
    name: str,
    with_assigned: bool = False,
) -> list[ReviewerSuggestions]:
    """Return the best reviewers of each submission, with reasons, conflicts and assignments.

    The scores have the settings of the assignment with this name. `with_assigned` also returns the
    assigned reviewers that are not among the best, and puts the assigned ones first.
    """
    db, matching = backend.database, backend.graph.venue(venue)
    settings, assigned = matching.settings(name), assigned_pairs(backend, venue, name)
    scoring = replace(settings.scoring, spaces=(space,)) if space else settings.scoring
    scores = score_submissions(db, venue, ids, scoring, settings.assignment.role)
    best = _choose(scores, assigned if with_assigned else (), k)
    recommended = with_papers(db, scores, best)
    conflicts = defaultdict(list)
    for conflict in find_conflicts(
        db, venue, conflict_years=settings.conflict_years, submissions=ids
    ):
        pair = (conflict.reviewer, conflict.submission)
        conflicts[pair].append(PairConflict.model_validate(conflict))
    pairs = [
        (reviewer.reviewer, key)
        for key, own in zip(ids, recommended, strict=True)
        for reviewer in own
    ]
    paths = {
        (path.reviewer, path.submission): CitationPaths.model_validate(path)
        for path in find_paths(db, venue, pairs, MAX_PATHS)
    }
    scale = affinity_scale(backend, venue, len(scores.reviewers), settings.assignment.role)
    present = {(pair.reviewer, pair.submission) for pair in assigned}

    def suggested(reviewer: RecommendedReviewer, submission: str) -> SuggestedReviewer:
        pair = (reviewer.reviewer, submission)
        return SuggestedReviewer.model_validate(reviewer).model_copy(
            update={
                "percentile": scale.percentile(reviewer.affinity) if scale else None,
                "paths": paths.get(pair, CitationPaths()),
                "conflicts": conflicts[pair],
                "assigned": pair in present,
            }
        )

    return [
        ReviewerSuggestions(
            submission=submission.id,
            title=submission.title,
            reviewers=[suggested(reviewer, submission.id) for reviewer in own],
        )
        for submission, own in zip(scores.submissions, recommended, strict=True)
    ]


def affinity_scale(backend: Backend, venue: str, reviewers: int, role: str) -> AffinityScale | None:
    """Return the scale of the affinities of a venue, None before its first scoring.

    Only the affinities of reviewers are stored, so other roles have no scale.
    """
    if role != REVIEWER:
        return None
    summary = assignments.read_score_summary(backend.database, venue)
    return AffinityScale(summary.percentiles, reviewers, summary.is_current) if summary else None


def _choose(scores: VenueScores, assigned: Sequence[AssignedPair], k: int) -> list[list[int]]:
    """Return the columns of the assigned reviewers, the best first, and of the k best others."""
    columns, rows = scores.columns, scores.rows
    own: list[list[int]] = [[] for _ in rows]
    for pair in assigned:
        if pair.submission in rows and pair.reviewer in columns:
            own[rows[pair.submission]].append(columns[pair.reviewer])
    best = top_reviewers(scores.affinity, k + max(map(len, own), default=0)).tolist()
    return [
        sorted(chosen, key=lambda column: (-affinity[column], column))
        + [column for column in others if column not in chosen][:k]
        for chosen, others, affinity in zip(own, best, scores.affinity, strict=True)
    ]
