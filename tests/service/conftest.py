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
from specter_graph.service.app import build_service
from specter_graph.service.service_settings import ServiceSettings

EVIL = """<script>alert("x")</script> & <img src=x onerror=alert(1)> "quoted" 'gluon'"""
JETS, GLUE, HALO = "hep-ph/9901001", "hep-ph/9901002", "astro-ph/0001"
FLAVOR, BAD, ALONE = "hep-ph/9901003", "evil/<b>&\"'?#%", "alone"
STUB = "hep-ph/9803315"
"""Id of a paper that is cited, but not loaded."""
PAPERS = [
    (JETS, "the quark and gluon jet", "jet of quark and gluon", 2001, [GLUE], "bob"),
    (GLUE, "gluon jet", "the gluon", 2000, [STUB], "ann"),
    (HALO, "the halo of the dwarf galaxy", "dwarf galaxy", 2002, [JETS], "cleo"),
    (FLAVOR, "neutrino flavor", "the mass of the neutrino", 2003, [JETS, GLUE], "bob"),
    (BAD, EVIL, EVIL, 2004, [JETS, GLUE, STUB], "mal"),
    (ALONE, "string and brane", None, 2005, [], "ann"),
]


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


def ask(graph, jobs=None, **settings) -> TestClient:
    """Return a client of a service of the graph; its errors are returned as responses."""
    service = build_service(graph, ServiceSettings(**settings), jobs)
    return TestClient(service, base_url="http://localhost", raise_server_exceptions=False)
