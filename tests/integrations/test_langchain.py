"""Use the real LangChain on the graph."""

import pytest
from langchain_core.documents import Document
from langchain_neo4j import Neo4jVector

from specter_graph.core.errors import InputError
from specter_graph.integrations.langchain import (
    RETRIEVAL_QUERY,
    SpaceEmbeddings,
    paper_retriever,
    paper_store,
)
from tests.integrations.small_graph import INDEX_ERROR, holds_no_vector, nearest

TEXT = "gluon jet. the gluon"


def test_the_store_finds_the_nearest_papers_and_returns_no_vector(small):
    result = paper_store(small).similarity_search_with_score(TEXT, k=5)
    near = nearest(small, TEXT, 5)
    assert [document.metadata["id"] for document, _ in result] == [paper for paper, _ in near]
    scores = [score for _, score in near]
    assert [score for _, score in result] == pytest.approx(scores, rel=INDEX_ERROR)
    glue = next(document for document, _ in result if document.metadata["id"] == "glue")
    assert glue.page_content == "gluon jet\n\nthe gluon"
    assert glue.metadata == {"id": "glue", "title": "gluon jet", "year": 2000}
    assert holds_no_vector(result)


def test_the_store_diversifies_its_results_and_returns_no_vector(small):
    store = paper_store(small)
    near = store.similarity_search(TEXT, k=4)
    similar = store.max_marginal_relevance_search(TEXT, k=4, lambda_mult=1.0)
    assert similar == near
    diverse = store.as_retriever(
        search_type="mmr", search_kwargs={"k": 4, "fetch_k": 20, "lambda_mult": 0.0}
    ).invoke(TEXT)
    assert [each.metadata["id"] for each in diverse] != [each.metadata["id"] for each in near]
    assert holds_no_vector(diverse)


def test_the_store_searches_more_papers_than_it_returns(small, monkeypatch):
    ratios = []
    query = Neo4jVector.query

    def record(store, text, *, params, **options):
        ratios.append(params.get("effective_search_ratio"))
        return query(store, text, params=params, **options)

    store = paper_store(small)
    monkeypatch.setattr(Neo4jVector, "query", record)
    store.similarity_search(TEXT, k=2)
    store.similarity_search_with_score(TEXT, k=2, effective_search_ratio=20)
    assert ratios == [10, 20]


def test_the_retriever_ranks_as_the_search_of_the_graph(small):
    documents = paper_retriever(small, k=4).invoke(TEXT)
    hits = small.search(TEXT, k=4)
    assert [document.metadata["id"] for document in documents] == [hit.id for hit in hits]
    assert [document.id for document in documents] == [hit.id for hit in hits]
    [first, *_] = documents
    assert first.page_content == "gluon jet\n\nthe gluon"
    assert first.metadata["authors"] == ["Author of glue"]
    assert first.metadata["reasons"] == [reason.text for reason in hits[0].reasons] != []
    assert (first.metadata["score"], first.metadata["citations"]) == (hits[0].score, 2)
    assert holds_no_vector(documents)


def test_the_retriever_passes_the_minimum_score_and_the_diversity(small):
    best = small.search(TEXT, k=1)[0]
    [document] = paper_retriever(small, min_score=best.score).invoke(TEXT)
    assert document.metadata["id"] == best.id
    diverse = paper_retriever(small, k=3, diversity=0.9).invoke(TEXT)
    expected = [hit.id for hit in small.search(TEXT, k=3, diversity=0.9)]
    assert [document.metadata["id"] for document in diverse] == expected


def test_a_store_opened_by_the_library_needs_our_retrieval_query(small, local_instance):
    with local_instance.lease() as endpoint:
        where = {
            "url": endpoint.uri,
            "username": endpoint.username,
            "password": endpoint.password,
            "index_name": "paper_specter",
            "text_node_property": "title",
        }
        embeddings = SpaceEmbeddings(small)
        bare = Neo4jVector.from_existing_index(embeddings, **where)
        assert not holds_no_vector(bare.similarity_search(TEXT, k=1))
        ours = Neo4jVector.from_existing_index(embeddings, **where, retrieval_query=RETRIEVAL_QUERY)
        assert holds_no_vector(ours.similarity_search(TEXT, k=1))


def test_the_store_only_reads(small):
    before = small.stats()
    store = paper_store(small)
    for write in (
        lambda: store.add_texts(["hello"]),
        lambda: store.add_documents([Document(page_content="hello")]),
        lambda: store.add_embeddings(["hello"], [[0.0] * 8]),
    ):
        with pytest.raises(InputError, match="read-only"):
            write()
    assert small.stats() == before


def test_documents_are_embedded_as_queries_are(small):
    embeddings = SpaceEmbeddings(small)
    assert embeddings.embed_documents(["jet", "halo"])[1] == embeddings.embed_query("halo")
