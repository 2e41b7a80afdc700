"""A merged paper is found by the ids of its records wherever the id of a paper is accepted."""

from dataclasses import replace

import numpy as np
import pytest

from specter_graph.core.errors import GraphError
from specter_graph.evaluation.feedback.clicks import Impression, read_click_log
from specter_graph.evaluation.protocols.recommender import with_current_ids
from specter_graph.graph.deduplication.merge import merge
from specter_graph.graph.export.source import select
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.queries.library_queries import run_query
from specter_graph.graph.search.hybrid import build_request
from specter_graph.graph.search.vector_search import similar
from specter_graph.integrations.notebook import neighborhood
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.loaders.records import Identifier, Paper
from tests.graph.small_corpus import load_small_corpus, write_places


@pytest.fixture(scope="module")
def merged(fresh_graph):
    """Load the small corpus, in which `old` has been merged into `q`, and `former` into `a`."""
    load_small_corpus(fresh_graph)
    write_places(fresh_graph, "specter", 1)
    write_places(fresh_graph, "sgc", 2)
    doi = (Identifier("doi", "10.1000/q"),)
    q = Paper("q", "On q", year=2005, references=("a", "b"), identifiers=doi)
    other = (Identifier("doi", "10.1000/a"),)
    a = Paper("a", "On a", year=2000, references=("c",), identifiers=other)
    load_papers(fresh_graph, [q, replace(q, id="x:old"), a, replace(a, id="x:former")])
    merge(fresh_graph)
    return fresh_graph


def test_queries_accept_former_ids(merged):
    assert similar(merged, "x:old", "specter", k=3) == similar(merged, "q", "specter", k=3) != []
    for name, old, now in (
        ("missing_references", {"id": "x:old"}, {"id": "q"}),
        ("citation_path", {"from": "later", "to": "x:former"}, {"from": "later", "to": "a"}),
        ("more_like_these", {"ids": ["x:old", "x:former"]}, {"ids": ["q", "a"]}),
    ):
        assert run_query(merged, name, old).rows == run_query(merged, name, now).rows
    requests = [
        build_request(merged, "specter", like=[a], unlike=[b])
        for a, b in (("x:old", "x:former"), ("q", "a"))
    ]
    assert requests[0].papers == requests[1].papers == ("q",)
    assert requests[0].filters == requests[1].filters


def test_the_references_of_a_draft_may_have_former_ids(merged):
    def embed(text, space):
        return np.zeros(2, dtype=np.float32)

    rows = [
        run_query(merged, "missing_references", {"text": "x", "cites": cites}, embed=embed).rows
        for cites in (["x:former", "none"], ["a", "none"])
    ]
    assert rows[0] == rows[1] != []
    assert "a" not in [row["id"] for row in rows[0]]


def test_exports_and_notebooks_accept_former_ids(merged):
    assert select(merged, around="x:old").ids == select(merged, around="q").ids
    drawn = [
        neighborhood(LiteratureGraph(merged.driver, merged.name), each, space="sgc")
        for each in ("x:old", "q")
    ]
    assert [node.id for node in drawn[0].nodes] == [node.id for node in drawn[1].nodes]


def test_a_log_of_clicks_may_have_former_ids(merged, tmp_path):
    log = tmp_path / "clicks.jsonl"
    log.write_text('{"query": "x:old", "shown": ["none", "x:former"], "clicked": ["x:former"]}\n')
    read = with_current_ids(merged, read_click_log(log))
    assert read == [Impression("q", ("none", "a"), frozenset("a"))]


def test_an_unknown_id_is_still_an_error(merged):
    for ask in (
        lambda: similar(merged, "x:olden", "specter"),
        lambda: run_query(merged, "missing_references", {"id": "x:olden"}),
        lambda: build_request(merged, "specter", like=["x:olden"]),
        lambda: select(merged, around="x:olden"),
    ):
        with pytest.raises(GraphError, match="no paper 'x:olden'"):
            ask()
