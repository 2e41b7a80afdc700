"""Small graphs whose ranks, communities and neighbors can be computed by hand."""

import numpy as np

from specter_graph.graph.embeddings.spaces import EmbeddingSpace, write_space
from specter_graph.graph.loading.loader import load_papers
from specter_graph.loaders.records import Paper


def load_references(graph, references, **more):
    """Load papers named by one letter each and their citations; `more` are their texts."""
    papers = [
        Paper(
            id=paper,
            title=more.get("titles", {}).get(paper, f"On {paper}"),
            year=more.get("years", {}).get(paper),
            references=tuple(cited),
        )
        for paper, cited in references.items()
    ]
    load_papers(graph, papers, rejects=None)


def write_vectors_of(graph, name, vectors, **record):
    """Write a space with these vectors by paper."""
    array = np.array(list(vectors.values()), dtype=np.float32)
    given = {"kind": "base", "model": "m", "base": "m", "digest": name, "sees_edges": False}
    given |= record
    write_space(
        graph, EmbeddingSpace(name, dimension=array.shape[1], **given), list(vectors), array
    )


def projections(graph):
    return graph.read("CALL gds.graph.list() YIELD graphName RETURN graphName")


def similar_of(graph, space):
    """Return the relationships SIMILAR of a space as scores by (paper, other)."""
    rows = graph.read(
        "MATCH (p:Paper)-[s:SIMILAR {space: $space}]->(o:Paper)"
        " RETURN p.id AS id, o.id AS other, s.score AS score",
        space=space,
    )
    return {(row["id"], row["other"]): row["score"] for row in rows}
