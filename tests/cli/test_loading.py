"""Run `load`, `stats` and `clear`."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from click.testing import CliRunner, Result

from specter_graph.cli import cli
from specter_graph.cli.demo import show_next
from specter_graph.cli.options import open_graph
from specter_graph.core.errors import InputError
from specter_graph.graph.contents import stats
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.embed import embed
from tests.fake_encoders import LetterCounts

ROWS: list[dict[str, Any]] = [
    {"id": "a", "title": "A", "references": ["b", "x"], "pages": 3},
    {"id": "b", "title": "B", "authors": ["Ann"], "venue": "J"},
    {"id": "c", "title": ""},
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "papers.jsonl").write_text("\n".join(json.dumps(row) for row in ROWS))
    return tmp_path


def run(*arguments: str, stdin: str | None = None) -> Result:
    return CliRunner().invoke(cli, arguments, input=stdin, catch_exceptions=False)


def test_load_reports_its_counts_and_writes_the_rejects(server: Database, folder: Path):
    result = run("load", "jsonl", "papers.jsonl")
    assert result.exit_code == 0
    output = " ".join(result.stdout.split())
    assert "records 3 new 2" in output
    assert "rejected 1 first reject title is empty repaired 0" in output
    assert "rejects papers.jsonl.rejects.jsonl unknown keys 1: pages" in output
    assert "graph papers 2 graph stubs 1" in output
    [reject] = (folder / "papers.jsonl.rejects.jsonl").read_text().splitlines()
    assert json.loads(reject)["reason"] == "title is empty"
    assert stats(server).papers == 2


def test_load_as_json_has_the_summary_and_the_counts(server: Database, folder: Path):
    first = json.loads(run("load", "jsonl", "papers.jsonl", "--format", "json").stdout)
    assert (first["new"], first["rejected"], first["unknown_keys"]) == (2, 1, ["pages"])
    assert first["graph"]["citations_to_stubs"] == 1
    again = json.loads(
        run("load", "jsonl", "papers.jsonl", "--format", "json", "--rejects", "other.jsonl").stdout
    )
    assert (again["new"], again["unchanged"], again["rejects"]) == (0, 2, "other.jsonl")
    assert again["graph"] == first["graph"]


def test_load_names_the_command_that_embeds_the_new_papers(server: Database, folder: Path):
    assert "embed --model static" in run("load", "jsonl", "papers.jsonl").stderr
    embed(server, LetterCounts(), "base")
    assert "next:" not in run("load", "jsonl", "papers.jsonl").stderr
    (folder / "more.jsonl").write_text('{"id": "d", "title": "D"}')
    output = run("load", "jsonl", "more.jsonl").stderr
    assert "embed --space base" in output
    assert "for the vectors of 1 new or changed paper" in output


@pytest.mark.usefixtures("server")
def test_load_fails_without_usable_records(folder: Path):
    (folder / "bad.jsonl").write_text("no json\n")
    with pytest.raises(InputError, match="every record was rejected") as caught:
        run("load", "jsonl", "bad.jsonl")
    assert "bad.jsonl.rejects.jsonl" in caught.value.hint


def test_the_format_of_a_path_without_a_format_is_detected(server: Database, folder: Path):
    (folder / "more.jsonl").write_text('{"id": "d", "title": "D"}')
    loaded = run("load", "more.jsonl")
    assert loaded.exit_code == 0
    assert "more.jsonl: " in loaded.stderr  # the detected format
    assert stats(server).papers == 1


@pytest.mark.usefixtures("folder")
def test_a_missing_path_without_a_format_is_an_unknown_format():
    refused = run("load", "absent.jsonl")
    assert refused.exit_code == 2
    assert "'absent.jsonl' is not one of 'auto'" in refused.output


def test_a_missing_file_is_an_error_before_anything_is_written(server: Database, folder: Path):
    with pytest.raises(InputError, match=r"file not found: absent\.jsonl"):
        run("load", "jsonl", "papers.jsonl", "absent.jsonl")
    assert stats(server).papers == 0


@pytest.mark.parametrize("option", ["--rejects", "--preview-merge", "--vanished"])
def test_a_missing_folder_of_an_output_is_an_error_before_anything_is_written(
    server: Database, folder: Path, option: str
):
    command = "update" if option == "--vanished" else "load"
    with pytest.raises(InputError, match=r"folder not found: .*absent"):
        run(command, "jsonl", "papers.jsonl", option, "absent/file.jsonl")
    assert stats(server).papers == 0


def test_a_folder_without_files_is_named(folder: Path):
    (folder / "downloads").mkdir()
    with pytest.raises(InputError, match="no file is in downloads"):
        run("load", "auto", "downloads")


@pytest.mark.usefixtures("folder")
def test_years_in_the_wrong_order_are_an_error():
    with pytest.raises(InputError, match="no year is in 2010-2000") as caught:
        run("load", "jsonl", "papers.jsonl", "--years", "2010-2000")
    assert caught.value.hint == "give the years 2000-2010"


@pytest.mark.usefixtures("folder")
def test_stats_as_json_has_exactly_the_named_counts(server: Database):
    run("load", "jsonl", "papers.jsonl")
    assert json.loads(run("stats", "--format", "json").stdout) == {
        "papers": 2,
        "stubs": 1,
        "citations": 1,
        "citations_to_stubs": 1,
        "authors": 1,
        "venues": 1,
        "fields": 0,
        "spaces": [],
    }
    assert "papers" in run("stats").stdout


@pytest.mark.usefixtures("folder")
def test_clear_asks_for_confirmation_unless_yes_is_given(server: Database):
    run("load", "jsonl", "papers.jsonl")
    declined = run("clear", stdin="n\n")
    assert (declined.exit_code, declined.stderr.splitlines()[-1]) == (1, "nothing was changed")
    assert stats(server).papers == 2
    assert run("clear", "--yes").exit_code == 0
    assert stats(server).papers == 0


def test_demo_asks_before_it_clears_another_graph(
    server: Database, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("specter_graph.cli.demo.open_graph", lambda *_, **options: open_graph(None))
    run("load", "jsonl", "papers.jsonl")
    result = run("demo", "--instance", "mine", "--model-dir", str(folder / "model"), stdin="n\n")
    assert (result.exit_code, "Delete 2 papers" in result.stderr) == (1, True)
    assert stats(server).papers == 2


def test_demo_names_the_rejects_of_a_corpus_without_papers(
    server: Database, folder: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("specter_graph.cli.demo.open_graph", lambda *_, **options: open_graph(None))
    (folder / "bad.jsonl").write_text(json.dumps(ROWS[2]))
    with pytest.raises(InputError) as error:
        run("demo", "--yes", "--corpus", "bad.jsonl", "--model-dir", str(folder / "model"))
    assert str(folder / "model.rejects.jsonl") in str(error.value.hint)
    assert stats(server).papers == 0
    assert (folder / "model.rejects.jsonl").exists()


def test_commands_that_the_demo_suggests_quote_ids(capsys: pytest.CaptureFixture[str]):
    outcome: Any = SimpleNamespace(answers=[({"id": "a;b $(c)"}, None)])
    show_next(outcome, "demo", Path("my model"))
    output = capsys.readouterr().out
    assert "specter-graph similar 'a;b $(c)' --instance demo" in output
    assert "specter-graph embed --model 'my model' --instance mine" in output
