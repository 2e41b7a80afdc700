"""Scores the embedding spaces of a graph, unless they have seen what they are asked."""

import json
from collections.abc import Iterator, Mapping, Sequence

from specter_graph.errors import GraphError, InputError, LeakError
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
from specter_graph.graph.connection import Database
from specter_graph.graph.facts import HeldOutSplit, held_out_citations
from specter_graph.graph.holdout import HoldOut, current_hold_out, split_ids
from specter_graph.graph.spaces import EmbeddingSpace, read_vectors, space, spaces, text_parts
from specter_graph.graph.stats import require_papers
from specter_graph.progress import Progress, silent

READING_TASKS = frozenset({"coview", "coread", "recomm"})
"""What SciDocs' tasks of usage and recommendation are called here."""


def evaluate_spaces(
    db: Database,
    names: Sequence[str] | None = None,
    *,
    split: HeldOutSplit = "test",
    seed: int = 0,
    against: str | None = None,
    progress: Progress = silent,
) -> Report:
    """Score the named spaces, or all, side by side on the held-out papers of a split.

    Without names, base spaces come first and the others as they were made. `a,b,c` are spaces that
    differ in their seeds alone: one row, their mean; so `against` may be, which is one of the rows.

    Raises LeakError when one of them has seen citations of the held-out papers, GraphError when
    nothing is held out, there is no such space, or papers lack vectors in it, and InputError when
    `against` is no row.
    """
    systems = systems_of(db, names)
    chosen = chosen_spaces(db, [name for system in systems for name in system])
    versus = row_title(systems, against)
    facts = held_out_facts(db, chosen, split)
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


def held_out_facts(db: Database, chosen: Sequence[EmbeddingSpace], split: HeldOutSplit) -> Facts:
    """The citations of a split to score these spaces on.

    Raises LeakError when one of them has seen some, GraphError when nothing is held out.
    """
    refuse_leaks(chosen, _current(db))
    return Facts.build(split_ids(db, "train"), held_out_citations(db, split))


def refuse_leaks(chosen: Sequence[EmbeddingSpace], hold_out: HoldOut) -> None:
    """Raise LeakError for spaces made with citations that `hold_out` hides, or chosen by them."""
    leaks = [
        f"{each.property!r} (hold-out {each.holdout:g})"
        for each in chosen
        if not each.hides(hold_out.digest)
    ]
    if leaks:
        raise LeakError(
            f"made with other held-out papers than those of now: {', '.join(leaks)};"
            " they have seen citations that they would be scored on",
            f"make them again with --holdout {hold_out.fraction:g}, or choose others with --space",
        )


def tasks_seen(name: str, recorded: Mapping[str, EmbeddingSpace]) -> frozenset[str]:
    """The tasks whose answers a space has learned from: of readings, and of the venue's name.

    What it starts from counts too.
    """
    made_from = json.loads(recorded[name].sources)
    mined = made_from.get("mined", {})
    learned = {
        mined.get("source"),
        *(key for key, of in mined.get("distribution", {}).items() if of),
    }
    seen = READING_TASKS if learned & {"co_view", "co_read"} else frozenset()
    if "venue" in text_parts(recorded[name]):
        seen |= {"venue"}
    base = made_from.get("space")
    return seen | tasks_seen(base, recorded) if base in recorded and base != name else seen


def _current(db: Database) -> HoldOut:
    hold_out = current_hold_out(db)
    if hold_out is None or not hold_out.digest:
        raise GraphError(
            "no papers are held out in this graph: there is nothing to evaluate on",
            "specter-graph triplets --holdout 0.1 -o triplets.jsonl, then train and embed",
        )
    return hold_out


def _in_order(recorded: Sequence[EmbeddingSpace]) -> list[EmbeddingSpace]:
    return sorted(recorded, key=lambda each: (each.kind != "base", each.created, each.property))


def compare_spaces(
    db: Database,
    one: Sequence[str],
    other: Sequence[str],
    *,
    split: HeldOutSplit = "test",
    seed: int = 0,
    progress: Progress = silent,
) -> list[Comparison]:
    """Compare two systems on the tasks of `evaluate_spaces`, query by query.

    A system is a space, or several that differ in their seeds alone: what a query comes to is then
    averaged over these. Raises as `evaluate_spaces` does.
    """
    chosen = chosen_spaces(db, [*one, *other])
    facts = held_out_facts(db, chosen, split)
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
