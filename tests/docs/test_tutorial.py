"""Run the tutorial and the guide to custom queries on the first papers of the demo."""

import re

import pytest
from click.testing import CliRunner

from specter_graph.cli import cli
from specter_graph.cypher import _parse
from specter_graph.encoder.encoder import Encoder
from specter_graph.graph.embeddings.embed import embed
from specter_graph.graph.embeddings.index import read_dialect, render_placeholders
from specter_graph.graph.embeddings.spaces import delete_space
from specter_graph.graph.loading.loader import load_papers
from specter_graph.loaders.synthetic import synthetic_papers
from tests.docs.pages import ROOT, fenced, with_output

TUTORIAL = (ROOT / "docs" / "tutorial.md").read_text().partition("## 4.")[0]
OWN = (ROOT / "docs" / "custom-queries.md").read_text()
SERVES = "serve"  # runs until it is stopped; tests/service tests it


@pytest.fixture(scope="module")
def workspace(fresh_graph, server, tiny_bert, tmp_path_factory):
    """Return the folder of the reader, with a small graph as after `make demo`."""
    folder = tmp_path_factory.mktemp("desk")
    server.chdir(folder)
    server.setenv("COLUMNS", "100")
    load_papers(fresh_graph, synthetic_papers(300))
    embed(fresh_graph, Encoder.base(str(tiny_bert)), "specter")
    fresh_graph.read("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
    (folder / "mine.bib").write_text(*fenced(TUTORIAL, "bibtex"))
    (folder / "rising.cypher").write_text(fenced(OWN, "cypher")[0])
    yield folder
    delete_space(fresh_graph, "specter")


COMMANDS = [each for each in with_output(TUTORIAL) + with_output(OWN) if each[0][0] != SERVES]


def test_the_page_has_commands():
    assert len([output for _, output in COMMANDS if output]) >= 7


@pytest.mark.parametrize(
    ("words", "output"), COMMANDS, ids=[" ".join(words)[:40] for words, _ in COMMANDS]
)
def test_a_command_prints_what_the_page_shows(workspace, words, output):
    """Papers and numbers differ, because the page shows more papers and a better model."""
    ran = CliRunner().invoke(cli, words, catch_exceptions=False)
    assert ran.exit_code == 0
    assert ran.output.count("\n") >= 1
    printed = list_forms(ran.output)
    assert [form for form in list_forms(output) if form not in printed] == []
    assert bool(list_forms(output)) == bool(output)


def list_forms(output: str) -> list[list[str]]:
    """Return the lines without numbers, except rows of tables and texts of papers.

    Of a paper, its rank and what follows its year: citations, id and score.
    """
    forms = []
    for line in output.splitlines():
        plain = re.sub(r"\d+(\.\d+)?", "0", line)
        if " · 0 · " in plain:
            forms.append(plain.replace("time ", "times ").split(" · 0 · ")[1].split(" · "))
        elif rank := re.match(r" +(\d+) [A-Z]", line):
            forms.append([rank[1]])
        elif not re.match(r"\s|\d|demo:", line):
            forms.append(plain.split())
    return [form for form in forms if form]


def test_all_entries_of_the_bibliography_but_one_are_matched(workspace):
    ran = CliRunner().invoke(cli, ["missing-references", "--bib", "mine.bib"])
    assert ran.stderr.splitlines()[-2:] == [
        "not in the graph: darwin: The Structure and Distribution of Coral Reefs",
        "mine.bib: 3 of 4 papers are in the graph",
    ]


def test_the_query_with_a_header_is_valid_and_returns_rows(workspace, fresh_graph):
    query = _parse("library/rising_around", fenced(OWN, "cypher")[1])
    assert (query.purpose, [each.name for each in query.columns]) == (
        "explore",
        ["id", "title", "citations"],
    )
    text = render_placeholders(query.text, {"space": "specter"}, read_dialect(fresh_graph))
    given = {"id": "demo:0067", "space": "specter", "from": 1995, "k": 3}
    rows = fresh_graph.read(text, **given)
    assert len(rows) == 3
    assert [row["citations"] for row in rows] == sorted(
        (row["citations"] for row in rows), reverse=True
    )
