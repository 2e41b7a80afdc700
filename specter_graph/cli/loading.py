"""The command load, and how it shows its progress."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from specter_graph.cli.corpus import print_json, print_stats
from specter_graph.cli.corpus_options import corpus_options, rejects_name
from specter_graph.cli.options import instance_option, json_option, open_graph
from specter_graph.cli.terminal import progress_bar

if TYPE_CHECKING:
    from specter_graph.graph.loading.summary import LoadSummary
    from specter_graph.loaders import Corpus

_LOG_SECONDS = 30.0


@click.command()
@corpus_options
@click.option(
    "--bulk",
    is_flag=True,
    help="Make the graph of a local instance that is empty with Neo4j's importer: much quicker.",
)
@click.option(
    "--drop-dangling",
    is_flag=True,
    help="Afterwards delete all stubs (cited papers without a record) with their citations.",
)
@click.option(
    "--rejects",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where records that cannot be used, and what was repaired, are kept with line and reason;"
    " made only if there are any.  [default: the name of the first PATH with .rejects.jsonl, in"
    " the current folder]",
)
@click.option(
    "--report",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Afterwards list, one JSON object a line, the papers that `merge` would take for the same,"
    " and conflicts. Nothing is merged.",
)
@click.option(
    "--max-rejects",
    type=click.IntRange(0),
    metavar="N",
    help="Exit with status 1 if more than N records were rejected.",
)
@click.option("--strict", is_flag=True, help="The same as --max-rejects 0.")
@instance_option
@json_option
def load(
    corpus: "Corpus",
    bulk: bool,
    drop_dangling: bool,
    rejects: Path | None,
    report: Path | None,
    max_rejects: int | None,
    strict: bool,
    instance: str | None,
    as_json: bool,
) -> None:
    """Load papers and their citations from files (plain, .gz or .zst), or from OpenAlex.

    FORMAT auto looks at each file and says what it saw. Of a folder all files in it are read.

    Loading the same files again changes nothing; a changed record replaces the old one. A load
    that was killed goes on where it stopped when the same command is run again. Fails if there are
    records but not one of them can be used.

    \b
    Example:
      specter-graph load jsonl papers.jsonl.gz
      specter-graph load openalex --seed-paper W2741809807 --hops 1
      specter-graph load jsonl papers.jsonl.gz --bulk --instance all
    """
    from specter_graph.literature_graph import LiteratureGraph

    rejects = rejects or rejects_name(corpus)
    corpus.refuse_outputs(rejects, report)
    options: dict[str, Any] = {"rejects": rejects, "drop_dangling": drop_dangling}
    if bulk:
        with bulk_progress(corpus) as shown:
            summary = LiteratureGraph.bulk_load(corpus, instance=instance, **options, **shown)
    with open_graph(instance) as graph:
        if not bulk:
            with load_progress(corpus) as watch:
                summary = graph.load(corpus, **options, watch=watch)
        if report:
            graph.preview_merge(report)
        counts, waiting = graph.stats(), graph.merged().waiting
    if as_json:
        print_json(asdict(summary) | {"graph": asdict(counts)})
    else:
        print_load_summary(summary)
        print_stats(counts)
        print_waiting(waiting)
    most = 0 if strict else max_rejects
    rejected = summary.rejected + summary.rejected_before
    if summary.rejected == summary.records > 0 or (most is not None and rejected > most):
        sys.exit(1)


def print_waiting(waiting: int) -> None:
    """Print how many records of merged papers show only after the next merge, if there are any."""
    if waiting:
        click.echo(f"{waiting:,} records of merged papers wait for: specter-graph merge")


def print_load_summary(summary: "LoadSummary") -> None:
    """Print what became of the records."""
    speed = summary.records / max(summary.seconds, 1e-9)
    click.echo(
        f"{summary.records:,} records in {summary.seconds:.1f} s ({speed:,.0f} a second) ="
        f" {summary.new:,} new + {summary.changed:,} changed + {summary.unchanged:,} unchanged"
        f" + {summary.duplicates:,} merged with another of the same id"
        f" + {summary.filtered:,} filtered + {summary.rejected:,} rejected"
    )
    if summary.parts_done_before:
        rejected = f", and {summary.rejected_before:,} of their records rejected"
        click.echo(
            f"{summary.parts_done_before:,} files were done by an earlier run of this load"
            f"{rejected if summary.rejected_before else ''}"
        )
    if summary.repaired:
        click.echo(f"{summary.repaired:,} values were left out or repaired")
    if summary.rejects:
        click.echo(f"see {summary.rejects} for what was rejected or repaired, and why")
    if summary.unknown_keys:
        click.echo(f"keys that were ignored: {', '.join(summary.unknown_keys)}")


@contextmanager
def load_progress(corpus: "Corpus") -> "Iterator[Callable[[LoadSummary], None]]":
    """Show how far a load is: a bar on a terminal, a quiet line now and then elsewhere."""
    if not sys.stderr.isatty():
        yield _LogLines(corpus)
        return
    from rich import progress as rich_progress
    from rich.console import Console

    columns = (
        rich_progress.TextColumn("load"),
        rich_progress.BarColumn(),
        rich_progress.DownloadColumn(binary_units=True),
        rich_progress.TextColumn("{task.fields[records]}"),
        rich_progress.TimeElapsedColumn(),
        rich_progress.TimeRemainingColumn(),
    )
    console = Console(stderr=True)
    with rich_progress.Progress(*columns, console=console, refresh_per_second=4) as bars:
        task = bars.add_task("load", total=corpus.size or None, records="")
        started = time.monotonic()

        def show(summary: "LoadSummary") -> None:
            bars.update(task, completed=corpus.done, records=_records(summary, started))

        yield show


@contextmanager
def bulk_progress(corpus: "Corpus") -> Iterator[dict[str, Any]]:
    """Show how far a bulk load is: as any load while it reads, then the stages that follow."""
    with ExitStack() as shown:
        showing: dict[str, Any] = {}

        def show(name: str, opened: Any) -> Any:  # noqa: ANN401, one of two displays
            if name not in showing:
                shown.close()  # a terminal shows one at a time
                showing.clear()
                showing[name] = shown.enter_context(opened())
            return showing[name]

        yield {
            "watch": lambda summary: show("load", lambda: load_progress(corpus))(summary),
            "progress": lambda *done: show("stages", progress_bar)(*done),
        }


class _LogLines:
    """A line at most every half minute, and one at the end."""

    def __init__(self, corpus: "Corpus") -> None:
        self._corpus = corpus
        self._started = time.monotonic()
        self._shown = self._started

    def __call__(self, summary: "LoadSummary") -> None:
        now = time.monotonic()
        if now - self._shown < _LOG_SECONDS and not summary.seconds:
            return
        self._shown = now
        share, spent = self._corpus.done / (self._corpus.size or 1), now - self._started
        left = f", {spent / share - spent:.0f} s left" if 0 < share < 1 else ""
        click.echo(
            f"load: {share:.0%} of {self._corpus.size / 2**20:,.1f} MiB,"
            f" {_records(summary, self._started)}{left}",
            err=True,
        )


def _records(summary: "LoadSummary", started: float) -> str:
    speed = summary.records / max(time.monotonic() - started, 1e-3)
    return f"{summary.records:,} records, {speed:,.0f}/s, {summary.rejected:,} rejected"
