"""Test hybrid search by words, vectors, titles and citations, with reasons for each hit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specter_graph.core.errors import GraphError
from specter_graph.cypher import statement
from specter_graph.graph.search.fulltext import fulltext_search, snippet
from specter_graph.graph.search.hits import SearchRequest
from specter_graph.graph.search.hybrid import build_request, rank_papers, rocchio
from specter_graph.graph.search.lucene import MAX_WORDS, tokenize
from specter_graph.graph.search.missing_references import match_entries
from specter_graph.graph.search.query_syntax import parse
from specter_graph.graph.search.search_filters import Filters
from specter_graph.loaders.records import Identifier, Paper

PLACE = np.array([150.0, 0], dtype=np.float32)


def ids(result):
    return [each.id for each in result]


def question(text, **others):
    query = parse(text)
    return SearchRequest(query.words, query.lucene, query.restricts, **others)


@settings(max_examples=30)
@given(text=st.text(max_size=300) | st.text(alphabet='+-!(){}[]^"~*?:\\/&| ANDORT0b', max_size=40))
def test_any_text_is_searched_without_error(line, text):
    assert len(fulltext_search(line, " ".join(tokenize(text)), 3)) <= 3


@pytest.mark.parametrize(
    "text", ["neutrino AND", "(neutrino", "neutrino~ [", 'neutrino"', "NOT neutrino"]
)
def test_lucene_syntax_is_text(line, text):
    assert fulltext_search(line, " ".join(tokenize(text)), 1)[0]["title"].startswith(
        "On the neutrino"
    )


def test_long_texts_are_searched_by_their_first_words(line):
    assert len(tokenize(" ".join(map(str, range(5_000))))) == MAX_WORDS
    assert (
        fulltext_search(
            line, " ".join(tokenize("中" * 5_000 + " " + "量子" * 3_000, "neutrino")), 1
        )
        == []
    )


def test_a_search_by_text_returns_k_papers_that_match_a_filter(line):
    rows = fulltext_search(line, " ".join(tokenize("neutrino")), 4, Filters(venue="rare"))
    # Of 5, 102, 199 and 296, only 199 is on neutrinos.
    assert [row["id"] for row in rows] == ["p199"]
    rows = fulltext_search(line, " ".join(tokenize("place")), 4, Filters(venue="rare"))
    assert sorted(row["id"] for row in rows) == ["p102", "p199", "p296", "p5"]


def test_a_stub_with_a_text_is_not_returned(line):
    line.write("CREATE (:Paper:Stub {id: 'stub', sample_key: 1, abstract: 'A leptoquark.'})")
    line.read(statement("search/await_text").text)
    try:
        assert fulltext_search(line, " ".join(tokenize("leptoquark")), 3) == []
    finally:
        line.write("MATCH (p:Paper {id: 'stub'}) DELETE p")


def test_the_snippet_is_the_sentence_with_the_largest_number_of_query_words():
    abstract = "Much is known. We study quarks in lattices. It is done."
    passage, result = snippet(abstract, tokenize("Quark lattice studies"))
    assert passage == "We study quarks in lattices. It is done."
    assert result == ["study", "quarks", "lattices"]
    assert snippet("Jets in the sky.", ["jet", "in", "the"]) == ("Jets in the sky.", ["Jets"])
    assert snippet(None, ["quark"]) == ("", [])


def test_a_paper_with_the_title_of_the_query_is_first_even_if_vectors_prefer_others(line):
    result = rank_papers(line, question("On the lattice of place 8", vector=PLACE), "line", 5)
    assert result[0].id == "p8"
    assert result[0].reasons[0].text == "has this title"
    assert 0 < result[-1].score < result[0].score <= 1


def test_words_find_a_paper_without_a_vector(line):
    line.write(
        "CREATE (:Paper {id: 'new', sample_key: 1, title: 'A rare leptoquark of a new kind'})"
    )
    line.read(statement("search/await_text").text)
    try:
        [best] = rank_papers(line, question("rare leptoquark", vector=PLACE), "line", k=1)
        assert best.id == "new"
        assert [reason.text for reason in best.reasons] == ["matches the title"]
    finally:
        line.write("MATCH (p:Paper {id: 'new'}) DELETE p")


def test_of_two_papers_with_the_title_of_the_query_the_better_match_is_first(line):
    line.write(
        "UNWIND [['a', null], ['b', 'A rare leptoquark.']] AS row"
        " CREATE (:Paper {id: row[0], sample_key: 1, title: 'Leptoquark', abstract: row[1]})"
    )
    line.read(statement("search/await_text").text)
    try:
        result = rank_papers(line, question("leptoquark"), k=2)
        assert [(hit.id, hit.score) for hit in result] == [("b", 1), ("a", 1)]
    finally:
        line.write("MATCH (p:Paper) WHERE p.id IN ['a', 'b'] DELETE p")


def test_the_reasons_name_the_results_that_cite_a_paper(line):
    result = rank_papers(line, question("neutrino case 151", vector=PLACE), "line", 10)
    cited = [(hit, why) for hit in result for why in hit.reasons if why.text.startswith("cited by")]
    assert cited
    for hit, why in cited:
        for paper in why.papers:
            query = "RETURN EXISTS { ({id: $a})-[:CITES]->({id: $b}) } AS there"
            assert line.read(query, a=paper, b=hit.id)[0]["there"]
    titles = {hit.id: hit.title for hit in result}
    hit, why = next(each for each in cited if {*each[1].papers} <= titles.keys())
    assert all(titles[paper] in why.text for paper in why.papers)


def test_papers_that_several_top_hits_cite_are_returned_without_words_and_vectors(line):
    line.write("MERGE (p:Paper {id: 'classic'}) SET p.title = 'A classic', p.sample_key = 1")
    line.write(
        "MATCH (c:Paper {id: 'classic'}), (p:Paper) WHERE p.id IN ['p150', 'p149']"
        " MERGE (p)-[:CITES]->(c)"
    )
    try:
        result = rank_papers(line, SearchRequest(vector=PLACE), "line", 110)
        [classic] = [hit for hit in result if hit.id == "classic"]
        assert [why.text for why in classic.reasons] == [
            "cited by 2 of the top results: On the quark of place 150, On the lattice of place 149"
        ]
        phrases = question('"place 150" OR "place 149"', vector=PLACE)
        assert ids(rank_papers(line, phrases, "line", 300)) == ["p150", "p149"]
    finally:
        line.write("MATCH (p:Paper {id: 'classic'}) DETACH DELETE p")


def test_quoted_phrases_and_exclusions_apply_to_results_of_vectors(line):
    result = rank_papers(line, question('"of place" -lattice', vector=PLACE), "line", 300)
    assert len(result) == 200
    assert not any("lattice" in hit.title for hit in result)
    assert [hit.id for hit in result[:2]] == ["p150", "p151"]


@pytest.mark.parametrize("mode", ["text", "vector"])
def test_a_single_signal_ranks_by_itself(line, mode):
    result = rank_papers(line, question("neutrino 151", vector=PLACE), "line", 5, mode=mode)
    assert result[0].id == {"text": "p151", "vector": "p150"}[mode]
    assert [hit.score for hit in result] == sorted((hit.score for hit in result), reverse=True)
    assert result[0].score == pytest.approx(1)


def test_hits_are_complete(line):
    line.write(
        "MATCH (p:Paper {id: 'p8'}) SET p.doi = '10.1/x', p.arxiv_id = '2101.00001'"
        " CREATE (:Author {id: 'a', name: 'A. Author'})-[:WROTE {position: 0}]->(p)"
    )
    try:
        [hit] = rank_papers(line, question("On the lattice of place 8"), None, 1)
        assert (hit.authors, hit.venue, hit.year) == (("A. Author",), "P", 1998)
        assert hit.links == ("https://doi.org/10.1/x", "https://arxiv.org/abs/2101.00001")
        assert hit.citations == 5
        assert hit.snippet == "We study lattices here, case 8. It is done."
    finally:
        line.write("MATCH (a:Author {id: 'a'}) DETACH DELETE a")
        line.write("MATCH (p:Paper {id: 'p8'}) REMOVE p.doi, p.arxiv_id")


def test_pages_are_parts_of_one_ranking(line):
    jets = question("neutrino jets", vector=PLACE)
    every = ids(rank_papers(line, jets, "line", 1_000, page=7))
    pages = [ids(rank_papers(line, jets, "line", n + 7, page=7))[n:] for n in range(0, 105, 7)]
    assert [paper for page in pages for paper in page] == every[:105]
    assert len({*every}) == len(every) > 105


def test_filters_apply_to_every_signal(line):
    rare = question("neutrino", vector=PLACE, filters=Filters(venue="rare", since=1990))
    assert {*ids(rank_papers(line, rare, "line", 10))} == {"p5", "p102", "p199", "p296"}


def test_like_and_unlike_return_neither_of_the_given_papers(line):
    request = build_request(line, "line", like=["p150", "p156"], unlike=["p180"])
    result = rank_papers(line, request, "line", 5)
    assert not {"p150", "p156", "p180"} & {*ids(result)}
    assert {"p153"} <= {*ids(result)}
    with pytest.raises(GraphError, match="no paper 'p1500'"):
        build_request(line, "line", like=["p1500"])


def test_unlike_moves_the_query_away_from_these_papers():
    near, far = np.array([3, 4], dtype=np.float32), np.array([3, 0], dtype=np.float32)
    moved = rocchio([near], [far])
    assert np.linalg.norm(moved) == pytest.approx(5)
    assert moved.tolist() == pytest.approx([5 * 3 / 34**0.5, 5 * 5 / 34**0.5])
    assert rocchio([near], []).tolist() == [3, 4]


def test_entries_are_matched_by_identifier_then_title_and_others_are_reported(line):
    entries = [
        Paper("a", "Something else", identifiers=(Identifier("arxiv", "p7"),)),
        Paper("b", "ON THE {Lattice} of place 8"),
        Paper("c", "On the lattice of place 8000"),
        Paper("d", "Quark"),
    ]
    matched = match_entries(line, entries)
    assert matched.ids == ("p7", "p8")
    assert [entry.id for entry in matched.unmatched] == ["c", "d"]
