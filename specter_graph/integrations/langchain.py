"""LangChain on the graph as it is: embeddings, and a vector store over the papers.

    from specter_graph.integrations.langchain import paper_store

    paper_store(graph).as_retriever().invoke("neutrino oscillations")

A document's text is title and abstract, its metadata id, title, year, doi and url.
"""

from types import SimpleNamespace
from typing import cast

from specter_graph.cypher import statement
from specter_graph.errors import InputError
from specter_graph.graph.names import index_name
from specter_graph.graph.spaces import space as find_space
from specter_graph.integrations.extras import extra
from specter_graph.literature import LiteratureGraph

with extra("langchain"):
    from langchain_core.embeddings import Embeddings
    from langchain_neo4j import Neo4jGraph, Neo4jVector

RETRIEVAL_QUERY = statement("doors/documents").text
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
