"""The demo: all steps on one corpus, in a graph that is emptied first."""

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

from specter_graph.core.atomic_files import write_file
from specter_graph.core.errors import GraphError, InputError, counted
from specter_graph.core.progress import Progress, silent
from specter_graph.encoder.encoder import Encoder
from specter_graph.graph.queries.library_queries import QueryResult
from specter_graph.graph.split import HOLDOUT, query_ids
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.loaders.records import CorpusItem

if TYPE_CHECKING:
    from specter_graph.evaluation import HeldOutResult


MAX_CANDIDATES = 100
"""Maximum number of held-out papers to try for the first query."""
VENUE = "demo"
MAX_SUBMISSIONS = 30
MAX_REVIEWERS = 60
"""Maximum submissions and reviewers of the example venue."""


@dataclass(frozen=True, slots=True)
class DemoResult:
    """Result of the demo.

    Attributes:
        report: Scores of the spaces.
        answers: Parameters and rows of some library queries.
    """

    report: "HeldOutResult"
    answers: list[tuple[dict[str, object], QueryResult]]


def run_demo(
    graph: LiteratureGraph,
    papers: Iterable[CorpusItem],
    model_dir: Path,
    *,
    say: Callable[[str], None],
    progress: Progress = silent,
) -> DemoResult:
    """Load, train, embed, smooth, evaluate and query, and fill the pages of the web service.

    Writes the model directory, the spaces `base`, `specter`, `sgc` (over `base`) and `sgc_specter`
    (over `specter`), topics and the map of `specter`, the report, and a venue with an assignment.

    Args:
        graph: The graph, which is emptied.
        papers: The corpus.
        model_dir: The model directory to write.
        say: Called with a line about each step when it is done.
        progress: Called with running counts.

    Raises:
        InputError: No paper can be loaded.
    """
    started = monotonic()

    def report_step(text: str) -> None:
        nonlocal started
        say(f"[{monotonic() - started:6.1f} s] {text}")
        started = monotonic()

    graph.maintenance.clear()
    loaded = graph.load(
        papers,
        rejects=model_dir.with_suffix(".rejects.jsonl"),
        on_batch=lambda summary: progress("load", summary.records, None),
    )
    counts = graph.stats()
    if not counts.papers:
        raise InputError(
            "the corpus has no paper that can be loaded",
            f"see the rejected records and their reasons in {loaded.rejects}"
            if loaded.rejected
            else "see docs/loading.md",
        )
    step = f"loaded {counts.papers:,} papers and {counts.citations:,} citations among them"
    if counts.stubs:
        step += f"; {counted(counts.citations_to_stubs, 'citation')} of"
        step += f" {counted(counts.stubs, 'paper')} without a record"
    if loaded.rejected:
        step += f"; {counted(loaded.rejected, 'record')} rejected, see {loaded.rejects}"
    report_step(step)
    record = graph.train(model_dir, progress=progress)
    report_step(
        f"trained on {record.triplets.triplets:,} triplets, {record.triplets.hard:,} of them hard:"
        f" validation triplet accuracy {_accuracy(record.epochs[0].validation_accuracy)} before,"
        f" {_accuracy(record.best.validation_accuracy)} after"
    )
    graph.embed(
        Encoder.load(record.base.name), "base", progress=progress
    )  # unchanged after training a head
    graph.embed(Encoder.load(model_dir), "specter", progress=progress)
    report_step("embedded: spaces base and specter")
    graph.sgc("base", output_space="sgc", progress=progress)
    graph.sgc("specter", output_space="sgc_specter", progress=progress)
    report_step("smoothed over the citations: spaces sgc and sgc_specter")
    report = graph.evaluate.held_out(progress=progress)
    report_step("evaluated on held-out papers")
    answers = [(given, graph.query(name, given)) for name, given in _queries(graph)]
    report_step("ran library queries")
    for fill in (_draw_map, _report, _assign):
        try:
            report_step(fill(graph, model_dir, progress))
        except (GraphError, InputError) as error:  # no topics without GDS, no venue without authors
            report_step(f"left out: {error.one_line}")
    return DemoResult(report, answers)


def _queries(graph: LiteratureGraph) -> Iterator[tuple[str, dict[str, object]]]:
    """Yield three library queries about held-out papers, whose citations the model has not seen.

    The first paper is one with missing references, if one of MAX_CANDIDATES has any.
    """
    candidates = query_ids(graph.database, "test", HOLDOUT)[:MAX_CANDIDATES]
    if not candidates:
        return
    missing = ({"id": candidate, "k": 5} for candidate in candidates)
    answered = (
        query_id for query_id in missing if graph.query("missing_references", query_id).rows
    )
    first: dict[str, object] = next(answered, {"id": candidates[0], "k": 5})
    paper = first["id"]
    other = next((candidate for candidate in candidates if candidate != paper), paper)
    yield "missing_references", first
    yield "citation_path", {"from": paper, "to": other, "k": 1}
    yield "disagreement", {"id": paper, "k": 5, "other": "sgc_specter"}


def _draw_map(graph: LiteratureGraph, _: Path, progress: Progress) -> str:
    topics = graph.algorithms.find_topics("specter", progress=progress)
    progress("draw the map", 0, 1)
    graph.spaces.map("specter")
    return f"found {counted(len(topics), 'topic')} and drew the map"


def _report(graph: LiteratureGraph, _: Path, progress: Progress) -> str:
    file, *_rest = graph.evaluate.report(progress=progress)
    return f"wrote the report {file}"


def _assign(graph: LiteratureGraph, model_dir: Path, progress: Progress) -> str:
    """Assign the authors with the most papers to the newest papers, as reviewers."""
    files = []
    for name, limit in (("submissions", MAX_SUBMISSIONS), ("reviewers", MAX_REVIEWERS)):
        rows = graph.database.read(f"reviewing/example_{name}", limit=limit)
        file = model_dir.with_suffix(f".{name}.jsonl")
        write_file(file, "".join(f"{json.dumps(row)}\n" for row in rows))
        files.append(file)
    venue = graph.venue(VENUE)
    counts = venue.load(submissions=files[0], reviewers=files[1])
    assigned = venue.assign(progress=progress)
    return (
        f"assigned {len(assigned)} reviews of {counts.submissions} submissions to"
        f" {counts.reviewers} reviewers: the venue {VENUE}"
    )


def _accuracy(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.1%}"
