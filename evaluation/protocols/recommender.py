"""A recommender: the ranker of the task `recomm`, trained on a usage log, for similar papers."""

from collections.abc import Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from specter_graph.core.atomic_files import complete_file
from specter_graph.core.errors import InputError
from specter_graph.core.vectors import ARRAY_ERRORS
from specter_graph.evaluation.feedback.clicks import Impression
from specter_graph.evaluation.protocols.click_ranker import Ranker, train_ranker
from specter_graph.evaluation.protocols.dataset import PaperVectors
from specter_graph.evaluation.protocols.recommendation import (
    FEATURES,
    Click,
    ClickLog,
    Features,
    PaperFacts,
    click_weights,
    papers_of,
)
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import get_space, read_vectors
from specter_graph.graph.evaluation_data import known_papers, merged_ids

_VALIDATION = 0.1  # share of the newest lists that chooses the epoch


@dataclass(frozen=True, slots=True)
class Recommender:
    """A trained ranker, and the space whose vectors it reads."""

    space: str
    ranker: Ranker

    def save(self, path: Path) -> None:
        """Write a file of NumPy arrays (.npz)."""
        arrays = {field.name: getattr(self.ranker, field.name) for field in fields(Ranker)}
        with complete_file(path) as unfinished, unfinished.open("wb") as file:
            np.savez(file, space=np.array(self.space), **arrays)

    @classmethod
    def load(cls, path: Path) -> "Recommender":
        """Read a file of `save`; raises InputError for any other file."""
        try:
            with np.load(path) as arrays:
                space = str(arrays["space"])
                ranker = Ranker(*(arrays[field.name] for field in fields(Ranker)))
            ranker(np.zeros((1, len(FEATURES))))  # the shapes fit
        except (*ARRAY_ERRORS, IndexError) as error:
            raise InputError(
                f"{path} is not a recommender: {error}",
                "create one: specter-graph feedback train-recommender LOG -o FILE",
            ) from error
        return cls(space, ranker)

    def rank(self, db: Database, query: str, papers: Sequence[str]) -> list[str]:
        """Order candidates by their score for a query paper, best first."""
        if not papers:
            return []
        features = _features(db, [query, *papers], self.space)
        rows = features.of(Click(query, papers[0], tuple(papers)))
        return [papers[row] for row in np.argsort(-self.ranker(rows), kind="stable")]


def train_recommender(
    db: Database, log: Sequence[Impression], space: str | None = None, *, seed: int = 7
) -> Recommender:
    """Train a recommender on the clicks of a log, weighted by 1 / propensity of their positions.

    Args:
        db: The graph.
        log: Lists of similar papers with their clicks, oldest first, some of them swapped.
        space: The embedding space of one of the ten features, by default the first of
            `DEFAULT_SPACES` that exists.
        seed: The random seed.

    Raises:
        InputError: The log has no clicks, or too few swapped lists for the propensities.
        GraphError: The space does not exist.
    """
    space = get_space(db, space).name
    clicks = ClickLog.from_impressions(with_current_ids(db, log), _VALIDATION / 2)
    learned = clicks.parts["train"]
    held_out = [*clicks.parts["validation"], *clicks.parts["test"]]
    if not learned:
        raise InputError("the log has no clicks to train on", "log more use of the service")
    weights = click_weights(clicks)
    features = _features(db, sorted(papers_of(learned, held_out)), space)
    train, validation = (features.pairs(part, weights) for part in (learned, held_out))
    return Recommender(space, train_ranker(train, validation, seed))


def paper_facts(db: Database, ids: Sequence[str], holdout: float) -> dict[str, PaperFacts]:
    """Read the metadata of papers, without citations from or to held-out papers."""
    return {
        row.id: PaperFacts(
            row.title, row.year, *map(frozenset, (row.authors, row.references, row.cited_by))
        )
        for row in known_papers(db, ids, holdout)
    }


def with_current_ids(db: Database, log: Sequence[Impression]) -> list[Impression]:
    """Replace the ids of papers that have been merged."""
    now = merged_ids(db, sorted(papers_of(log)))

    def current(paper: str) -> str:
        return now.get(paper, paper)

    return [
        Impression(
            current(click.query),
            tuple(map(current, click.shown)),
            frozenset(map(current, click.clicked)),
        )
        for click in log
    ]


def _features(db: Database, ids: Sequence[str], space: str) -> Features:
    vectors = PaperVectors.build(*read_vectors(db, space, sorted({*ids})), space)
    return Features(paper_facts(db, ids, 0.0), vectors, datetime.now(UTC).year)
