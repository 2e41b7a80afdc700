"""What each signal of hybrid search weighs: learnt from what training papers cite."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specter_graph.cypher import statement
from specter_graph.errors import GraphError, LeakError
from specter_graph.graph.connection import Database
from specter_graph.graph.fingerprint import corpus_fingerprint
from specter_graph.graph.holdout import MIN_REFERENCES, held_out_below, refuse_leaks
from specter_graph.graph.search.filters import Filters
from specter_graph.graph.search.fusion import SIGNALS, ranks, reciprocal
from specter_graph.graph.search.hybrid import Lists, by_citations, by_content, seeds_of
from specter_graph.graph.search.lucene import words
from specter_graph.graph.search.records import Question
from specter_graph.graph.spaces import space as find_space
from specter_graph.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class Weights:
    """What each of `signals` weighs with a space: `coefficients`, in their order.

    Learnt from `queries` papers under the hold-out `holdout`, on the corpus of the fingerprint
    `trained_on`; `created` is an ISO time in UTC.
    """

    space: str
    signals: list[str]
    coefficients: list[float]
    queries: int
    holdout: float
    trained_on: str
    created: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))

    @property
    def by_signal(self) -> dict[str, float]:
        """Coefficients by signal."""
        return dict(zip(self.signals, self.coefficients, strict=True))


def weights(db: Database, space: str) -> Weights | None:
    """What was learnt for a space; None where nothing was."""
    rows = db.read(statement("search/weights").text, space=space)
    return Weights(**rows[0]["weights"]) if rows else None


def learn(
    db: Database,
    space: str,
    holdout: float,
    queries: int = 300,
    progress: Progress = silent,
) -> Weights:
    """Learn what each signal weighs, and record it in the graph.

    A training paper's title and abstract are the question, its vector the place; what it cites is
    right, everything else that a signal finds is wrong: logistic regression over what the ranks
    count (`fusion.reciprocal`). The paper itself and its citations are passed over, and so are
    held-out papers with theirs. Raises LeakError for a space that has seen citations of these, or
    that is smoothed over citations: the paper's own would be in its vector.
    """
    record = find_space(db, space)
    if record.kind == "sgc":
        raise LeakError(
            f"the space {space!r} is smoothed over the citations that would be learnt from",
            "learn with the space that it was made from",
        )
    refuse_leaks([record], holdout)
    held_out = held_out_below(holdout)
    rows = db.read(
        statement("search/training_queries").text,
        space=space,
        references=MIN_REFERENCES,
        most=queries,
        held_out=held_out,
    )
    examples = list(_examples(db, space, rows, held_out, progress))
    found = Weights(
        space=space,
        signals=list(SIGNALS),
        coefficients=fit(examples),
        queries=len(rows),
        holdout=holdout,
        trained_on=corpus_fingerprint(db),
    )
    db.write(statement("search/record_weights").text, space=space, properties=asdict(found))
    return found


def _examples(
    db: Database, space: str, rows: list[dict[str, Any]], held_out: int, progress: Progress
) -> Iterator[tuple[Lists, set[str]]]:
    """For each training paper the lists of all signals, and what is right in them."""
    for done, row in enumerate(rows, 1):
        question = Question(
            words=tuple(words(row["title"], row["abstract"] or "")),
            vector=np.array(row["vector"], dtype=np.float32),
            passed=(row["id"],),
            filters=Filters(without=(row["id"],), held_out=held_out),
        )
        lists, _ = by_content(db, question, space, k=1)
        lists |= by_citations(db, question, lists, seeds_of(question, lists))
        yield lists, set(row["references"])
        progress("learn", done, len(rows))


def features(lists: Lists) -> tuple[list[str], NDArray[np.float64]]:
    """The papers of some lists, and what their ranks count: (papers, signals), 0 if not found."""
    places = ranks(lists)
    matrix = np.zeros((len(places), len(SIGNALS)))
    for row, found in enumerate(places.values()):
        for signal, rank in found.items():
            matrix[row, SIGNALS.index(signal)] = reciprocal(rank)
    return list(places), matrix


def fit(examples: list[tuple[Lists, set[str]]]) -> list[float]:
    """Fit a logistic regression to lists and what is right in them: a coefficient a signal.

    Raises GraphError where nothing that is right was found, or nothing else.
    """
    from sklearn.linear_model import LogisticRegression

    matrices, labels = [np.empty((0, len(SIGNALS)))], list[bool]()
    for lists, right in examples:
        papers, matrix = features(lists)
        matrices.append(matrix)
        labels += [paper in right for paper in papers]
    if len({*labels}) < 2:
        raise GraphError(
            "there are too few citations among training papers to learn from",
            "load more papers, or search without learnt weights",
        )
    model = LogisticRegression(max_iter=1_000).fit(np.concatenate(matrices), labels)
    return [float(value) for value in model.coef_[0]]
