"""Retriever, embeddings and vector store for LangChain.

    from specter_graph.integrations.langchain import paper_retriever

    paper_retriever(graph, k=5).invoke("neutrino oscillations")

The text of a document is title and abstract; its metadata are id, title, year, doi and url. The
retriever adds authors, venue, citations, score and reasons.
"""

from copy import copy
from types import SimpleNamespace
from typing import Any, cast

from specter_graph.core.errors import InputError, extra
from specter_graph.cypher import statement
from specter_graph.graph.embeddings.index import index_name
from specter_graph.graph.embeddings.spaces import get_space
from specter_graph.integrations import QueryEmbedder, search_documents
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.loaders.records import PaperText

with extra("langchain"):
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.retrievers import BaseRetriever
    from langchain_neo4j import Neo4jGraph, Neo4jVector

RETRIEVAL_QUERY = statement("integrations/documents").text
"""Query for `Neo4jVector`, which by default returns all properties, including vectors."""


class SpaceEmbeddings(QueryEmbedder, Embeddings):  # type: ignore[misc, unused-ignore]
    """Embeddings by the model of an embedding space."""

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts like papers, with the prompt of papers.

        Texts for a smoothed space (SGC) are embedded by the model of the space below it.
        """
        space = get_space(self._graph.database, self._space)
        if space.kind == "sgc":
            queries: list[list[float]] = self._graph.spaces.embed_texts(texts, self._space).tolist()
            return queries
        encoder = self._graph.spaces.encoder_of(space.name)
        vectors: list[list[float]] = encoder.encode(
            [PaperText("", text) for text in texts]
        ).tolist()
        return vectors


MIN_SEARCH_RATIO = 10
"""Least number of papers that a store reads from the approximate index for each that it returns."""


class PaperStore(Neo4jVector):  # type: ignore[misc, unused-ignore]
    """A read-only vector store of the papers in the graph."""

    def similarity_search_with_score_by_vector(
        self,
        embedding: list[float],
        k: int = 4,
        filter: dict[str, Any] | None = None,
        params: dict[str, Any] | None = None,
        effective_search_ratio: int = MIN_SEARCH_RATIO,
        **options: Any,  # noqa: ANN401
    ) -> list[tuple[Document, float]]:
        """Return the nearest papers and their scores; all searches of the library call this."""
        store = copy(self)
        if options.get("return_embeddings"):
            store.retrieval_query = statement("integrations/documents_and_vectors").text
        result: list[tuple[Document, float]] = Neo4jVector.similarity_search_with_score_by_vector(
            store,
            embedding,
            k=k,
            filter=filter,
            params={**(params or {}), "space": self.embedding_node_property},
            effective_search_ratio=max(effective_search_ratio, MIN_SEARCH_RATIO),
            **options,
        )
        return result

    def add_texts(self, *_: object, **__: object) -> list[str]:
        """Raise InputError: the store is read-only."""
        raise InputError("this vector store is read-only", "specter-graph load auto FILE")

    add_embeddings = add_texts


def paper_store(graph: LiteratureGraph, space: str | None = None) -> Neo4jVector:
    """Return a read-only vector store of the papers, on the graph's connection.

    Raises:
        GraphError: The space does not exist.
    """
    space = get_space(graph.database, space).name
    connection = SimpleNamespace(_driver=graph.database.driver, _database=graph.database.name)
    return PaperStore.from_existing_index(
        SpaceEmbeddings(graph, space),
        index_name(space),
        retrieval_query=RETRIEVAL_QUERY,
        graph=cast(Neo4jGraph, connection),
    )


class PaperRetriever(BaseRetriever):  # type: ignore[misc, unused-ignore]
    """A retriever that ranks like `graph.search`."""

    graph: LiteratureGraph
    k: int = 10
    space: str | None = None
    min_score: float = 0.0
    diversity: float = 0.0

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        options = self.model_dump(include={"k", "space", "min_score", "diversity"})
        documents = search_documents(self.graph, query, **options)
        return [
            Document(id=metadata["id"], page_content=text, metadata=metadata)
            for text, metadata in documents
        ]


def paper_retriever(
    graph: LiteratureGraph,
    *,
    k: int = 10,
    space: str | None = None,
    min_score: float = 0.0,
    diversity: float = 0.0,
) -> PaperRetriever:
    """Return a retriever of the k best papers of `graph.search`."""
    return PaperRetriever(graph=graph, k=k, space=space, min_score=min_score, diversity=diversity)
