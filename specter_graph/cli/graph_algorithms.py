"""`algorithms` and `topics`: graph algorithms on the server, with their results in the graph.

`settings` of a command are arguments of the method that it calls.
"""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from specter_graph.cli.options import (
    flag,
    graph_options,
    holdout_option,
    open_graph,
    option,
    output_space_option,
    seed_option,
    space_option,
)
from specter_graph.cli.output import Output
from specter_graph.cli.terminal import progress_bar

if TYPE_CHECKING:
    from specter_graph import Topic

_BARS = "▁▂▃▄▅▆▇█"

_neighbors_option = option(
    "--neighbors k", "Number of similar papers for each paper.", click.IntRange(1), 10
)
_resolution_option = option(
    "--resolution",
    "Resolution of Leiden: a higher value makes more and smaller groups.",
    click.FloatRange(0, min_open=True),
    1.0,
)


@click.group()
def algorithms() -> None:
    """Run a graph algorithm on the server and store its result.

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
@graph_options
def pagerank(damping: float, instance: str | None, output: Output) -> None:
    """Rank the papers by who cites them: Paper.pagerank.

    \b
    Example:  specter-graph algorithms pagerank
    """
    with open_graph(instance) as graph, progress_bar() as progress:
        result = graph.algorithms.pagerank(damping=damping, progress=progress)
    output.show(result)


@algorithms.command()
@_resolution_option
@seed_option
@graph_options
def communities(instance: str | None, output: Output, **settings: Any) -> None:
    """Find communities of the citation graph (Leiden): Paper.community, 0 is the largest.

    \b
    Example:  specter-graph algorithms communities --resolution 2
    """
    with open_graph(instance) as graph, progress_bar() as progress:
        result = graph.algorithms.communities(**settings, progress=progress)
    output.show(result)


@algorithms.command()
@space_option("specter")
@_neighbors_option
@seed_option
@flag("--exact", "Compare each paper with all others on this machine, without GDS.")
@graph_options
def knn(space: str, instance: str | None, output: Output, **settings: Any) -> None:
    """Store the nearest papers of each paper: (Paper)-[:SIMILAR {space, score}]->(Paper).

    GDS finds about 97% of the nearest. --exact finds all, and is faster up to some ten thousand
    papers.

    \b
    Example:  specter-graph algorithms knn --space specter --neighbors 20
    """
    with open_graph(instance) as graph, progress_bar() as progress:
        result = graph.algorithms.knn(space, **settings, progress=progress)
    output.show(result)


@algorithms.command()
@option(
    "--measure",
    "Compare the papers that cite two papers, or the papers that they cite.",
    ("cocitation", "coupling"),
    "cocitation",
)
@option("--min-score", "Minimum Jaccard similarity.", click.FloatRange(0, 1), 0.0)
@_neighbors_option
@graph_options
def similarity(
    measure: Any, min_score: float, k: int, instance: str | None, output: Output
) -> None:
    """Store the most similar papers of each paper by citations (Jaccard), as SIMILAR.

    The property `space` of the relationships is cocitation or coupling.

    \b
    Example:  specter-graph algorithms similarity --measure coupling --min-score 0.1
    """
    with open_graph(instance) as graph, progress_bar() as progress:
        result = graph.algorithms.similarity(measure, k=k, min_score=min_score, progress=progress)
    output.show(result)


@algorithms.command()
@space_option("base")
@flag("--no-features", "Use the citations alone, no vectors of --space.")
@output_space_option("fastrp")
@option(
    "--output-dimension dimension",
    "Dimension of the vectors to write.",
    click.IntRange(2, 4096),
    384,
)
@holdout_option
@seed_option
@graph_options
def fastrp(
    space: str,
    no_features: bool,
    output_space: str,
    instance: str | None,
    output: Output,
    **settings: Any,
) -> None:
    """Embed the papers by random projections of their neighborhoods (FastRP).

    Each paper has its vector of --space as features, so that a paper without citations has a vector
    too.

    \b
    Example:  specter-graph algorithms fastrp
              specter-graph algorithms fastrp --space specter --output-space fastrp_specter
    """
    features = None if no_features else space
    with open_graph(instance) as graph, progress_bar() as progress:
        record = graph.algorithms.fastrp(
            features, output_space=output_space, progress=progress, **settings
        )
    output.show(record)


@click.group()
def topics() -> None:
    """Find topics of the corpus and list them.

    \b
    Example:  specter-graph topics find --space specter
              specter-graph topics list
    """


@topics.command()
@space_option("specter")
@option(
    "--clustering method",
    "Leiden on nearest papers (GDS on the server), or HDBSCAN on 20 components (here).",
    ("leiden", "hdbscan"),
    "leiden",
)
@option("--min-size", "Minimum number of papers of a topic.", click.IntRange(2), 20)
@_resolution_option
@seed_option
@graph_options
def find(space: str, instance: str | None, output: Output, **settings: Any) -> None:
    """Cluster a space into topics, each named by its characteristic terms.

    The topics of an earlier run on the same space are replaced. Each is a node (:Topic {name,
    terms, years, counts}) with (Paper)-[:IN_TOPIC {score}]->(Topic).

    \b
    Example:  specter-graph topics find --space specter
    """
    with open_graph(instance) as graph, progress_bar() as progress:
        topic_set = graph.algorithms.make_topics(space, **settings, progress=progress)
    _show_topics(output, topic_set)


@topics.command("list")
@space_option(shown="all")
@graph_options
def list_(space: str | None, instance: str | None, output: Output) -> None:
    """List the topics in the graph.

    \b
    Example:  specter-graph topics list --format json
    """
    with open_graph(instance) as graph:
        topic_set = graph.algorithms.topics(space)
    _show_topics(output, topic_set)


def _show_topics(output: Output, topics: "list[Topic]") -> None:
    def lines() -> None:
        for topic in topics:
            click.echo(_line(topic))

    output.show([asdict(topic) for topic in topics], lines)


def _line(topic: "Topic") -> str:
    years = f"{topic.years[0]}-{topic.years[-1]} {_bars(topic)}" if topic.years else ""
    return f"{topic.id:16} {topic.size:>7,}  {topic.name:56} {years}".rstrip()


def _bars(topic: "Topic") -> str:
    """The numbers of papers by year, as bars."""
    papers = dict(zip(topic.years, topic.counts, strict=True))
    highest = max(topic.counts)
    return "".join(
        _BARS[papers[year] * (len(_BARS) - 1) // highest] if year in papers else " "
        for year in range(topic.years[0], topic.years[-1] + 1)
    )
