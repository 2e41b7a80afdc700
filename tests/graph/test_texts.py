"""Texts of papers, in the order of ids and without stubs."""

import pytest

from specter_graph.graph import texts
from specter_graph.graph.load import load_papers
from specter_graph.graph.texts import count_papers, paper_texts
from specter_graph.loaders.records import Paper, PaperText


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
def test_all_texts_come_in_the_order_of_ids_whatever_the_page(corpus, monkeypatch, page):
    monkeypatch.setattr(texts, "PAGE", page)
    assert list(paper_texts(corpus)) == [
        PaperText("a", "A", "abstract of a"),
        PaperText("b", "B", "abstract of b"),
        PaperText("c", "C", None),
    ]
    assert [text.id for text in paper_texts(corpus, ["c", "stub", "a", "none", "a"])] == ["a", "c"]


def test_stubs_are_not_counted(corpus):
    assert count_papers(corpus) == 3
