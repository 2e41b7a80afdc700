"""Test how `search` interprets a query: identifiers, names, notes, and misspelled words."""

import numpy as np
import pytest

from specter_graph.core.errors import GraphError, InputError
from specter_graph.cypher import statement
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, write_space
from specter_graph.graph.loading.loader import load_papers
from specter_graph.loaders.records import Author, Paper
from specter_graph.search import SearchOptions, search

PAPERS = [
    Paper("p1", "Neutrino mass", year=1998, authors=(Author("a:1", "Steven Weinberg"),)),
    Paper("p2", "Sterile neutrinos", year=2001, authors=(Author("a:1", "Steven Weinberg"),)),
    Paper("p3", "Dark matter", year=2001, references=("p2",)),
    Paper("p4", "The Weinberg angle", year=2003, authors=(Author("a:2", "E. Weinberg"),)),
]


@pytest.fixture(scope="module")
def corpus(fresh_graph):
    load_papers(fresh_graph, PAPERS, rejects=None)
    record = EmbeddingSpace("flat", "base", 2, "flat", "flat", digest="flat", sees_edges=False)
    vectors = np.array([[n, 0] for n in range(4)], dtype=np.float32)
    write_space(fresh_graph, record, [p.id for p in PAPERS], vectors, ["0" * 16] * 4)
    fresh_graph.read(statement("search/await_text").text)
    return fresh_graph


def find(corpus, text, **given):
    def embed(*_):
        return np.array([3, 0], dtype=np.float32)

    return search(corpus, embed, text, SearchOptions(space="flat"), **given)


def test_an_identifier_finds_only_its_paper(corpus):
    result = find(corpus, "p2")
    assert [(hit.id, hit.score) for hit in result] == [("p2", 1.0)]
    assert result[0].reasons[0].text == "has this identifier"


def test_an_identifier_of_no_paper_is_named_and_finds_no_other_papers(corpus):
    result = find(corpus, "10.1000/neutrino")
    assert result == []
    assert result.notes == ("No paper has the identifier 10.1000/neutrino.",)


def test_an_unknown_mode_is_an_error():
    with pytest.raises(InputError, match="unknown mode 'words'"):
        SearchOptions(mode="words")


def test_papers_of_a_named_author_are_first(corpus):
    result = find(corpus, "Weinberg, S.")
    assert [author.name for author in result.authors] == ["Steven Weinberg"]
    assert [hit.id for hit in result][:2] == ["p2", "p1"]
    assert result[0].reasons[0].text == "written by an author of this name"
    assert result.notes == ()


def test_a_query_of_one_family_name_also_searches_titles(corpus):
    result = find(corpus, "Weinberg")
    assert {author.name for author in result.authors} == {"Steven Weinberg", "E. Weinberg"}
    assert result[0].id == "p4"


@pytest.mark.parametrize(
    "text", ["Weinberg 2001", "Weinberg et al. (2001)", "(Weinberg & Salam, 2001a)"]
)
def test_a_reference_finds_the_papers_of_its_author_and_year(corpus, text):
    result = find(corpus, text)
    assert "Steven Weinberg" in [author.name for author in result.authors]
    assert result[0].id == "p2"
    assert result[0].reasons[0].text == "written by an author of this name in 2001"
    assert result.notes == ()


def test_words_with_a_year_remain_words(corpus):
    assert find(corpus, "dark matter 2001")[0].id == "p3"
    assert find(corpus, "neutrinos and matter 1998").authors == ()


def test_fields_filter_a_query_and_may_be_the_only_part(corpus):
    assert [hit.id for hit in find(corpus, "author:Weinberg year:2001-")] == ["p2", "p4"]
    assert [hit.id for hit in find(corpus, "neutrino year:1998")] == ["p1"]
    with pytest.raises(GraphError, match="no author"):
        find(corpus, "author:Nobody")


def test_words_that_no_paper_has_are_named_and_a_spelling_is_suggested(corpus):
    result = find(corpus, "neutrinno mass")
    assert result.notes == ("No paper has the words: neutrinno.",)
    assert result.did_you_mean == "neutrino mass"
    [note] = find(corpus, "zzyzx").notes
    assert note == "No paper has a word of this query; these are similar."
    assert find(corpus, "neutrino mass").notes == ()


def test_a_script_that_the_model_does_not_cover_is_searched_by_words_only(corpus):
    result = find(corpus, "暗物质", covers=lambda *_: False)
    assert result == []
    assert result.notes[0].endswith("'flat' does not cover the script of this query.")
