"""A small graph with two real spaces, whose ids have slashes and whose titles have markup."""

import os
from collections.abc import Iterator

import pytest
from starlette.testclient import TestClient

from specter_graph.encoder.encoder import Encoder
from specter_graph.graph.embeddings.embed import embed
from specter_graph.graph.embeddings.spaces import delete_space
from specter_graph.graph.loading.loader import load_papers
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.loaders.records import Author, Field, Identifier, Paper, Venue
from tests.service.small_service import ALONE, EVIL, PAPERS, ask


@pytest.fixture(scope="module")
def small(fresh_graph, tiny_bert) -> Iterator[LiteratureGraph]:
    """Load the graph; the tests of a module only read it."""
    load_papers(
        fresh_graph,
        [
            Paper(
                id,
                title,
                abstract,
                year,
                retracted=id == ALONE or None,
                identifiers=(Identifier("doi", "10.1000/alone"),) if id == ALONE else (),
                authors=(Author(f"a/{author}", f"Author {author}"), Author("a/all", EVIL)),
                venue=Venue("prd", "Phys Rev D"),
                fields=(Field("arxiv", "hep-ph", "physics"),),
                references=tuple(references),
            )
            for id, title, abstract, year, references, author in PAPERS
        ],
    )
    encoder = Encoder.base(str(tiny_bert))
    embed(fresh_graph, encoder, "specter")
    embed(fresh_graph, encoder, "other")
    fresh_graph.read("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
    graph = LiteratureGraph(fresh_graph.driver, fresh_graph.name)
    graph.database = fresh_graph  # with the login that Cypher of callers requires
    yield graph
    for space in ("specter", "other"):
        delete_space(fresh_graph, space)


@pytest.fixture(scope="module")
def client(small) -> Iterator[TestClient]:
    with ask(small) as client:
        yield client


@pytest.fixture(scope="session")
def surroundings(server_variables) -> dict[str, str]:
    """Return the environment in which a process works on the graph of the tests."""
    return os.environ | server_variables
