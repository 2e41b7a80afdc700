"""Run `lists` and `recommend`."""

import json
from pathlib import Path

from click.testing import CliRunner

from specter_graph.cli import cli
from specter_graph.graph.database import Database
from specter_graph.graph.loading.loader import load_papers
from tests.graph.test_reading_lists import PAPERS


def run(*arguments: str) -> str:
    return CliRunner().invoke(cli, arguments, catch_exceptions=False).output


def test_a_reading_list_from_creation_to_export(server: Database, tmp_path: Path):
    load_papers(server, PAPERS)
    assert "created  True" in run("lists", "create", "reefs", "--description", "A review")
    bib = tmp_path / "mine.bib"
    bib.write_text("@article{Light11, title={Slow light}, doi={10.1000/a}}\n@book{No, title={No}}")
    output = run("lists", "add", "reefs", "b", "--bib", str(bib), "--tag", "x")
    assert "not in the graph: No: No" in output
    assert "papers   2" in output
    run("lists", "add", "reefs", "b", "--key", "Glass12", "--note", "read first")
    assert "read first" in run("lists", "show", "reefs")
    entries = json.loads(run("lists", "show", "reefs", "--tag", "x", "--format", "json"))
    assert [entry["key"] for entry in entries] == ["Light11", "Glass12"]
    assert "reefs" in run("lists", "show")
    hits = json.loads(run("recommend", "reefs", "-k", "1", "--format", "json"))
    assert [hit["id"] for hit in hits] == ["c"]
    hits = json.loads(run("search", "slow light", "--list", "reefs", "--format", "json"))["hits"]
    assert {hit["id"] for hit in hits} == {"a", "b"}
    run("lists", "export", "reefs", "-o", str(tmp_path / "reefs.bib"))
    assert "@misc{Glass12," in (tmp_path / "reefs.bib").read_text()
    assert "changed  1" in run("lists", "remove", "reefs", "b")
    assert "papers  1" in run("lists", "delete", "reefs", "--yes")


def test_usage_errors(server: Database):
    assert "Give ids of papers" in run("lists", "add", "reefs")
    assert "key of one paper" in run("lists", "add", "reefs", "a", "b", "--key", "k")
    assert "Missing argument 'NAME'" in run("recommend")
