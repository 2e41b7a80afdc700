"""PageRank and communities, written as properties of papers."""

from collections import Counter
from collections.abc import Iterable, Mapping
from time import monotonic

from specter_graph.core.progress import Progress, batches, silent
from specter_graph.graph.algorithms.projection import AlgorithmResult, paper_of_node, projection
from specter_graph.graph.database import Database

DAMPING = 0.85
TOLERANCE = 1e-9
MAX_ITERATIONS = 1_000
_ROWS = 10_000


def pagerank(
    db: Database, *, damping: float = DAMPING, progress: Progress = silent
) -> AlgorithmResult:
    """Write the PageRank of every paper, including stubs, to Paper.pagerank.

    r(p) = (1 - d) + d * the sum over the papers q that cite p of r(q) / (number of references of
    q); an uncited paper has 1 - d. Divided by their sum, these are the probabilities of Page et al.
    (1999), in which papers without references distribute their rank over all papers. All citations
    count, including those of held-out papers.

    Args:
        db: The graph.
        damping: The probability d that a reader follows a citation.
        progress: Called with the progress of the algorithm in percent.

    Returns:
        A summary with the five highest ranked papers.

    Raises:
        GraphError: The graph has no papers, or the server has no GDS.
    """
    started = monotonic()
    with projection(db, "project_citations", progress, undirected=[]) as (gds, graph):
        frame = gds.page_rank.stream(
            graph,
            damping_factor=damping,
            tolerance=TOLERANCE,
            max_iterations=MAX_ITERATIONS,
            concurrency=1,
        )
    ranks = dict(zip(frame["nodeId"].map(paper_of_node(db)), frame["score"], strict=True))
    _write_property(db, "pagerank", ranks)
    first = sorted(ranks.items(), key=lambda pair: (-pair[1], pair[0]))[:5]
    return AlgorithmResult("pagerank", len(ranks), len(ranks), monotonic() - started, tuple(first))


def communities(
    db: Database, *, resolution: float = 1.0, seed: int = 0, progress: Progress = silent
) -> AlgorithmResult:
    """Write the community of every paper in the citation graph to Paper.community.

    The Leiden algorithm (Traag et al. 2019) maximizes the modularity of the undirected graph. The
    communities are numbered by size; 0 is the largest. All citations count. The algorithm runs on
    one thread, so the same seed gives the same communities on the same graph.

    Args:
        db: The graph.
        resolution: A higher value gives more and smaller communities.
        seed: Random seed.
        progress: Called with the progress of the algorithm in percent.

    Returns:
        A summary with the five largest communities.

    Raises:
        GraphError: The graph has no papers, or the server has no GDS.
    """
    started = monotonic()
    with projection(db, "project_citations", progress, undirected=["*"]) as (gds, graph):
        frame = gds.leiden.stream(graph, gamma=resolution, random_seed=seed, concurrency=1)
    numbers = by_size(frame["nodeId"].map(paper_of_node(db)), frame["communityId"])
    _write_property(db, "community", numbers)
    sizes = Counter(numbers.values())
    first = tuple((str(number), size) for number, size in sizes.most_common(5))
    return AlgorithmResult("communities", len(numbers), len(sizes), monotonic() - started, first)


def by_size(ids: Iterable[str], clusters: Iterable[float]) -> dict[str, int]:
    """Number clusters by decreasing size; equal sizes are ordered by their lowest ids."""
    cluster_of = dict(sorted(zip(ids, clusters, strict=True)))
    sizes = Counter(cluster_of.values())  # in the order of their lowest ids; sorting is stable
    ranked = sorted(sizes, key=lambda cluster: -sizes[cluster])
    number = {cluster: place for place, cluster in enumerate(ranked)}
    return {paper: number[cluster] for paper, cluster in cluster_of.items()}


def _write_property(db: Database, name: str, values: Mapping[str, float]) -> None:
    for batch in batches(values.items(), _ROWS):
        db.write(
            "algorithms/write_values",
            rows=[{"id": paper, "properties": {name: value}} for paper, value in batch],
        )
