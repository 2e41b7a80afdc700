"""A small graph whose papers are embedded by a tiny real BERT, in two spaces."""

from collections.abc import Iterator

import pytest

from specter_graph.encoder.encoder import Encoder
from specter_graph.graph.embeddings.embed import embed
from specter_graph.graph.embeddings.spaces import delete_space, read_vectors
from specter_graph.graph.loading.loader import load_papers
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.loaders.records import Author, Paper

SCRIPT = "<script>alert(1)</script>"
PAPERS = [
    Paper("jets", "the quark and gluon jet", "jet of quark and gluon", 2001, references=("glue",)),
    Paper("glue", "gluon jet", "the gluon", 2000, references=("unread",)),
    Paper("halo", "the halo of the dwarf galaxy", "dwarf galaxy", 2002, references=("jets",)),
    Paper("flavor", "neutrino flavor", "the mass of the neutrino", 2003, references=("jets",)),
    Paper("evil", SCRIPT, "string and brane", 2004, references=("jets", "glue")),
]


@pytest.fixture(scope="module")
def small(fresh_graph, tiny_bert) -> Iterator[LiteratureGraph]:
    """Load the graph; the tests of a module only read it."""
    papers = [
        Paper(
            each.id,
            each.title,
            each.abstract,
            each.year,
            authors=(Author(f"a-{each.id}", f"Author of {each.id}"),),
            references=each.references,
        )
        for each in PAPERS
    ]
    load_papers(fresh_graph, papers)
    encoder = Encoder.base(str(tiny_bert))
    embed(fresh_graph, encoder, "specter")
    embed(fresh_graph, encoder, "other")
    fresh_graph.read("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
    yield LiteratureGraph(fresh_graph.driver, fresh_graph.name)
    for space in ("specter", "other"):
        delete_space(fresh_graph, space)


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
