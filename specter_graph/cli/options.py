"""Options that several commands share, each with one meaning and one text."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

import specter_graph as sg
from specter_graph.cli.output import FORMATS, Output, progress_bar
from specter_graph.core.atomic_files import check_file
from specter_graph.core.errors import InputError

if TYPE_CHECKING:
    from specter_graph.core.parts import Workers

Command = TypeVar("Command", bound=Callable[..., Any])
Option = Callable[[Command], Command]


class _NamedPath(click.Path):
    """A path that is not empty: `Path("")` would be the current folder."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "":
            self.fail("the name is empty", param, ctx)
        return super().convert(value, param, ctx)


FILE = _NamedPath(dir_okay=False, path_type=Path)
FOLDER = _NamedPath(file_okay=False, path_type=Path)
FOLDER.name = "folder"
PATH = _NamedPath(path_type=Path)
_SHARE = click.FloatRange(0, 0.5, max_open=True)
_HOLDOUT = "Share of papers held out for test, and again for validation."


class _Option(click.Option):
    """An option whose help shows the description of its default without parentheses."""

    def get_help_extra(self, ctx: click.Context) -> Any:
        extra = super().get_help_extra(ctx)
        if isinstance(self.show_default, str):
            extra["default"] = self.show_default
        return extra


def add_options(command: Any, *options: Any) -> Any:
    """Add options to a command, in this order of its help text."""
    for option in reversed(options):
        command = option(command)
    return command


def option(
    names: str,
    text: str,
    kind: Any = None,
    default: Any = None,
    *,
    shown: str | None = None,
    **settings: Any,
) -> Option[Any]:
    """Declare an option, with its default in the help text.

    Args:
        names: Its names, and the argument of the command if that differs: "-o --output path".
        text: The help text.
        kind: A type of click, the metavar of a text ("NAME"), or a tuple of choices.
        default: The default.
        shown: The description of a default that is not a value.
        **settings: Further settings of `click.option`.
    """
    if isinstance(kind, tuple):
        kind = click.Choice(kind)
    settings |= {"metavar": kind} if isinstance(kind, str) else {"type": kind} if kind else {}
    # An explicit None counts as a value: only flags with two names need it.
    settings |= {} if default is None and "/" not in names else {"default": default}
    repeatable = " Repeatable." if settings.get("multiple") else ""
    shows = shown or default not in (None, "")
    return click.option(
        *names.split(), cls=_Option, help=text + repeatable, show_default=shows, **settings
    )


def flag(names: str, text: str) -> Option[Any]:
    """Declare an option without a value."""
    return click.option(*names.split(), is_flag=True, help=text)


def refuse_given(mode: str, *names: str) -> None:
    """Raise UsageError if the user gave one of the parameters, which has no effect with `mode`."""
    context = click.get_current_context()
    for parameter in context.command.params:
        if parameter.name in names and (
            context.get_parameter_source(parameter.name) is click.core.ParameterSource.COMMANDLINE
        ):
            raise click.UsageError(f"{parameter.opts[0]} has no effect with {mode}.")


def confirm(yes: bool, question: str) -> None:
    """Ask unless --yes was given; the command ends if the answer is no."""
    if not yes and not ask(question):
        click.echo("nothing was changed", err=True)
        sys.exit(1)


def ask(question: str) -> bool:
    """Return the answer to a question; raises InputError if the standard input has none."""
    try:
        return click.confirm(question, err=True)
    except click.Abort as error:
        if not isinstance(error.__context__, EOFError):
            raise
        raise InputError(
            "the standard input has no answer", "the same command with --yes"
        ) from None


def delete_object(yes: bool, what: str, delete: Callable[[], object]) -> None:
    """Ask unless --yes was given, delete an object of the graph, and say so."""
    confirm(yes, f"Delete {what}?")
    delete()
    click.echo(f"deleted {what}", err=True)


format_option = option(
    "--format output",
    "Output format.",
    FORMATS,
    "table",
    callback=lambda context, option, value: Output(value),
)

instance_option = option(
    "--instance",
    "Local Neo4j instance to use.",
    "NAME",
    shown="SPECTER_GRAPH_INSTANCE, else NEO4J_URI, else the instance default",
)

yes_option = flag("--yes", "Do not ask for confirmation.")

timeout_option = option(
    "--timeout timeout_",
    "Stop a query after this time.",
    click.FloatRange(0, min_open=True),
    60.0,
    metavar="SECONDS",
)

limit_option = option("--limit limit_", "Maximum number of rows.", click.IntRange(1), 1_000)

tune_option = flag("--tune", "Try several settings, and use the best on the validation papers.")

k_option = option("-k", "Number of papers to return.", click.IntRange(1), 10)

min_score_option = option("--min-score", "Minimum score of a paper.", click.FloatRange(0, 1), 0.0)

diversity_option = option(
    "--diversity",
    "Weight of differences among the papers: 0 ranks by score only, 1 by differences only.",
    click.FloatRange(0, 1),
    0.0,
)

rerank_option = option(
    "--rerank",
    "Score the 50 best papers again with this cross-encoder (a folder or hub name).",
    "MODEL",
)

seed_option = option("--seed", "Random seed.", click.IntRange(0), 0)

holdout_option = option("--holdout", _HOLDOUT, _SHARE, 0.1, metavar="SHARE")

scored_holdout_option = option(
    "--holdout",
    _HOLDOUT,
    click.FloatRange(0, 0.5, min_open=True, max_open=True),
    shown="the smallest of the spaces",
    metavar="SHARE",
)

split_option = option("--split", "Split of the papers.", ("test", "validation"), "test")

list_option = option("--list", "Only papers of this reading list.", "NAME")

until_option = option("--until", "Only papers of this year or earlier.", int, metavar="YEAR")

rejects_option = option(
    "--rejects",
    "File for rejected records and corrected values, with the reasons.",
    FILE,
    shown="the first file's name and .rejects.jsonl, in the current folder",
)

report_option = option(
    "--report", "List all merged papers and all conflicts in this file, as JSON Lines.", FILE
)

dry_run_option = flag(
    "--dry-run", "Store and send nothing, but show or write what would be stored or sent."
)


def model_option(shown: str = "offline MiniLM") -> Option[Any]:
    """Add `--model MODEL`: the model that embeds papers."""
    return option(
        "--model",
        "Model directory that `train` wrote, or the name of a base model (BASE+ADAPTER for"
        " SPECTER2), or static (static:BASE), the fastest.",
        "MODEL",
        shown=shown,
    )


document_prompt_option = option(
    "--document-prompt",
    'Text before each paper, such as "passage: ".',
    "TEXT",
    shown="that of the model or space",
)

query_prompt_option = option(
    "--query-prompt",
    'Text before each query of a search, such as "query: ".',
    "TEXT",
    shown="that of the model or space",
)

dimension_option = option(
    "--dimension",
    "Keep the first N dimensions of each vector (for Matryoshka models).",
    click.IntRange(1),
    shown="all",
    metavar="N",
)

precision_option = option(
    "--precision",
    "Numeric precision of the Transformer; auto measures which is fastest.",
    ("auto", "float32", "bfloat16", "int8"),
    "auto",
)


strip_id_prefix_option = flag(
    "--strip-id-prefix", "Write s2:ID as ID, as SPECTER and SciDocs name papers."
)


def space_option(
    default: str | None = None, *, shown: str | None = None, multiple: bool = False, **settings: Any
) -> Option[Any]:
    """Add `--space NAME`: the embedding space that a command uses.

    Args:
        default: The default space; None for the first of `DEFAULT_SPACES` that exists.
        shown: The description of another default.
        multiple: Let the option be repeated; the command gets `spaces`.
        **settings: Further settings of `click.option`.
    """
    names = "--space spaces" if multiple else "--space"
    if default is None and shown is None:
        shown = "specter, base or static, the first in the graph"
    settings |= {"multiple": multiple}
    return option(names, "Embedding space.", "NAME", default, shown=shown, **settings)


def output_space_option(default: str) -> Option[Any]:
    """Add `--output-space NAME`: the space that a command computes from that of `--space`."""
    return option("--output-space", "Embedding space to write.", "NAME", default)


def output_option(
    path: click.Path = FILE, *, required: bool = True, shown: str | None = None
) -> Option[Any]:
    """Add `-o PATH`: the file, in an existing folder, or the folder that a command writes."""
    text = f"{path.name.capitalize()} to write."
    check = _check_file if path is FILE else None
    return option("-o --output path", text, path, shown=shown, required=required, callback=check)


def _check_file(context: click.Context, option: click.Parameter, path: Path | None) -> Path | None:
    """Check that a file can be written, before the work whose result it will have."""
    if path:
        check_file(path)
    return path


def graph_options(command: Command) -> Command:
    """Add `--instance` and `--format`; the command gets `instance` and `output`."""
    added: Command = add_options(command, instance_option, format_option)
    return added


def graph_command(
    show: Callable[[Output, Any], None] | None = Output.show,
    *,
    create: bool = False,
    progress: bool = False,
) -> Option[Any]:
    """Add `--instance` and `--format`; the command gets `graph`.

    Args:
        show: Prints the value that the command returns, after the graph is closed; None for a
            command without --format, which prints by itself.
        create: The command creates the local server if it does not exist.
        progress: The command also gets `progress`; it must not ask questions.
    """

    def decorate(command: Callable[..., Any]) -> Callable[..., None]:
        @wraps(command)
        def run(instance: str | None, output: Output | None = None, **options: Any) -> None:
            with open_graph(instance, create=create) as graph, ExitStack() as stack:
                if progress:
                    options["progress"] = stack.enter_context(progress_bar())
                result = command(graph, **options)
            if show and output:
                show(output, result)

        return graph_options(run) if show else instance_option(run)

    return decorate


def grouped_options(name: str, make: Callable[..., Any], *options: Option[Any]) -> Option[Any]:
    """Add options that a command gets as one argument.

    Args:
        name: The argument of the command.
        make: Makes its value of the values of the options.
        *options: The options.
    """

    def decorate(command: Command) -> Command:
        @wraps(command)
        def collect(**given: Any) -> Any:
            value = make(**{option_name: given.pop(option_name) for option_name in names})
            return command(**{name: value}, **given)

        parameters = click.command()(add_options(lambda: None, *options)).params
        names = [parameter.name for parameter in parameters if parameter.name]
        added: Command = add_options(collect, *options)
        return added

    return decorate


def filter_options(command: Any) -> Any:
    """Add the options of filters; the command gets an argument for each."""
    return add_options(
        command,
        option("--since", "Only papers of this year or later.", int, metavar="YEAR"),
        until_option,
        option("--language", "Only papers in this language, such as en.", "CODE"),
        option("--field", "Only papers about this field, such as cs.LG.", "NAME"),
        option("--venue", "Only papers of this venue (id or name).", "NAME"),
        option("--author", "Only papers of this author.", "NAME"),
        option("--topic", "Only papers of this topic (id or name).", "NAME"),
        list_option,
    )


@contextmanager
def _ray_workers(ray: str | None, storage: str | None) -> "Iterator[Workers | None]":
    if ray is None:
        if storage:
            raise click.UsageError("--storage needs --ray.")
        yield None
        return

    with sg.RayWorkers(ray, storage) as workers:
        yield workers


ray_options = grouped_options(
    "workers",
    _ray_workers,
    option(
        "--ray",
        "Work on this Ray cluster: HOST:PORT, auto on one of its machines, or local for this"
        " machine alone.",
        "ADDRESS",
    ),
    option(
        "--storage",
        "Folder for the parts that the workers of --ray exchange: a path on a shared disk, or"
        " s3://BUCKET/FOLDER.",
        "URI",
        shown="in the data folder for --ray local",
    ),
)
"""Options of commands that can use other machines; they get a context manager of the workers."""


def command_for(command: str) -> str:
    """Return a command that works on the graph of this command."""
    instance = click.get_current_context().params["instance"]
    return f"specter-graph {command}" + (f" --instance {instance}" if instance else "")


@contextmanager
def open_graph(
    instance: str | None, *, create: bool = False, timeout: float | None = None
) -> "Iterator[sg.LiteratureGraph]":
    """Open the graph that a command works on, showing how a local server starts.

    Args:
        instance: The value of --instance.
        create: Whether the command creates the local server if it does not exist.
        timeout: Seconds after which the server stops a read.

    Raises:
        GraphError: The local server does not exist.
    """
    with ExitStack() as stack:
        with progress_bar() as progress:  # gone before the command shows its own
            graph = stack.enter_context(
                sg.LiteratureGraph.open(
                    instance=instance, create=create, timeout=timeout, progress=progress
                )
            )
        yield graph
