"""Store a summary of the last scoring of a venue, which queries and pages read."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from specter_graph.core.vectors import Vectors
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.reviewing.venue_data import require_venue, submission_id

MAX_BEST_AFFINITIES = 20
"""Number of affinities that are stored for each submission."""


@dataclass(frozen=True, slots=True)
class ScoreSummary:
    """A summary of the last scoring of a venue.

    Attributes:
        percentiles: The affinity percentiles 0 to 100 of all pairs.
        is_current: False if the reviewers or the texts of their papers have changed since.
    """

    percentiles: list[float]
    is_current: bool


def write_score_summary(
    db: Database,
    venue: str,
    submissions: Sequence[str],
    affinity: Vectors,
    spaces: Sequence[str] = (),
) -> None:
    """Store the highest affinities of each submission, and the percentiles of all pairs.

    Args:
        db: The database.
        venue: Name of the venue.
        submissions: Ids of the submissions, the rows of `affinity`.
        affinity: (submissions, reviewers) float32.
        spaces: The embedding spaces, none if the affinities are from a file.
    """
    reviewers = affinity.shape[1]
    first = max(0, reviewers - MAX_BEST_AFFINITIES)
    best = np.sort(np.partition(affinity, first, axis=1)[:, first:], axis=1)[:, ::-1]
    db.write(
        statement("reviewing/write_score_summary").text,
        venue=venue,
        percentiles=np.percentile(affinity, np.arange(101)).tolist(),
        reviewers=reviewers,
        spaces=list(spaces) or None,
        best=[
            {"submission": submission_id(venue, key), "affinities": row}
            for key, row in zip(submissions, best.tolist(), strict=True)
        ],
    )


def read_score_summary(db: Database, venue: str) -> ScoreSummary | None:
    """Return the summary of the last scoring, None before a scoring."""
    require_venue(db, venue)
    [row] = db.read(statement("reviewing/score_summary").text, venue=venue)
    return None if row["percentiles"] is None else ScoreSummary(**row)


def read_best_affinities(db: Database, venue: str) -> dict[str, float]:
    """Return the highest affinity of each submission that was scored, by its id."""
    rows = db.read(statement("reviewing/best_affinities").text, venue=venue)
    return {row["submission"]: row["affinity"] for row in rows}
