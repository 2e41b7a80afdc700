"""neo4j-graphrag on the graph as it is: an embedder, and retrievers that return papers.

    from specter_graph.integrations.graphrag import citation_retriever

    citation_retriever(graph).search(query_text="neutrino oscillations", top_k=5)

An item's content is title and abstract; its metadata are id, year, doi, url, score, and, where the
retriever walks citations, the papers that it cites and that cite it. Search with
`effective_search_ratio=10` for the recall of our own `search`: it asks the index for so many times
as many papers.
"""

from typing import Any

import neo4j

from specter_graph.cypher import statement
from specter_graph.graph.names import index_name
from specter_graph.graph.search.lucene import words
from specter_graph.integrations.extras import extra
from specter_graph.literature import LiteratureGraph

with extra("graphrag"):
    from neo4j_graphrag.embeddings import Embedder
    from neo4j_graphrag.retrievers import (
        HybridCypherRetriever,
        VectorCypherRetriever,
        VectorRetriever,
    )
    from neo4j_graphrag.types import RawSearchResult, RetrieverResultItem

PROPERTIES = ["id", "title", "abstract", "year", "doi", "url"]
"""Left to itself the library returns all properties of a paper, the vectors of all spaces too."""

FULL_TEXT = "fulltext_papers"
"""The full-text index over title and abstract."""


class SpaceEmbedder(Embedder):  # type: ignore[misc, unused-ignore]
    """Embeds a query with the model of a space."""

    def __init__(self, graph: LiteratureGraph, space: str = "specter") -> None:
        super().__init__()
        self._graph, self._space = graph, space

    def embed_query(self, text: str) -> list[float]:
        """Embed a text into as many numbers as the space has dimensions."""
        vector: list[float] = self._graph.embed_text(text, self._space).tolist()
        return vector


def vector_retriever(graph: LiteratureGraph, space: str = "specter") -> VectorRetriever:
    """Find the papers nearest to a text."""
    return VectorRetriever(
        graph.database.driver,
        index_name(space),
        SpaceEmbedder(graph, space),
        return_properties=PROPERTIES,
        result_formatter=_item,
        neo4j_database=graph.database.name,
    )


def citation_retriever(graph: LiteratureGraph, space: str = "specter") -> VectorCypherRetriever:
    """Find the papers nearest to a text, each with the most cited papers around it."""
    return VectorCypherRetriever(
        graph.database.driver,
        index_name(space),
        statement("doors/papers_and_citations").text,
        SpaceEmbedder(graph, space),
        result_formatter=_item,
        neo4j_database=graph.database.name,
    )


class PaperHybridRetriever(HybridCypherRetriever):  # type: ignore[misc, unused-ignore]
    """A HybridCypherRetriever whose full-text half takes any text.

    The library hands a text to Lucene as a query, in which `C++ (graph:` is an error.
    """

    def get_search_results(
        self,
        query_text: str,
        query_vector: list[float] | None = None,
        *others: Any,  # noqa: ANN401, whatever the library takes
        **options: Any,  # noqa: ANN401
    ) -> RawSearchResult:
        """Search as the library does, by the words of the text and by its vector."""
        if query_vector is None and self.embedder is not None:
            query_vector = self.embedder.embed_query(query_text)
        asked = " ".join(words(query_text)) or '""'
        return super().get_search_results(asked, query_vector, *others, **options)


def hybrid_retriever(graph: LiteratureGraph, space: str = "specter") -> PaperHybridRetriever:
    """Find papers by their words and by nearness, each with the most cited papers around it."""
    return PaperHybridRetriever(
        graph.database.driver,
        index_name(space),
        FULL_TEXT,
        statement("doors/papers_and_citations").text,
        SpaceEmbedder(graph, space),
        result_formatter=_item,
        neo4j_database=graph.database.name,
    )


def _item(record: neo4j.Record) -> RetrieverResultItem:
    found = record.data()
    paper = found["node"]
    texts = [paper.pop("title"), paper.pop("abstract")]
    around: dict[str, Any] = {key: found[key] for key in ("cites", "cited_by") if key in found}
    return RetrieverResultItem(
        content="\n\n".join(text for text in texts if text),
        metadata={**paper, "score": found["score"], **around},
    )
