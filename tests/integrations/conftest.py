"""A small graph whose papers are embedded by a tiny real BERT, in two spaces."""

from collections.abc import Iterator

import pytest

from specter_graph.encoder.encoder import Encoder
from specter_graph.graph.embeddings.embed import embed
from specter_graph.graph.embeddings.spaces import delete_space
from specter_graph.graph.loading.loader import load_papers
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.loaders.records import Author, Paper
from tests.integrations.small_graph import PAPERS


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
