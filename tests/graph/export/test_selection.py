"""Select the papers of an export."""

from pathlib import Path

import pytest

from specter_graph.core.errors import GraphError
from specter_graph.graph.database import Database
from specter_graph.graph.export import export_graph, source
from specter_graph.graph.export.source import select
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.queries.cypher import run_cypher
from specter_graph.loaders.records import Field, Paper
from tests.graph.export.rich_corpus import load_rich_corpus


@pytest.fixture(autouse=True)
def small_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source, "PAGE", 2)


def ids(graph: Database, *arguments, **options) -> list[str]:
    chosen = select(graph, *arguments, **options)
    return [each for page in chosen.pages(graph) for each in page]


def test_by_default_all_papers_and_stubs_in_order(graph: Database):
    load_rich_corpus(graph)
    assert ids(graph) == ["a", "b", "c", "d e/f", "unread"]
    assert "whatever" in select(graph)


def test_hops_follow_citations_in_both_directions_and_over_stubs(graph: Database):
    chain = [Paper("p1", "T", references=("s",)), Paper("p2", "T", references=("s", "p3"))]
    load_papers(graph, [*chain, Paper("p3", "T"), Paper("p4", "T", references=("p3",))])
    assert ids(graph, around="p1") == ["p1", "s"]
    assert ids(graph, around="p1", hops=2) == ["p1", "p2", "s"]
    assert ids(graph, around="p1", hops=4) == ["p1", "p2", "p3", "p4", "s"]
    assert ids(graph, around="p1", hops=40) == ["p1", "p2", "p3", "p4", "s"]
    assert "p3" not in select(graph, around="p1", hops=2)


def test_a_field_is_selected_by_id_or_name_with_the_papers_of_narrower_ones(graph: Database):
    load_rich_corpus(graph)
    assert ids(graph, "D1") == ["a", "c"]
    assert ids(graph, "disease") == ["a", "c"]
    assert ids(graph, "all DISEASES") == ["a", "c"]
    assert ids(graph, "k") == ["a", "b"]


def test_a_cycle_of_broader_fields_ends(graph: Database):
    load_papers(
        graph,
        [
            Field("s", "x", "X", broader=("y",)),
            Field("s", "y", "Y", broader=("x",)),
            Paper("a", "A", fields=(Field("s", "x", "X"),)),
        ],
    )
    assert ids(graph, "Y") == ["a"]


def test_a_field_and_a_neighborhood_select_their_intersection(graph: Database):
    load_rich_corpus(graph)
    assert ids(graph, "k", around="c", hops=1) == ["a", "b"]
    assert ids(graph, "D1", around="b", hops=1) == ["a", "c"]
    assert ids(graph, "D1", around="d e/f", hops=1) == []


def test_an_unknown_value_is_an_error_that_names_similar_ones(graph: Database):
    load_rich_corpus(graph)
    with pytest.raises(GraphError, match="no field 'diseas'") as unknown:
        select(graph, "diseas")
    assert unknown.value.hint == "use one of the similar fields: All diseases, Disease"
    with pytest.raises(GraphError, match="no field 'zzz'") as unknown:
        select(graph, "zzz")
    [command, query, _] = unknown.value.hint.split('"')
    assert command == "specter-graph query cypher "
    assert "All diseases" in {row["f.name"] for row in run_cypher(graph, query)}
    with pytest.raises(GraphError, match="no paper 'unraed'") as unknown:
        select(graph, around="unraed")
    assert unknown.value.hint == "use one of the similar ids: unread"


def test_citations_to_papers_that_are_not_selected_are_omitted(graph: Database, tmp_path: Path):
    load_rich_corpus(graph)
    summary = export_graph(graph, tmp_path / "near.jsonl", around="d e/f")
    assert (summary.papers, summary.stubs, summary.citations) == (2, 0, 1)
