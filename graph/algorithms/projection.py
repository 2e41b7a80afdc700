"""Projections of the graph, for algorithms of the Graph Data Science library (GDS).

The client of the library, `graphdatascience`, uses the open driver.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias
from uuid import uuid4

from graphdatascience import GraphDataScience
from graphdatascience.error.gds_not_installed import GdsNotFound
from graphdatascience.graph.graph_api import Graph
from graphdatascience.progress.progress_bar import NoOpProgressBar
from graphdatascience.progress.progress_provider import TaskWithProgress
from graphdatascience.progress.query_progress_logger import QueryProgressLogger
from graphdatascience.query_runner.neo4j_query_runner import Neo4jQueryRunner
from neo4j.exceptions import Neo4jError

from specter_graph.core.errors import GraphError, InputError
from specter_graph.core.progress import Progress, silent
from specter_graph.cypher import statement
from specter_graph.graph.contents import require_papers
from specter_graph.graph.database import Database, column_pages

Projection: TypeAlias = tuple[GraphDataScience, Graph]
"""The client of GDS, and a projection to pass to its algorithms."""


@dataclass(frozen=True, slots=True)
class AlgorithmResult:
    """The result of a graph algorithm.

    Attributes:
        name: The algorithm, or the space of the written relationships.
        papers: Papers that got values or relationships.
        count: Number of written relationships or communities; for PageRank, of values.
        seconds: Duration.
        first: The highest ranked papers with their ranks, or the largest communities with their
            sizes.
    """

    name: str
    papers: int
    count: int
    seconds: float
    first: tuple[tuple[str, float], ...] = ()


@contextmanager
def projection(
    db: Database, name: str, progress: Progress = silent, **parameters: object
) -> Iterator[Projection]:
    """Project a part of the graph with the statement algorithms/NAME, and drop it at the end.

    While an algorithm runs, the client reports its progress in percent.

    Yields:
        The client and the projection.

    Raises:
        GraphError: The server has no GDS, the statement returns no papers, or an algorithm needs
            more memory than the server has.
        InputError: An argument of an algorithm has another type, or is out of its range.
    """
    gds = _open_client(db, progress)
    graph = f"specter-graph-{uuid4()}"
    try:
        try:
            projected = gds.graph.project.cypher(
                statement(f"algorithms/{name}").text, graph=graph, **parameters
            ).graph
        except ValueError as error:  # the statement found nothing
            require_papers(db)
            raise GraphError(
                "the graph has no papers for this algorithm", "specter-graph stats"
            ) from error
        yield gds, projected
    except Neo4jError as error:
        message = str(error.message)
        _, invalid, reason = message.rpartition("IllegalArgumentException: ")
        if invalid:
            raise InputError(reason, "give another value") from error
        _, memory, size = message.partition("Memory required ")
        if not (memory or "OutOfMemoryError" in message):
            raise
        raise GraphError(
            memory + size or "the algorithm does not fit into the memory of the server",
            "use fewer dimensions or neighbors, or your own server (NEO4J_URI) with a larger"
            " heap (server.memory.heap.max_size)",
        ) from error
    finally:
        gds.graph.drop(graph, fail_if_missing=False)


def paper_of_node(db: Database) -> Mapping[int, str]:
    """Map the node numbers that GDS uses to the ids of papers, including stubs."""
    pages = column_pages(db, "algorithms/paper_nodes")
    return {node: paper for ids, nodes in pages for paper, node in zip(ids, nodes, strict=True)}


def _open_client(db: Database, progress: Progress) -> GraphDataScience:
    runner = Neo4jQueryRunner.create_for_db(db.driver, database=db.name)
    try:
        gds = GraphDataScience(runner, arrow=False)
    except GdsNotFound as error:
        raise GraphError(
            "this Neo4j has no Graph Data Science library, which this algorithm needs",
            "install the plugin, or unset NEO4J_URI to use the local server, which has it",
        ) from error
    runner._progress_logger = _ProgressLogger(gds.run_cypher, progress)
    return gds


class _ProgressLogger(QueryProgressLogger):  # type: ignore[misc] # the client is not typed
    """A logger that reports the client's progress to a callback instead of a progress bar.

    The client has no public interface for this. Only this class, and the attribute of the runner
    that holds it, depend on its private names.
    """

    def __init__(self, run_cypher: Callable[..., Any], report: Progress) -> None:
        super().__init__(run_cypher)
        self._report = report

    def _init_pbar(self, task: TaskWithProgress) -> "_CallbackBar":
        return _CallbackBar(task.task_name.strip(), self._report)


class _CallbackBar(NoOpProgressBar):  # type: ignore[misc]
    def __init__(self, stage: str, report: Progress) -> None:
        self._stage = stage
        self._report = report

    def update(self, status: str, progress: float | None, *_: object) -> None:
        self._report(self._stage, int(progress or 0), 100)

    def finish(self, success: bool, *_: object) -> None:
        if success:
            self._report(self._stage, 100, 100)
