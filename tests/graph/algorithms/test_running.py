"""How algorithms are run: projections are gone afterwards, memory is asked for, progress told."""

import pytest

from specter_graph.core.errors import GraphError
from specter_graph.graph.algorithms import communities, knn, make_space, pagerank, similarity
from specter_graph.graph.algorithms import run as running_module
from tests.graph.algorithms.small_graphs import load_references, projections, write_vectors_of

REFERENCES = {"a": "bc", "b": "c", "c": "", "d": "a"}
RUNS = {
    "pagerank": pagerank,
    "communities": communities,
    "coupling": lambda db: similarity(db, "coupling"),
    "knn": lambda db: knn(db, "base"),
    "fastrp": lambda db: make_space(db, "fastrp", "fastrp", base="base", holdout=0),
    "graphsage": lambda db: make_space(db, "graphsage", "graphsage", base="base", holdout=0),
}


@pytest.fixture
def corpus(graph):
    load_references(graph, REFERENCES)
    write_vectors_of(graph, "base", {p: (i, 1.0) for i, p in enumerate(REFERENCES)})
    return graph


@pytest.mark.parametrize("run", RUNS.values(), ids=RUNS)
def test_a_projection_is_dropped_also_after_an_error(corpus, monkeypatch, run):
    made = []

    def fail(db, *_, **__):
        made.extend(projections(db))
        raise ZeroDivisionError

    monkeypatch.setattr(running_module, "_watch", lambda *_: None)
    with monkeypatch.context() as patched:
        patched.setattr(running_module.Database, "stream", fail)
        with pytest.raises(ZeroDivisionError):
            run(corpus)
    assert len(made) == 1
    assert projections(corpus) == []
    assert corpus.read("CALL gds.model.list() YIELD modelName RETURN modelName") == []


@pytest.mark.parametrize("free", [0, 1_000_000])
def test_what_the_heap_has_no_room_for_is_refused(corpus, monkeypatch, free):
    """With no room at all the projection, with a megabyte the vectors of the embedding."""
    statement = running_module.statement
    scarce = f"RETURN {free} AS bytes"

    class Scarce:
        text = scarce

    monkeypatch.setattr(
        running_module,
        "statement",
        lambda n: Scarce if n == "algorithms/free_heap" else statement(n),
    )
    what = "gds.fastRP.stream" if free else "the projection of the graph"
    with pytest.raises(GraphError, match=f"{what} needs at least .* MiB") as caught:
        make_space(corpus, "fastrp", "fastrp", holdout=0, dimension=100_000)
    assert "server.memory.heap.max_size" in caught.value.hint
    assert projections(corpus) == []


def test_the_free_heap_of_this_server_is_some_hundred_mebibytes(corpus):
    free = corpus.value(running_module.statement("algorithms/free_heap").text)
    assert 100 * 2**20 < free <= 2**31


def test_progress_comes_from_the_server_while_an_algorithm_runs(corpus, monkeypatch):
    monkeypatch.setattr(running_module, "POLL_S", 0.01)
    corpus.write("MATCH (c:Paper {id: 'c'}), (a:Paper {id: 'a'}) CREATE (c)-[:CITES]->(a)")
    config = {"maxIterations": 500, "tolerance": 1e-300, "dampingFactor": 0.999, "concurrency": 1}
    seen = []
    with running_module.projection(corpus, "project_citations", undirected=[]) as name:
        rows = running_module.stream(
            corpus, "values", "gds.pageRank", name, config, lambda *at: seen.append(at), "score"
        )
        assert len(list(rows)) == 4
    stages, percents, totals = zip(*seen, strict=True)
    assert (set(stages), set(totals)) == ({"gds.pageRank.stream"}, {100})
    assert (percents[0], percents[-1]) == (0, 100)
    assert any(0 < percent < 100 for percent in percents)
