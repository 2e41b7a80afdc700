"""Commands for what the graph holds: load, stats, clear."""

import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from specter_graph.cli.options import instance_option, json_option, open_graph
from specter_graph.cli.terminal import progress_bar

if TYPE_CHECKING:
    from specter_graph.graph.load import LoadSummary
    from specter_graph.graph.stats import Stats


@click.command()
@click.argument("form", metavar="FORMAT", type=click.Choice(["jsonl"]))
@click.argument(
    "paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path)
)
@click.option(
    "--rejects",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where records that cannot be used are kept, with line and reason; made only if there are"
    " any.  [default: the name of the first PATH with .rejects.jsonl, in the current folder]",
)
@instance_option
@json_option
def load(
    form: str, paths: tuple[Path, ...], rejects: Path | None, instance: str | None, as_json: bool
) -> None:
    """Load papers and their citations from files (plain, .gz or .zst).

    FORMAT is jsonl: one JSON object a line with id and title, and, if known, abstract, year,
    authors, venue, doi, published, fields and references (ids of the papers cited).

    Loading the same files again changes nothing; a changed record replaces the old one. Fails if
    there are records but not one of them can be used.

    \b
    Example:
      specter-graph load jsonl papers.jsonl.gz
    """
    from specter_graph.loaders import open_corpus

    corpus = open_corpus(form, *paths)
    rejects = rejects or Path(f"{paths[0].name}.rejects.jsonl")
    with open_graph(instance) as graph:
        with progress_bar() as progress:
            summary = graph.load(
                corpus,
                rejects=rejects,
                progress=lambda stage, done, total: progress(
                    stage, done, total or corpus.expected(done)
                ),
            )
        counts = graph.stats()
    if as_json:
        _print_json(asdict(summary) | {"graph": asdict(counts)})
    else:
        _print_summary(summary)
        _print_stats(counts)
    if summary.rejected == summary.records > 0:
        sys.exit(1)


@click.command()
@instance_option
@json_option
def stats(instance: str | None, as_json: bool) -> None:
    """Count papers, stubs (cited papers without a record), citations, authors and the rest.

    \b
    Example:
      specter-graph stats --json
    """
    with open_graph(instance) as graph:
        counts = graph.stats()
    if as_json:
        _print_json(asdict(counts))
    else:
        _print_stats(counts)


@click.command()
@click.option("--yes", is_flag=True, help="Do not ask.")
@instance_option
def clear(yes: bool, instance: str | None) -> None:
    """Delete all papers, citations, embedding spaces and their indexes; the schema stays.

    \b
    Example:
      specter-graph clear --instance demo --yes
    """
    with open_graph(instance) as graph:
        if not yes:
            counts = graph.stats()
            click.confirm(
                f"Delete {counts.papers:,} papers with {counts.citations:,} citations"
                f" and {len(counts.spaces)} embedding spaces?",
                abort=True,
                err=True,
            )
        graph.clear()
    click.echo("the graph is empty", err=True)


def _print_json(value: object) -> None:
    import orjson

    click.echo(orjson.dumps(value, option=orjson.OPT_INDENT_2))


def _print_summary(summary: "LoadSummary") -> None:
    speed = summary.records / max(summary.seconds, 1e-9)
    click.echo(
        f"{summary.records:,} records in {summary.seconds:.1f} s ({speed:,.0f} a second):"
        f" {summary.new:,} new, {summary.changed:,} changed, {summary.unchanged:,} unchanged"
    )
    if summary.duplicates:
        click.echo(f"{summary.duplicates:,} gave way to a longer record of the same paper")
    if summary.self_citations or summary.repeated_references:
        click.echo(
            f"left out: {summary.self_citations:,} references of papers to themselves,"
            f" {summary.repeated_references:,} that a paper gives twice"
        )
    if summary.unknown_keys:
        click.echo(f"keys that were ignored: {', '.join(summary.unknown_keys)}")
    if summary.rejected:
        click.echo(f"{summary.rejected:,} rejected; see {summary.rejects}")


def _print_stats(counts: "Stats") -> None:
    rows = {
        "papers": counts.papers,
        "citations among them": counts.citations,
        "citations to stubs": counts.citations_to_stubs,
        "stubs": counts.stubs,
        "authors": counts.authors,
        "venues": counts.venues,
        "fields": counts.fields,
    }
    for name, count in rows.items():
        click.echo(f"{name:22}{count:>12,}")
    click.echo(f"{'embedding spaces':22}{', '.join(counts.spaces) or 'none':>12}")
