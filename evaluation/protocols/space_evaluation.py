"""The embedding spaces of a graph under the protocols, unless they have learned the answers."""

from collections.abc import Iterator, Mapping, Sequence

from specter_graph.core.errors import GraphError, InputError
from specter_graph.core.progress import Progress, silent
from specter_graph.evaluation.metrics.ranking import Floats
from specter_graph.evaluation.metrics.task_results import Mean, PairedComparison, compare
from specter_graph.evaluation.protocols.dataset import PaperVectors
from specter_graph.evaluation.protocols.held_out import (
    Facts,
    HeldOutResult,
    Scores,
    SpaceVectors,
    average_scores,
    evaluate,
    nonempty_rankings,
    score,
    system_name,
)
from specter_graph.graph.checks import require_papers
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import (
    EmbeddingSpace,
    read_vectors,
    refuse_leaks,
    space,
    spaces,
    text_parts,
    usual_holdout,
)
from specter_graph.graph.evaluation_data import held_out_citations
from specter_graph.graph.split import HeldOutSplit, training_ids

READING_TASKS = frozenset({"coview", "coread", "recomm"})
"""SciDocs' tasks of usage and recommendation."""


def evaluate_spaces(
    db: Database,
    names: Sequence[str] | None = None,
    *,
    split: HeldOutSplit = "test",
    holdout: float | None = None,
    seed: int = 0,
    against: str | None = None,
    progress: Progress = silent,
) -> HeldOutResult:
    """Score the named spaces, or all, side by side on the held-out papers of a split.

    Args:
        db: The graph.
        names: The rows. Without names, base spaces come first and the others as they were made.
            `a,b,c` are spaces that differ only in their seeds: one row, their mean.
        split: The held-out papers to score on.
        holdout: The share that is held out, by default the smallest that one of the spaces was made
            under.
        seed: Draws candidates and resamples.
        against: The row, as in `names`, that the others are compared with.
        progress: Receives the number of rows that are scored.

    Raises:
        LeakError: A space has seen citations of the held-out papers.
        GraphError: There is no such space, or papers lack vectors in it.
        InputError: `against` is not a row.
    """
    systems = systems_of(db, names)
    chosen = chosen_spaces(db, [name for system in systems for name in system])
    return evaluate(
        StoredVectors(db, [each.property for each in chosen]),
        held_out_facts(db, chosen, split, holdout),
        systems=systems,
        seed=seed,
        against=row_title(systems, against),
        progress=progress,
    )


def compare_spaces(
    db: Database,
    one: Sequence[str],
    other: Sequence[str],
    *,
    split: HeldOutSplit = "test",
    holdout: float | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> list[PairedComparison]:
    """Compare two systems on the tasks of `evaluate_spaces`, query by query.

    A system is a space, or several that differ only in their seeds: the scores of a query are then
    averaged over these. Raises as `evaluate_spaces` does.
    """
    chosen = chosen_spaces(db, [*one, *other])
    facts = held_out_facts(db, chosen, split, holdout)
    tasks = nonempty_rankings(facts, seed)
    scores: dict[str, Scores] = {}
    for done, each in enumerate(chosen):
        progress("score spaces", done, len(chosen))
        scores[each.property] = score(each.property, read_vectors(db, each.property), facts, tasks)
    progress("score spaces", len(chosen), len(chosen))
    first, second = (
        {
            f"{task} {metric}": Mean(values)
            for task, by_metric in average_scores([scores[name] for name in names]).items()
            for metric, values in by_metric.items()
        }
        for names in (one, other)
    )
    return compare(first, second, seed=seed)


def systems_of(db: Database, names: Sequence[str] | None) -> list[list[str]]:
    """Return the rows for names, each one space or, of `a,b,c`, several; or all, one by one."""
    if names:
        return [name.split(",") for name in names]
    return [[each.property] for each in chosen_spaces(db, None)]


def row_title(systems: Sequence[Sequence[str]], name: str | None) -> str | None:
    """Return the title of the row of a space or of `a,b,c`; raises InputError without the row."""
    if name is None:
        return None
    row = next((each for each in systems if sorted(each) == sorted(name.split(","))), None)
    if row is None:
        raise InputError(
            f"there is no row {name!r} to compare with: the rows are"
            f" {' '.join(','.join(each) for each in systems)}",
            "name it with --space, too",
        )
    return system_name(row)


def chosen_spaces(db: Database, names: Sequence[str] | None) -> list[EmbeddingSpace]:
    """Return the named spaces, or all, base spaces first and the others as they were made.

    Raises GraphError when there is no such space, or none at all.
    """
    if names:
        return [space(db, name) for name in names]
    chosen = sorted(spaces(db), key=lambda each: (each.kind != "base", each.created, each.property))
    if not chosen:
        require_papers(db)
        raise GraphError("there is no embedding space to evaluate", "specter-graph embed")
    return chosen


def held_out_facts(
    db: Database,
    chosen: Sequence[EmbeddingSpace],
    split: HeldOutSplit,
    holdout: float | None = None,
) -> Facts:
    """Read the citations of a split to score these spaces on.

    Raises LeakError when a space has seen some of them.
    """
    holdout = usual_holdout(chosen) if holdout is None else holdout
    refuse_leaks(chosen, holdout)
    return citation_facts(db, split, holdout)


def citation_facts(db: Database, split: HeldOutSplit, holdout: float) -> Facts:
    """Read the citations of a split without checking any space."""
    return Facts.build(training_ids(db, holdout), held_out_citations(db, split, holdout))


def leaked_tasks(record: EmbeddingSpace) -> frozenset[str]:
    """Return the tasks whose answers a space has learned from: of readings, and of the venue."""
    learned = {*record.learned_from, *text_parts(record)}
    seen = READING_TASKS if learned & {"co_view", "co_read"} else frozenset()
    return seen | ({"venue"} & learned)


def split_vectors(db: Database, name: str, facts: Facts) -> tuple[PaperVectors, Floats, Floats]:
    """Read all vectors of a space, those of the held-out papers, and those of the candidates.

    Raises GraphError when papers lack vectors.
    """
    vectors = PaperVectors.build(*read_vectors(db, name), name)
    queries = [paper.id for paper in facts.papers]
    if missing := vectors.count_missing([*queries, *facts.candidates]):
        raise GraphError(
            f"{missing:,} papers have no vector in the space {name!r}",
            f"make the space again, or choose others: specter-graph embed --space {name}",
        )
    return vectors, vectors.get(queries), vectors.get(facts.candidates)


class StoredVectors(Mapping[str, SpaceVectors]):
    """The vectors of the named spaces, read each time they are asked for: one space in memory."""

    def __init__(self, db: Database, names: Sequence[str]) -> None:
        self._db = db
        self._names = dict.fromkeys(names)

    def __getitem__(self, name: str) -> SpaceVectors:
        if name not in self._names:
            raise KeyError(name)
        return read_vectors(self._db, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
