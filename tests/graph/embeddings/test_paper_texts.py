"""Read texts of papers in the order of ids, without stubs."""

import pytest

from specter_graph.graph.contents import stats
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.loading.loader import load_papers
from specter_graph.loaders.records import Author, Paper, PaperText, Venue
from tests.graph.citation_graphs import held_out_ids


@pytest.fixture
def corpus(graph):
    papers = [
        Paper("c", "C", None, references=("stub",)),
        Paper("a", "A", "abstract of a"),
        Paper("b", "B", "abstract of b"),
    ]
    load_papers(graph, papers, rejects=None)
    return graph


@pytest.mark.parametrize("page", [1, 2, 3, 1_000])
def test_texts_are_in_the_order_of_ids_for_any_page_size(corpus, monkeypatch, page):
    monkeypatch.setattr("specter_graph.graph.embeddings.paper_texts.PAGE", page)
    assert list(paper_texts(corpus)) == [
        PaperText("a", "A", "abstract of a"),
        PaperText("b", "B", "abstract of b"),
        PaperText("c", "C", None),
    ]
    assert [text.id for text in paper_texts(corpus, ["c", "stub", "a", "none", "a"])] == ["a", "c"]


def test_stubs_are_not_counted(corpus):
    assert stats(corpus).papers == 3


def test_the_requested_parts_are_returned(graph):
    papers = [
        Paper(
            "a",
            "A",
            venue=Venue("v", "Journal"),
            authors=(Author("z", "Zoe"), Author("y", "Yan")),
            references=("b", "stub", "c"),
            body="full text",
        ),
        Paper("b", "B"),
        Paper("c", "C"),
    ]
    load_papers(graph, papers, rejects=None)
    assert next(paper_texts(graph)) == PaperText("a", "A")
    assert next(paper_texts(graph, parts=["venue", "body"])) == PaperText(
        "a", "A", venue="Journal", body="full text"
    )
    (first,) = paper_texts(graph, ["a"], ["title", "authors", "references"])
    assert (first.venue, first.authors, first.body) == (None, ("Zoe", "Yan"), None)
    assert sorted(first.references) == ["B", "C"]


def test_held_out_papers_cite_nothing_and_nothing_cites_them(graph):
    ids = [f"p{number:03}" for number in range(60)]
    cited = {paper: [each for each in ids if each != paper] for paper in ids}
    load_papers(graph, [Paper(p, p, references=tuple(cited[p])) for p in ids], rejects=None)
    held = held_out_ids(graph, 0.2)
    assert held
    for text in paper_texts(graph, parts=["references"], holdout=0.2):
        assert not held & {*text.references}
        assert bool(text.references) is (text.id not in held)
