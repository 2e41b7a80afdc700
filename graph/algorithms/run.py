"""How an algorithm of the Graph Data Science library is run, whichever it is.

A projection is made and always dropped again; the memory that it and the algorithm need is
estimated first; while the algorithm runs, a thread asks the server how far it has come.

The statements are called as they stand in the cypher room, not through the client
`graphdatascience`: on the same projection both take the same time, but the client knows progress
only as its own bar on stderr, names nodes by the server's ids, and takes a second to import. For
algorithms of one's own there is `specter_graph.integrations.graph_data_science`.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any
from uuid import uuid4

import neo4j
from neo4j.exceptions import DriverError, Neo4jError

from specter_graph.core.errors import GraphError
from specter_graph.core.progress import Progress
from specter_graph.cypher import statement
from specter_graph.graph.algorithms.citation_edges import has_gds
from specter_graph.graph.checks import require_papers
from specter_graph.graph.database import Database

POLL_S = 0.5
ONE_THREAD = {"concurrency": 1}
"""For algorithms whose threads would come to another result each time."""


@contextmanager
def projection(
    db: Database, name: str, *, dimension: int = 0, **parameters: object
) -> Iterator[str]:
    """Make a projection with the statement gds/NAME; it has a name of its own and is dropped after.

    `dimension` is the length of the vectors that it takes along. Raises GraphError on a server
    without the library or without the memory, and where there are no papers.
    """
    require_gds(db)
    needed = db.value(statement("algorithms/estimate_projection").text, dimension=dimension)
    require_memory(db, "the projection of the graph", needed)
    graph = f"specter-graph-{uuid4()}"
    try:
        if not db.read(statement(f"algorithms/{name}").text, graph=graph, **parameters)[0][
            "papers"
        ]:
            require_papers(db)
            raise GraphError("there are no papers that this could work on", "specter-graph stats")
        yield graph
    finally:
        db.read(statement("algorithms/drop").text, graph=graph)


def stream(
    db: Database,
    name: str,
    procedure: str,
    graph: str,
    config: Mapping[str, Any],
    progress: Progress,
    column: str = "",
) -> Iterator[neo4j.Record]:
    """Run an algorithm, such as "gds.pageRank", with the statement gds/NAME; yield its rows.

    `column` is the algorithm's column of values, for a statement that names it. Raises GraphError
    when the algorithm needs more memory than the server has.
    """
    text = statement(f"algorithms/{name}").text
    text = text.replace("{{procedure}}", f"{procedure}.stream").replace("{{column}}", column)
    with job(db, f"{procedure}.stream", graph, config, progress) as watched:
        yield from db.stream(text, graph=graph, config=watched)


@contextmanager
def job(
    db: Database, procedure: str, graph: str, config: Mapping[str, Any], progress: Progress
) -> Iterator[dict[str, Any]]:
    """Check that the server has the memory for a call, and report progress while it is made.

    Gives what the procedure is to be called with.
    """
    estimate = statement("algorithms/estimate").text.replace("{{procedure}}", procedure)
    require_memory(db, procedure, db.value(estimate, graph=graph, config=config))
    identity = str(uuid4())
    done = Event()
    watcher = Thread(target=_watch, args=(db, identity, procedure, progress, done), daemon=True)
    progress(procedure, 0, 100)
    watcher.start()
    try:
        yield {**config, "jobId": identity}
    finally:
        done.set()
        watcher.join()
    progress(procedure, 100, 100)


def _watch(db: Database, identity: str, stage: str, progress: Progress, done: Event) -> None:
    text = statement("algorithms/progress").text
    while not done.wait(POLL_S):
        try:
            rows = db.read(text, job=identity)
        except (DriverError, Neo4jError):
            return  # of a server that is gone the algorithm's own call will tell
        percent = rows[0]["progress"].removesuffix("%") if rows else ""
        if percent.replace(".", "", 1).isdigit():
            progress(stage, int(float(percent)), 100)


def require_gds(db: Database) -> None:
    """Raise GraphError on a server without the Graph Data Science library."""
    if not has_gds(db):
        raise GraphError(
            "this Neo4j has no Graph Data Science library, which runs this algorithm",
            "install the plugin, or unset NEO4J_URI to use the local server, which has it;"
            " pagerank and knn run without it too: --without-gds",
        )


def require_memory(db: Database, what: str, needed: int) -> None:
    """Raise GraphError when `what` needs more bytes than the server's heap has left.

    A server that does not tell (Aura hides it) is asked nothing: the library itself refuses there.
    """
    try:
        free = db.value(statement("algorithms/free_heap").text)
    except Neo4jError:
        return
    if needed > free:
        raise GraphError(
            f"{what} needs at least {needed / 2**20:,.0f} MiB of the server's memory;"
            f" {free / 2**20:,.0f} MiB of its heap are free",
            "fewer dimensions or neighbours, or a server of your own (NEO4J_URI) with a larger heap"
            " (server.memory.heap.max_size);"
            " a restart frees what is held for nothing",
        )
