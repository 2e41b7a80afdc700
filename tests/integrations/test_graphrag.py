"""Use the real neo4j-graphrag on the graph."""

import pytest
from neo4j_graphrag.retrievers import VectorRetriever

from specter_graph.integrations.graphrag import (
    PROPERTIES,
    SpaceEmbedder,
    citation_retriever,
    hybrid_retriever,
    vector_retriever,
)
from tests.integrations.small_graph import holds_no_vector, nearest

TEXT = "gluon jet. the gluon"


def test_the_embedder_gives_the_vector_of_the_model_of_the_space(small):
    vector = SpaceEmbedder(small).embed_query(TEXT)
    assert vector == pytest.approx(small.spaces.open_encoder("specter").encode_query(TEXT).tolist())


def test_the_vector_retriever_finds_the_nearest_papers(small):
    items = vector_retriever(small).search(query_text=TEXT, top_k=3).items
    near = nearest(small, TEXT, 3)
    assert [item.metadata["id"] for item in items] == [paper for paper, _ in near]
    assert [item.metadata["score"] for item in items] == pytest.approx([s for _, s in near])
    glue = next(item for item in items if item.metadata["id"] == "glue")
    assert glue.content == "gluon jet\n\nthe gluon"


def test_the_citation_retriever_returns_citing_and_cited_papers(small):
    result = citation_retriever(small).search(query_text=TEXT, top_k=5)
    around = {item.metadata["id"]: item.metadata for item in result.items}
    assert [paper["id"] for paper in around["jets"]["cited_by"]] == ["evil", "flavor", "halo"]
    assert [paper["id"] for paper in around["evil"]["cites"]] == ["jets", "glue"]
    assert around["glue"]["cites"] == []  # the cited paper is a stub


def test_the_hybrid_retriever_ranks_as_the_search_of_the_graph(small):
    result = hybrid_retriever(small).search(query_text="the gluon jet", top_k=4)
    hits = small.search("the gluon jet", k=4)
    assert [item.metadata["id"] for item in result.items] == [hit.id for hit in hits]
    for item, hit in zip(result.items, hits, strict=True):
        assert item.metadata["score"] == hit.score
        assert item.metadata["reasons"] == [reason.text for reason in hit.reasons] != []
    jets = next(item for item in result.items if item.metadata["id"] == "jets")
    assert [paper["id"] for paper in jets.metadata["cited_by"]] == ["evil", "flavor", "halo"]
    assert jets.content.startswith("the quark and gluon jet")
    assert {"notes", "did_you_mean"} <= result.metadata.keys()


def test_the_hybrid_retriever_is_a_tool_with_the_parameters_of_a_search(small):
    tool = hybrid_retriever(small).convert_to_tool("papers", "Finds papers.")
    names = ["query_text", "top_k", "min_score", "diversity"]
    assert [*tool.get_parameters()["properties"]] == names


@pytest.mark.parametrize("text", ["C++ (graph: [", "NOT AND", "jet ++", 'a "quark'])
def test_the_hybrid_retriever_takes_any_text(small, text):
    assert hybrid_retriever(small).search(query_text=text, top_k=2).items


@pytest.mark.parametrize("make", [vector_retriever, citation_retriever, hybrid_retriever])
def test_no_vector_is_returned(small, make):
    items = make(small).search(query_text=TEXT, top_k=5).items
    assert len(items) == 5
    assert holds_no_vector(items)


def test_by_default_the_library_returns_the_vectors_of_other_spaces(small):
    driver = small.database.driver
    bare = VectorRetriever(driver, "paper_specter", SpaceEmbedder(small))
    assert not holds_no_vector(bare.search(query_text=TEXT, top_k=1).items)
    stored = VectorRetriever(
        driver, "paper_specter", SpaceEmbedder(small), return_properties=PROPERTIES
    )
    assert holds_no_vector(stored.search(query_text=TEXT, top_k=1).items)
