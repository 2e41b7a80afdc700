"""Test queries that contain one or several identifiers or addresses of papers."""

import pytest

from specter_graph.core.errors import GraphError
from specter_graph.graph.contents import unknown_paper
from specter_graph.graph.identifier_lookup import MAX_IDENTIFIERS, papers_by_identifier
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.queries.library_queries import current_ids, read_paper
from specter_graph.loaders.formats.jsonl import convert
from specter_graph.loaders.records import Identifier, Paper
from tests.graph.plans import Counted

SHA = "0123456789abcdef0123456789abcdef01234567"
RECORD = {
    "id": "hep-ph/9811448",
    "title": "A record as of hep-ph",
    "doi": "10.1103/PhysRevD.68.037301",
    "references": ["hep-ph/9803315"],
}
SICI = "10.1002/(SICI)1097-0258(19980815/30)17:15/16<1661::AID-SIM968>3.0.CO;2-2"


@pytest.fixture(scope="module")
def named(fresh_graph):
    """Load one paper for each kind of identifier; hep-ph/9803315 is a stub."""
    [paper] = convert(RECORD)
    identifiers = {
        "new": Identifier("arxiv", "2004.07180"),
        "sici": Identifier("doi", SICI.lower()),
        "pmid:29456894": Identifier("pmid", "29456894"),
        "pmc": Identifier("pmcid", "PMC123456"),
        "s2": Identifier("s2", SHA),
        "openalex:W2741809807": Identifier("openalex", "W2741809807"),
        "acl": Identifier("acl", "P18-1001"),
    }
    others = [Paper(id_, "A title", identifiers=(each,)) for id_, each in identifiers.items()]
    load_papers(fresh_graph, [paper, Paper("demo:0028", "Demo"), *others], rejects=None)
    return fresh_graph


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("hep-ph/9811448", ["hep-ph/9811448"]),
        ("HEP-PH/9811448v2", ["hep-ph/9811448"]),
        ("arXiv:hep-ph/9811448v1 [hep-ph]", ["hep-ph/9811448"]),
        ("https://arxiv.org/pdf/hep-ph/9811448v1.pdf", ["hep-ph/9811448"]),
        ("hep-ph/9803315", ["hep-ph/9803315"]),
        ("10.1103/PhysRevD.68.037301", ["hep-ph/9811448"]),
        ("doi: 10.1103/physrevd.68.037301.", ["hep-ph/9811448"]),
        ("https://dx.doi.org/10.1103%2FPhysRevD.68.037301?x=1", ["hep-ph/9811448"]),
        ("https://journals.aps.org/prd/abstract/10.1103/PhysRevD.68.037301", ["hep-ph/9811448"]),
        (SICI, ["sici"]),
        (f"({SICI})", ["sici"]),
        ("2004.07180", ["new"]),
        ("arxiv 2004.07180v3", ["new"]),
        ("arxiv.org/abs/2004.07180", ["new"]),
        ("10.48550/arXiv.2004.07180", ["new"]),
        ("PMID: 29456894", ["pmid:29456894"]),
        ("pubmed:29456894", ["pmid:29456894"]),
        ("29456894", ["pmid:29456894"]),
        ("https://pubmed.ncbi.nlm.nih.gov/29456894/", ["pmid:29456894"]),
        ("https://www.ncbi.nlm.nih.gov/pubmed/29456894", ["pmid:29456894"]),
        ("PMC123456", ["pmc"]),
        (f"https://www.semanticscholar.org/paper/A-title/{SHA}", ["s2"]),
        ("https://openalex.org/W2741809807", ["openalex:W2741809807"]),
        ("https://aclanthology.org/P18-1001/", ["acl"]),
        ("demo:0028", ["demo:0028"]),
        ("demo:0028, PMID 29456894 10.1103/PhysRevD.68.037301,2004.07180",
         ["demo:0028", "pmid:29456894", "hep-ph/9811448", "new"]),
        ("hep-ph/9811448 10.1103/PhysRevD.68.037301", ["hep-ph/9811448"]),
        ("demo:0029", []),
        ("https://example.org/9811448", []),
    ],
)  # fmt: skip
def test_identifiers_and_addresses_find_papers(named, text, result):
    assert papers_by_identifier(named, text) == (result, [])


@pytest.mark.parametrize(
    ("text", "papers", "unknown"),
    [
        ("10.1000/none", [], ["10.1000/none"]),
        ("PMID: 1234567", [], ["PMID:1234567"]),
        ("hep-ph/9811448 hep-ph/9999999", ["hep-ph/9811448"], ["hep-ph/9999999"]),
        ("1234567", [], []),
        ("covid-19", [], []),
    ],
)
def test_unknown_identifiers_are_returned(named, text, papers, unknown):
    assert papers_by_identifier(named, text) == (papers, unknown)


def test_the_former_id_of_a_merged_paper_finds_the_paper(named):
    named.write(
        "MATCH (p:Paper {id: 'pmc'}) CREATE (:SourceRecord {id: 'old/1'})-[:DESCRIBES]->(p)"
    )
    assert papers_by_identifier(named, "old/1") == (["pmc"], [])


def test_an_identifier_is_accepted_as_the_id_of_a_paper(named):
    given = ["10.1103/physrevd.68.037301", "demo:0028", "https://arxiv.org/abs/2004.07180v2"]
    assert current_ids(named, given) == ["hep-ph/9811448", "demo:0028", "new"]
    assert read_paper(named, "doi:10.1103/PhysRevD.68.037301").id == "hep-ph/9811448"
    with pytest.raises(GraphError, match=r"no paper '10\.1000/none'"):
        current_ids(named, [*given, "10.1000/none"])


@pytest.mark.parametrize("given", ["arXiv:2004.07180", "https://arxiv.org/abs/2004.07180v2"])
def test_the_error_for_an_identifier_names_the_id(named, given):
    assert unknown_paper(named, given).hint == "use its id: new"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "neutrino",
        "neutrino mass 1998",
        "B -> K* gamma",
        "physics beyond 2004.07180",
        "Weinberg, S.",
        "1/2 " * (MAX_IDENTIFIERS + 1),
    ],
)
def test_other_queries_run_no_statement(named, text):
    counted = Counted(named.driver)
    assert papers_by_identifier(counted, text) == ([], [])
    assert counted.hits == []


def test_a_query_of_identifiers_runs_one_statement_that_reads_by_key(named):
    counted = Counted(named.driver)
    papers_by_identifier(counted, "demo:0028 PMID:29456894")
    assert len(counted.hits) == 1
    assert counted.hits[0] < 100
