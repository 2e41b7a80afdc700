"""Run `specter-graph similar`, `search`, `missing-references` and `spaces`."""

import json
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from specter_graph.cli import searching, spaces
from specter_graph.core.errors import GraphError, InputError, ModelError
from specter_graph.cypher import statement
from specter_graph.graph.embeddings.index import drop_index
from specter_graph.graph.embeddings.spaces import (
    EmbeddingSpace,
    delete_space,
    get_space,
    read_vectors,
    write_space,
)
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.queries.library_queries import run_query
from specter_graph.loaders.records import Author, Paper
from tests.graph.search.corpus import load_line

FOUR = ("Ann Lee", "Bob Ray", "Cyd Fox", "Dan Wu")
MORE = [
    Paper("four", "A leptoquark", year=2001, authors=tuple(Author(name, name) for name in FOUR)),
    Paper("bad", "A withdrawn sphaleron", retracted=True),
    Paper("one", "Phenomenological Lagrangians", authors=(Author("w", "Steven Weinberg"),)),
]


@pytest.fixture(scope="module")
def corpus(fresh_server):
    """Load the papers on a line, two more papers, and two stubs that some of them cite."""
    load_line(fresh_server)
    load_papers(fresh_server, MORE)
    fresh_server.write(
        "MATCH (p:Paper) WHERE p.id IN ['p280', 'p281']"
        " MERGE (s:Paper {id: 'doi:10.1000/x'}) SET s:Stub, s.sample_key = 1"
        " MERGE (p)-[:CITES]->(s)"
    )
    fresh_server.write(
        "MATCH (p:Paper)-[:CITES]->(:Paper {id: 'p150'})"
        " MERGE (s:Paper {id: 'doi:10.1000/y'}) SET s:Stub, s.sample_key = 1"
        " MERGE (p)-[:CITES]->(s)"
    )
    fresh_server.read(statement("search/await_text").text)
    return fresh_server


@pytest.fixture
def run(corpus):
    """Run a command on these papers."""
    return lambda command, *arguments: CliRunner().invoke(command, arguments)


def results(result):
    assert result.exception is None, result.exception
    return json.loads(result.stdout)


def ids(result):
    answer = results(result)
    return [hit["id"] for hit in (answer if isinstance(answer, list) else answer["hits"])]


def test_similar_and_search_apply_the_filters(run):
    arguments = ("p150", "--space", "line", "-k", "3", "--format", "json")
    assert ids(run(searching.similar, *arguments, "--field", "Quark")) == ["p147", "p153", "p144"]
    arguments = ("place", "--venue", "RARE", "--until", "2000", "--format", "json")
    assert ids(run(searching.search, *arguments)) == ["p5"]
    arguments = ("Lagrangians", "--author", "Steven Weinberg", "--format", "json")
    assert ids(run(searching.search, *arguments)) == ["one"]
    arguments = ("p150", "--space", "line", "--author", "Weinberg, E.")
    assert "there is no author 'Weinberg, E.'" in str(run(searching.similar, *arguments).exception)
    assert "On the quark of place 147" in run(searching.similar, "p150", "--space", "line").stdout


def test_search_shows_each_paper_complete_with_its_reasons(run):
    answer = results(run(searching.search, "A leptoquark", "--format", "json"))
    assert set(answer) == {"hits", "authors", "did_you_mean", "notes"}
    [hit, *_] = answer["hits"]
    assert (hit["authors"], hit["citations"], hit["stub"]) == ([*FOUR], 0, False)
    output = run(searching.search, "A leptoquark").stdout
    assert "Ann Lee, Bob Ray, Cyd Fox et al. · 2001 · cited 0 times · four\n" in output
    assert "has this title" in output
    assert "    RETRACTED · cited 0 times · bad\n" in run(searching.search, "sphaleron").stdout
    by_title = run(searching.search, "On the quark of place 150", "-k", "1").stdout
    assert by_title.startswith(
        "  1 On the quark of place 150\n    P · 1990 · cited 5 times · p150\n"
    )
    assert "We study quarks here" in by_title


def test_search_prints_its_interpretation_of_the_query(run):
    lines = run(searching.search, "Weinberg, S.").stdout.splitlines()
    assert {"Author: Steven Weinberg (1 paper)", "  1 Phenomenological Lagrangians"} <= {*lines}
    lines = run(searching.search, "neutrnio").stdout.splitlines()
    assert lines[0].startswith("No paper has a word of this query")
    assert lines[1] == "Did you mean: neutrino"


def test_a_mode_has_only_its_own_reasons(run):
    for mode, arguments, reason in (
        ("text", ("quark",), "matches words"),
        ("vector", ("--like", "p150"), "similar in meaning"),
    ):
        arguments = (*arguments, "--mode", mode, "--space", "line", "--format", "json", "-k", "5")
        hits = results(run(searching.search, *arguments))["hits"]
        assert len(hits) == 5
        assert {each["text"] for hit in hits for each in hit["reasons"]} == {reason}


def missing(run, *arguments):
    return run(searching.missing_references, *arguments, "--space", "line", "-k", "5")


def test_missing_references_of_a_bibliography_are_cited_with_its_papers(run, tmp_path):
    file = tmp_path / "mine.bib"
    file.write_text(
        "@article{one, title={On the quark of place 150}}\n"
        "@article{two, title={Something that nobody has}}\n"
        "@article{three, title={A stub}, doi={10.1000/x}}\n"
        "@article{four, year={2001}}\n"
    )
    result = missing(run, "--bib", str(file), "--format", "json")
    answer = results(result)
    assert set(answer) == {"hits", "outside", "known"}
    assert answer["known"] == ["p150", "doi:10.1000/x"]
    hits = {hit["id"] for hit in answer["hits"]}
    assert hits & {"p147", "p153", "p144", "p156"}
    assert "p150" not in hits
    assert "not in the graph: two: Something that nobody has" in result.stderr
    assert "skipped: four: title is missing" in result.stderr
    assert "2 of 4 papers are in the graph" in result.stderr
    output = missing(run, "--bib", str(file)).stdout
    assert "cited 5 times · p147 · probability 0." in output


def test_missing_references_of_a_text_that_is_the_name_of_a_file_names_the_option(run):
    assert "use --bib or --tex mine.bib" in missing(run, "--text", "mine.bib").exception.one_line


@pytest.mark.parametrize("given", [["mine.bib"], ["neutrino", "masses"], ["hep-ph/9901001"]])
def test_missing_references_of_an_argument_without_an_option_names_the_options(given):
    result = CliRunner().invoke(searching.missing_references, given)
    assert result.exit_code == 2
    assert f"{given[0]!r} needs an option before it: --bib for a bibliography" in result.stderr


def test_missing_references_combines_a_draft_in_latex_with_other_papers(run, tmp_path):
    file = tmp_path / "draft.tex"
    file.write_text(r"\title{Quarks} \cite{p150,lost} \input{../more}")
    result = missing(
        run, "--tex", str(file), "--cites", "p153", "--until", "1999", "--format", "json"
    )
    assert isinstance(result.exception, ModelError)  # this space has no model
    items = r"\bibitem{one} ``On the quark of place 150,'' 1990. \bibitem{lost} Lost."
    file.write_text(rf"\input{{../more}} \begin{{thebibliography}}{{9}} {items}")
    result = missing(run, "--tex", str(file), "--cites", "p153", "--format", "json")
    assert results(result)["known"] == ["p153", "p150"]
    assert "not read: ../more" in result.stderr
    assert "not in the graph: lost\n" in result.stderr
    assert f"{file}: 1 of 2 papers is in the graph" in result.stderr
    file.write_text(r"\cite{p150,lost}")
    assert results(missing(run, "--tex", str(file), "--format", "json"))["known"] == ["p150"]


def test_papers_often_cited_without_a_record_are_labelled(run):
    [outside] = results(missing(run, "--cites", "p150", "--format", "json"))["outside"]
    assert (outside["id"], outside["citations"]) == ("doi:10.1000/y", 5)
    output = missing(run, "--cites", "p150").stdout
    _, after = output.split("\nOften cited, not in this corpus:\n")
    assert after.startswith("  1 doi:10.1000/y\n    cited 5 times · ")


def test_missing_references_needs_a_text_or_citations(run, tmp_path):
    assert isinstance(missing(run).exception, InputError)
    file = tmp_path / "none.bib"
    file.write_text("@article{two, title={Something that nobody has}}\n")
    result = missing(run, "--bib", str(file))
    assert str(result.exception) == f"no paper of {file} is in the graph"
    file.with_suffix(".txt").write_text("no bibliography\n")
    result = missing(run, "--bib", str(file.with_suffix(".txt")))
    assert "none.txt was not detected" in str(result.exception)
    assert result.exception.hint == "use a file of BibTeX, RIS or CSL"
    assert isinstance(missing(run, "--id", "p1500").exception, GraphError)


@pytest.mark.parametrize("mode", [(), ("--mode", "text")], ids=["hybrid", "text"])
def test_a_missing_space_is_an_error(run, mode):
    result = run(searching.search, "quark", "--space", "nowhere", *mode)
    assert isinstance(result.exception, GraphError)
    assert "no embedding space 'nowhere'; there are line" in str(result.exception)


def test_the_first_of_the_usual_spaces_is_the_default_of_each_command(corpus, run):
    cited = ("--cites", "p150")
    calls = ((searching.similar, "p150"), (searching.missing_references, *cited))
    for command, *arguments in calls:
        assert "no embedding space 'specter'; there are line" in str(
            run(command, *arguments).exception
        )
    papers, vectors = read_vectors(corpus, "line")
    write_space(corpus, replace(get_space(corpus, "line"), name="static"), papers, vectors)
    try:
        for command, *arguments in calls:
            named = run(command, *arguments, "--space", "line").stdout
            assert run(command, *arguments).stdout == named != ""
        by_default = run_query(corpus, "cocited_and_close", {"id": "p150"})
        given = {"id": "p150", "space": "line"}
        assert by_default.rows == run_query(corpus, "cocited_and_close", given).rows != []
    finally:
        delete_space(corpus, "static")


def test_an_empty_query_and_an_unknown_paper_are_errors(run):
    assert isinstance(run(searching.search, "  ").exception, InputError)
    for command, *words in ((searching.search, "--like", "p1500"), (searching.similar, "p1500")):
        result = run(command, *words)
        assert isinstance(result.exception, GraphError)
        assert result.stdout == ""


def test_vectors_are_checked(run):
    words = ("--space", "line", "--queries", "5")
    assert "line: 300 vectors of 2 dimensions, recall@10" in run(spaces.check, *words).stdout
    [check] = results(run(spaces.check, *words, "--format", "json"))
    assert check["missing"] == len(MORE)


def test_a_space_without_an_index_fails_after_the_others_are_checked(run, corpus):
    record = EmbeddingSpace("bare", "base", 2, "m", "m", "d", sees_edges=False)
    write_space(corpus, record, ["p1"], np.eye(1, 2, dtype=np.float32), ["0" * 16])
    drop_index(corpus, "bare")
    try:
        for words in ((), ("--format", "json")):
            ended = run(spaces.check, "--queries", "5", *words)
            assert ended.exit_code == 1
            assert "the vector index of 'bare' does not exist" in ended.stdout
            assert "line" in ended.stdout
    finally:
        delete_space(corpus, "bare")


def test_a_space_is_dropped(run, corpus):
    record = EmbeddingSpace("short", "base", 2, "m", "m", "d", sees_edges=False)
    write_space(corpus, record, ["p1", "p2"], np.eye(2, dtype=np.float32), ["0" * 16] * 2)
    assert run(spaces.delete, "short", "--yes").exception is None
    assert corpus.read("MATCH (p:Paper) WHERE p.short IS NOT NULL RETURN p.id") == []
    assert isinstance(run(spaces.delete, "short", "--yes").exception, GraphError)
