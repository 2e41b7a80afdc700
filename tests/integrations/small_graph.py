"""Papers of a small graph, and what its results must have."""

from specter_graph.graph.embeddings.spaces import read_vectors
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.loaders.records import Paper

INDEX_ERROR = 0.1
"""Largest relative error of a score of the index, which may be that of rounded vectors."""

SCRIPT = "<script>alert(1)</script>"
PAPERS = [
    Paper("jets", "the quark and gluon jet", "jet of quark and gluon", 2001, references=("glue",)),
    Paper("glue", "gluon jet", "the gluon", 2000, references=("unread",)),
    Paper("halo", "the halo of the dwarf galaxy", "dwarf galaxy", 2002, references=("jets",)),
    Paper("flavor", "neutrino flavor", "the mass of the neutrino", 2003, references=("jets",)),
    Paper("evil", SCRIPT, "string and brane", 2004, references=("jets", "glue")),
]


def nearest(graph: LiteratureGraph, text: str, k: int) -> list[tuple[str, float]]:
    """Return ids and scores of the papers nearest to a text, computed without an index."""
    ids, vectors = read_vectors(graph.database, "specter")
    place = graph.spaces.open_encoder("specter").encode_query(text)
    scores = 1 / (1 + ((vectors - place) ** 2).sum(axis=1))
    best = scores.argsort()[::-1][:k]
    return [(ids[number], float(scores[number])) for number in best]


def holds_no_vector(result: object) -> bool:
    """Return True if an object, printed in full, has no vector of a space."""
    return "specter" not in str(result) and "other" not in str(result)
