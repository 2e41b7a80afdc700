"""The service finds a merged paper by the ids of its records."""

import pytest

from specter_graph.graph.deduplication.merge import merge
from specter_graph.graph.loading.loader import load_papers
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.loaders.records import Identifier, Paper
from tests.graph.small_corpus import load_small_corpus, write_places
from tests.service.small_service import ask


@pytest.fixture(scope="module")
def client(fresh_graph):
    load_small_corpus(fresh_graph)
    write_places(fresh_graph, "specter", 1)
    doi = (Identifier("doi", "10.1000/q"),)
    twins = [Paper(id, "On q", references=("a", "b"), identifiers=doi) for id in ("q", "x:old")]
    load_papers(fresh_graph, twins)
    merge(fresh_graph)
    with ask(LiteratureGraph(fresh_graph.driver, fresh_graph.name)) as client:
        yield client


@pytest.mark.parametrize("part", ["", "/similar", "/references", "/citations", "/neighborhood"])
def test_addresses_with_former_ids_return_the_paper(client, part):
    old, now = (client.get(f"/v1/papers/{id}{part}") for id in ("x:old", "q"))
    assert (old.status_code, old.json()) == (200, now.json())
    assert client.get(f"/v1/papers/x:olden{part}").status_code == 404


def test_paths_and_comparisons_accept_former_ids(client):
    for address, parameters in (("path", {"from": "later", "to": None}), ("compare", {"a": "m"})):
        key = "to" if address == "path" else "b"
        old, now = (
            client.get(f"/v1/{address}", params=parameters | {key: id}) for id in ("x:old", "q")
        )
        assert (old.status_code, old.json()) == (200, now.json())


def test_the_page_of_a_former_id_redirects_to_the_paper(client):
    answer = client.get("/papers/x:old", follow_redirects=False)
    assert (answer.status_code, answer.headers["location"]) == (307, "/papers/q")
    assert client.get("/papers/x:old").status_code == 200


def test_the_first_page_of_a_graph_without_spaces_is_shown(graph):
    load_papers(graph, [Paper("a", "On a")])
    with ask(LiteratureGraph(graph.driver, graph.name)) as client:
        assert client.get("/").status_code == 200


def test_the_overview_of_a_large_graph_counts_a_sample(graph):
    papers = [Paper("first", "the first"), Paper("second", "the second")]
    papers += [
        Paper(f"p{n}", "later", year=2000 + n % 9, references=("first", "none", "second")[n % 3 :])
        for n in range(400)
    ]
    load_papers(graph, papers)
    for sample in (10_000, 100):
        rows = graph.read("service/most_cited", k=8, sample=sample)
        assert [(row["id"], row["citations"]) for row in rows] == [("second", 400), ("first", 134)]
    newest = graph.read("service/newest", k=3)
    assert [row["year"] for row in newest] == [2008, 2008, 2008]
