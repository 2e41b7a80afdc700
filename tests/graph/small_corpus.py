"""Nine papers on a line, in two spaces, whose results can be computed by hand."""

import numpy as np

from specter_graph.graph.embeddings.spaces import EmbeddingSpace, write_space
from specter_graph.graph.loading.loader import load_papers
from specter_graph.loaders.records import Author, Paper

# id: year, position in "specter", position in "sgc", references, authors; `unread` is a stub
PAPERS = {
    "q": (2005, 0.0, 0.0, "a b unread", "Ann Bob"),
    "a": (2000, 1.0, 0.1, "c", "Cara"),
    "b": (2001, 5.0, 0.2, "", "Dan"),
    "c": (1999, 0.5, 3.0, "", "Bob Eve"),
    "m": (2002, 2.0, 2.0, "b", "Cara"),
    "n": (2003, 3.0, 1.0, "b a", "Fay"),
    "later": (2010, 0.2, 4.0, "q m a", "Gus"),
    "far": (2001, 50.0, 60.0, "", ""),
}


def load_small_corpus(graph):
    papers = [
        Paper(
            id=paper,
            title=f"On {paper}",
            year=year,
            authors=tuple(Author(name, name) for name in authors.split()),
            references=tuple(references.split()),
        )
        for paper, (year, _, _, references, authors) in PAPERS.items()
    ]
    load_papers(graph, papers, rejects=None)


def write_places(graph, name, column):
    vectors = np.array([[row[column], 0.0] for row in PAPERS.values()], dtype=np.float32)
    record = EmbeddingSpace(name, "base", 2, "line", "line", digest=name, sees_edges=False)
    write_space(graph, record, list(PAPERS), vectors, ["0" * 16] * len(PAPERS))
