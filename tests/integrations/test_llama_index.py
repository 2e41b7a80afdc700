"""LlamaIndex, the real library, on the graph as it is."""

from specter_graph.integrations.llama_index import paper_retriever
from tests.integrations.small_graph import holds_no_vector

TEXT = "gluon jet. the gluon"


def test_the_retriever_ranks_as_the_search_of_the_graph(small):
    nodes = paper_retriever(small, k=4).retrieve(TEXT)
    hits = small.search(TEXT, k=4)
    assert [(node.node_id, node.score) for node in nodes] == [(hit.id, hit.score) for hit in hits]
    [first, *_] = nodes
    assert first.text == "gluon jet\n\nthe gluon"
    assert first.metadata["authors"] == ["Author of glue"]
    assert first.metadata["reasons"] == [reason.text for reason in hits[0].reasons] != []
    assert "score" not in first.metadata
    assert holds_no_vector(nodes)


def test_the_retriever_passes_the_minimum_score_and_the_diversity(small):
    best = small.search(TEXT, k=1)[0]
    [node] = paper_retriever(small, min_score=best.score).retrieve(TEXT)
    assert node.node_id == best.id
    diverse = paper_retriever(small, k=3, diversity=0.9).retrieve(TEXT)
    expected = [hit.id for hit in small.search(TEXT, k=3, diversity=0.9)]
    assert [node.node_id for node in diverse] == expected
