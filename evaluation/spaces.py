"""Scores the embedding spaces of a graph, unless they have seen what they are asked."""

from collections.abc import Iterator, Mapping, Sequence

from specter_graph.core.errors import GraphError, InputError
from specter_graph.core.progress import Progress, silent
from specter_graph.evaluation.facts import Facts
from specter_graph.evaluation.measures import Mean, Measure
from specter_graph.evaluation.protocol import rankings
from specter_graph.evaluation.scoring import (
    METRICS,
    Report,
    Vectors,
    averaged,
    evaluate,
    score,
    system_name,
)
from specter_graph.evaluation.significance import Comparison, compare
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
"""What SciDocs' tasks of usage and recommendation are called here."""


def evaluate_spaces(
    db: Database,
    names: Sequence[str] | None = None,
    *,
    split: HeldOutSplit = "test",
    holdout: float | None = None,
    seed: int = 0,
    against: str | None = None,
    progress: Progress = silent,
) -> Report:
    """Score the named spaces, or all, side by side on the held-out papers of a split.

    Without names, base spaces come first and the others as they were made. `a,b,c` are spaces that
    differ in their seeds alone: one row, their mean; so `against` may be, which is one of the rows.
    Papers are held out under `holdout`, by default under the smallest that one of the spaces was
    made under.

    Raises LeakError when one of them has seen citations of the held-out papers, GraphError when
    there is no such space, or papers lack vectors in it, and InputError when `against` is no row.
    """
    systems = systems_of(db, names)
    chosen = chosen_spaces(db, [name for system in systems for name in system])
    versus = row_title(systems, against)
    facts = held_out_facts(db, chosen, split, holdout)
    stored = StoredVectors(db, [each.property for each in chosen])
    return evaluate(
        stored,
        facts,
        systems=systems,
        seed=seed,
        against=versus,
        progress=progress,
    )


def systems_of(db: Database, names: Sequence[str] | None) -> list[list[str]]:
    """The rows that names ask for, each one space or, of `a,b,c`, several; or all, one by one."""
    if names:
        return [name.split(",") for name in names]
    return [[each.property] for each in chosen_spaces(db, None)]


def row_title(systems: Sequence[Sequence[str]], name: str | None) -> str | None:
    """The title of the row of these very spaces, one or `a,b,c`; InputError without such a row."""
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
    """The named spaces, or all, base spaces first and the others as they were made.

    Raises GraphError when there is no such space, or none at all.
    """
    chosen = [space(db, name) for name in names] if names else _in_order(spaces(db))
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

    Raises LeakError when one of them has seen some.
    """
    holdout = usual_holdout(chosen) if holdout is None else holdout
    refuse_leaks(chosen, holdout)
    return citation_facts(db, split, holdout)


def citation_facts(db: Database, split: HeldOutSplit, holdout: float) -> Facts:
    """Read the citations of a split, whatever is scored on them."""
    return Facts.build(training_ids(db, holdout), held_out_citations(db, split, holdout))


def tasks_seen(record: EmbeddingSpace) -> frozenset[str]:
    """Return the tasks whose answers a space has learned from: of readings, and of the venue."""
    learned = {*record.learned_from, *text_parts(record)}
    seen = READING_TASKS if learned & {"co_view", "co_read"} else frozenset()
    return seen | ({"venue"} & learned)


def _in_order(recorded: Sequence[EmbeddingSpace]) -> list[EmbeddingSpace]:
    return sorted(recorded, key=lambda each: (each.kind != "base", each.created, each.property))


def compare_spaces(
    db: Database,
    one: Sequence[str],
    other: Sequence[str],
    *,
    split: HeldOutSplit = "test",
    holdout: float | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> list[Comparison]:
    """Compare two systems on the tasks of `evaluate_spaces`, query by query.

    A system is a space, or several that differ in their seeds alone: what a query comes to is then
    averaged over these. Raises as `evaluate_spaces` does.
    """
    chosen = chosen_spaces(db, [*one, *other])
    facts = held_out_facts(db, chosen, split, holdout)
    asked = {task: some for task, some in rankings(facts, seed).items() if some}
    if not asked:
        raise GraphError("no held-out paper has anything to find")
    scores = {}
    for done, each in enumerate(chosen):
        progress("score spaces", done, len(chosen))
        scores[each.property] = score(each.property, read_vectors(db, each.property), facts, asked)
    progress("score spaces", len(chosen), len(chosen))

    def measured(names: Sequence[str]) -> dict[str, Measure]:
        mean = averaged([scores[name] for name in names])
        return {
            f"{task} {metric}": Mean(mean[task][metric])
            for task in asked
            for metric in METRICS[task]
        }

    return compare(measured(one), measured(other), seed=seed)


class StoredVectors(Mapping[str, Vectors]):
    """The vectors of the named spaces, read each time they are asked for: one space in memory."""

    def __init__(self, db: Database, names: Sequence[str]) -> None:
        self._db = db
        self._names = dict.fromkeys(names)

    def __getitem__(self, name: str) -> Vectors:
        if name not in self._names:
            raise KeyError(name)
        return read_vectors(self._db, name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)
