"""Run `update`, `delete`, `backup` and `restore`."""

import json
from pathlib import Path
from typing import Any

import click
import pytest
from click.testing import CliRunner, Result

from specter_graph.cli import cli
from specter_graph.cli.maintenance import show_deleted
from specter_graph.cli.output import Output
from specter_graph.core.errors import GraphError, InputError
from specter_graph.graph.contents import stats
from specter_graph.graph.database import Database
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.maintenance.delete import DeleteCounts
from specter_graph.loaders.records import Identifier, Paper, Reading

OLD: list[dict[str, Any]] = [
    {"id": "a", "title": "A", "references": ["b"]},
    {"id": "b", "title": "B", "year": 1999},
    {"id": "c", "title": "C"},
]
NEW = [{"id": "a", "title": "A, revised", "references": ["b"]}, {"id": "d", "title": "D"}]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, rows in {"old": OLD, "new": NEW}.items():
        (tmp_path / f"{name}.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    return tmp_path


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, arguments, input=stdin, catch_exceptions=False)


def ids(server: Database, label: str = "Paper&!Stub") -> list[str]:
    return [row["id"] for row in server.read(f"MATCH (n:{label}) RETURN n.id AS id ORDER BY id")]


def test_update_lists_vanished_papers_and_deletes_them_on_request(server: Database, folder: Path):
    run("load", "jsonl", "old.jsonl")
    listed = run("update", "jsonl", "new.jsonl")
    assert listed.exit_code == 0
    output = " ".join(listed.stdout.split())
    assert "load new 1 load changed 1" in output
    assert "vanished 2 file new.jsonl.vanished.jsonl" in output
    lines = (folder / "new.jsonl.vanished.jsonl").read_text().splitlines()
    assert sorted(json.loads(line)["title"] for line in lines) == ["B", "C"]
    assert ids(server) == ["a", "b", "c", "d"]
    arguments = ("update", "jsonl", "new.jsonl", "--delete-vanished")
    with pytest.raises(InputError, match="the standard input has no answer") as unanswered:
        run(*arguments, stdin="")
    assert unanswered.value.hint == "the same command with --yes"
    declined = run(*arguments, stdin="n\n")
    assert declined.exit_code == 0
    assert "vanished 2 file new.jsonl.vanished.jsonl deleted -" in " ".join(declined.stdout.split())
    assert ids(server) == ["a", "b", "c", "d"]
    deleted = run(*arguments, "--yes")
    assert "deleted papers 2 deleted readers 0" in " ".join(deleted.stdout.split())
    assert ids(server) == ["a", "d"]
    assert ids(server, "Stub") == ["b"]
    again = " ".join(run("update", "jsonl", "new.jsonl").stdout.split())
    assert "vanished 0 file - deleted -" in again


@pytest.mark.usefixtures("folder")
def test_update_as_json_has_all_counts(server: Database):
    run("load", "jsonl", "old.jsonl")
    message = json.loads(
        run(
            *("update", "jsonl", "new.jsonl", "--vanished", "gone.jsonl"),
            *("--delete-vanished", "--yes", "--format", "json"),
        ).stdout
    )
    assert (message["load"]["new"], message["load"]["changed"], message["retracted"]) == (1, 1, [])
    assert (message["vanished"], message["file"]) == (2, "gone.jsonl")
    assert message["deleted"] == {"papers": 2, "readers": 0, "restored": 0}


def test_update_deletes_nothing_when_records_were_rejected(server: Database, folder: Path):
    run("load", "jsonl", "old.jsonl")
    (folder / "new.jsonl").write_text((folder / "new.jsonl").read_text() + "\n{")
    listed = run("update", "jsonl", "new.jsonl")
    assert "1 record of the snapshot could not be read, so" in listed.stderr
    with pytest.raises(GraphError, match="nothing was deleted"):
        run("update", "jsonl", "new.jsonl", "--delete-vanished", "--yes")
    assert ids(server) == ["a", "b", "c", "d"]


def test_update_deletes_nothing_that_its_filters_leave_out(server: Database, folder: Path):
    run("load", "jsonl", "old.jsonl")
    newer = [*OLD[:2], {"id": "d", "title": "D", "year": 2020}]
    (folder / "newer.jsonl").write_text("\n".join(json.dumps(row) for row in newer))
    filtered = ("--years", "2004-", "--delete-vanished", "--yes")
    updated = run("update", "jsonl", "newer.jsonl", *filtered).stdout
    assert "load filtered 2" in " ".join(updated.split())
    assert ids(server) == ["a", "b", "d"]


def test_update_reports_that_records_of_merged_papers_wait_for_a_merge(
    server: Database, folder: Path
):
    rows = [{"id": each, "title": each, "identifiers": ["doi:10.1234/x"]} for each in "ab"]
    (folder / "twice.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
    run("load", "jsonl", "twice.jsonl")
    run("merge")
    (folder / "new.jsonl").write_text(json.dumps(rows[0] | {"retracted": True}) + "\n")
    updated = run("update", "jsonl", "new.jsonl")
    assert "retracted 1: a" in " ".join(updated.stdout.split())
    assert "1 record of merged papers is pending: run specter-graph merge" in updated.stderr
    run("merge")
    assert server.value("MATCH (p:Paper) RETURN p.retracted") is True


def test_delete_paper_asks_and_leaves_a_stub_where_it_is_cited(server: Database, folder: Path):
    run("load", "jsonl", "old.jsonl")
    assert run("delete", "paper", "b", stdin="n\n").exit_code == 1
    assert ids(server) == ["a", "b", "c"]
    result = run("delete", "paper", "b", "c", stdin="y\n")
    assert "Delete 2 papers?" in result.stderr
    assert result.stdout.split()[-6:] == ["papers", "2", "readers", "0", "restored", "0"]
    assert (ids(server), ids(server, "Stub")) == (["a"], ["b"])
    with pytest.raises(GraphError, match="no paper 'x'"):
        run("delete", "paper", "x", "--yes")


def test_the_command_after_a_deletion_names_the_instance(capsys: pytest.CaptureFixture[str]):
    deleted = DeleteCounts(papers=1, readers=0, restored=1)
    with click.Context(cli) as context:
        context.params["instance"] = "trial"
        show_deleted(Output("table"), deleted)
    assert "specter-graph merge --instance trial" in capsys.readouterr().err


def test_delete_corpus_reports_the_size_of_the_corpus(server: Database):
    load_papers(
        server,
        [
            Paper("mine:1", "T", references=("mine:2",)),
            Paper("x", "T", source="pubmed"),
            Reading("mine:r", "x", "SAVED"),
        ],
    )
    result = run("delete", "corpus", "mine", stdin="n\n")
    assert "Delete 1 paper, 1 stub and 1 reader of mine?" in result.stderr
    assert run("delete", "corpus", "mine", "--yes", "--format", "json").exit_code == 0
    assert (ids(server), ids(server, "Reader")) == (["x"], [])
    with pytest.raises(GraphError, match="source 'mine'") as unknown:
        run("delete", "corpus", "mine")
    assert unknown.value.hint.startswith("use a source (pubmed), or")
    run("delete", "corpus", "pubmed", "--yes")
    assert stats(server).papers == 0


def test_delete_reader_deletes_all_data_of_the_reader(server: Database):
    load_papers(server, [Reading("r", "x", "SAVED", "2020"), Reading("other", "y", "VIEWED")])
    assert "Delete 1 reader?" in run("delete", "reader", "r", stdin="n\n").stderr
    assert (
        json.loads(run("delete", "reader", "r", "--yes", "--format", "json").stdout)["readers"] == 1
    )
    assert (ids(server, "Reader"), ids(server, "Stub")) == (["other"], ["y"])


def test_restored_papers_are_reported(server: Database):
    from specter_graph.graph.deduplication.merge import merge

    doi = (Identifier("doi", "10.1/x"),)
    load_papers(server, [Paper(each, "T", identifiers=doi) for each in ("a", "b")])
    merge(server)
    deleted = run("delete", "paper", "b", "--yes")
    assert deleted.stdout.split()[-2:] == ["restored", "1"]
    assert "specter-graph merge" in deleted.stderr
    assert ids(server) == ["a"]


@pytest.mark.usefixtures("server")
@pytest.mark.parametrize("command", ["backup", "restore"])
def test_backup_and_restore_are_for_local_instances(command: str, tmp_path: Path):
    with pytest.raises(InputError, match=f"{command} works on local instances"):
        run("server", command, str(tmp_path / "papers.backup"))


def test_backup_and_restore_work_on_the_instance_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SPECTER_GRAPH_DATA", str(tmp_path))
    with pytest.raises(InputError, match="the instance 'trial' has no data"):
        run("server", "backup", str(tmp_path / "papers.backup"), "--instance", "trial")
    with pytest.raises(InputError, match="file not found"):
        run("server", "restore", str(tmp_path / "papers.backup"), "--instance", "trial")
