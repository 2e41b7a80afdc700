"""`lists`, `recommend` and `screen`: reading lists, and their screening for systematic reviews."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import click

import specter_graph as sg
from specter_graph.cli.options import (
    FILE,
    delete_object,
    filter_options,
    graph_command,
    k_option,
    option,
    output_option,
    seed_option,
    space_option,
    yes_option,
)
from specter_graph.cli.output import Output
from specter_graph.cli.searching import print_hits, report_matches
from specter_graph.core.errors import counted

tag_option = option("--tag", "Tag of the papers.", "TAG")
screened_option = option(
    "--screened label", "Only papers with this label of `screen`.", ("yes", "no", "none")
)

bib_option = option("--bib", "Bibliography (BibTeX, RIS, CSL, or another format of `load`).", FILE)


def _require_papers(ids: Sequence[str], bib: Path | None) -> None:
    if not ids and bib is None:
        raise click.UsageError("Give ids of papers, or --bib FILE.")


@click.group()
def lists() -> None:
    """Keep reading lists in the graph.

    The papers of a list have notes, tags and citation keys.

    \b
    Example:  specter-graph lists create reefs
              specter-graph lists add reefs hep-ph/9901001 --note "read first"
              specter-graph lists export reefs -o reefs.bib
    """


@lists.command()
@click.argument("name")
@option("--description", "Description of the list.", "TEXT")
@graph_command()
def create(graph: "sg.LiteratureGraph", name: str, description: str | None) -> object:
    """Create a reading list, or change the description of one.

    \b
    Example:  specter-graph lists create reefs --description "For the review of 2027"
    """
    return {"name": name.strip(), "created": graph.lists.create(name, description)}


@lists.command()
@click.argument("name")
@click.argument("ids", metavar="[ID]...", nargs=-1)
@bib_option
@option("--note", "Note on each of these papers.", "TEXT")
@option("--tag tags", "Tag of the papers.", "TAG", multiple=True)
@option("--key", "Citation key of the paper, if one is given.", "KEY")
@graph_command()
def add(
    graph: "sg.LiteratureGraph",
    name: str,
    ids: tuple[str, ...],
    bib: Path | None,
    note: str | None,
    tags: tuple[str, ...],
    key: str | None,
) -> object:
    """Add papers to a reading list, or notes and tags.

    If the list has a paper already, the note is replaced and the tags are added. With --bib,
    the papers of a bibliography that are in the graph are added with its citation keys.

    \b
    Example:  specter-graph lists add reefs hep-ph/9901001 hep-ph/9901002 --tag methods
              specter-graph lists add reefs --bib library.bib
              specter-graph lists add reefs hep-ph/9901001 --key Light1999 --note "see section 2"
    """
    _require_papers(ids, bib)
    if key is not None and len(ids) != 1:
        raise click.UsageError("--key is the key of one paper.")
    change = None
    if bib is not None:
        change, matched = graph.lists.add_bibliography(name, bib, note=note, tags=tags)
        report_matches(bib, matched)
    if ids:
        keys = {ids[0]: key} if key else {}
        change = graph.lists.add(name, ids, note=note, tags=tags, keys=keys)
    return change


@lists.command()
@click.argument("name")
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@graph_command()
def remove(graph: "sg.LiteratureGraph", name: str, ids: tuple[str, ...]) -> object:
    """Remove papers from a reading list; they stay in the graph.

    \b
    Example:  specter-graph lists remove reefs hep-ph/9901001
    """
    return graph.lists.remove(name, ids)


@lists.command("delete")
@click.argument("name")
@yes_option
@graph_command(None)
def delete_list(graph: "sg.LiteratureGraph", name: str, yes: bool) -> None:
    """Delete a reading list; its papers stay in the graph.

    \b
    Example:  specter-graph lists delete reefs --yes
    """
    papers = counted(len(graph.lists.entries(name)), "paper")
    delete_object(yes, f"the list {name} of {papers}", lambda: graph.lists.delete(name))


@lists.command("list")
@graph_command()
def list_(graph: "sg.LiteratureGraph") -> object:
    """Show all reading lists.

    \b
    Example:  specter-graph lists list
    """
    return graph.lists.list()


def _show_entries(output: Output, entries: "Sequence[sg.ReadingListEntry]") -> None:
    rows = [asdict(entry) for entry in entries]
    if output.format == "table":
        rows = [row | {"tags": ", ".join(row["tags"])} for row in rows]
    output.show_list(rows, ("id", "year", "title", "tags", "note"))


@lists.command()
@click.argument("name")
@tag_option
@screened_option
@graph_command(_show_entries)
def show(graph: "sg.LiteratureGraph", name: str, **selection: Any) -> object:
    """Show the papers of a reading list.

    \b
    Example:  specter-graph lists show reefs
              specter-graph lists show reefs --tag methods
    """
    return graph.lists.entries(name, **selection)


@lists.command("export")
@click.argument("name")
@output_option()
@tag_option
@screened_option
@graph_command()
def export_list(graph: "sg.LiteratureGraph", name: str, path: Path, **selection: Any) -> object:
    """Write a reading list as BibTeX, RIS, CSL-JSON or Markdown.

    The suffix of the file is the format: .bib, .ris, .json or .md. Citation keys, notes and
    tags are written, too.

    \b
    Example:  specter-graph lists export reefs -o reefs.bib
              specter-graph lists export reefs -o methods.md --tag methods
              specter-graph lists export reefs -o included.bib --screened yes
    """
    return graph.lists.export(name, path, **selection)


@click.command()
@click.argument("name")
@space_option()
@k_option
@filter_options
@graph_command(partial(Output.show, text=print_hits))
def recommend(graph: "sg.LiteratureGraph", name: str, **options: Any) -> object:
    """Find papers that are similar to a reading list.

    Papers of the list are not returned.

    \b
    Example:  specter-graph recommend reefs
              specter-graph recommend reefs --since 2020 -k 20
    """
    return graph.lists.recommend(name, **options)


@click.group()
def screen() -> None:
    """Screen a reading list for a systematic review.

    \b
    Example:  specter-graph screen rank reefs
              specter-graph screen label reefs yes hep-ph/9901001
              specter-graph screen status reefs
    """


@screen.command()
@click.argument("name")
@click.argument("label", type=click.Choice(("yes", "no", "none")))
@click.argument("ids", metavar="[ID]...", nargs=-1)
@bib_option
@graph_command()
def label(
    graph: "sg.LiteratureGraph", name: str, label: Any, ids: tuple[str, ...], bib: Path | None
) -> object:
    """Label papers of a reading list as included or excluded.

    A label is yes (included), no (excluded) or none (no label). The order of the labels is the
    order of your screening, which the stopping rule needs. With --bib, the papers of a
    bibliography are labeled, such as a collection that you exported from Zotero.

    \b
    Example:  specter-graph screen label reefs yes hep-ph/9901001
              specter-graph screen label reefs no hep-ph/9810316 hep-ph/9810329
              specter-graph screen label reefs yes --bib included.ris
    """
    _require_papers(ids, bib)
    if bib is not None:
        matched = graph.match_bibliography(bib)
        report_matches(bib, matched)
        ids = (*ids, *matched.ids)
    return graph.screening.label(name, ids, label)


@screen.command()
@click.argument("name")
@k_option
@space_option()
@seed_option
@graph_command(partial(Output.show_list, columns=("score", "year", "id", "title")))
def rank(graph: "sg.LiteratureGraph", name: str, **options: Any) -> object:
    """Rank the papers without a label: those to screen next.

    A classifier learns from your labels. Before the first yes, the order is random.

    \b
    Example:  specter-graph screen rank reefs
              specter-graph screen rank reefs -k 50 --format csv
    """
    return graph.screening.rank(name, **options)


@screen.command()
@click.argument("name")
@option(
    "--recall",
    "Share of the relevant papers that you want to include.",
    click.FloatRange(0, 1, min_open=True, max_open=True),
    0.95,
)
@graph_command()
def status(graph: "sg.LiteratureGraph", name: str, recall: float) -> object:
    """Count the papers as PRISMA does, and test whether you may stop.

    \b
    Example:  specter-graph screen status reefs
              specter-graph screen status reefs --recall 0.9
    """
    return graph.screening.status(name, recall=recall)


@screen.command("import")
@click.argument("name")
@click.argument("file", type=FILE)
@graph_command()
def import_labels(graph: "sg.LiteratureGraph", name: str, file: Path) -> object:
    """Take the labels from a table, or from RIS of Rayyan or ASReview.

    The table is CSV, TSV or Parquet, such as an export of ASReview. The column of labels is
    named asreview_label, included, label_included, final_included or label; Rayyan has its
    decisions in the column notes. The rows are in the order of screening, unless a column
    `labeled` (of ASReview: `asreview_time`) has times.

    \b
    Example:  specter-graph screen import reefs labels.csv
              specter-graph screen import reefs articles.ris
    """
    return graph.screening.import_labels(name, file)


@screen.command("export")
@click.argument("name")
@output_option()
@graph_command()
def export_labels(graph: "sg.LiteratureGraph", name: str, path: Path) -> object:
    """Write the papers of a reading list with their labels.

    The file is CSV, which ASReview reads. Stubs are left out, labeled ones too. `lists export
    --screened yes` writes the references of the included papers.

    \b
    Example:  specter-graph screen export reefs -o labels.csv
    """
    return graph.screening.export_labels(name, path)
