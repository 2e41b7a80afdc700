"""Commands that run graph algorithms on the server: `graph pagerank` and the others."""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from specter_graph.cli.corpus import print_json
from specter_graph.cli.options import (
    Command,
    holdout_option,
    instance_option,
    json_option,
    open_graph,
)
from specter_graph.cli.terminal import progress_bar

if TYPE_CHECKING:
    from specter_graph.graph.algorithms.projection import AlgorithmResult


def seed_option(command: Command) -> Command:
    """Add `--seed`: the same seed gives the same result on the same database."""
    return click.option(
        "--seed", type=click.IntRange(0), default=0, show_default=True, help="What to draw."
    )(command)


def k_option(command: Command) -> Command:
    """Add `-k`: how many papers like it each paper gets."""
    return click.option(
        "-k", type=click.IntRange(1), default=10, show_default=True, help="How many a paper."
    )(command)


@click.group()
def graph() -> None:
    """Run a graph algorithm on the server and write what it finds.

    The server's Graph Data Science library runs it on a projection of the graph, which is dropped
    afterwards. The same seed gives the same result on the same database.

    \b
    Example:
      specter-graph graph pagerank
    """


@graph.command()
@click.option(
    "--damping",
    type=click.FloatRange(0, 1, max_open=True),
    default=0.85,
    show_default=True,
    help="How often a reader follows a citation.",
)
@instance_option
@json_option
def pagerank(damping: float, instance: str | None, as_json: bool) -> None:
    """Rank the papers by who cites them: Paper.pagerank.

    \b
    Example:
      specter-graph graph pagerank
    """
    from specter_graph.graph.algorithms import centrality

    with open_graph(instance) as opened, progress_bar() as progress:
        written = centrality.pagerank(opened.database, damping=damping, progress=progress)
    _show(written, as_json, "{papers:,} papers ranked in {seconds:.1f} s: Paper.pagerank")


@graph.command()
@click.option(
    "--resolution",
    type=click.FloatRange(0, min_open=True),
    default=1.0,
    show_default=True,
    help="A higher one makes more and smaller communities.",
)
@seed_option
@instance_option
@json_option
def communities(resolution: float, seed: int, instance: str | None, as_json: bool) -> None:
    """Find communities of the citation graph (Leiden): Paper.community, 0 the largest.

    \b
    Example:
      specter-graph graph communities --resolution 2
    """
    from specter_graph.graph.algorithms import centrality

    with open_graph(instance) as opened, progress_bar() as progress:
        written = centrality.communities(
            opened.database, resolution=resolution, seed=seed, progress=progress
        )
    _show(
        written,
        as_json,
        "{count:,} communities of {papers:,} papers in {seconds:.1f} s: Paper.community",
    )


@graph.command()
@click.option("--space", default="specter", show_default=True, metavar="NAME", help="The space.")
@k_option
@seed_option
@click.option(
    "--exact", is_flag=True, help="Compare each paper with all others, here, without GDS."
)
@instance_option
@json_option
def knn(space: str, k: int, seed: int, exact: bool, instance: str | None, as_json: bool) -> None:
    """Write for each paper the k nearest in a space: (Paper)-[:SIMILAR {space, score}]->(Paper).

    The library finds about 97% of the nearest. --exact finds all, and is faster up to some ten
    thousand papers.

    \b
    Example:
      specter-graph graph knn --space specter -k 20
    """
    from specter_graph.graph.algorithms import similarity

    with open_graph(instance) as opened, progress_bar() as progress:
        written = similarity.knn(
            opened.database, space, k=k, seed=seed, exact=exact, progress=progress
        )
    _show_similar(written, as_json)


@graph.command()
@click.option(
    "--by",
    type=click.Choice(["cocitation", "coupling"]),
    default="cocitation",
    show_default=True,
    help="Cited by the same papers, or citing the same.",
)
@click.option(
    "--cutoff", type=click.FloatRange(0, 1), default=0.0, show_default=True, help="Least score."
)
@k_option
@instance_option
@json_option
def similarity(by: Any, cutoff: float, k: int, instance: str | None, as_json: bool) -> None:  # noqa: ANN401
    """Write for each paper the k most like it by citations (Jaccard), as SIMILAR.

    The property `space` of the relationships is cocitation or coupling.

    \b
    Example:
      specter-graph graph similarity --by coupling --cutoff 0.1
    """
    from specter_graph.graph.algorithms import similarity as measures

    with open_graph(instance) as opened, progress_bar() as progress:
        written = measures.similarity(opened.database, by, k=k, cutoff=cutoff, progress=progress)
    _show_similar(written, as_json)


@graph.command()
@click.option(
    "--base",
    default="base",
    show_default=True,
    metavar="NAME",
    help="The space whose vectors are features of the papers.",
)
@click.option("--citations-alone", is_flag=True, help="Without the vectors of a base space.")
@click.option(
    "--space", default="fastrp", show_default=True, metavar="NAME", help="The space to make."
)
@click.option(
    "--dimension",
    type=click.IntRange(2, 4096),
    default=384,
    show_default=True,
    help="Of the vectors.",
)
@holdout_option
@seed_option
@instance_option
@json_option
def fastrp(
    base: str,
    citations_alone: bool,
    space: str,
    instance: str | None,
    as_json: bool,
    **settings: Any,  # noqa: ANN401
) -> None:
    """Embed the papers by random projections of their neighborhoods (FastRP).

    Each paper has the vector of its text as features, so that a paper without citations has a
    vector too.

    \b
    Example:
      specter-graph graph fastrp --base base --space fastrp
    """
    from specter_graph.graph.algorithms.fastrp import fastrp

    source = None if citations_alone else base
    with open_graph(instance) as opened, progress_bar() as progress:
        record = fastrp(opened.database, space, base=source, progress=progress, **settings)
    if as_json:
        print_json(asdict(record))
    else:
        features = f" and {source}" if source else ""
        click.echo(f"{space}: {record.dimension} dimensions by FastRP over the citations{features}")


def _show(written: "AlgorithmResult", as_json: bool, text: str) -> None:
    if as_json:
        print_json(asdict(written))
        return
    click.echo(text.format(**asdict(written)))
    for name, value in written.first:
        click.echo(f"  {name:24} {value:,.4g}")


def _show_similar(written: "AlgorithmResult", as_json: bool) -> None:
    _show(
        written,
        as_json,
        "{count:,} relationships SIMILAR of {papers:,} papers in {seconds:.1f} s: space {name}",
    )
