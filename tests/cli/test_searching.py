"""`specter-graph similar`, `search`, `missing-references` and `spaces`, as typed."""

import json

import pytest
from click.testing import CliRunner

from specter_graph.cli import searching, spaces
from specter_graph.core.errors import GraphError, InputError, ModelError
from specter_graph.cypher import statement
from specter_graph.graph.loading.loader import load_papers
from specter_graph.loaders.records import Author, Paper
from tests.graph.search.corpus import load_line


@pytest.fixture
def typed(graph, server):
    """Run a command on the papers on a line."""
    load_line(graph)

    def run(command, *words):
        return CliRunner().invoke(command, words)

    return run


def found(result):
    assert result.exception is None, result.exception
    return json.loads(result.stdout)


def ids(result):
    answer = found(result)
    return [hit["id"] for hit in (answer if isinstance(answer, list) else answer["hits"])]


def test_similar_and_search_keep_to_the_filters(typed):
    words = ("p150", "--space", "line", "-k", "3", "--format", "json")
    assert ids(typed(searching.similar, *words, "--field", "Quark")) == ["p147", "p153", "p144"]
    words = ("place", "--venue", "RARE", "--until", "2000", "--format", "json")
    assert ids(typed(searching.search, *words)) == ["p5"]
    assert "On the quark of place 147" in typed(searching.similar, "p150", "--space", "line").stdout


def test_search_shows_each_paper_complete_with_its_reasons(typed, graph):
    names = ("Ann Lee", "Bob Ray", "Cyd Fox", "Dan Wu")
    authors = tuple(Author(name, name) for name in names)
    load_papers(graph, [Paper("four", "A leptoquark", year=2001, authors=authors)])
    graph.read(statement("search/await_text").text)
    answer = found(typed(searching.search, "A leptoquark", "--format", "json"))
    assert set(answer) == {"hits", "authors", "did_you_mean", "notes"}
    [hit, *_] = answer["hits"]
    assert (hit["authors"], hit["citations"], hit["stub"]) == ([*names], 0, False)
    said = typed(searching.search, "A leptoquark").stdout
    assert "Ann Lee, Bob Ray, Cyd Fox et al. · 2001 · cited 0 times · four\n" in said
    assert "has this title" in said
    by_title = typed(searching.search, "On the quark of place 150", "-k", "1").stdout
    assert by_title.startswith(
        "  1 On the quark of place 150\n    P · 1990 · cited 5 times · p150\n"
    )
    assert "We study quarks here" in by_title


def test_search_says_what_it_made_of_the_query(typed, graph):
    authors = (Author("w", "Steven Weinberg"),)
    load_papers(graph, [Paper("one", "Phenomenological Lagrangians", authors=authors)])
    graph.read(statement("search/await_text").text)
    lines = typed(searching.search, "Weinberg, S.").stdout.splitlines()
    assert {"Author: Steven Weinberg (1 paper)", "  1 Phenomenological Lagrangians"} <= {*lines}
    lines = typed(searching.search, "neutrnio").stdout.splitlines()
    assert lines[0].startswith("No paper has a word of this query")
    assert lines[1] == "Did you mean: neutrino"


def test_one_mode_gives_no_other_reasons(typed):
    for mode, words, reason in (
        ("text", ("quark",), "matches words"),
        ("vector", ("--like", "p150"), "similar in meaning"),
    ):
        words = (*words, "--mode", mode, "--space", "line", "--format", "json", "-k", "5")
        hits = found(typed(searching.search, *words))["hits"]
        assert len(hits) == 5
        assert {each["text"] for hit in hits for each in hit["reasons"]} == {reason}


def missing(typed, *words):
    return typed(searching.missing_references, *words, "--space", "line", "-k", "5")


def test_missing_references_of_a_bibliography_are_cited_with_its_papers(typed, graph, tmp_path):
    file = tmp_path / "mine.bib"
    file.write_text(
        "@article{one, title={On the quark of place 150}}\n"
        "@article{two, title={Something that nobody has}}\n"
        "@article{three, title={A stub}, doi={10.1000/x}}\n"
        "@article{four, year={2001}}\n"
    )
    graph.write(
        "MERGE (s:Paper {id: 'doi:10.1000/x'}) SET s:Stub, s.sample_key = 1"
        " WITH s MATCH (p:Paper) WHERE p.id IN ['p280', 'p281'] MERGE (p)-[:CITES]->(s)"
    )
    result = missing(typed, "--bib", str(file), "--format", "json")
    answer = found(result)
    assert set(answer) == {"hits", "outside", "known"}
    assert answer["known"] == ["p150", "doi:10.1000/x"]
    hits = {hit["id"] for hit in answer["hits"]}
    assert hits & {"p147", "p153", "p144", "p156"}
    assert "p150" not in hits
    assert "not in the graph: two: Something that nobody has" in result.stderr
    assert "skipped: four: title is missing" in result.stderr
    assert "2 of 4 papers are in the graph" in result.stderr
    said = missing(typed, "--bib", str(file)).stdout
    assert "cited 5 times · p147 · probability 0." in said


def test_missing_references_combines_a_draft_in_latex_with_other_papers(typed, tmp_path):
    file = tmp_path / "draft.tex"
    file.write_text(r"\title{Quarks} \cite{p150,lost} \input{../more}")
    result = missing(
        typed, "--tex", str(file), "--cites", "p153", "--until", "1999", "--format", "json"
    )
    assert isinstance(result.exception, ModelError)  # there is no model of this space
    items = r"\bibitem{one} ``On the quark of place 150,'' 1990. \bibitem{lost} Lost."
    file.write_text(rf"\input{{../more}} \begin{{thebibliography}}{{9}} {items}")
    result = missing(typed, "--tex", str(file), "--cites", "p153", "--format", "json")
    assert found(result)["known"] == ["p153", "p150"]
    assert "not read: ../more" in result.stderr
    assert "not in the graph: lost\n" in result.stderr
    assert f"{file}: 1 of 2 papers are in the graph" in result.stderr


def test_papers_often_cited_that_have_no_record_are_named_as_such(typed, graph):
    graph.write(
        "MERGE (s:Paper {id: 'doi:10.1000/y'}) SET s:Stub, s.sample_key = 1 WITH s"
        " MATCH (p:Paper)-[:CITES]->(:Paper {id: 'p150'}) MERGE (p)-[:CITES]->(s)"
    )
    [outside] = found(missing(typed, "--cites", "p150", "--format", "json"))["outside"]
    assert (outside["id"], outside["citations"]) == ("doi:10.1000/y", 5)
    said = missing(typed, "--cites", "p150").stdout
    _, after = said.split("\nOften cited, not in this corpus:\n")
    assert after.startswith("  1 doi:10.1000/y\n    cited 5 times · ")


def test_missing_references_needs_something_to_go_by(typed, tmp_path):
    assert isinstance(missing(typed).exception, InputError)
    file = tmp_path / "none.bib"
    file.write_text("@article{two, title={Something that nobody has}}\n")
    result = missing(typed, "--bib", str(file))
    assert str(result.exception) == f"no paper of {file} is in the graph"
    assert isinstance(missing(typed, "--id", "p1500").exception, GraphError)


@pytest.mark.parametrize("mode", [(), ("--mode", "text")], ids=["hybrid", "text"])
def test_a_space_that_is_not_there_is_never_passed_over(typed, mode):
    result = typed(searching.search, "quark", "--space", "nowhere", *mode)
    assert isinstance(result.exception, GraphError)
    assert "no embedding space 'nowhere'; there are line" in str(result.exception)


def test_nothing_and_an_unknown_paper_cannot_be_looked_for(typed):
    assert isinstance(typed(searching.search, "  ").exception, InputError)
    result = typed(searching.search, "--like", "p1500")
    assert isinstance(result.exception, GraphError)
    assert result.stdout == ""


def test_vectors_are_checked_and_dropped(typed, graph):
    told = typed(spaces.check, "--queries", "5").stdout
    assert "line: 300 vectors of 2 dimensions, recall@10" in told
    assert (
        json.loads(typed(spaces.check, "--queries", "5", "--format", "json").stdout)[0]["missing"]
        == 0
    )
    assert typed(spaces.drop, "line", "--yes").exception is None
    assert graph.read("MATCH (p:Paper) WHERE p.line IS NOT NULL RETURN p.id") == []
    assert isinstance(typed(spaces.drop, "line", "--yes").exception, GraphError)
