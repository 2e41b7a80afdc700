"""Reviewers for submissions, as the API and the pages tell of them; read only."""

from collections import defaultdict
from collections.abc import Sequence
from io import StringIO

from specter_graph.core.errors import InputError
from specter_graph.graph import reviewing as venues
from specter_graph.matching.affinity.recommend_reviewers import (
    space_for,
    submission_vectors,
    suggest,
)
from specter_graph.matching.io.tables import assigned_rows
from specter_graph.service.models import (
    MatchAsked,
    PairConflict,
    ReviewVenue,
    Suggested,
    Suggestions,
)
from specter_graph.service.web.dependencies import Backend


def listed(backend: Backend) -> list[ReviewVenue]:
    """The venues, with what they have."""
    return [ReviewVenue.model_validate(each) for each in backend.graph.venues()]


def match(backend: Backend, asked: MatchAsked) -> list[Suggestions]:
    """The best reviewers for a text, or for each of some submissions."""
    if asked.text.strip():
        space = space_for(backend.database, asked.space)
        vectors = backend.texts.embed(asked.text, space)[None]
        [found] = suggest(backend.database, asked.venue, vectors, space, asked.k)
        reviewers = [Suggested.model_validate(each) for each in found]
        return [Suggestions(submission=None, title=None, reviewers=reviewers)]
    of = {each.id: each for each in venues.submissions(backend.database, asked.venue)}
    if unknown := [key for key in asked.submissions if key not in of]:
        raise InputError(f"the venue {asked.venue!r} has no submission {unknown[0]!r}")
    chosen = [of[key] for key in dict.fromkeys(asked.submissions)]
    return for_submissions(backend, asked.venue, chosen, asked.space, asked.k)


def for_submissions(
    backend: Backend,
    venue: str,
    submissions: Sequence[venues.Submission],
    space: str | None,
    k: int,
) -> list[Suggestions]:
    """The best reviewers of each, and those assigned to it; conflicts beside them."""
    here = space_for(backend.database, space)
    keys = [each.id for each in submissions]
    vectors = submission_vectors(backend.database, venue, here, keys)
    found = suggest(backend.database, venue, vectors, here, k)
    against = defaultdict(list)
    told = {(key, each.reviewer) for key, best in zip(keys, found, strict=True) for each in best}
    for each in venues.find_conflicts(backend.database, venue, only=keys):
        if (pair := (each.submission, each.reviewer)) in told:
            against[pair].append(PairConflict.model_validate(each))
    assigned = {(each.submission, each.reviewer) for each in _assigned(backend, venue)}
    return [
        Suggestions(
            submission=own.id,
            title=own.title,
            reviewers=[
                Suggested.model_validate(each).model_copy(
                    update={
                        "conflicts": against[own.id, each.reviewer],
                        "assigned": (own.id, each.reviewer) in assigned,
                    }
                )
                for each in best
            ],
        )
        for own, best in zip(submissions, found, strict=True)
    ]


def assignment(backend: Backend, venue: str) -> str:
    """Who reviews what, as CSV."""
    text = StringIO()
    assigned_rows(text, _assigned(backend, venue))
    return text.getvalue()


def _assigned(backend: Backend, venue: str) -> list[venues.Assigned]:
    venues.require_venue(backend.database, venue)
    return venues.assigned(backend.database, venue)
