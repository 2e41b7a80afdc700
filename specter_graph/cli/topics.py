"""`topics`: clusters of an embedding space, with names."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from specter_graph.cli.corpus import print_json
from specter_graph.cli.options import instance_option, json_option, open_graph
from specter_graph.cli.terminal import progress_bar

if TYPE_CHECKING:
    from specter_graph.graph.algorithms.topics import Topic

_BARS = "▁▂▃▄▅▆▇█"


@click.command()
@click.option("--space", metavar="NAME", help="The space to cluster, or whose topics to list.")
@click.option(
    "--method",
    type=click.Choice(["leiden", "hdbscan"]),
    default="leiden",
    show_default=True,
    help="Leiden on the nearest papers (the server, GDS) or HDBSCAN on 20 components (here).",
)
@click.option(
    "--least",
    type=click.IntRange(2),
    default=20,
    show_default=True,
    help="Papers that make a topic.",
)
@click.option(
    "--resolution",
    type=click.FloatRange(0, min_open=True),
    default=1.0,
    show_default=True,
    help="Of Leiden: a higher one makes more topics.",
)
@click.option("--list", "only_list", is_flag=True, help="Show the topics that there are.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="What to draw.")
@instance_option
@json_option
def topics(
    space: str | None,
    method: Any,  # noqa: ANN401
    least: int,
    resolution: float,
    only_list: bool,
    seed: int,
    instance: str | None,
    as_json: bool,
) -> None:
    """Find topics: clusters of a space, named by the terms that set each apart.

    Made again they replace those of the same space. Each is a node (:Topic {name, terms, years,
    counts}) with (Paper)-[:IN_TOPIC {score}]->(Topic).

    \b
    Example:
      specter-graph topics --space specter
      specter-graph topics --list --json
    """
    from specter_graph.graph.algorithms.topics import list_topics, make_topics

    if not (space or only_list):
        raise click.UsageError("name the space to cluster (--space), or --list what there is")
    with open_graph(instance) as opened, progress_bar() as progress:
        if only_list:
            found = list_topics(opened.database, space)
        else:
            found = make_topics(
                opened.database,
                space or "",
                method=method,
                least=least,
                resolution=resolution,
                seed=seed,
                progress=progress,
            )
    if as_json:
        print_json([asdict(topic) for topic in found])
    else:
        for topic in found:
            click.echo(_line(topic))


def _line(topic: "Topic") -> str:
    years = f"{topic.years[0]}-{topic.years[-1]} {_bars(topic)}" if topic.years else ""
    return f"{topic.id:16} {topic.size:>7,}  {topic.name:56} {years}".rstrip()


def _bars(topic: "Topic") -> str:
    """The papers of each year from the first to the last, as bars."""
    papers = dict(zip(topic.years, topic.counts, strict=True))
    most = max(topic.counts)
    return "".join(
        _BARS[papers[year] * (len(_BARS) - 1) // most] if year in papers else " "
        for year in range(topic.years[0], topic.years[-1] + 1)
    )
