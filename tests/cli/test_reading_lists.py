"""Run `lists` and `recommend`."""

import json
from pathlib import Path

from click.testing import CliRunner

from specter_graph.cli import cli
from specter_graph.graph.database import Database
from specter_graph.graph.loading.loader import load_papers
from specter_graph.groups.screening import RECALL
from specter_graph.groups.watches import AMONG
from specter_graph.loaders.records import Paper
from tests.graph.reading_list_papers import PAPERS


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
    [shown] = json.loads(run("lists", "list", "--format", "json"))
    assert (shown["name"], shown["papers"]) == ("reefs", 2)
    hits = json.loads(run("recommend", "reefs", "-k", "1", "--format", "json"))
    assert [hit["id"] for hit in hits] == ["c"]
    hits = json.loads(run("search", "slow light", "--list", "reefs", "--format", "json"))["hits"]
    assert {hit["id"] for hit in hits} == {"a", "b"}
    run("lists", "export", "reefs", "-o", str(tmp_path / "reefs.bib"))
    assert "@misc{Glass12," in (tmp_path / "reefs.bib").read_text()
    assert "changed  1" in run("lists", "remove", "reefs", "b")
    assert run("lists", "delete", "reefs", "--yes") == "deleted the list reefs of 1 paper\n"


def test_options_that_do_not_fit_are_refused(server: Database):
    assert "Give ids of papers" in run("lists", "add", "reefs")
    assert "key of one paper" in run("lists", "add", "reefs", "a", "b", "--key", "k")
    assert "Missing argument 'NAME'" in run("recommend")
    assert "Missing argument 'NAME'" in run("lists", "show")


def test_defaults_are_those_of_the_api():
    defaults = {
        option.name: option.default
        for group, name in (("screen", "status"), ("watch", "add"))
        for option in cli.commands[group].commands[name].params
    }
    assert (defaults["recall"], defaults["among"]) == (RECALL, AMONG)


def test_a_screening_from_the_first_label_to_the_included_papers(server: Database, tmp_path: Path):
    load_papers(server, PAPERS)
    run("lists", "create", "reefs")
    run("lists", "add", "reefs", "a", "b", "c", "d")
    assert len(json.loads(run("screen", "rank", "reefs", "--format", "json"))) == 4
    assert "not screened        3" in run("screen", "label", "reefs", "yes", "a")
    assert "score" in run("screen", "rank", "reefs", "-k", "2")
    run("screen", "label", "reefs", "no", "d")
    status = json.loads(run("screen", "status", "reefs", "--recall", "0.9", "--format", "json"))
    assert (status["included"], status["excluded"], status["recall_target"]) == (1, 1, 0.9)
    table = tmp_path / "labels.csv"
    assert "stubs   0" in run("screen", "export", "reefs", "-o", str(table))
    assert "labeled        2" in run("screen", "import", "reefs", str(table))
    run("lists", "export", "reefs", "-o", str(tmp_path / "in.bib"), "--screened", "yes")
    assert (tmp_path / "in.bib").read_text().count("@") == 1
    shown = json.loads(run("lists", "show", "reefs", "--screened", "none", "--format", "json"))
    assert [entry["id"] for entry in shown] == ["b", "c"]
    run("lists", "export", "reefs", "-o", str(tmp_path / "left.ris"), "--screened", "none")
    output = run("screen", "label", "reefs", "no", "--bib", str(tmp_path / "left.ris"))
    assert "2 of 2 papers are in the graph" in output
    assert "excluded            3" in output
    assert "Give ids of papers, or --bib FILE." in run("screen", "label", "reefs", "no")


def test_a_watch_from_its_target_to_the_email(server: Database, tmp_path: Path):
    load_papers(server, PAPERS)
    assert "created" in run("watch", "add", "paper", "a", "--watch-name", "mine")
    assert run("watch", "run") == ""  # cron sends any output by mail
    load_papers(server, [Paper("new", "A new paper", references=("a",))])
    mail = tmp_path / "new.eml"
    output = run("watch", "run", "mine", "-o", str(mail), "--mail-to", "me@example.org")
    assert "cites Slow light" in output
    assert b"To: me@example.org" in mail.read_bytes()
    assert run("watch", "run", "--format", "json") == "[]\n"
    assert json.loads(run("watch", "list", "--format", "json"))[0]["reported"] == 1
    assert "an .eml file" in run("watch", "run", "-o", "new.txt")
    declined = CliRunner().invoke(cli, ["watch", "delete", "mine"], input="n\n")
    assert (declined.exit_code, "Delete the watch mine?" in declined.stderr) == (1, True)
    assert run("watch", "delete", "mine", "--yes") == "deleted the watch mine\n"
    assert json.loads(run("watch", "list", "--format", "json")) == []
