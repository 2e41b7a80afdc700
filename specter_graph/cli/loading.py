"""`load`, `update` and `enrich` (files and web services to the graph) and `export` (to files)."""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import specter_graph as sg
from specter_graph.cli.corpus_options import corpus_options, rejects_name
from specter_graph.cli.options import (
    FILE,
    FOLDER,
    PATH,
    ask,
    command_for,
    dry_run_option,
    flag,
    format_option,
    graph_command,
    graph_options,
    grouped_options,
    list_option,
    open_graph,
    option,
    output_option,
    ray_options,
    report_option,
    space_option,
    yes_option,
)
from specter_graph.cli.output import Output, progress_bar
from specter_graph.core.errors import InputError, counted
from specter_graph.core.progress import Progress
from specter_graph.loaders.corpus import WEB_SOURCES
from specter_graph.loaders.corpus_files import REJECTS, VANISHED

if TYPE_CHECKING:
    from specter_graph.core.parts import Workers


@click.command()
@corpus_options
@flag("--bulk", "Load an empty local instance with Neo4j's importer, which is faster.")
@flag(
    "--drop-dangling",
    "Afterwards delete all stubs (cited papers without a record) with their citations.",
)
@option(
    "--preview-merge",
    "Afterwards write the papers that `merge` would combine, and conflicts, as JSON Lines.",
    FILE,
)
@option(
    "--max-rejects",
    "Exit with status 1 if more than N records were rejected.",
    click.IntRange(0),
    metavar="N",
)
@ray_options
@graph_options
def load(
    corpus: "sg.Corpus",
    bulk: bool,
    preview_merge: Path | None,
    max_rejects: int | None,
    workers: "AbstractContextManager[Workers | None]",
    instance: str | None,
    output: Output,
    **options: Any,
) -> None:
    """Load papers and citations from files or OpenAlex.

    FORMAT auto detects the format of each file. All files of a folder are read; files may be
    compressed (.gz, .zst).

    Loading the same files again changes nothing; a changed record replaces the old one. Run an
    interrupted load again to continue it. The command fails if every record was rejected.

    \b
    Example:  specter-graph load jsonl papers.jsonl.gz
              specter-graph load openalex --seed-paper W2741809807 --hops 1
              specter-graph load jsonl papers.jsonl.gz --bulk --instance all
              specter-graph load jsonl papers/ --bulk --ray local
    """
    if not bulk and click.get_current_context().params["ray"]:
        raise click.UsageError("--ray needs --bulk.")
    corpus.refuse_outputs(options["rejects"], preview_merge)
    if bulk:
        with workers as given, _load_progress(corpus) as (on_batch, progress):
            options |= {"workers": given, "progress": progress}
            summary = sg.LiteratureGraph.bulk_load(
                corpus, instance=instance, on_batch=on_batch, **options
            )
    with open_graph(instance, create=True) as graph:
        if not bulk:
            with _load_progress(corpus) as (on_batch, _):
                summary = graph.load(corpus, **options, on_batch=on_batch)
        if preview_merge:
            graph.maintenance.preview_merge(preview_merge)
        counts, spaces, space = graph.stats(), graph.spaces.list(), graph.spaces.default()
        _warn_waiting(graph)
    output.show(asdict(summary) | {"graph": asdict(counts)})
    if not spaces and counts.papers:
        command = command_for("embed --model static")
        click.echo(f"next: {command}, then search by meaning", err=True)
    elif space and (changed := summary.new + summary.changed):
        command = command_for(f"embed --space {space}")
        papers = counted(changed, "new or changed paper")
        click.echo(f"next: {command}, for the vectors of {papers}", err=True)
    _require_accepted(summary)
    if max_rejects is not None and summary.rejected + summary.rejected_before > max_rejects:
        sys.exit(1)


@click.command()
@corpus_options
@option(
    "--vanished",
    "File for the papers that the snapshot no longer has.",
    FILE,
    shown="the first file's name and .vanished.jsonl, in the current folder",
)
@flag("--delete-vanished", "Delete the papers that the snapshot no longer has.")
@yes_option
@graph_options
def update(
    corpus: "sg.Corpus",
    rejects: Path,
    vanished: Path | None,
    delete_vanished: bool,
    yes: bool,
    instance: str | None,
    output: Output,
) -> None:
    """Bring the graph to a newer snapshot of a corpus.

    New records are added, changed records replace the old ones, and retractions are marked. Papers
    that the snapshot no longer has are listed, and deleted with --delete-vanished. Only papers that
    were loaded together with papers of the snapshot count. Nothing is deleted if a record of the
    snapshot was rejected, because it may be the record of a paper that seems to be missing.

    \b
    Example:  specter-graph update jsonl papers-2026.jsonl.gz
              specter-graph update openalex works/ --delete-vanished --yes
    """
    name = rejects_name(corpus).name
    vanished = vanished or Path(f"{name.removesuffix(REJECTS)}{VANISHED}")
    corpus.refuse_outputs(rejects, vanished)
    with open_graph(instance) as graph:
        with _load_progress(corpus) as (on_batch, _):
            summary = graph.maintenance.update(corpus, vanished, rejects=rejects, on_batch=on_batch)
        _warn_waiting(graph)
        if summary.vanished and (reason := summary.incomplete_reason):
            click.echo(f"{reason}, so some papers in {summary.file} may still exist", err=True)
        deleted = None
        question = f"Delete {counted(summary.vanished, 'paper')}, listed in {summary.file}?"
        if (
            delete_vanished
            and summary.vanished
            and (yes or summary.incomplete_reason or ask(question))
        ):
            with progress_bar() as progress:
                deleted = graph.maintenance.delete_vanished(summary, progress=progress)
    output.show(asdict(summary) | {"deleted": asdict(deleted) if deleted else None})
    _require_accepted(summary.load)


def _print_enriched(output: Output, summary: "sg.EnrichSummary") -> None:
    """Print a row for each part, with a column for each source that has it."""
    used = [name for name in WEB_SOURCES if any(name in part.by_source for part in summary.parts)]
    output.show_rows(
        [
            {"part": part.part, "missing": part.missing}
            | {name: part.by_source.get(name, 0) for name in used}
            | {"remaining": part.remaining}
            for part in summary.parts
        ]
    )
    requests = ", ".join(f"{number:,} to {name}" for name, number in summary.requests.items())
    click.echo(
        f"{counted(summary.papers, 'paper')}; requests: {requests};"
        f" {counted(summary.merge.conflicts, 'conflict')}"
    )
    if summary.unidentified:
        click.echo(
            f"{counted(summary.unidentified, 'paper')} cannot be looked up: no identifier, and not"
            " all of title, year and author"
        )


def _show_enriched(output: Output, result: object) -> None:
    """Print the summary, or the plan of --dry-run; exit with status 1 if a source failed."""
    if not isinstance(result, sg.EnrichSummary):
        output.show(result)
        return
    output.show(result, partial(_print_enriched, output))
    for source, failure in result.failures.items():
        click.echo(f"{source}: {failure}", err=True)
    if result.failures:
        sys.exit(1)


@click.command()
@flag("--abstracts", "Look up missing abstracts.")
@flag("--identifiers", "Look up missing DOIs, and ids of arXiv, PubMed, OpenAlex and S2.")
@flag("--references", "Look up the references of papers that have none.")
@flag("--citing", "Look up the papers that cite a paper.")
@option(
    "--from sources",
    "Ask this source; the first that has a value counts.",
    WEB_SOURCES,
    multiple=True,
    shown=", ".join(WEB_SOURCES),
)
@list_option
@option("--max-papers", "Send requests for at most N papers.", click.IntRange(1), metavar="N")
@option(
    "--mailto",
    "Your e-mail address, which is sent with each request.",
    "ADDRESS",
    shown="OPENALEX_EMAIL",
)
@option(
    "--max-age", "Ask again if a stored answer is older.", click.FloatRange(0), 30.0, metavar="DAYS"
)
@dry_run_option
@report_option
@graph_command(_show_enriched)
def enrich(
    graph: "sg.LiteratureGraph",
    sources: tuple[str, ...],
    mailto: str | None,
    dry_run: bool,
    report: Path | None,
    **options: Any,
) -> object:
    """Look up missing data of your papers in web services.

    The services are OpenAlex, Crossref, Semantic Scholar and others (--from). By default,
    abstracts, identifiers and references are looked up. Your own values remain. The command
    ends with a merge, by the rules of the last merge. All answers are stored: run an
    interrupted command again to continue it. With --dry-run, nothing is sent: the papers that
    lack data, and the number of requests, are printed.

    \b
    Example:
      specter-graph enrich --mailto you@example.org --dry-run
      specter-graph enrich --mailto you@example.org
      specter-graph enrich --citing --from openalex --list thesis
    """
    named = {
        part: options.pop(part) for part in ("abstracts", "identifiers", "references", "citing")
    }
    options |= {"parts": [part for part, is_named in named.items() if is_named]}
    options |= {"sources": sources or WEB_SOURCES}
    if dry_run:
        return graph.maintenance.preview_enrich(**options)
    with progress_bar() as progress:
        return graph.maintenance.enrich(**options, mailto=mailto, report=report, progress=progress)


def _require_accepted(summary: "sg.LoadSummary") -> None:
    """Raise InputError if all records of a load were rejected."""
    if summary.rejected == summary.records > 0:
        raise InputError(
            f"every record was rejected ({summary.records:,})",
            f"read the reasons in {summary.rejects}; `auto` as the format detects the format",
        )


def _warn_waiting(graph: "sg.LiteratureGraph") -> None:
    if pending := graph.maintenance.merge_status().pending:
        click.echo(
            f"{counted(pending, 'record of merged papers is', 'records of merged papers are')}"
            f" pending: run {command_for('merge')}",
            err=True,
        )


@contextmanager
def _load_progress(
    corpus: "sg.Corpus",
) -> "Iterator[tuple[Callable[[sg.LoadSummary], None], Progress]]":
    """Show the progress of a load and of the stages that follow it."""
    with progress_bar() as progress:

        def on_batch(summary: "sg.LoadSummary") -> None:
            progress("MiB read", corpus.done >> 20, corpus.size >> 20 or None)
            progress("records", summary.records, None)

        yield on_batch, progress


def _make_selection(**given: Any) -> dict[str, Any]:
    if given["hops"] and given["around"] is None:
        raise click.UsageError("--hops goes with --around PAPER_ID.")
    return given | {"hops": given["hops"] or 1}


_selection_options = grouped_options(
    "selection",
    _make_selection,
    option("--field", "Only papers about this field, such as cs.LG.", "NAME"),
    option("--around", "Only papers near this one; see --hops.", "PAPER_ID"),
    option("--hops", "Number of citations to follow.", click.IntRange(1), shown="1", metavar="N"),
    list_option,
)
"""Options that select papers; the command gets the values as arguments of an export."""


@click.group()
def export() -> None:
    """Write the graph or a model for other programs.

    \b
    Example:  specter-graph export graph -o papers.jsonl.gz
              specter-graph export model MODEL_DIR -o for-sentence-transformers
    """


@export.command()
@output_option(PATH)
@_selection_options
@space_option(multiple=True, shown="none")
@graph_options
def graph(
    path: Path,
    selection: dict[str, Any],
    spaces: tuple[str, ...],
    output: Output,
    instance: str | None,
) -> None:
    """Write papers and citations.

    You can select the papers of a field, of a list, or around a paper. The suffix of PATH is
    the format. A .jsonl file (also .jsonl.gz, .jsonl.zst) can be loaded again; a .parquet
    folder has tables with all data of the papers; .graphml is for NetworkX and Gephi, .pt for
    PyTorch Geometric; .bib, .ris and .json (CSL-JSON) are for reference managers. The vectors
    of each --space are written, too. PATH appears when it is complete.

    \b
    Example:  specter-graph export graph -o papers.jsonl.gz
              specter-graph export graph -o reading-list.bib --around hep-ph/9901001 --hops 1
              specter-graph export graph -o tables.parquet --field hep-ph --space specter
    """
    from specter_graph.graph.export import check_export

    check_export(path, spaces)
    with open_graph(instance) as opened, progress_bar() as progress:
        summary = opened.export(path, spaces=spaces, **selection, progress=progress)
    output.show(summary)


@export.command()
@click.argument("kind", type=click.Choice(("co-citation", "coupling", "co-author", "keyword")))
@output_option()
@option("--min-papers", "Minimum number of papers of an item.", click.IntRange(1), 5)
@option("--min-weight", "Minimum weight of a link.", click.IntRange(1), 2)
@_selection_options
@graph_command(progress=True)
def network(
    opened: "sg.LiteratureGraph",
    kind: Any,
    path: Path,
    selection: dict[str, Any],
    **options: Any,
) -> object:
    """Write a network for VOSviewer, Gephi, Pajek or NetworkX.

    The linked items are papers that are cited together (co-citation), papers with common
    references (coupling; --min-papers counts their references), authors of the same papers
    (co-author), or keywords of the same papers (keyword). The suffix of the file is the format:
    .json for VOSviewer, .gexf, .net for Pajek, or .graphml.

    \b
    Example:  specter-graph export network co-citation -o co-citation.json --min-papers 10
              specter-graph export network co-author -o authors.gexf --field hep-ph
              specter-graph export network keyword -o keywords.net --min-weight 3
    """
    return opened.export_network(path, kind, **selection, **options)


@export.command()
@click.argument("name", metavar="MODEL")
@output_option(FOLDER)
@format_option
def model(name: str, path: Path, output: Output) -> None:
    """Write a model for sentence-transformers.

    The vectors stay the same. MODEL is a model directory that `train` wrote, or the name of a
    base model. FOLDER must not exist. The vectors of some texts are compared before it appears;
    its README.md says how the model was made and how to use it.

    \b
    Example:  specter-graph export model model -o for-sentence-transformers
    """
    output.show(sg.export_model(name, path))
