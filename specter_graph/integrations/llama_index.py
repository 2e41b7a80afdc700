"""Retriever for LlamaIndex.

    from specter_graph.integrations.llama_index import paper_retriever

    paper_retriever(graph, k=5).retrieve("neutrino oscillations")

A node has the id of the paper. Its text is title and abstract. Its metadata are id, title,
year, doi, url, authors, venue, citations and reasons.
"""

from typing import Any

from specter_graph.core.errors import extra
from specter_graph.integrations import search_documents
from specter_graph.literature_graph import LiteratureGraph

with extra("llamaindex"):
    from llama_index.core.retrievers import BaseRetriever
    from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode


class PaperNodeRetriever(BaseRetriever):  # type: ignore[misc, unused-ignore]
    """A retriever that ranks like `graph.search`; its options are those of `paper_retriever`."""

    def __init__(self, graph: LiteratureGraph, **options: Any) -> None:  # noqa: ANN401
        super().__init__()
        self._graph, self._options = graph, options

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        documents = search_documents(self._graph, query_bundle.query_str, **self._options)
        return [
            NodeWithScore(
                score=metadata.pop("score"),
                node=TextNode(id_=metadata["id"], text=text, metadata=metadata),
            )
            for text, metadata in documents
        ]


def paper_retriever(
    graph: LiteratureGraph,
    *,
    k: int = 10,
    space: str | None = None,
    min_score: float = 0.0,
    diversity: float = 0.0,
) -> PaperNodeRetriever:
    """Return a retriever of the k best papers of `graph.search`."""
    options = {"k": k, "space": space, "min_score": min_score, "diversity": diversity}
    return PaperNodeRetriever(graph, **options)
