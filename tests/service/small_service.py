"""Papers of a small graph, whose ids have slashes and whose titles have markup, and its service."""

from starlette.testclient import TestClient

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


def ask(graph, jobs=None, **settings) -> TestClient:
    """Return a client of a service of the graph; its errors are returned as responses."""
    service = build_service(graph, ServiceSettings(**settings), jobs)
    return TestClient(service, base_url="http://localhost", raise_server_exceptions=False)
