"""Evaluation of the embedding spaces of a graph, and checks against data leakage."""

from collections.abc import Callable, Mapping, Sequence
from itertools import chain

import numpy as np

from specter_graph.core.errors import GraphError, InputError, text_list
from specter_graph.core.progress import Progress, silent, tracked
from specter_graph.core.vectors import Vectors
from specter_graph.evaluation.metrics.ranking import require_trec_eval
from specter_graph.evaluation.metrics.task_results import Mean, PairedComparison, compare
from specter_graph.evaluation.protocols.dataset import PaperVectors
from specter_graph.evaluation.protocols.held_out import (
    HeldOutData,
    HeldOutResult,
    HeldOutRow,
    Scores,
    SpaceVectors,
    evaluate,
    nonempty_rankings,
    require_in_space,
    score,
    stack_seeds,
    systems_by_name,
)
from specter_graph.graph.contents import require_papers
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import (
    EmbeddingSpace,
    check_no_leakage,
    get_space,
    list_spaces,
    read_vectors,
    text_parts,
    usual_holdout,
)
from specter_graph.graph.evaluation_data import held_out_citations
from specter_graph.graph.split import (
    MANY_REFERENCES,
    SOME_REFERENCES,
    HeldOutSplit,
    near_duplicates,
    paper_dates,
    query_ids,
    training_ids,
)

READING_TASKS = frozenset({"coview", "coview-last", "coread", "coread-last", "recomm"})
"""The tasks that are made from readings."""

MIN_VALIDATION = 30
"""Minimum number of validation papers for choosing settings."""


def evaluate_spaces(
    db: Database,
    spaces: Sequence[str] | None = None,
    *,
    split: HeldOutSplit = "test",
    holdout: float | None = None,
    seed: int = 0,
    compare_to: str | None = None,
    progress: Progress = silent,
) -> HeldOutResult:
    """Score spaces on the held-out papers of a split.

    Args:
        db: The graph.
        spaces: The systems, by default all spaces: base spaces first, the others by their creation;
            imported ones only if they were made without citations. `a,b,c` are spaces that differ
            only in their seeds, whose scores are averaged.
        split: The held-out papers to score on.
        holdout: The share that is held out, by default the smallest of the spaces.
        seed: Random seed of candidates and resamples.
        compare_to: The system, as in `spaces`, that the others are compared with.
        progress: Called with the number of scored systems.

    Raises:
        LeakError: A space has seen citations of the held-out papers.
        GraphError: A space does not exist, or papers lack vectors.
        InputError: `compare_to` is not one of the systems.
    """
    systems, chosen = chosen_systems(db, spaces)
    return evaluate(
        StoredVectors(db),
        held_out_data(db, chosen, split, holdout, variants=True),
        systems=systems,
        seed=seed,
        compare_to=find_system(systems, compare_to),
        progress=progress,
    )


def compare_spaces(
    db: Database,
    one: str | Sequence[str],
    other: str | Sequence[str],
    *,
    split: HeldOutSplit = "test",
    holdout: float | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> list[PairedComparison]:
    """Compare two systems on the tasks of `evaluate_spaces`, paired by query.

    Args:
        db: The graph.
        one: A space, or several (`a,b,c` or a list) that differ only in their seeds, whose scores
            are averaged for each query.
        other: The other system.
        split: The held-out papers to score on.
        holdout: The share that is held out, by default the smallest of the spaces.
        seed: Random seed of candidates and resamples.
        progress: Called with the number of scored spaces.

    Raises:
        LeakError: A space has seen citations of the held-out papers.
        GraphError: A space does not exist, or papers lack vectors.
    """
    require_trec_eval()
    pair = [
        _split_seeds(names) if isinstance(names, str) else _list_names(names)
        for names in (one, other)
    ]
    chosen = _read_spaces(db, pair)
    data = held_out_data(db, chosen, split, holdout)
    tasks = nonempty_rankings(data, seed)
    scores: dict[str, Scores] = {}
    for record in tracked(chosen, "score spaces", progress):
        scores[record.name] = score(record.name, read_vectors(db, record.name), data, tasks)
    first, second = (
        {
            f"{task} {metric}": Mean(values)
            for task, by_metric in stack_seeds([scores[name] for name in names]).items()
            for metric, values in by_metric.items()
        }
        for names in pair
    )
    return compare(first, second, seed=seed)


def chosen_systems(
    db: Database, spaces: str | Sequence[str] | None
) -> tuple[dict[str, Sequence[str]], list[EmbeddingSpace]]:
    """Return the spaces of each system (`a` or `a,b,c`) by its name, and the records of all.

    By default, each space is a system, except those of unknown training if there are others.
    Raises errors like `chosen_spaces`, and InputError when the spaces of a system differ in more
    than their seeds, or one is repeated, or trec_eval is not installed.
    """
    require_trec_eval()
    if spaces is None:
        chosen = chosen_spaces(db, None)
        chosen = [record for record in chosen if not record.has_unknown_training()] or chosen
        return systems_by_name([[record.name] for record in chosen]), chosen
    given = [spaces] if isinstance(spaces, str) else _list_names(spaces)
    systems = [_split_seeds(name) for name in given]
    return systems_by_name(systems), _read_spaces(db, systems)


def _list_names(spaces: Sequence[str]) -> list[str]:
    """Return the names in a list; raises InputError if it has none."""
    if not (names := text_list("spaces", spaces)):
        raise InputError("spaces is an empty list", "name a space, or leave out spaces for all")
    return names


def _split_seeds(name: str) -> list[str]:
    """Return the spaces of the system `a` or `a,b,c`; raises InputError if one is repeated."""
    spaces = name.split(",")
    if len({*spaces}) < len(spaces):
        raise InputError(f"{name} repeats a space", "name each seed once")
    return spaces


def _read_spaces(db: Database, systems: Sequence[Sequence[str]]) -> list[EmbeddingSpace]:
    """Return the spaces of systems; raises InputError if those of one are not different seeds."""
    chosen = chosen_spaces(db, [*chain(*systems)])
    origins = {record.name: (record.kind, record.base, record.dimension) for record in chosen}
    for names in systems:
        if len({origins[name] for name in names}) > 1:
            listed = ", ".join(f"{name} is {' '.join(map(str, origins[name]))}" for name in names)
            raise InputError(
                f"{','.join(names)} are not seeds of one system: {listed} (kind, base, dimension)",
                "join only spaces that differ in their random seed by commas",
            )
    return chosen


def find_system(systems: Mapping[str, Sequence[str]], name: str | None) -> str | None:
    """Return the name of the system `a` or `a,b,c`; raises InputError if it is not scored."""
    if name is None:
        return None
    wanted = sorted(name.split(","))
    row = next((row for row, names in systems.items() if sorted(names) == wanted), None)
    if row is None:
        known = " ".join(map(",".join, systems.values()))
        raise InputError(f"{name!r} is not one of the systems: {known}", "add it to the spaces")
    return row


def chosen_spaces(db: Database, spaces: Sequence[str] | None) -> list[EmbeddingSpace]:
    """Return the named spaces, or all: base spaces first, the others by their creation.

    Raises GraphError when a space does not exist, or the graph has none, and InputError when the
    list is empty.
    """
    if spaces is not None:
        return [get_space(db, name) for name in _list_names(spaces)]
    chosen = sorted(
        list_spaces(db), key=lambda record: (record.kind != "base", record.created, record.name)
    )
    if not chosen:
        require_papers(db)
        raise GraphError("the graph has no embedding space to evaluate", "specter-graph embed")
    return chosen


def held_out_data(
    db: Database,
    chosen: Sequence[EmbeddingSpace],
    split: HeldOutSplit,
    holdout: float | None = None,
    *,
    variants: bool = False,
    references: range = MANY_REFERENCES,
) -> HeldOutData:
    """Read the citations of a split; raises LeakError when a space has seen some of them."""
    holdout = usual_holdout(chosen) if holdout is None else holdout
    check_no_leakage(chosen, holdout)
    return citation_data(db, split, holdout, variants=variants, references=references)


def citation_data(
    db: Database,
    split: HeldOutSplit,
    holdout: float,
    *,
    variants: bool = False,
    references: range = MANY_REFERENCES,
) -> HeldOutData:
    """Read the citations of the papers of a split without checking any space, see `query_ids`.

    For the variants of the tasks, dates, near-duplicates and papers with 1 to 4 references are read
    too.
    """
    training = training_ids(db, holdout)
    papers = held_out_citations(db, split, holdout, references=references)
    rows = (HeldOutRow(*paper) for paper in papers)
    if not variants:
        return HeldOutData.build(training, rows)
    near = {paper for paper, _ in near_duplicates(db, query_ids(db, split, holdout), holdout)}
    rows = (row._replace(is_distinct=row.id not in near) for row in rows)
    short = held_out_citations(db, split, holdout, references=SOME_REFERENCES)
    return HeldOutData.build(
        training,
        chain(rows, (HeldOutRow(*paper, is_short=True) for paper in short)),
        dict(paper_dates(db)),
    )


def leaked_tasks(record: EmbeddingSpace) -> frozenset[str]:
    """Return the tasks whose answers, readings or venues, a space has learned from.

    With a hold-out, triplets of readings have no held-out paper and no last reading of a reader.
    Triplets of a file may come from any readings.
    """
    learned = {*record.learned_from, *text_parts(record)}
    seen = READING_TASKS if "file" in learned or not record.holdout else {"recomm"}
    return frozenset(seen if learned & {"co_view", "co_read", "file"} else ()) | (
        {"venue"} & learned
    )


def split_vectors(
    db: Database, name: str, data: HeldOutData
) -> tuple[PaperVectors, Vectors, Vectors]:
    """Return all vectors of a space, those of held-out papers, and those of candidates.

    The arrays are (n, d) float32, as stored.

    Raises GraphError when papers lack vectors.
    """
    ids, array = read_vectors(db, name)
    vectors = PaperVectors.build(ids, array, name)
    queries = [paper.id for paper in data.papers]
    require_in_space(name, vectors.rows, [*queries, *data.candidates])
    rows = vectors.rows
    return vectors, array[[rows[id] for id in queries]], array[[rows[id] for id in data.candidates]]


class StoredVectors(dict[str, SpaceVectors]):
    """Vectors by space, read at each access and not stored: one space is in memory at a time.

    `papers` are the numbers of vectors of the spaces that were read.
    """

    def __init__(self, db: Database) -> None:
        super().__init__()
        self.db = db
        self.papers: dict[str, int] = {}

    def __missing__(self, name: str) -> SpaceVectors:
        ids, vectors = read_vectors(self.db, name)
        self.papers[name] = len(ids)
        return ids, vectors


def validation_score(db: Database, holdout: float) -> Callable[[Sequence[str], Vectors], float]:
    """Return a function that scores vectors by the mean of all metrics on the validation papers.

    Raises InputError if there are fewer than `MIN_VALIDATION` validation papers.
    """
    require_trec_eval()
    data = citation_data(db, "validation", holdout)
    tasks = nonempty_rankings(data, 0)
    if len(data.papers) < MIN_VALIDATION:
        raise InputError(
            f"{len(data.papers)} validation papers with citations are too few to choose settings:"
            f" at least {MIN_VALIDATION} are needed",
            "do not tune, or use a larger hold-out",
        )

    def mean(ids: Sequence[str], vectors: Vectors) -> float:
        scores = score("candidate", (ids, vectors), data, tasks)
        return float(np.mean([v.mean() for metrics in scores.values() for v in metrics.values()]))

    return mean
