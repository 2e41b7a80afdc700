"""Run `up`, `down`, `delete`, `status` and `doctor` without starting a server."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from specter_graph.cli import cli
from specter_graph.cli.output import progress_bar
from specter_graph.core.errors import InputError


@pytest.fixture(autouse=True)
def _empty_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    for name in ("NEO4J_URI", "SPECTER_GRAPH_DATA", "SPECTER_GRAPH_CACHE"):
        monkeypatch.delenv(name, raising=False)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["server", *arguments])


def test_status_of_an_instance_that_was_never_started(tmp_path: Path) -> None:
    (tmp_path / "data" / "specter-graph" / "instances" / "papers" / "data").mkdir(parents=True)
    results = json.loads(run("status", "--format", "json", "--instance", "trial").stdout)
    assert results["state"] == "stopped"
    assert results["instance"] == "trial"
    assert results["others"] == ["papers"]


@pytest.mark.skipif(sys.platform != "linux", reason="the XDG folders are those of Linux")
def test_xdg_folders_are_used(tmp_path: Path) -> None:
    results = json.loads(run("status", "--format", "json").stdout)
    assert results["home"] == str(tmp_path / "data" / "specter-graph" / "instances" / "default")


def test_down_reports_that_no_server_runs() -> None:
    result = run("down")
    assert result.exit_code == 0
    assert "was not running" in result.stdout


def test_backup_of_an_instance_without_data_names_the_others(tmp_path: Path) -> None:
    (tmp_path / "data" / "specter-graph" / "instances" / "trial" / "data").mkdir(parents=True)
    refused = run("backup", str(tmp_path / "papers.backup"), "--instance", "trail").exception
    assert isinstance(refused, InputError)
    assert refused.hint == "name another instance: trial"


def test_delete_removes_an_instance_only_after_a_confirmation(tmp_path: Path) -> None:
    home = tmp_path / "data" / "specter-graph" / "instances" / "trial"
    refused = run("delete", "--yes", "--instance", "trial")
    assert "the instance 'trial' does not exist" in str(refused.exception)
    (home / "data").mkdir(parents=True)
    assert run("delete", "--instance", "trial").exit_code == 1
    assert home.exists()
    assert run("delete", "--yes", "--instance", "trial").exit_code == 0
    assert not home.exists()


def test_doctor_reports_no_problem_before_the_first_start() -> None:
    result = run("doctor", "--format", "json")
    checks = {check["name"]: check for check in json.loads(result.stdout)}
    assert result.exit_code == 0
    assert all(check["ok"] for check in checks.values())
    assert {"Python", "torch", "Java", "memory", "server"} <= set(checks)
    assert "not downloaded yet" in checks["Neo4j and Graph Data Science"]["result"]


def test_doctor_shows_the_sizing_table() -> None:
    assert "1,000,000:" in run("doctor").stdout


def test_doctor_fails_when_the_given_server_does_not_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:1")
    result = run("doctor")
    assert result.exit_code == 1
    assert "NOT server: no Neo4j answers at bolt://127.0.0.1:1" in result.stdout


def test_an_invalid_name_is_a_one_line_error() -> None:
    command = [sys.executable, "-c", "from specter_graph.cli import main; main()"]
    ended = subprocess.run(
        [*command, "server", "status", "--instance", "No/Way"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith("error: 'No/Way' is not a valid name of an instance\n  try: ")
    assert ended.stdout == ""


def test_progress_without_a_terminal_is_a_small_number_of_lines_on_stderr(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with progress_bar() as progress:
        for done in range(101):
            progress("fetch", done, 100)
        progress("start", 0, None)
        progress("start", 1, None)
    output = capsys.readouterr()
    assert output.err.splitlines() == ["fetch: 0/100", "fetch: 100/100", "start: 0"]
    assert output.out == ""
