"""Numbers on papers: PageRank and communities."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from time import monotonic

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.batching import batches
from specter_graph.core.errors import GraphError
from specter_graph.core.progress import Progress, silent
from specter_graph.cypher import statement
from specter_graph.graph.algorithms.run import ONE_THREAD, projection, stream
from specter_graph.graph.database import Database

DAMPING = 0.85
TOLERANCE = 1e-9
MOST_ITERATIONS = 1_000
_ROWS = 10_000


@dataclass(frozen=True, slots=True)
class Written:
    """What an algorithm wrote: `count` numbers or relationships on `papers`.

    `first` are the highest ranked papers with their ranks, or the largest communities with their
    sizes.
    """

    name: str
    papers: int
    count: int
    seconds: float
    first: tuple[tuple[str, float], ...] = ()


def pagerank(
    db: Database,
    *,
    damping: float = DAMPING,
    without_gds: bool = False,
    progress: Progress = silent,
) -> Written:
    """Write the PageRank of every paper, stubs among them, to Paper.pagerank.

    r(p) = (1 - d) + d * the sum over the papers q that cite p of r(q) / (what q cites), so a paper
    that nobody cites has 1 - d. Divided by their sum these are the probabilities of Page et al.
    (1999), where papers that cite nothing pass their rank on to all. All citations count, those of
    held-out papers too.

    Raises GraphError without papers, or without GDS; `without_gds` computes the same here.
    """
    started = monotonic()
    if without_gds:
        ids, ranks = _pagerank_here(db, damping)
    else:
        config = {
            "dampingFactor": damping,
            "tolerance": TOLERANCE,
            "maxIterations": MOST_ITERATIONS,
        } | ONE_THREAD
        with projection(db, "project_citations", undirected=[]) as graph:
            rows = stream(db, "values", "gds.pageRank", graph, config, progress, "score")
            ids, ranks = _columns(rows)
    _write(db, "pagerank", dict(zip(ids, ranks, strict=True)))
    first = sorted(zip(ids, ranks, strict=True), key=lambda pair: (-pair[1], pair[0]))[:5]
    return Written("pagerank", len(ids), len(ids), monotonic() - started, tuple(first))


def communities(
    db: Database,
    *,
    resolution: float = 1.0,
    seed: int = 0,
    progress: Progress = silent,
) -> Written:
    """Write the community of every paper, by Leiden over the citations, to Paper.community.

    Leiden (Traag et al. 2019) raises the modularity of the undirected graph; a higher `resolution`
    makes more and smaller communities. They are numbered by size, 0 the largest. All citations
    count. The same seed gives the same communities on the same graph.
    """
    started = monotonic()
    config = {"gamma": resolution, "randomSeed": seed} | ONE_THREAD
    with projection(db, "project_citations", undirected=["*"]) as graph:
        rows = stream(db, "values", "gds.leiden", graph, config, progress, "communityId")
        ids, found = _columns(rows)
    numbers = by_size(ids, found)
    _write(db, "community", numbers)
    sizes = Counter(numbers.values())
    first = tuple((str(number), size) for number, size in sizes.most_common(5))
    return Written("communities", len(ids), len(sizes), monotonic() - started, first)


def by_size(ids: Iterable[str], clusters: Iterable[float]) -> dict[str, int]:
    """Number clusters by size, 0 the largest; of two as large, that with the lower id is first."""
    cluster_of = dict(sorted(zip(ids, clusters, strict=True)))
    sizes = Counter(cluster_of.values())  # in the order of their lowest ids, which sorting keeps
    number = {
        cluster: place for place, cluster in enumerate(sorted(sizes, key=lambda each: -sizes[each]))
    }
    return {paper: number[cluster] for paper, cluster in cluster_of.items()}


def pagerank_of(
    references: Mapping[str, Iterable[str]], damping: float = DAMPING
) -> NDArray[np.float64]:
    """The ranks of papers, (n,) float64 in the order of `references`, from what each cites."""
    from scipy import sparse

    position = {paper: place for place, paper in enumerate(references)}
    cited = [[position[each] for each in cites] for cites in references.values()]
    degrees = np.array([len(places) for places in cited])
    weights = np.repeat(1 / np.maximum(degrees, 1), degrees)
    sources = np.repeat(np.arange(len(cited)), degrees)
    targets = np.array([place for places in cited for place in places], dtype=np.int64)
    passed = sparse.csr_array((weights, (targets, sources)), shape=(len(cited),) * 2)
    ranks = np.full(len(cited), 1 - damping)
    for _ in range(MOST_ITERATIONS):
        before, ranks = ranks, (1 - damping) + damping * (passed @ ranks)
        if np.abs(ranks - before).max() < TOLERANCE:
            break
    return ranks


def _pagerank_here(db: Database, damping: float) -> tuple[list[str], list[float]]:
    references = {row[0]: row[1] for row in db.stream(statement("algorithms/references").text)}
    if not references:
        raise GraphError("there are no papers to rank", "specter-graph load")
    return list(references), pagerank_of(references, damping).tolist()


def _columns(rows: Iterable[tuple[str, float]]) -> tuple[list[str], list[float]]:
    pairs = [(row[0], row[1]) for row in rows]
    return [paper for paper, _ in pairs], [value for _, value in pairs]


def _write(db: Database, name: str, values: Mapping[str, float]) -> None:
    text = statement("algorithms/write_values").text
    for batch in batches(values.items(), _ROWS):
        rows = [{"id": paper, "properties": {name: value}} for paper, value in batch]
        db.write(text, rows=rows)
