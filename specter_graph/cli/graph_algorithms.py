"""`algorithms` and `topics`: graph algorithms on the server, with their results in the graph.

`settings` of a command are arguments of the method that it calls.
"""

from functools import partial
from typing import Any

import click

import specter_graph as sg
from specter_graph.cli.options import (
    flag,
    graph_command,
    holdout_option,
    option,
    output_space_option,
    seed_option,
    space_option,
)
from specter_graph.cli.output import Output, terminal_safe

_BARS = "▁▂▃▄▅▆▇█"

_neighbors_option = option("-k", "Number of similar papers for each paper.", click.IntRange(1), 10)
_resolution_option = option(
    "--resolution",
    "Resolution of Leiden: a higher value makes more and smaller groups.",
    click.FloatRange(0, min_open=True),
    1.0,
)


@click.group()
def algorithms() -> None:
    """Run a graph algorithm and store its result.

    The server's Graph Data Science library runs it on a projection of the graph, which is dropped
    afterwards. The same seed gives the same result on the same database.

    \b
    Example:  specter-graph algorithms pagerank
    """


@algorithms.command()
@option(
    "--damping",
    "Probability that a reader follows a citation.",
    click.FloatRange(0, 1, max_open=True),
    0.85,
)
@graph_command(progress=True)
def pagerank(graph: "sg.LiteratureGraph", **settings: Any) -> object:
    """Rank the papers by who cites them: Paper.pagerank.

    \b
    Example:  specter-graph algorithms pagerank
    """
    return graph.algorithms.pagerank(**settings)


@algorithms.command()
@_resolution_option
@seed_option
@graph_command(progress=True)
def communities(graph: "sg.LiteratureGraph", **settings: Any) -> object:
    """Find communities of the citation graph (Leiden).

    The result is Paper.community; 0 is the largest community.

    \b
    Example:  specter-graph algorithms communities --resolution 2
    """
    return graph.algorithms.communities(**settings)


@algorithms.command()
@space_option()
@_neighbors_option
@seed_option
@flag("--exact", "Compare each paper with all others on this machine, without GDS.")
@graph_command(progress=True)
def knn(graph: "sg.LiteratureGraph", space: str | None, **settings: Any) -> object:
    """Store the nearest papers of each paper.

    The relationships are (Paper)-[:SIMILAR {space, score}]->(Paper). GDS finds about 97 % of
    the nearest papers. --exact finds all, and is faster for up to about ten thousand papers.

    \b
    Example:  specter-graph algorithms knn --space specter -k 20
    """
    return graph.algorithms.knn(space, **settings)


@algorithms.command()
@option(
    "--measure",
    "Compare the papers that cite two papers, or the papers that they cite.",
    ("cocitation", "coupling"),
    "cocitation",
)
@option("--min-similarity", "Minimum Jaccard similarity.", click.FloatRange(0, 1), 0.0)
@_neighbors_option
@graph_command(progress=True)
def similarity(graph: "sg.LiteratureGraph", measure: Any, **settings: Any) -> object:
    """Store the most similar papers of each paper by citations.

    The similarity is Jaccard's; the relationships are SIMILAR. The property `space` of the
    relationships is cocitation or coupling.

    \b
    Example:  specter-graph algorithms similarity --measure coupling --min-similarity 0.1
    """
    return graph.algorithms.similarity(measure, **settings)


@algorithms.command()
@space_option("base")
@flag("--no-features", "Use only the citations, without the vectors of --space.")
@output_space_option("fastrp")
@option(
    "--output-dimension dimension",
    "Dimension of the vectors to write.",
    click.IntRange(2, 4096),
    384,
)
@holdout_option
@seed_option
@graph_command(progress=True)
def fastrp(graph: "sg.LiteratureGraph", space: str, no_features: bool, **settings: Any) -> object:
    """Embed the papers by FastRP.

    FastRP computes random projections of the neighborhoods of papers. Each paper has its vector
    of --space as features, so that a paper without citations has a vector too.

    \b
    Example:  specter-graph algorithms fastrp
              specter-graph algorithms fastrp --space specter --output-space fastrp_specter
    """
    return graph.algorithms.fastrp(None if no_features else space, **settings)


def _print_topics(topics: "list[sg.Topic]") -> None:
    for topic in topics:
        click.echo(terminal_safe(_format_topic(topic)))
    if not topics:
        click.echo("there are no topics yet; run `specter-graph topics find`", err=True)


def _format_topic(topic: "sg.Topic") -> str:
    years = f"{topic.years[0]}-{topic.years[-1]} {_bars(topic)}" if topic.years else ""
    return f"{topic.id:16} {topic.size:>7,}  {topic.name:56} {years}".rstrip()


def _bars(topic: "sg.Topic") -> str:
    """The numbers of papers by year, as bars."""
    papers = dict(zip(topic.years, topic.counts, strict=True))
    highest = max(topic.counts)
    return "".join(
        _BARS[papers[year] * (len(_BARS) - 1) // highest] if year in papers else " "
        for year in range(topic.years[0], topic.years[-1] + 1)
    )


_show_topics = partial(Output.show, text=_print_topics)


@click.group()
def topics() -> None:
    """Find topics of the corpus and list them.

    \b
    Example:  specter-graph topics find --space specter
              specter-graph topics list
    """


@topics.command()
@space_option()
@option(
    "--clustering method",
    "Leiden on nearest papers (GDS on the server), or HDBSCAN on 20 components (here).",
    ("leiden", "hdbscan"),
    "leiden",
)
@option("--min-size", "Minimum number of papers of a topic.", click.IntRange(2), 20)
@_resolution_option
@seed_option
@graph_command(_show_topics, progress=True)
def find(graph: "sg.LiteratureGraph", space: str | None, **settings: Any) -> object:
    """Cluster a space into topics, each named by its characteristic terms.

    The topics of an earlier run on the same space are replaced. Each is a node (:Topic {name,
    terms, years, counts}) with (Paper)-[:IN_TOPIC {score}]->(Topic).

    \b
    Example:  specter-graph topics find --space specter
    """
    return graph.algorithms.find_topics(space, **settings)


@topics.command("list")
@space_option(shown="all")
@graph_command(_show_topics)
def list_(graph: "sg.LiteratureGraph", space: str | None) -> object:
    """List the topics in the graph.

    \b
    Example:  specter-graph topics list --format json
    """
    return graph.algorithms.list_topics(space)
