"""Embedder and retrievers for neo4j-graphrag.

    from specter_graph.integrations.graphrag import hybrid_retriever

    hybrid_retriever(graph).search(query_text="neutrino oscillations", top_k=5)

The content of an item is title and abstract. Its metadata are id, year, doi, url and score; the
citation and hybrid retrievers add papers that it cites and that cite it. `hybrid_retriever` ranks
like `graph.search` and adds the reasons. With the other retrievers, `effective_search_ratio=10`
queries the index for ten times as many papers and returns the best.
"""

from typing import Any

import neo4j

from specter_graph.core.errors import extra
from specter_graph.cypher import statement
from specter_graph.graph.embeddings.index import index_name
from specter_graph.integrations import QueryEmbedder, read_hits
from specter_graph.literature_graph import LiteratureGraph

with extra("graphrag"):
    from neo4j_graphrag.embeddings import Embedder
    from neo4j_graphrag.retrievers import VectorCypherRetriever, VectorRetriever
    from neo4j_graphrag.retrievers.base import Retriever
    from neo4j_graphrag.types import RawSearchResult, RetrieverResultItem

PROPERTIES = ["id", "title", "abstract", "year", "doi", "url"]
"""By default, the library returns all properties of a paper, including its vectors."""


class SpaceEmbedder(QueryEmbedder, Embedder):  # type: ignore[misc, unused-ignore]
    """An embedder that uses the model of an embedding space."""


def vector_retriever(graph: LiteratureGraph, space: str | None = None) -> VectorRetriever:
    """Return a retriever of the papers nearest to a text."""
    space = graph.spaces.get(space).name
    return VectorRetriever(
        graph.database.driver,
        index_name(space),
        SpaceEmbedder(graph, space),
        return_properties=PROPERTIES,
        result_formatter=_to_item,
        neo4j_database=graph.database.name,
    )


def citation_retriever(graph: LiteratureGraph, space: str | None = None) -> VectorCypherRetriever:
    """Return a retriever of the papers nearest to a text, with their most cited neighbors."""
    space = graph.spaces.get(space).name
    return VectorCypherRetriever(
        graph.database.driver,
        index_name(space),
        statement("integrations/papers_and_citations").text,
        SpaceEmbedder(graph, space),
        result_formatter=_to_item,
        neo4j_database=graph.database.name,
    )


class HybridRetriever(Retriever):  # type: ignore[misc, unused-ignore]
    """A retriever that ranks like `graph.search` and adds reasons and citations."""

    def __init__(self, graph: LiteratureGraph, space: str | None = None) -> None:
        super().__init__(graph.database.driver, graph.database.name)
        self.result_formatter = _to_item
        self._graph, self._space = graph, space

    def get_search_results(
        self, query_text: str, top_k: int = 5, min_score: float = 0.0, diversity: float = 0.0
    ) -> RawSearchResult:
        """Return the papers that match a query best.

        Args:
            query_text (str): A text, an identifier or an author's name; see docs/search.md.
            top_k (int): Number of papers.
            min_score (float): The lowest score of a paper.
            diversity (float): The weight of differences among the papers, from 0 to 1.

        Returns:
            RawSearchResult: Records with node, score, reasons, cites and cited_by; `did_you_mean`
                and `notes` of the search as metadata.
        """
        results = self._graph.search(
            query_text, space=self._space, k=top_k, min_score=min_score, diversity=diversity
        )
        records = [
            neo4j.Record(  # type: ignore[no-untyped-call]
                {**row, "reasons": [reason.text for reason in hit.reasons]}
            )
            for hit, row in read_hits(self._graph, results, "papers_and_citations", "node")
        ]
        metadata = {"did_you_mean": results.did_you_mean, "notes": list(results.notes)}
        return RawSearchResult(records=records, metadata=metadata)


def hybrid_retriever(graph: LiteratureGraph, space: str | None = None) -> HybridRetriever:
    """Return a retriever that ranks like `graph.search` and adds the most cited neighbors."""
    return HybridRetriever(graph, space)


def _to_item(record: neo4j.Record) -> RetrieverResultItem:
    row = record.data()
    paper = row["node"]
    texts = [paper.pop("title"), paper.pop("abstract")]
    keys = ("cites", "cited_by", "reasons")
    around: dict[str, Any] = {key: row[key] for key in keys if key in row}
    return RetrieverResultItem(
        content="\n\n".join(text for text in texts if text),
        metadata={**paper, "score": row["score"], **around},
    )
