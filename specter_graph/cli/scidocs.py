"""`evaluate scidocs`: vectors in files, scored on the files of SciDocs."""

from pathlib import Path
from typing import Literal

import click

from specter_graph.cli.options import json_option, markdown_option, split_option
from specter_graph.cli.terminal import print_results, progress_bar

_FILE = click.Path(path_type=Path, dir_okay=False)


@click.command()
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False))
@click.option("--cls", type=_FILE, metavar="FILE", help="Vectors for the tasks mag and mesh.")
@click.option(
    "--user-citation",
    type=_FILE,
    metavar="FILE",
    help="Vectors for the tasks coview, coread, cite and cocite.",
)
@click.option("--recomm", type=_FILE, metavar="FILE", help="Vectors for the task recomm.")
@split_option
@click.option(
    "--tune",
    "tuning",
    type=click.Choice(["folds", "validation"]),
    default="folds",
    show_default=True,
    help="How the C of the SVM is chosen: on 3 folds of the training papers, as SciDocs' code does,"
    " or on the validation papers, as the paper says.",
)
@click.option("--jobs", type=click.IntRange(1), default=1, show_default=True, help="Processes.")
@markdown_option
@json_option
def scidocs(
    folder: Path,
    cls: Path | None,
    user_citation: Path | None,
    recomm: Path | None,
    split: Literal["test", "validation"],
    tuning: Literal["folds", "validation"],
    jobs: int,
    as_markdown: bool,
    as_json: bool,
) -> None:
    """Score vectors on SciDocs: seven tasks, twelve figures, their averages.

    FOLDER is the data of SciDocs as published. The vectors are its three JSONL files, a paper a
    line ({"paper_id": ..., "embedding": [...]}), as `embed --input FILE -o OUT --bare-ids` writes
    them; the tasks of a file that is not given are left out. No server is needed. What the model
    was trained on is not checked: keep SciDocs' papers out of the graph that you train on.

    \b
    Example:  specter-graph evaluate scidocs data --cls cls.jsonl --user-citation user.jsonl
              specter-graph evaluate scidocs data --recomm recomm.jsonl --json
    """
    from specter_graph.evaluation.metrics.results import systems_json
    from specter_graph.evaluation.protocols.scidocs import evaluate_scidocs
    from specter_graph.evaluation.report.table import task_table

    given = {"cls": cls, "user-citation": user_citation, "recomm": recomm}
    vectors = {name: path for name, path in given.items() if path is not None}
    with progress_bar() as progress:
        results = evaluate_scidocs(
            folder, vectors, split=split, tuning=tuning, jobs=jobs, progress=progress
        )
    click.echo(
        "warning: not checked: whether the model has learned from citations, readings or clicks of"
        " SciDocs' own papers; files of vectors do not say what a model was trained on",
        err=True,
    )
    systems = {"vectors": results}
    print_results(
        task_table(systems),
        systems_json(systems)["vectors"],
        as_json=as_json,
        as_markdown=as_markdown,
    )
