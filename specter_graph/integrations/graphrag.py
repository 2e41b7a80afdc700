"""neo4j-graphrag on the graph as it is: an embedder, and retrievers that return papers.

    from specter_graph.integrations.graphrag import hybrid_retriever

    hybrid_retriever(graph).search(query_text="neutrino oscillations", top_k=5)

An item's content is title and abstract; its metadata are id, year, doi, url, score, and, where the
retriever follows citations, the papers that it cites and that cite it. `hybrid_retriever` ranks as
`graph.search` does and adds the reasons. With the others `effective_search_ratio=10` asks the index
for ten times as many papers, of which the best remain.
"""

from typing import Any

import neo4j

from specter_graph.core.errors import extra
from specter_graph.cypher import statement
from specter_graph.graph.property_names import index_name
from specter_graph.literature_graph import LiteratureGraph

with extra("graphrag"):
    from neo4j_graphrag.embeddings import Embedder
    from neo4j_graphrag.retrievers import VectorCypherRetriever, VectorRetriever
    from neo4j_graphrag.retrievers.base import Retriever
    from neo4j_graphrag.types import RawSearchResult, RetrieverResultItem

PROPERTIES = ["id", "title", "abstract", "year", "doi", "url"]
"""Left to itself the library returns all properties of a paper, the vectors of all spaces too."""


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
        statement("integrations/papers_and_citations").text,
        SpaceEmbedder(graph, space),
        result_formatter=_item,
        neo4j_database=graph.database.name,
    )


class HybridRetriever(Retriever):  # type: ignore[misc, unused-ignore]
    """Finds papers as `graph.search` does, each with its reasons and the citations around it."""

    def __init__(self, graph: LiteratureGraph, space: str | None = None) -> None:
        super().__init__(graph.database.driver, graph.database.name)
        self.result_formatter = _item
        self._graph, self._space = graph, space

    def get_search_results(self, query_text: str, top_k: int = 5) -> RawSearchResult:
        """Find the papers that answer a query best.

        Args:
            query_text (str): A text, an identifier, an author's name; see docs/search.md.
            top_k (int): How many papers.

        Returns:
            RawSearchResult: Records of node, score, reasons, cites and cited_by; as metadata,
                `did_you_mean` and `notes` of the search.
        """
        found = self._graph.search(query_text, space=self._space, k=top_k)
        text = (
            statement("integrations/hits").text
            + statement("integrations/papers_and_citations").text
        )
        hits = [{"id": hit.id, "score": hit.score} for hit in found]
        rows = {row["node"]["id"]: row for row in self._graph.database.read(text, hits=hits)}
        records = [
            neo4j.Record(  # type: ignore[no-untyped-call]
                {**rows[hit.id], "reasons": [each.text for each in hit.reasons]}
            )
            for hit in found
            if hit.id in rows
        ]
        said = {"did_you_mean": found.did_you_mean, "notes": list(found.notes)}
        return RawSearchResult(records=records, metadata=said)


def hybrid_retriever(graph: LiteratureGraph, space: str | None = None) -> HybridRetriever:
    """Find papers as `graph.search` does, each with the most cited papers around it."""
    return HybridRetriever(graph, space)


def _item(record: neo4j.Record) -> RetrieverResultItem:
    found = record.data()
    paper = found["node"]
    texts = [paper.pop("title"), paper.pop("abstract")]
    keys = ("cites", "cited_by", "reasons")
    around: dict[str, Any] = {key: found[key] for key in keys if key in found}
    return RetrieverResultItem(
        content="\n\n".join(text for text in texts if text),
        metadata={**paper, "score": found["score"], **around},
    )
