"""Options that several commands share, each with one meaning and one text."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from specter_graph.cli.output import FORMATS, Output
from specter_graph.cli.terminal import progress_bar

if TYPE_CHECKING:
    from specter_graph import LiteratureGraph

Command = TypeVar("Command", bound=Callable[..., Any])
Option = Callable[[Command], Command]

FILE = click.Path(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)
PATH = click.Path(path_type=Path)
_SHARE = click.FloatRange(0, 0.5, max_open=True)
_HOLDOUT = "Share of papers held out for test, and again for validation."


def add_options(command: Any, *options: Any) -> Any:  # noqa: ANN401
    """Add options to a command, in this order of its help text."""
    for option in reversed(options):
        command = option(command)
    return command


def _parse_output(context: click.Context, option: click.Parameter, value: str) -> Output:
    return Output(value)


format_option = click.option(
    "--format",
    "output",
    type=click.Choice(FORMATS),
    callback=_parse_output,
    default="table",
    show_default=True,
    help="Output format.",
)

instance_option = click.option(
    "--instance", metavar="NAME", show_default="default", help="Local Neo4j instance to use."
)

yes_option = click.option("--yes", is_flag=True, help="Do not ask for confirmation.")

timeout_option = click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    default=60.0,
    show_default=True,
    metavar="SECONDS",
    help="Stop a query after this time.",
)

limit_option = click.option(
    "--limit",
    type=click.IntRange(1),
    default=1_000,
    show_default=True,
    help="Maximum number of rows.",
)

tune_option = click.option(
    "--tune", is_flag=True, help="Try several settings, and use the best on the validation papers."
)

k_option = click.option(
    "-k", type=click.IntRange(1), default=10, show_default=True, help="Number of papers to return."
)

seed_option = click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Random seed."
)

holdout_option = click.option(
    "--holdout", type=_SHARE, metavar="SHARE", default=0.1, show_default=True, help=_HOLDOUT
)

scored_holdout_option = click.option(
    "--holdout",
    type=click.FloatRange(0, 0.5, min_open=True, max_open=True),
    metavar="SHARE",
    show_default="the smallest of the spaces",
    help=_HOLDOUT,
)

split_option = click.option(
    "--split",
    type=click.Choice(["test", "validation"]),
    default="test",
    show_default=True,
    help="Split of the papers.",
)

until_option = click.option(
    "--until", type=int, metavar="YEAR", help="Only papers of this year or earlier."
)

rejects_option = click.option(
    "--rejects",
    metavar="FILE",
    type=FILE,
    show_default="PATH.rejects.jsonl in the current folder",
    help="File for rejected records and corrected values, with the reasons.",
)

model_option = click.option(
    "--model",
    metavar="MODEL",
    show_default="offline MiniLM",
    help="Model directory that `train` wrote, or the name of a base model.",
)

dimension_option = click.option(
    "--dimension",
    type=click.IntRange(1),
    metavar="N",
    show_default="all",
    help="Keep the first N dimensions of each vector (for Matryoshka models).",
)

precision_option = click.option(
    "--precision",
    type=click.Choice(["auto", "float32", "bfloat16", "int8"]),
    default="auto",
    show_default=True,
    help="Numeric precision of the Transformer; auto measures which is fastest.",
)


def space_option(
    default: str | None = None, *, shown: str | None = None, multiple: bool = False
) -> Option[Any]:
    """Add `--space NAME`: the embedding space that a command reads.

    Args:
        default: The default space.
        shown: The description of the default where it is not one space.
        multiple: Let the option be repeated; the command gets `spaces`.
    """
    return click.option(
        "--space",
        "spaces" if multiple else "space",
        metavar="NAME",
        default=None if multiple else default,
        multiple=multiple,
        show_default=shown or True,
        help="Embedding space." + (" Repeatable." if multiple else ""),
    )


def output_space_option(default: str) -> Option[Any]:
    """Add `--output-space NAME`: the embedding space that a command writes."""
    return click.option(
        "--output-space",
        metavar="NAME",
        default=default,
        show_default=True,
        help="Embedding space to write.",
    )


def output_option(
    path: click.Path = FILE, *, required: bool = True, shown: str | None = None
) -> Option[Any]:
    """Add `-o PATH`: the file or folder that a command writes."""
    kind = "PATH" if path.file_okay and path.dir_okay else "FILE" if path.file_okay else "FOLDER"
    return click.option(
        "-o",
        "--output",
        "path",
        type=path,
        metavar=kind,
        required=required,
        show_default=shown or False,
        help=f"{kind.capitalize()} to write.",
    )


def filter_options(command: Command) -> Command:
    """Add the conditions on papers that are found; the command gets them as `filters`."""

    @wraps(command)
    def collect(**options: Any) -> Any:  # noqa: ANN401
        from specter_graph import Filters

        names = ("since", "until", "language", "field", "venue")
        filters = Filters(**{name: options.pop(name) for name in names})
        return command(filters=filters, **options)

    added: Command = add_options(
        collect,
        click.option(
            "--since", type=int, metavar="YEAR", help="Only papers of this year or later."
        ),
        until_option,
        click.option(
            "--language", metavar="CODE", help="Only papers in this language, such as en."
        ),
        click.option(
            "--field", metavar="NAME", help="Only papers about this field, such as cs.LG."
        ),
        click.option("--venue", metavar="NAME", help="Only papers of this venue (id or name)."),
    )
    return added


@contextmanager
def open_graph(
    instance: str | None, *, timeout: float | None = None
) -> "Iterator[LiteratureGraph]":
    """Open the graph that a command works on, showing how a local server starts."""
    from specter_graph import LiteratureGraph

    with ExitStack() as stack:
        with progress_bar() as progress:  # gone before the command shows its own
            graph = stack.enter_context(
                LiteratureGraph.open(instance=instance, timeout=timeout, progress=progress)
            )
        yield graph
