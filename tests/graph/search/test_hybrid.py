"""Hybrid search: words, vectors and citations in one ranking, each hit with its reasons."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from specter_graph.cypher import statement
from specter_graph.errors import GraphError, LeakError
from specter_graph.graph.clear import clear
from specter_graph.graph.load import load_papers
from specter_graph.graph.search import (
    Filters,
    Question,
    ask,
    learn,
    match_entries,
    search,
    weights,
)
from specter_graph.graph.search.fusion import fused
from specter_graph.graph.search.hybrid import by_citations
from specter_graph.graph.search.learning import fit
from specter_graph.graph.search.lucene import MOST_WORDS, words
from specter_graph.graph.search.questions import between
from specter_graph.graph.search.text import matching, snippet
from specter_graph.loaders.records import Identifier, Paper

PLACE = np.array([150.0, 0], dtype=np.float32)


def ids(found):
    return [each.id for each in found]


def test_ranks_are_fused_as_cormack_et_al_say_by_hand():
    lists = {"text": ["a", "b"], "vector": ["b", "c"]}
    assert fused(lists) == pytest.approx({"b": 60 / 62 + 60 / 61, "a": 60 / 61, "c": 60 / 62})
    assert list(fused(lists)) == ["b", "a", "c"]
    assert list(fused(lists, {"vector": 1.0})) == ["b", "c", "a"]


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(text=st.text(max_size=300) | st.text(alphabet='+-!(){}[]^"~*?:\\/&| ANDORT0b', max_size=40))
def test_any_text_is_searched_without_error(line, text):
    assert len(matching(line, words(text), 3)) <= 3


@pytest.mark.parametrize(
    "text", ["neutrino AND", "(neutrino", "neutrino~ [", 'neutrino"', "NOT neutrino"]
)
def test_what_lucene_would_take_for_syntax_is_text(line, text):
    assert matching(line, words(text), 1)[0]["title"].startswith("On the neutrino")


def test_long_texts_are_searched_by_their_first_words(line):
    assert len(words(" ".join(map(str, range(5_000))))) == MOST_WORDS
    assert matching(line, words("中" * 5_000 + " " + "量子" * 3_000, "neutrino"), 1) == []


def test_text_alone_still_gives_k_papers_that_pass_a_filter(line):
    rows = matching(line, words("neutrino"), 4, Filters(venue="rare"))
    assert [row["id"] for row in rows] == ["p199"]  # of 5, 102, 199, 296, the one on neutrinos
    rows = matching(line, words("place"), 4, Filters(venue="rare"))
    assert sorted(row["id"] for row in rows) == ["p102", "p199", "p296", "p5"]


def test_a_stub_with_a_text_is_not_found(line):
    line.write("CREATE (:Paper:Stub {id: 'stub', draw: 1, abstract: 'A leptoquark.'})")
    line.read(statement("search/await_text").text)
    try:
        assert matching(line, words("leptoquark"), 3) == []
    finally:
        line.write("MATCH (p:Paper {id: 'stub'}) DELETE p")


def test_the_snippet_is_the_sentence_with_most_of_the_words():
    abstract = "Much is known. We study quarks in lattices. It is done."
    passage, found = snippet(abstract, words("Quark lattice studies"))
    assert passage == "We study quarks in lattices."
    assert found == ["study", "quarks", "lattices"]
    assert snippet(None, ["quark"]) == ("", [])


def test_a_hit_says_by_which_signals_it_was_found_and_along_which_path(line):
    question = Question(words=tuple(words("lattice of place 152")), vector=PLACE)
    found = search(line, question, "line", 10)
    assert found[0].id == "p152"
    best = {reason.signal: reason for reason in found[0].reasons}
    assert best["text"].rank == 1
    assert best["vector"].rank == 5  # 148 is as near
    assert found[0].distance == pytest.approx(2)
    assert "lattices" in found[0].words
    assert sum(reason.share for reason in found[0].reasons) == pytest.approx(found[0].score)
    for each in found:
        for reason in each.reasons:
            if reason.signal in ("cited", "cocited", "coupled"):
                assert holds(line, reason)
                assert reason.path[-1] == each.id


def holds(graph, reason):
    """Whether a path is there, in the direction that its signal says."""
    pattern = {
        "cited": "({id: $ids[0]})-[:CITES]->({id: $ids[1]})",
        "cocited": "({id: $ids[0]})<-[:CITES]-({id: $ids[1]})-[:CITES]->({id: $ids[2]})",
        "coupled": "({id: $ids[0]})-[:CITES]->({id: $ids[1]})<-[:CITES]-({id: $ids[2]})",
    }[reason.signal]
    return graph.read(f"RETURN EXISTS {{ {pattern} }} AS there", ids=list(reason.path))[0]["there"]


def test_citations_find_what_words_and_vectors_do_not(line):
    lists = by_citations(line, Question(), {"text": ["p150"]}, {"p150": 1.0})
    assert lists["cited"] == ["p135", "p138", "p141", "p144", "p147"]
    around = {f"p{150 + 3 * step}" for step in range(-4, 5) if step}
    assert {*lists["cocited"]} == {*lists["coupled"]} == around
    assert {*lists["cocited"][:2]} == {*lists["coupled"][:2]} == {"p147", "p153"}
    assert {*lists["citations"]} == around | {"p135", "p150"}


def test_papers_passed_over_are_on_no_path(line):
    question = Question(passed=("p153", "p150"))
    lists = by_citations(line, question, {"text": ["p150"]}, {"p150": 1.0})
    assert "cited" not in lists
    assert "coupled" not in lists
    assert "p138" not in lists["cocited"]  # only p153 cites it and p150


def test_citations_by_held_out_papers_are_passed_over_in_training(line):
    below = line.value("MATCH (p:Paper) RETURN min(p.draw)")
    line.write(
        "MATCH (p:Paper) WHERE p.id IN ['p153', 'p147'] SET p.own = p.draw, p.draw = $below - 1",
        below=below,
    )
    try:
        question = Question(filters=Filters(held_out=below))
        lists = by_citations(line, question, {"text": ["p150"]}, {"p150": 1.0})
        assert "p138" not in lists["cocited"]
        assert "p147" not in lists["cited"] + lists["cocited"] + lists["coupled"]
        assert "p162" not in lists["coupled"]  # it shares p147 alone with p150
    finally:
        line.write("MATCH (p:Paper) WHERE p.own IS NOT NULL SET p.draw = p.own REMOVE p.own")


def test_pages_are_of_one_ranking_though_they_are_asked_for_one_by_one(line):
    question = Question(words=tuple(words("neutrino jets")), vector=PLACE)
    whole = ids(search(line, question, "line", 1_000, page=7))
    pages = [ids(search(line, question, "line", n + 7, page=7))[n:] for n in range(0, 210, 7)]
    assert [paper for page in pages for paper in page] == whole[:210]
    assert len({*whole}) == len(whole) > 100


def test_filters_hold_for_every_signal(line):
    question = Question(
        words=tuple(words("neutrino")), vector=PLACE, filters=Filters(venue="rare", since=1990)
    )
    assert {*ids(search(line, question, "line", 10))} == {"p5", "p102", "p199", "p296"}


def test_like_these_unlike_those_finds_none_of_them(line):
    question = ask(line, "line", like=["p150", "p156"], unlike=["p180"], uncited=True)
    assert question.seeds == ("p135", "p138", "p141", "p144", "p147", "p153")
    found = search(line, question, "line", 5)
    assert not {"p150", "p156", "p180", "p141", "p144", "p147", "p153"} & {*ids(found)}
    assert any(reason.signal == "own_coupled" for reason in found[0].reasons)
    with pytest.raises(GraphError, match="no paper 'p1500'"):
        ask(line, "line", like=["p1500"])


def test_a_question_moves_away_from_what_it_shall_be_unlike():
    near, far = np.array([3, 4], dtype=np.float32), np.array([3, 0], dtype=np.float32)
    moved = between([near], [far])
    assert np.linalg.norm(moved) == pytest.approx(5)
    assert moved.tolist() == pytest.approx([5 * 3 / 34**0.5, 5 * 5 / 34**0.5])
    assert between([near], []).tolist() == [3, 4]


def test_entries_are_matched_by_identifier_then_title_and_the_rest_told(line):
    entries = [
        Paper("a", "Something else", identifiers=(Identifier("arxiv", "p7"),)),
        Paper("b", "ON THE {Lattice} of place 8"),
        Paper("c", "On the lattice of place 8000"),
        Paper("d", "Quark"),
    ]
    matched = match_entries(line, entries)
    assert matched.ids == ("p7", "p8")
    assert [entry.id for entry in matched.unmatched] == ["c", "d"]


def test_weights_are_those_of_the_signals_that_find_what_is_cited():
    lists = {"text": ["a", "b", "c", "d"], "vector": ["d", "c", "b", "a"]}
    found = fit([(lists, {"a", "b"})] * 50)
    assert found[0] > 0 > found[1]
    with pytest.raises(GraphError, match="too few citations"):
        fit([])


def test_weights_are_learnt_from_training_papers_and_kept_with_the_hold_out(line):
    learnt = learn(line, "line", 0.0, queries=20)
    assert weights(line, "line") == learnt
    assert (learnt.queries, learnt.holdout) == (20, 0.0)
    assert learnt.by_signal["cited"] > 0
    assert weights(line, "other") is None


def test_weights_are_not_learnt_where_the_space_has_seen_what_is_held_out(line):
    line.write("MATCH (s:EmbeddingSpace {property: 'line'}) SET s.sees_edges = true")
    try:
        with pytest.raises(LeakError, match="'line'"):
            learn(line, "line", 0.1)
        line.write("MATCH (s:EmbeddingSpace {property: 'line'}) SET s.kind = 'sgc'")
        with pytest.raises(LeakError, match="smoothed"):
            learn(line, "line", 0.1)
    finally:
        line.write(
            "MATCH (s:EmbeddingSpace {property: 'line'}) SET s.sees_edges = false, s.kind = 'base'"
        )


def test_the_citations_that_are_followed_do_not_depend_on_the_order_of_loading(graph, monkeypatch):
    monkeypatch.setattr("specter_graph.graph.search.hybrid.MOST_CITATIONS", 5)
    papers = [Paper("seed", "Seed", references=("shared",)), Paper("shared", "Shared")]
    for number in range(30):
        papers += [
            Paper(f"citing{number}", "Citing", references=("seed", f"beside{number}")),
            Paper(f"beside{number}", "Beside"),
            Paper(f"sharing{number}", "Sharing", references=("shared",)),
        ]
    found = []
    for order in (papers, papers[::-1]):
        clear(graph)
        load_papers(graph, order, rejects=None)
        found.append(by_citations(graph, Question(), {"text": ["seed"]}, {"seed": 1.0}))
    assert found[0] == found[1]
    assert len(found[0]["cocited"]) == len(found[0]["coupled"]) == 5
