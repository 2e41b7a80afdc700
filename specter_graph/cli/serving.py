"""Commands that serve the graph by HTTP: serve, and map, which makes a page's picture."""

from pathlib import Path

import click
from click.core import ParameterSource

from specter_graph.cli.options import instance_option, open_graph
from specter_graph.core.errors import InputError


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Where to listen.")
@click.option(
    "--port", type=click.IntRange(0, 65535), default=8000, show_default=True, help="0: a free one."
)
@click.option(
    "--space", default="specter", show_default=True, metavar="NAME", help="The space that counts."
)
@click.option("--keys", is_flag=True, help="Ask for an API key on this machine, too.")
@click.option("--make-key", metavar="NAME", help="Make an API key, print it, and end.")
@click.option("--write", is_flag=True, help="With --make-key: one that may also start jobs.")
@click.option("--drop-key", metavar="NAME", help="Forget an API key, and end.")
@click.option("--allow-cypher", is_flag=True, help="Answer Cypher of the callers' own: reads only.")
@click.option("--allow-jobs", is_flag=True, help="Start and cancel long work: embed, train, match.")
@click.option(
    "--log-use",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Note what is shown and opened, not by whom, for `use`.",
)
@click.option("--log-queries", is_flag=True, help="With --log-use: the words of searches, too.")
@click.option(
    "--swap",
    type=click.FloatRange(0, 1),
    default=0.0,
    metavar="SHARE",
    help="With --log-use: exchange two papers in so many lists, to learn what places count.",
)
@click.option(
    "--interleave",
    metavar="NAME",
    help="With --log-use: lists of --space and of this space as one, for `use compare`.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=10,
    show_default=True,
    help="Stop a read of the database after so long.",
)
@click.option(
    "--at-once",
    type=click.IntRange(1, 40),
    default=8,
    show_default=True,
    help="How many requests to work on at once.",
)
@instance_option
def serve(
    host: str,
    port: int,
    space: str,
    keys: bool,
    make_key: str | None,
    write: bool,
    drop_key: str | None,
    allow_cypher: bool,
    allow_jobs: bool,
    log_use: Path | None,
    log_queries: bool,
    swap: float,
    interleave: str | None,
    seconds: float,
    at_once: int,
    instance: str | None,
) -> None:
    """Serve the graph by HTTP: pages for people, an API under /v1 for programs.

    It only reads, unless with --allow-jobs. Elsewhere than on this machine it asks for an API key.

    \b
    Example:  specter-graph serve --port 8000
              specter-graph serve --allow-jobs
              specter-graph serve --make-key anna
              specter-graph serve --host 0.0.0.0
    """
    from specter_graph.graph.embeddings.spaces import space as find_space
    from specter_graph.service.jobs import Jobs
    from specter_graph.service.serving import listen
    from specter_graph.service.serving import serve as answer
    from specter_graph.service.web import auth as access
    from specter_graph.service.web.config import LOOPBACK, Learning, Terms
    from specter_graph.settings import Settings

    folder = Settings().specter_graph_data
    if write and make_key is None:
        raise click.UsageError("--write needs --make-key NAME")
    if make_key is not None:
        click.echo(access.make_key(folder, make_key, "write" if write else "read"))
        return
    if drop_key is not None:
        access.drop_key(folder, drop_key)
        return
    asked = access.keys(folder) if keys or host not in LOOPBACK else {}
    if not asked and (keys or host not in LOOPBACK):
        raise InputError(
            "without an API key nobody could ask", "specter-graph serve --make-key NAME"
        )
    if (log_queries or swap or interleave) and not log_use:
        raise click.UsageError("--log-queries, --swap and --interleave need --log-use FILE")
    if interleave == space:
        raise click.UsageError("--interleave names another space than --space")
    learning = Learning(log_use, log_queries, swap, interleave) if log_use else None
    terms = Terms(space, asked, allow_cypher, folder, learning, seconds=seconds, at_once=at_once)
    named = click.get_current_context().get_parameter_source("space")
    with open_graph(instance, seconds=seconds) as graph, listen(host, port) as at:
        if named is not ParameterSource.DEFAULT:
            find_space(graph.database, space)
        if interleave and not find_space(graph.database, interleave).model:
            raise InputError(
                f"the space {interleave!r} has no model: no search goes there",
                "--interleave another space",
            )
        click.echo(f"http://{f'[{host}]' if ':' in host else host}:{at.getsockname()[1]}")
        answer(graph, terms, at, Jobs(folder, instance) if allow_jobs else None)


@click.command(name="map")
@click.option(
    "--space", default="specter", show_default=True, metavar="NAME", help="The embedding space."
)
@instance_option
def map_of(space: str, instance: str | None) -> None:
    """Place all papers in a plane, near ones near, for the map of `serve`.

    \b
    Example:  specter-graph map
              specter-graph map --space sgc
    """
    from specter_graph.service.views.maps import make_map
    from specter_graph.settings import Settings

    with open_graph(instance) as graph:
        file, papers = make_map(graph, space, Settings().specter_graph_data)
    click.echo(f"{papers:,} papers of {space!r} in {file}")
