"""The client works on the citations that training may see, and cleans up after itself."""

import numpy as np
import pytest

from specter_graph.core.errors import GraphError
from specter_graph.graph.algorithms.fastrp import fastrp
from specter_graph.graph.embeddings.spaces import read_vectors
from specter_graph.graph.split import training_ids
from specter_graph.integrations.graph_data_science import training_graph
from specter_graph.literature_graph import LiteratureGraph
from tests.graph.algorithms.small_graphs import load_references, projections, write_vectors_of

PAPERS = {f"p{n:02}": [f"p{m:02}" for m in range(n)] for n in range(30)}


@pytest.fixture
def literature(graph):
    load_references(graph, PAPERS)
    write_vectors_of(graph, "base", {paper: [n, 1.0] for n, paper in enumerate(PAPERS)})
    return LiteratureGraph(graph.driver, graph.name)


def test_the_projection_has_only_citations_among_training_papers(literature):
    with training_graph(literature, space="base", holdout=0.3) as (gds, citations):
        train = [*training_ids(literature.database, 0.3)]
        assert 0 < len(train) < len(PAPERS)
        assert citations.node_count() == len(PAPERS)
        assert citations.relationship_count() == len(train) * (len(train) - 1)
        rows = gds.graph.node_properties.stream(citations, "features")
        assert sorted(row[0] for row in rows["features"]) == [*range(len(PAPERS))]
    assert not projections(literature.database)


def test_the_client_makes_the_vectors_of_our_own_space(literature):
    space = fastrp(literature.database, dimension=16, seed=3)
    ids, ours = read_vectors(literature.database, "fastrp")
    with training_graph(literature) as (gds, citations):
        rows = gds.fast_rp.stream(
            citations, embedding_dimension=16, iteration_weights=[1.0, 1.0], random_seed=3
        )
    names = literature.database.read("MATCH (p:Paper) RETURN id(p) AS node, p.id AS id")
    of_node = {row["node"]: row["id"] for row in names}
    theirs = {
        of_node[node]: vector
        for node, vector in zip(rows["nodeId"], rows["embedding"], strict=True)
    }
    for paper, vector in zip(ids, ours, strict=True):
        length = np.linalg.norm(theirs[paper])
        assert np.array(theirs[paper]) / (length or 1) == pytest.approx(vector, abs=1e-6)
    assert space.dimension == 16


def test_a_missing_space_is_refused(literature):
    with pytest.raises(GraphError, match="nowhere"), training_graph(literature, space="nowhere"):
        pass
