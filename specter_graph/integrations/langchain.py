"""LangChain on the graph as it is: a retriever, embeddings, and a vector store over the papers.

    from specter_graph.integrations.langchain import paper_retriever

    paper_retriever(graph, k=5).invoke("neutrino oscillations")

A document's text is title and abstract, its metadata id, title, year, doi and url; those of the
retriever have authors, venue, citations, score and reasons, too.
"""

from types import SimpleNamespace
from typing import cast

from specter_graph.core.errors import InputError, extra
from specter_graph.cypher import statement
from specter_graph.graph.embeddings.spaces import space as find_space
from specter_graph.graph.property_names import index_name
from specter_graph.literature_graph import LiteratureGraph

with extra("langchain"):
    from langchain_core.callbacks import CallbackManagerForRetrieverRun
    from langchain_core.documents import Document
    from langchain_core.embeddings import Embeddings
    from langchain_core.retrievers import BaseRetriever
    from langchain_neo4j import Neo4jGraph, Neo4jVector

RETRIEVAL_QUERY = statement("integrations/documents").text
"""For `Neo4jVector`, which else returns all properties of a paper, other spaces' vectors too."""


class SpaceEmbeddings(Embeddings):  # type: ignore[misc, unused-ignore]
    """Embeds texts with the model of a space."""

    def __init__(self, graph: LiteratureGraph, space: str = "specter") -> None:
        self._graph, self._space = graph, space

    def embed_query(self, text: str) -> list[float]:
        """Embed a text into as many numbers as the space has dimensions."""
        vector: list[float] = self._graph.embed_text(text, self._space).tolist()
        return vector

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts, each as `embed_query` does."""
        return [self.embed_query(text) for text in texts]


class PaperStore(Neo4jVector):  # type: ignore[misc, unused-ignore]
    """The papers of a graph as a vector store that only reads: papers come from corpora."""

    def add_texts(self, *_: object, **__: object) -> list[str]:
        """Raise InputError: the store does not write."""
        raise InputError("this vector store only reads", "specter-graph load auto FILE")

    add_embeddings = add_texts


def paper_store(graph: LiteratureGraph, space: str = "specter") -> Neo4jVector:
    """Open the papers as a vector store, on the connection that the graph has.

    The store only reads. Raises GraphError when there is no such space.
    """
    find_space(graph.database, space)
    connection = SimpleNamespace(_driver=graph.database.driver, _database=graph.database.name)
    return PaperStore.from_existing_index(
        SpaceEmbeddings(graph, space),
        index_name(space),
        retrieval_query=RETRIEVAL_QUERY,
        graph=cast(Neo4jGraph, connection),
    )


class PaperRetriever(BaseRetriever):  # type: ignore[misc, unused-ignore]
    """Finds papers as `graph.search` does."""

    graph: LiteratureGraph
    k: int = 10
    space: str | None = None

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        found = self.graph.search(query, space=self.space, k=self.k)
        hits = [{"id": hit.id, "score": hit.score} for hit in found]
        read = self.graph.database.read(
            statement("integrations/hits").text + RETRIEVAL_QUERY, hits=hits
        )
        rows = {row["metadata"]["id"]: row for row in read}
        return [
            Document(
                page_content=rows[hit.id]["text"],
                metadata={
                    **{key: value for key, value in rows[hit.id]["metadata"].items() if value},
                    "authors": list(hit.authors),
                    "venue": hit.venue,
                    "citations": hit.citations,
                    "score": hit.score,
                    "reasons": [reason.text for reason in hit.reasons],
                },
            )
            for hit in found
            if hit.id in rows
        ]


def paper_retriever(
    graph: LiteratureGraph, k: int = 10, space: str | None = None
) -> PaperRetriever:
    """Open a retriever of the k papers that `graph.search` finds."""
    return PaperRetriever(graph=graph, k=k, space=space)
