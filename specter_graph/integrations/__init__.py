"""Integrations with other libraries; each needs the extra of the same name, if there is one.

`graphrag`, `langchain` and `llama_index` are retrievers for neo4j-graphrag, LangChain and
LlamaIndex, `mcp_server` serves language models, `notebook` shows tables, frames and graphs, and
`graph_data_science` (no extra) projects the citations for Neo4j's GDS client. All take an open
`LiteratureGraph` and return objects of those libraries. Vectors are returned only on request.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from specter_graph.cypher import statement
from specter_graph.graph.search.hits import SearchHit
from specter_graph.literature_graph import LiteratureGraph


class QueryEmbedder:
    """An embedder of queries, by the model of an embedding space."""

    def __init__(self, graph: LiteratureGraph, space: str | None = None) -> None:
        super().__init__()
        self._graph, self._space = graph, space

    def embed_query(self, text: str) -> list[float]:
        """Embed a text as a vector of the space's dimension."""
        vector: list[float] = self._graph.spaces.embed_text(text, self._space).tolist()
        return vector


def read_hits(
    graph: LiteratureGraph, hits: Sequence[SearchHit], end: str, key: str
) -> Iterator[tuple[SearchHit, dict[str, Any]]]:
    """Yield hits, each with its row of the statement `end`, whose column `key` has the id."""
    text = statement("integrations/hits").text + statement(f"integrations/{end}").text
    given = [{"id": hit.id, "score": hit.score} for hit in hits]
    rows = {row[key]["id"]: row for row in graph.database.read(text, hits=given)}
    return ((hit, rows[hit.id]) for hit in hits if hit.id in rows)


def search_documents(
    graph: LiteratureGraph,
    query: str,
    **options: Any,  # noqa: ANN401
) -> list[tuple[str, dict[str, Any]]]:
    """Search, and return the text and the metadata of each paper, best first.

    The options are those of `graph.search`. The text is title and abstract. The metadata are id,
    title, year, doi, url, authors, venue, citations, score and reasons, except missing ones.
    """
    return [
        (
            row["text"],
            {
                **{key: value for key, value in row["metadata"].items() if value},
                "authors": list(hit.authors),
                "venue": hit.venue,
                "citations": hit.citations,
                "score": hit.score,
                "reasons": [reason.text for reason in hit.reasons],
            },
        )
        for hit, row in read_hits(graph, graph.search(query, **options), "documents", "metadata")
    ]
