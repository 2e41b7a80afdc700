"""Commands that keep a graph in order: update, delete, backup, restore."""

import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from specter_graph.cli.corpus import print_json, print_stats
from specter_graph.cli.corpus_options import corpus_options, rejects_name
from specter_graph.cli.loading import load_progress, print_load_summary, print_waiting
from specter_graph.cli.options import instance_option, json_option, open_graph
from specter_graph.cli.terminal import progress_bar
from specter_graph.core.errors import InputError

if TYPE_CHECKING:
    from specter_graph.graph.maintenance.delete import Deleted
    from specter_graph.graph.maintenance.update import UpdateSummary
    from specter_graph.graph.server import Instance
    from specter_graph.graph.server.backup import Backup
    from specter_graph.literature_graph import LiteratureGraph
    from specter_graph.loaders import Corpus

Command = TypeVar("Command", bound=Callable[..., Any])

_NAMED = 10


def _yes_option(command: Command) -> Command:
    return click.option("--yes", is_flag=True, help="Do not ask.")(command)


@click.command()
@corpus_options
@click.option(
    "--rejects",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where records that cannot be used are kept; see load.",
)
@click.option(
    "--vanished",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Where the papers are listed that the snapshot no longer has; made only if there are any."
    "  [default: the name of the first PATH with .vanished.jsonl, in the current folder]",
)
@click.option("--delete-vanished", "delete_them", is_flag=True, help="Delete these papers.")
@_yes_option
@json_option
@instance_option
def update(
    corpus: "Corpus",
    rejects: Path | None,
    vanished: Path | None,
    delete_them: bool,
    yes: bool,
    as_json: bool,
    instance: str | None,
) -> None:
    """Bring the graph to a newer snapshot of a corpus.

    New records are added, changed ones replace the old ones, retractions are marked, and the papers
    that the snapshot no longer has are listed, and deleted if you say so. They are those that were
    loaded together with papers of the snapshot. Nothing is deleted if a record of the snapshot was
    rejected: it may be one of them.

    \b
    Example:
      specter-graph update jsonl papers-2026.jsonl.gz
      specter-graph update openalex works/ --delete-vanished --yes
    """
    from specter_graph.loaders.files import REJECTS, VANISHED

    name = rejects_name(corpus)
    rejects = rejects or name
    vanished = vanished or Path(f"{name.name.removesuffix(REJECTS)}{VANISHED}")
    corpus.refuse_outputs(rejects, vanished)
    with open_graph(instance) as graph:
        with load_progress(corpus) as watch:
            summary = graph.update(corpus, vanished, rejects=rejects, watch=watch)
        if not as_json:
            _print_update(summary)
            print_waiting(graph.merged().waiting)
        deleted = None
        if delete_them and summary.vanished:
            if not yes and not summary.doubt:
                _ask(f"Delete the {summary.vanished:,} papers that have vanished?")
            with progress_bar() as progress:
                deleted = graph.delete_vanished(summary, progress=progress)
        if as_json:
            print_json(asdict(summary) | {"deleted": asdict(deleted) if deleted else None})
        elif deleted:
            _print_deleted(graph, deleted)
    if summary.load.rejected == summary.load.records > 0:
        sys.exit(1)


@click.group()
def delete() -> None:
    """Delete papers, a corpus, or readers, and what then belongs to nobody.

    A paper that others still cite, or that readers have, becomes a stub: only its id is left.

    \b
    Example:  specter-graph delete paper hep-ph/9901001
              specter-graph delete corpus openalex --yes
              specter-graph delete reader 4711
    """


@delete.command()
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@_yes_option
@json_option
@instance_option
def paper(ids: tuple[str, ...], yes: bool, as_json: bool, instance: str | None) -> None:
    """Delete papers with all that their records say, and their vectors.

    \b
    Example:  specter-graph delete paper hep-ph/9901001 hep-ph/9901002
    """
    with open_graph(instance) as graph:
        if not yes:
            _ask(f"Delete {len(ids):,} {'paper' if len(ids) == 1 else 'papers'}?")
        with progress_bar() as progress:
            deleted = graph.delete_papers(ids, progress=progress)
        _show_deleted(graph, deleted, as_json)


@delete.command(name="corpus")
@click.argument("name", metavar="PREFIX_OR_SOURCE")
@_yes_option
@json_option
@instance_option
def corpus_(name: str, yes: bool, as_json: bool, instance: str | None) -> None:
    """Delete the papers of a source (openalex), or what has a prefix (--prefix of load).

    \b
    Example:  specter-graph delete corpus openalex
    """
    with open_graph(instance) as graph:
        if not yes:
            size = graph.corpus_size(name)
            readers = f" and {size.readers:,} readers" if size.readers else ""
            _ask(f"Delete {size.papers:,} papers, {size.stubs:,} stubs{readers} of {name}?")
        with progress_bar() as progress:
            deleted = graph.delete_corpus(name, progress=progress)
        _show_deleted(graph, deleted, as_json)


@delete.command()
@click.argument("ids", metavar="ID...", nargs=-1, required=True)
@_yes_option
@json_option
@instance_option
def reader(ids: tuple[str, ...], yes: bool, as_json: bool, instance: str | None) -> None:
    """Delete readers with all that they viewed and keep; nothing of them stays in the graph.

    \b
    Example:  specter-graph delete reader 4711
    """
    with open_graph(instance) as graph:
        if not yes:
            _ask(f"Delete {len(ids):,} {'reader' if len(ids) == 1 else 'readers'}?")
        deleted = graph.delete_readers(ids)
        _show_deleted(graph, deleted, as_json)


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@json_option
@instance_option
def backup(file: Path, as_json: bool, instance: str | None) -> None:
    """Write all that a local instance holds to one file; its server stops meanwhile.

    \b
    Example:  specter-graph backup papers.backup
    """
    from specter_graph.graph.server.backup import back_up

    with progress_bar() as progress:
        done = back_up(_local(instance, "backup"), file, progress=progress)
    _print_backup(done, f"{file}: the backup holds", as_json)


@click.command()
@click.argument("file", metavar="FILE", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--yes", is_flag=True, help="Replace what the instance holds.")
@json_option
@instance_option
def restore(file: Path, yes: bool, as_json: bool, instance: str | None) -> None:
    """Put what a backup holds into a local instance: all of it, or nothing changes.

    An instance that holds papers is left alone without --yes.

    \b
    Example:  specter-graph restore papers.backup --instance second
    """
    from specter_graph.graph.server.backup import restore as put_back

    server = _local(instance, "restore")
    with progress_bar() as progress:
        done = put_back(server, file, overwrite=yes, progress=progress)
    _print_backup(done, f"{server.name} holds", as_json)


def _ask(question: str) -> None:
    click.confirm(question, abort=True, err=True)


def _local(instance: str | None, command: str) -> "Instance":
    """The local instance; raises InputError where NEO4J_URI names another server."""
    from specter_graph.settings import Settings

    settings = Settings()
    if settings.remote and instance is None:
        raise InputError(
            f"{command} is for local instances; NEO4J_URI names the server {settings.neo4j_uri}",
            f"name one with --instance, or use that server's own {command}",
        )
    return settings.local(instance)


def _print_update(summary: "UpdateSummary") -> None:
    print_load_summary(summary.load)
    if summary.retracted:
        more = ", ..." if len(summary.retracted) > _NAMED else ""
        named = ", ".join(summary.retracted[:_NAMED]) + more
        click.echo(f"{len(summary.retracted):,} papers are retracted now: {named}")
    if summary.vanished:
        click.echo(f"{summary.vanished:,} papers have vanished: see {summary.file}")
        if summary.doubt:
            click.echo(f"but {summary.doubt}: some of them may be there")
    else:
        click.echo("no paper has vanished")


def _show_deleted(graph: "LiteratureGraph", deleted: "Deleted", as_json: bool) -> None:
    if as_json:
        print_json(asdict(deleted))
    else:
        _print_deleted(graph, deleted)


def _print_deleted(graph: "LiteratureGraph", deleted: "Deleted") -> None:
    click.echo(f"deleted {deleted.papers:,} papers, {deleted.readers:,} readers")
    if deleted.restored:
        click.echo(
            f"{deleted.restored:,} merged papers were restored to their records; to merge the rest:"
            " specter-graph merge"
        )
    print_stats(graph.stats())


def _print_backup(done: "Backup", text: str, as_json: bool) -> None:
    if as_json:
        print_json(asdict(done))
        return
    click.echo(
        f"{text} {done.papers:,} papers, {done.stubs:,} stubs and {done.citations:,} citations"
        f" ({done.size / 10**6:,.1f} MB), of {done.created}"
    )
