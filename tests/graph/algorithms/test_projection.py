"""Run algorithms: projections are dropped, progress is reported, refusals are explained."""

import pytest
from graphdatascience.query_runner.neo4j_query_runner import Neo4jQueryRunner
from neo4j.exceptions import Neo4jError

from specter_graph.core.errors import GraphError, InputError
from specter_graph.graph.algorithms.centrality import communities, pagerank
from specter_graph.graph.algorithms.fastrp import fastrp
from specter_graph.graph.algorithms.projection import projection
from specter_graph.graph.algorithms.similarity import knn, similarity
from tests.graph.algorithms.small_graphs import load_references, projections, write_vectors_of

REFERENCES = {"a": "bc", "b": "c", "c": "", "d": "a"}
RUNS = {
    "pagerank": pagerank,
    "communities": communities,
    "coupling": lambda db: similarity(db, "coupling"),
    "knn": lambda db: knn(db, "base"),
    "fastrp": lambda db: fastrp(db, "base", holdout=0),
}


@pytest.fixture
def corpus(graph):
    load_references(graph, REFERENCES)
    write_vectors_of(graph, "base", {p: (i, 1.0) for i, p in enumerate(REFERENCES)})
    return graph


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_a_projection_is_dropped_also_after_an_error(corpus, monkeypatch, run):
    created = []
    call = Neo4jQueryRunner.call_procedure

    def fail(runner, endpoint, *args, **options):
        if endpoint.endswith((".stream", ".mutate")):
            created.extend(projections(corpus))
            raise ZeroDivisionError
        return call(runner, endpoint, *args, **options)

    with monkeypatch.context() as patched:
        patched.setattr(Neo4jQueryRunner, "call_procedure", fail)
        with pytest.raises(ZeroDivisionError):
            run(corpus)
    assert len(created) == 1
    assert projections(corpus) == []


def test_an_algorithm_that_exceeds_the_memory_is_rejected(corpus):
    refused = r"Memory required to run FastRP .* exceeds available memory"
    with pytest.raises(GraphError, match=refused) as caught:
        fastrp(corpus, holdout=0, dimension=1_000_000_000)
    assert "server.memory.heap.max_size" in caught.value.hint
    assert projections(corpus) == []


def test_a_projection_that_fills_the_heap_is_an_error_with_a_hint(corpus, monkeypatch):
    """The message is that of a million vectors with a heap of 2 GiB."""

    def fail(*_, **__):
        raise Neo4jError._hydrate_neo4j(
            code="Neo.ClientError.Procedure.ProcedureCallFailed",
            message="Failed to invoke function `gds.graph.project`: Caused by:"
            " java.lang.OutOfMemoryError: Java heap space",
        )

    monkeypatch.setattr(Neo4jQueryRunner, "run_cypher", fail)
    with pytest.raises(GraphError, match="does not fit into the memory of the server") as caught:
        knn(corpus, "base")
    assert "server.memory.heap.max_size" in caught.value.hint


@pytest.mark.parametrize("damping", [2, "0.5", float("nan")])
def test_an_argument_that_an_algorithm_refuses_is_an_error(corpus, damping):
    with pytest.raises(InputError, match="dampingFactor"):
        pagerank(corpus, damping=damping)
    assert projections(corpus) == []


def test_progress_comes_from_the_server_while_an_algorithm_runs(corpus):
    """This depends on a private name of the client: `projection._ProgressLogger`."""
    corpus.write("MATCH (c:Paper {id: 'c'}), (a:Paper {id: 'a'}) CREATE (c)-[:CITES]->(a)")
    seen = []
    report = lambda *at: seen.append(at)  # noqa: E731
    with projection(corpus, "project_citations", report, undirected=[]) as (gds, graph):
        gds._query_runner._progress_logger._polling_interval = 0.01
        frame = gds.page_rank.stream(
            graph,
            max_iterations=500,
            tolerance=1e-300,
            damping_factor=0.999,
            concurrency=1,
        )
    assert len(frame) == 4
    stages, percents, totals = zip(*seen, strict=True)
    assert (set(stages), set(totals)) == ({"PageRank"}, {100})
    assert list(percents) == sorted(percents)
    assert percents[-1] == 100
    assert any(0 < percent < 100 for percent in percents)
