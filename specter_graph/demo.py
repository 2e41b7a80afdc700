"""The demo: the whole work on one corpus, step by step, in a graph that is emptied first."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from specter_graph.core.errors import InputError
from specter_graph.core.progress import Progress, silent
from specter_graph.encoder import Encoder
from specter_graph.graph.queries.library import Answer
from specter_graph.graph.split import HOLDOUT, query_ids
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.loaders.records import Read

if TYPE_CHECKING:
    from specter_graph.evaluation import HeldOutResult


CHOICE = 100
"""How many held-out papers the demo looks at to find one for its first question."""


@dataclass(frozen=True, slots=True)
class Demo:
    """What the demo came to: the table of spaces, and some of the library's queries answered."""

    report: "HeldOutResult"
    answers: list[tuple[dict[str, object], Answer]]


def run_demo(
    graph: LiteratureGraph,
    papers: Iterable[Read],
    model_dir: Path,
    *,
    say: Callable[[str], None],
    progress: Progress = silent,
) -> Demo:
    """Load, train, embed, smooth, evaluate and ask; `say` hears of each step when it is done.

    Makes the spaces `base`, `specter`, `sgc` (over base) and `sgc_specter` (over specter), and
    the model directory. Raises InputError when no paper can be loaded.
    """
    step = _Steps(say)
    graph.maintenance.clear()
    loaded = graph.load(
        papers,
        rejects=model_dir.with_suffix(".rejects.jsonl"),
        watch=lambda summary: progress("load", summary.records, None),
    )
    counts = graph.stats()
    if not counts.papers:
        raise InputError("the corpus has no paper that can be loaded", "see docs/loading.md")
    step.done(
        f"loaded {counts.papers:,} papers and {counts.citations:,} citations among them"
        + (
            f"; {counts.citations_to_stubs:,} citations of {counts.stubs:,} papers without a record"
            if counts.stubs
            else ""
        )
        + (
            f"; {loaded.rejected:,} records rejected, see {loaded.rejects}"
            if loaded.rejected
            else ""
        )
    )
    record = graph.train(model_dir, progress=progress)
    step.done(
        f"trained on {record.triplets.triplets:,} triplets, {record.triplets.hard:,} of them hard:"
        f" validation triplet accuracy {_accuracy(record.epochs[0].validation_accuracy)} before,"
        f" {_accuracy(record.best.validation_accuracy)} after"
        + "".join(
            f", {_accuracy(metrics.validation_accuracy)} {name.replace('_', ' ')}"
            for name, metrics in record.controls.items()
        )
    )
    graph.embed(Encoder.load(record.base.name), "base", progress=progress)  # a head's is there
    graph.embed(Encoder.load(model_dir), "specter", progress=progress)
    step.done("embedded: spaces base and specter")
    graph.sgc("base", output_space="sgc", progress=progress)
    graph.sgc("specter", output_space="sgc_specter", progress=progress)
    step.done("smoothed over the citations: spaces sgc and sgc_specter")
    report = graph.evaluate.held_out(progress=progress)
    step.done("evaluated on held-out papers")
    answers = [(given, graph.query(name, **given)) for name, given in _questions(graph)]
    step.done("asked")
    return Demo(report, answers)


def _questions(graph: LiteratureGraph) -> Iterator[tuple[str, dict[str, object]]]:
    """Three queries about papers that were held out: to the model, their citations are news.

    The first paper is one whose missing references the query finds, if there is one among CHOICE.
    """
    chosen = query_ids(graph.database, "test", HOLDOUT)[:CHOICE]
    if not chosen:
        return
    missing = ({"id": each, "k": 5} for each in chosen)
    answered = (each for each in missing if graph.query("missing_references", **each).rows)
    asked: dict[str, object] = next(answered, {"id": chosen[0], "k": 5})
    paper = asked["id"]
    other = next((each for each in chosen if each != paper), paper)
    yield "missing_references", asked
    yield "citation_path", {"from": paper, "to": other, "k": 1}
    yield "disagreement", {"id": paper, "k": 5, "other": "sgc_specter"}


def _accuracy(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.1%}"


class _Steps:
    """Says what was done and how long it took."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._started = monotonic()

    def done(self, what: str) -> None:
        now = monotonic()
        self._say(f"[{now - self._started:6.1f} s] {what}")
        self._started = now
