"""Find missing references of a paper, a text, a bibliography, or several of these."""

import numpy as np
import pytest

from specter_graph.core.errors import GraphError, InputError
from specter_graph.cypher import statement
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, write_space
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.queries.library_queries import run_query
from specter_graph.graph.search.missing_references import match_entries, missing_references
from specter_graph.loaders.records import Author, Paper

TOPICS = ("quark", "neutrino")


def paper(number):
    """Return a paper that cites the previous four of its topic and, in topic 0, a stub."""
    before = [f"p{number - 2 * step}" for step in range(1, 5) if number >= 2 * step]
    outside = ["outside"] if number % 2 == 0 else []
    return Paper(
        f"p{number}",
        f"On the {TOPICS[number % 2]} {number}",
        year=1900 + number,
        references=(*before, *outside),
    )


@pytest.fixture(scope="module")
def corpus(fresh_graph):
    load_papers(fresh_graph, [paper(number) for number in range(120)], rejects=None)
    place = {f"p{n}": [float(n % 2) * 100, n / 10] for n in range(120)}
    record = EmbeddingSpace("flat", "base", 2, "flat", "flat", digest="flat", sees_edges=False)
    vectors = np.array([*place.values()], dtype=np.float32)
    write_space(fresh_graph, record, [*place], vectors, ["0" * 16] * len(place))
    return fresh_graph


def embed(text, _):
    """Return the vector of a paper, by its number."""
    number = int(text)
    return np.array([float(number % 2) * 100, number / 10], dtype=np.float32)


def find(corpus, text="", **given):
    return missing_references(corpus, embed, text, space="flat", **given)


def ids(missing):
    return [hit.id for hit in missing.hits]


@pytest.mark.parametrize(
    "given",
    [
        {"text": "60"},
        {"cites": ["p58", "p56"]},
        {"text": "60", "cites": ["p58", "p56"]},
        {"id": "p60"},
        {"id": "p60", "cites": ["p49"], "text": "60"},
    ],
    ids=["text", "bibliography", "text and bibliography", "paper", "all"],
)
def test_results_are_on_the_topic_and_not_cited_yet(corpus, given):
    result = find(corpus, **given)
    assert len(result.hits) >= 6
    known = {*given.get("cites", [])}
    if "id" in given:
        known |= {"p60", "p58", "p56", "p54", "p52"}
    assert not known & {*ids(result)}
    assert all("quark" in hit.title for hit in result.hits)
    assert [hit.score for hit in result.hits] == sorted(
        (h.score for h in result.hits), reverse=True
    )
    assert all(0 < hit.score < 1 for hit in result.hits)


def test_the_citations_of_the_paper_itself_are_used_only_as_its_bibliography(corpus):
    corpus.write("MATCH (p:Paper {id: 'p60'})-[c:CITES]->(:Paper {id: 'p52'}) DELETE c")
    try:
        result = find(corpus, id="p60", k=3)
        assert "p52" in ids(result)
        hit = next(hit for hit in result.hits if hit.id == "p52")
        assert not any("p60" in reason.papers for reason in hit.reasons)
    finally:
        corpus.write("MATCH (a:Paper {id: 'p60'}), (b:Paper {id: 'p52'}) MERGE (a)-[:CITES]->(b)")


def test_no_paper_later_than_the_year_is_returned(corpus):
    later = find(corpus, cites=["p58", "p56"], k=50)
    assert max(hit.year for hit in later.hits) > 1955
    result = find(corpus, cites=["p58", "p56"], until=1955, k=50)
    assert max(hit.year for hit in result.hits) == 1954
    assert max(hit.year for hit in find(corpus, id="p60", k=50).hits) <= 1960
    assert max(hit.year for hit in find(corpus, id="p60", until=1980, k=50).hits) > 1960


def test_papers_without_a_record_are_listed_separately(corpus):
    result = find(corpus, cites=["p58"])
    assert [(hit.id, hit.stub) for hit in result.outside] == [("outside", True)]
    assert "outside" not in ids(result)
    assert find(corpus, cites=["outside"]).hits, "a paper without a record is a bibliography too"


def test_the_reasons_name_the_citing_papers_with_titles(corpus):
    [best, *_] = find(corpus, "60", cites=["p58", "p56"]).hits
    reasons = [reason.text for reason in best.reasons]
    assert any(text.startswith("cited by") and "On the quark" in text for text in reasons)
    assert any("with references in common" in text for text in reasons)


def test_the_library_query_is_the_same_method(corpus):
    rows = run_query(corpus, "missing_references", {"id": "p60", "k": 5, "space": "flat"}).rows
    assert [row["id"] for row in rows if not row["stub"]] == ids(find(corpus, id="p60", k=5))


def test_an_invalid_request_is_rejected(corpus):
    with pytest.raises(InputError, match="no text, paper id or references"):
        find(corpus)
    with pytest.raises(InputError, match=r"the name of a file: mine\.bib"):
        find(corpus, "mine.bib")
    with pytest.raises(GraphError, match="no paper 'q'"):
        find(corpus, id="q")
    with pytest.raises(GraphError, match="no paper 'q'"):
        find(corpus, "60", cites=["p58", "q"])
    with pytest.raises(GraphError, match="no embedding space"):
        missing_references(corpus, embed, cites=["p1"], space="other")


def test_the_papers_that_share_references_do_not_depend_on_the_order_of_loading(graph):
    papers = [Paper("cited", "Cited"), Paper("other", "Other")]
    papers += [Paper(f"c{n}", "Citing", references=("cited", "other", f"x{n}")) for n in range(400)]
    papers += [Paper(f"x{n}", f"X {n}") for n in range(400)]
    record = EmbeddingSpace("flat", "base", 2, "flat", "flat", digest="flat", sees_edges=False)
    result = []
    for order in (papers, papers[::-1]):
        graph.write("MATCH (p:Paper) DETACH DELETE p")
        load_papers(graph, order, rejects=None)
        write_space(graph, record, ["cited"], np.zeros((1, 2), np.float32), ["0" * 16])
        result.append(ids(find(graph, cites=["cited"], k=30)))
    assert result[0] == result[1]
    assert result[0][0] == "other"


def test_an_entry_matches_its_title_though_other_papers_repeat_the_words(graph):
    title = "The use of gestures in multimodal input"
    words = "gestures multimodal input gestures multimodal input use"
    others = [Paper(f"o{n}", f"Use multimodal input gestures {n}", words) for n in range(20)]
    load_papers(graph, [*others, Paper("wanted", title, year=1998)], rejects=None)
    graph.read(statement("search/await_text").text)
    assert match_entries(graph, [Paper("a", title)]).ids == ("wanted",)


def test_entries_with_one_title_match_the_papers_with_their_ids(graph):
    title = "Trajectories of stress after accidents"
    papers = [Paper(id, title) for id in ("ris:2", "ris:1", "ris:3")]
    load_papers(graph, papers, rejects=None)
    graph.read(statement("search/await_text").text)
    assert match_entries(graph, papers).ids == ("ris:2", "ris:1", "ris:3")


def test_of_papers_with_one_title_an_entry_matches_that_of_its_author_and_year(graph):
    title = "CP violation in hyperon decays"
    wrote = [("a", "German Valencia", 1994), ("b", "S. Pakvasa", 2000), ("c", "S. Pakvasa", 1999)]
    papers = [Paper(id, title, authors=(Author(by, by),), year=year) for id, by, year in wrote]
    load_papers(graph, papers, rejects=None)
    graph.read(statement("search/await_text").text)
    for id, by, year in wrote:
        entry = Paper("key", title, authors=(Author("", f"{by.split()[-1]}, X."),), year=year + 1)
        assert match_entries(graph, [entry]).ids == ("b" if id == "c" else id,)
    assert len(match_entries(graph, [Paper("key", title)]).ids) == 1


def test_an_entry_with_a_short_title_matches_the_paper_with_its_id(graph):
    load_papers(graph, [Paper("svm", "SimpleSVM"), Paper("other", "SimpleSVM")], rejects=None)
    graph.read(statement("search/await_text").text)
    entries = [Paper("svm", "{SimpleSVM}"), Paper("key", "SimpleSVM"), Paper("other", "BERT")]
    match = match_entries(graph, entries)
    assert match.ids == ("svm",)
    assert [entry.id for entry in match.unmatched] == ["key", "other"]


def test_six_chinese_characters_are_a_title_and_a_word_is_none(graph):
    titles = {
        "long": "性命古訓辨證",
        "preface": "編者的話",
        "foreword": "Foreword",
        "kana": "はじめに",
    }
    load_papers(graph, [Paper(id, title) for id, title in titles.items()], rejects=None)
    graph.read(statement("search/await_text").text)
    entries = [Paper(f"key {id}", title) for id, title in titles.items()]
    assert match_entries(graph, entries).ids == ("long",)
    assert (
        match_entries(graph, [Paper("key", "性命古訓辨證考"), Paper("key", "性命古訓")]).ids == ()
    )
