"""Integrations with other libraries; each needs the extra of the same name, if there is one.

`graphrag`, `langchain` and `llama_index` are retrievers for neo4j-graphrag, LangChain and
LlamaIndex, `mcp_server` serves language models, `notebook` shows tables, frames and graphs, and
`graph_data_science` (no extra) projects the citations for Neo4j's GDS client. All take an open
`LiteratureGraph` and return objects of those libraries. Vectors are returned only on request.
"""

from typing import Any

from specter_graph.cypher import statement
from specter_graph.literature_graph import LiteratureGraph


def search_documents(
    graph: LiteratureGraph,
    query: str,
    *,
    k: int,
    space: str | None,
    min_score: float,
    diversity: float,
) -> list[tuple[str, dict[str, Any]]]:
    """Search, and return the text and the metadata of each paper, best first.

    The text is title and abstract. The metadata are id, title, year, doi, url, authors, venue,
    citations, score and reasons, except missing ones.
    """
    results = graph.search(query, space=space, k=k, min_score=min_score, diversity=diversity)
    hits = [{"id": hit.id, "score": hit.score} for hit in results]
    text = statement("integrations/hits").text + statement("integrations/documents").text
    rows = {row["metadata"]["id"]: row for row in graph.database.read(text, hits=hits)}
    return [
        (
            rows[hit.id]["text"],
            {
                **{key: value for key, value in rows[hit.id]["metadata"].items() if value},
                "authors": list(hit.authors),
                "venue": hit.venue,
                "citations": hit.citations,
                "score": hit.score,
                "reasons": [reason.text for reason in hit.reasons],
            },
        )
        for hit in results
        if hit.id in rows
    ]
