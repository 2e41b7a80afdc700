"""`evaluate` and `report`: embedding spaces on held-out papers, and on other tasks.

`options` of a command are arguments of the method that it calls.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

import specter_graph as sg
from specter_graph.cli.options import (
    FILE,
    FOLDER,
    flag,
    graph_command,
    graph_options,
    open_graph,
    option,
    output_option,
    scored_holdout_option,
    seed_option,
    space_option,
    split_option,
)
from specter_graph.cli.output import Output, fits, progress_bar
from specter_graph.core.atomic_files import read_ids
from specter_graph.core.progress import Progress

if TYPE_CHECKING:
    from specter_graph.evaluation.report.table import ResultTable

_spaces_option = space_option(
    multiple=True, shown="all", callback=lambda _context, _option, names: names or None
)
_compare_to_option = option("--compare-to", "Compare the other spaces with this space.", "NAME")
_label_scheme_option = option(
    "--label-scheme",
    "Labels of papers: a scheme of fields, or `venue`.",
    "NAME",
    shown="the labels that most papers have",
)


def _show_table(output: Output, result: "tuple[Any, ResultTable]") -> None:
    output.show_table(*result)


def _show_held_out(output: Output, result: "tuple[sg.HeldOutResult, Iterable[str]]") -> None:
    show_report(output, *result)


@click.group()
def evaluate() -> None:
    """Evaluate embedding spaces.

    Choose settings on the validation split, and report results on the test split. Name several
    spaces that differ only in their seeds with commas, as in --space specter_0,specter_1: their
    scores are averaged.

    \b
    Example:  specter-graph evaluate held-out
              specter-graph evaluate compare specter base
    """


@evaluate.command("held-out")
@_spaces_option
@split_option
@_compare_to_option
@scored_holdout_option
@seed_option
@graph_command(_show_held_out, progress=True)
def held_out(graph: "sg.LiteratureGraph", spaces: tuple[str, ...] | None, **options: Any) -> object:
    """Evaluate spaces on held-out citations.

    cite and cocite rank 5 papers that a held-out paper cites, or that are co-cited with it, among
    25 random papers; retrieval ranks all training papers by distance. Further tables have variants:
    only candidates older than the query, queries without a near-duplicate among the candidates,
    queries with 1 to 4 references, and most often co-cited papers. A space that has seen citations
    of the held-out papers is an error; by default, imported vectors that may have are left out.

    \b
    Example:  specter-graph evaluate held-out
              specter-graph evaluate held-out --space base --space specter --compare-to base
              specter-graph evaluate held-out --split validation --format json
    """
    report = graph.evaluate.held_out(spaces, **options)
    _print_left_out(graph, spaces)
    return report, head_notes(graph, report.spaces)


@evaluate.command()
@option(
    "--holdout-since test_since",
    "Papers published on this date (YYYY, YYYY-MM or YYYY-MM-DD) or later are test papers.",
    "DATE",
)
@option(
    "--validation-since",
    "Earlier papers published on this date or later are validation papers.",
    "DATE",
    shown="a tenth of them, by hash",
)
@option("--holdout-ids test_ids", "File with the ids of the test papers, one per line.", FILE)
@option(
    "--validation-ids",
    "File with the ids of the validation papers.  [default: a tenth of the others, by hash]",
    FILE,
)
@option("--scidocs", "Hold out the test and validation papers of SciDocs in this folder.", FOLDER)
@flag("--by-hash", "Split by a hash of the ids again.")
@flag(
    "--with-near-duplicates near_duplicates",
    "Also hold out papers that share at least 60 % of their references with a held-out paper.",
)
@graph_command(progress=True)
def split(
    graph: "sg.LiteratureGraph",
    scidocs: Path | None,
    by_hash: bool,
    near_duplicates: bool,
    progress: Progress,
    **papers: Any,
) -> object:
    """Choose the held-out papers, or show how they are chosen.

    You can choose them by date or by lists of ids. All commands use the split with their
    default --holdout. Train and smooth again afterwards.

    \b
    Example:  specter-graph evaluate split
              specter-graph evaluate split --holdout-since 2002-01
              specter-graph evaluate split --holdout-ids test.txt --validation-ids val.txt
              specter-graph evaluate split --scidocs data
              specter-graph evaluate split --by-hash
              specter-graph evaluate split --by-hash --with-near-duplicates
    """
    given = any(papers.values())
    if by_hash + bool(scidocs) + given > 1:
        raise click.UsageError("use only one of dates or ids, --scidocs and --by-hash.")
    for ids in ("test_ids", "validation_ids"):
        papers[ids] = papers[ids] and read_ids(papers[ids])
    if scidocs:
        stored = graph.evaluate.set_scidocs_split(
            scidocs, near_duplicates=near_duplicates, progress=progress
        )
    elif by_hash or near_duplicates or given:
        stored = graph.evaluate.set_split(
            **papers, near_duplicates=near_duplicates, progress=progress
        )
    else:
        stored = graph.evaluate.get_split()
    return stored or {"rule": "by hash"}


@evaluate.command()
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@split_option
@scored_holdout_option
@seed_option
@graph_command(_show_table, progress=True)
def compare(graph: "sg.LiteratureGraph", first: str, second: str, **options: Any) -> object:
    """Test whether space A is better than space B.

    Each may be several spaces of different seeds, a,b,c, whose scores are averaged.

    \b
    Example:  specter-graph evaluate compare specter base
    """
    from specter_graph.evaluation.report.table import comparison_table

    comparisons = graph.evaluate.compare(first, second, **options)
    return comparisons, comparison_table((first, second), comparisons)


@evaluate.command()
@_spaces_option
@split_option
@option(
    "--split-by",
    "Split labeled papers by a hash of their ids, or by time with the newest for test.",
    ("hash", "time"),
    "hash",
)
@option(
    "--click-log",
    "Lists that were shown and what was clicked, for the task recomm.",
    FILE,
    shown="made of reading histories",
)
@scored_holdout_option
@seed_option
@graph_command(_show_table, progress=True)
def tasks(graph: "sg.LiteratureGraph", spaces: tuple[str, ...] | None, **options: Any) -> object:
    """Evaluate spaces on the tasks of SciDocs.

    The tasks are made from data of the graph.

    \b
    Example:  specter-graph evaluate tasks
              specter-graph evaluate tasks --space base --split-by time --format markdown
    """
    from specter_graph.evaluation.metrics.task_results import systems_json
    from specter_graph.evaluation.report.table import task_table

    systems = graph.evaluate.tasks(spaces, **options)
    _print_left_out(graph, spaces)
    return systems_json(systems), task_table(systems).with_notes(head_notes(graph, systems))


@evaluate.command()
@click.argument("folder", type=FOLDER)
@option("--vectors", "Vectors for all tasks; a column of the table.", FILE, multiple=True)
@option("--cls", "Vectors for the tasks mag and mesh.", FILE)
@option("--user-citation", "Vectors for the tasks coview, coread, cite and cocite.", FILE)
@option("--recomm", "Vectors for the task recomm.", FILE)
@_spaces_option
@split_option
@option(
    "--tune-on",
    "Choose C of the SVM on 3 folds of the training papers, as SciDocs' code does, or on the"
    " validation papers, as the paper says.",
    ("folds", "validation"),
    "folds",
)
@option("--jobs", "Number of processes.", click.IntRange(1), 1)
@graph_options
def scidocs(
    folder: Path,
    vectors: tuple[Path, ...],
    cls: Path | None,
    user_citation: Path | None,
    recomm: Path | None,
    spaces: tuple[str, ...] | None,
    output: Output,
    instance: str | None,
    **options: Any,
) -> None:
    """Evaluate spaces, or vectors in files, on SciDocs.

    The result has seven tasks, twelve figures, and averages. FOLDER is the published data of
    SciDocs. By default, all spaces are scored: load the metadata of SciDocs, run `evaluate
    split --scidocs`, then make the spaces and baselines.

    For files, no server is needed. They have lines {"paper_id": ..., "embedding": [...]}, as
    `embed-files --strip-id-prefix` and `baseline run -o` write them: one file per system
    (--vectors), or up to three files of one system; tasks without a file are skipped. The training
    data of the model are not checked: do not train on the papers of SciDocs.

    \b
    Example:  specter-graph evaluate scidocs data --format markdown
              specter-graph evaluate scidocs data --vectors tfidf.jsonl --vectors specter.jsonl
              specter-graph evaluate scidocs data --cls cls.jsonl --user-citation user.jsonl
    """
    from specter_graph.evaluation.metrics.task_results import systems_json
    from specter_graph.evaluation.report.table import task_table

    parts = {"cls": cls, "user-citation": user_citation, "recomm": recomm}
    given = {name: path for name, path in parts.items() if path is not None}
    files = {path.name.split(".")[0]: dict.fromkeys(parts, path) for path in vectors}
    if bool(files) + bool(given) + bool(spaces) > 1:
        raise click.UsageError("use only one of --vectors, files of some tasks, and spaces.")
    if len(files) < len(vectors):
        raise click.UsageError("two files of --vectors have the same name.")
    files |= {"vectors": given} if given else {}
    heads: list[str] = []
    with progress_bar() as progress:
        if files:
            systems = {
                name: sg.evaluate_scidocs(folder, of, **options, progress=progress)
                for name, of in files.items()
            }
        else:
            with open_graph(instance) as graph:
                systems = graph.evaluate.scidocs(folder, spaces, **options, progress=progress)
                heads = head_notes(graph, systems)
                _print_left_out(graph, spaces)
    if files:
        click.echo(
            "warning: this command cannot check if a model was trained on citations, readings or"
            " clicks of the papers in SciDocs",
            err=True,
        )
    scores = systems_json(systems)
    table = task_table(systems).with_notes(heads)
    output.show_table(scores["vectors"] if given else scores, table)


@evaluate.command()
@_spaces_option
@split_option
@option("-k", "Rank at which precision and recall are measured.", click.IntRange(1), 10)
@option("--beta", "Beta of the F score.", click.FloatRange(0), 1.0)
@scored_holdout_option
@seed_option
@graph_command(_show_table, progress=True)
def arxiv(
    graph: "sg.LiteratureGraph", spaces: tuple[str, ...] | None, k: int, beta: float, **options: Any
) -> object:
    """Evaluate spaces by the arXiv protocol, for three distances.

    Accuracy and mean vector distance difference test if a related paper is nearer than a random
    one; precision, recall and F score test if the nearest papers are related. Two papers are
    related if one cites the other.

    \b
    Example:  specter-graph evaluate arxiv
              specter-graph evaluate arxiv --space base -k 20 --beta 2 --format json
    """
    from specter_graph.evaluation.report.table import arxiv_table

    results = graph.evaluate.arxiv(spaces, k=k, beta=beta, **options)
    _print_left_out(graph, spaces)
    pooling = {record.name: record.pooling or "-" for record in graph.spaces.list()}
    heads = head_notes(graph, [system for system, _ in results])
    table = arxiv_table(results, pooling, k, beta).with_notes(heads)
    return table.records(), table


@evaluate.command()
@_spaces_option
@_label_scheme_option
@seed_option
@graph_command(_show_table, progress=True)
def geometry(graph: "sg.LiteratureGraph", spaces: tuple[str, ...] | None, **options: Any) -> object:
    """Describe the geometry of spaces.

    The figures are hubness, alignment, uniformity, and the separation of classes.

    \b
    Example:  specter-graph evaluate geometry
              specter-graph evaluate geometry --space base --space specter --label-scheme arxiv
    """
    from specter_graph.evaluation.report.table import geometry_table

    geometries = graph.evaluate.geometry(spaces, **options)
    return geometries, geometry_table(geometries)


@click.command()
@output_option(FOLDER, required=False, shown="where `serve` shows it")
@_spaces_option
@split_option
@_compare_to_option
@_label_scheme_option
@scored_holdout_option
@seed_option
@graph_command(None, progress=True)
def report(
    graph: "sg.LiteratureGraph",
    path: Path | None,
    spaces: tuple[str, ...] | None,
    progress: Progress,
    **options: Any,
) -> None:
    """Write a web page about spaces.

    It shows scores, a map, and the queries with the lowest scores. Writes report.html, which
    needs no network, and report.md. Baselines that rank without vectors are scored too;
    baselines that have not been run are listed with what they need.

    \b
    Example:  specter-graph report
              specter-graph report -o report
              specter-graph report -o report --compare-to base --label-scheme venue
    """
    settings = sg.ReportSettings(spaces, **options)
    for file in graph.evaluate.report(path, settings, progress=progress):
        click.echo(file)
    _print_left_out(graph, spaces)


def _print_left_out(graph: "sg.LiteratureGraph", spaces: tuple[str, ...] | None) -> None:
    """Print the spaces that are not scored, because no space was named; see `chosen_systems`."""
    names = [record.name for record in graph.spaces.list() if record.has_unknown_training()]
    if names and not spaces:
        click.echo(
            f"left out: {', '.join(names)} (imported, perhaps made with citations of held-out"
            " papers; if not, load again with --text-only)",
            err=True,
        )


def head_notes(graph: "sg.LiteratureGraph", systems: Iterable[str]) -> list[str]:
    """Return a note that says which rows of a table are linear heads, whatever their names."""
    names = {system.split(" (")[0] for system in systems}
    heads: dict[str, list[str]] = {}
    for record in graph.spaces.list():
        row = next((name for name in names if _is_of(record.name, name)), None)
        if record.kind == "head" and row:
            heads.setdefault(record.base, []).append(row)
    return [
        f"{', '.join(dict.fromkeys(rows))}: linear head on frozen vectors of {base}."
        for base, rows in heads.items()
    ]


def _is_of(space: str, name: str) -> bool:
    """Return True if a row is a space or the seeds of it: `a`, `a_0,a_1` or their prefix."""
    return space in name.split(",") or space.rstrip("0123456789").rstrip("_-") == name


def show_report(
    output: Output, report: "sg.HeldOutResult", heads: Iterable[str], *, variants: bool = True
) -> None:
    """Print the tables of spaces, on a narrow terminal without the last column.

    CSV and JSON Lines have only the main table. `heads` are notes, see `head_notes`.
    """
    from specter_graph.evaluation.report.table import held_out_tables

    main, *others = held_out_tables(report)
    main = main.with_notes(heads)
    output.show_table(report.as_json(), _fit_to_terminal(main, output))
    if variants and output.format in ("table", "markdown"):
        for table in others:
            click.echo()
            output.show_table(None, _fit_to_terminal(table, output))


def _fit_to_terminal(table: "ResultTable", output: Output) -> "ResultTable":
    """Leave out the last column of a table that is too wide for the terminal."""
    if output.format != "table" or fits(table.rich()):
        return table
    last = table.head[-1]
    note = f"Not shown, because the terminal is too narrow: {last}; use --format markdown."
    return table.without(last).with_notes([note])
