"""Commands that run graph algorithms on the server: `graph pagerank` and the others."""

from collections.abc import Callable
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
    from specter_graph.graph.algorithms import Written


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


def without_gds_option(command: Command) -> Command:
    """Add `--without-gds`: for a server that lacks the library."""
    return click.option(
        "--without-gds", is_flag=True, help="Compute it here: the server has no GDS library."
    )(command)


@click.group()
def graph() -> None:
    """Run a graph algorithm on the server and write what it finds.

    The Graph Data Science library runs it on a projection of its own, which is dropped afterwards.
    The memory it needs is estimated first: what the server has no room for is refused. With the
    same seed it finds the same again; what would not, on several threads, runs on one.

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
@without_gds_option
@instance_option
@json_option
def pagerank(damping: float, without_gds: bool, instance: str | None, as_json: bool) -> None:
    """Rank the papers by who cites them: Paper.pagerank.

    \b
    Example:
      specter-graph graph pagerank
    """
    from specter_graph.graph import algorithms

    with open_graph(instance) as opened, progress_bar() as progress:
        written = algorithms.pagerank(
            opened.database, damping=damping, without_gds=without_gds, progress=progress
        )
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
    from specter_graph.graph import algorithms

    with open_graph(instance) as opened, progress_bar() as progress:
        written = algorithms.communities(
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
@without_gds_option
@instance_option
@json_option
def knn(
    space: str, k: int, seed: int, without_gds: bool, instance: str | None, as_json: bool
) -> None:
    """Write for each paper the k nearest in a space: (Paper)-[:SIMILAR {space, score}]->(Paper).

    The library finds nearly all of the nearest; --without-gds compares all papers with all.

    \b
    Example:
      specter-graph graph knn --space specter -k 20
    """
    from specter_graph.graph import algorithms

    with open_graph(instance) as opened, progress_bar() as progress:
        written = algorithms.knn(
            opened.database, space, k=k, seed=seed, without_gds=without_gds, progress=progress
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
    from specter_graph.graph import algorithms

    with open_graph(instance) as opened, progress_bar() as progress:
        written = algorithms.similarity(opened.database, by, k=k, cutoff=cutoff, progress=progress)
    _show_similar(written, as_json)


def space_options(algorithm: str, dimension: int) -> Callable[[Command], Command]:
    """Add what the commands share that make an embedding space."""
    space = click.option(
        "--space", default=algorithm, show_default=True, metavar="NAME", help="The space to make."
    )
    size = click.option(
        "--dimension",
        type=click.IntRange(2, 4096),
        default=dimension,
        show_default=True,
        help="Of the vectors.",
    )

    def add(command: Command) -> Command:
        return space(size(holdout_option(seed_option(instance_option(json_option(command))))))

    return add


def base_option(command: Command) -> Command:
    """Add `--base NAME`: the space whose vectors are the papers' features."""
    return click.option(
        "--base",
        default="base",
        show_default=True,
        metavar="NAME",
        help="The space whose vectors the papers bring along.",
    )(command)


@graph.command()
@base_option
@click.option("--citations-alone", is_flag=True, help="Without the vectors of a base space.")
@space_options("fastrp", 384)
def fastrp(citations_alone: bool, base: str, **options: Any) -> None:  # noqa: ANN401
    """Embed the papers by random projections of their neighbourhoods (FastRP).

    Each paper brings the vector of its text along, so that one without citations has a place too.

    \b
    Example:
      specter-graph graph fastrp --base base --space fastrp
    """
    _make_space("fastrp", None if citations_alone else base, **options)


@graph.command()
@space_options("node2vec", 128)
def node2vec(**options: Any) -> None:  # noqa: ANN401
    """Embed the papers by random walks over the citations alone (node2vec); on one thread.

    Papers without citations, held-out ones too, are vectors of zeros: nothing is known of them.

    \b
    Example:
      specter-graph graph node2vec --holdout 0
    """
    _make_space("node2vec", None, **options)


@graph.command()
@base_option
@space_options("hashgnn", 384)
def hashgnn(base: str, **options: Any) -> None:  # noqa: ANN401
    """Embed the papers by hashing the features of their neighbourhoods (HashGNN).

    \b
    Example:
      specter-graph graph hashgnn --base base
    """
    _make_space("hashgnn", base, **options)


@graph.command()
@base_option
@space_options("graphsage", 128)
def graphsage(base: str, **options: Any) -> None:  # noqa: ANN401
    """Train GraphSAGE on the citations and embed the papers by it; on one thread.

    The model is dropped afterwards: the open-source library holds three.

    \b
    Example:
      specter-graph graph graphsage --base base
    """
    _make_space("graphsage", base, **options)


def _make_space(
    algorithm: str,
    base: str | None,
    space: str,
    instance: str | None,
    as_json: bool,
    **settings: Any,  # noqa: ANN401
) -> None:
    from specter_graph.graph import algorithms

    with open_graph(instance) as opened, progress_bar() as progress:
        record = algorithms.make_space(
            opened.database, algorithm, space, base=base, progress=progress, **settings
        )
    if as_json:
        print_json(asdict(record))
    else:
        click.echo(
            f"{space}: {record.dimension} dimensions by {algorithm}"
            f" over the citations{f' and {base}' if base else ''}"
        )


def _show(written: "Written", as_json: bool, text: str) -> None:
    if as_json:
        print_json(asdict(written))
        return
    click.echo(text.format(**asdict(written)))
    for name, value in written.first:
        click.echo(f"  {name:24} {value:,.4g}")


def _show_similar(written: "Written", as_json: bool) -> None:
    _show(
        written,
        as_json,
        "{count:,} relationships SIMILAR of {papers:,} papers in {seconds:.1f} s: space {name}",
    )
