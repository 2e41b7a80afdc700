"""Errors of the database, and texts of strangers, as the command line prints them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from specter_graph import cli
from specter_graph.cli.output import FORMATS, Output
from specter_graph.cli.searching import print_hits
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.search.hits import SearchHit
from tests.servers import TcpProxy


def test_a_database_that_is_lost_during_a_command_is_no_bug(
    server: Database,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    assert server.login
    server.write("CREATE (:Paper {id: 'p:1', title: 'Jets'})")
    proxy = TcpProxy(server.login[0], lost_at=statement("export/papers").text[:60].encode())
    monkeypatch.setenv("NEO4J_URI", proxy.uri)
    monkeypatch.setattr(
        "sys.argv", ["specter-graph", "export", "graph", "-o", f"{tmp_path}/p.jsonl"]
    )
    with pytest.raises(SystemExit) as stopped:
        cli.main()
    assert stopped.value.code == 1
    assert "error: the database does not answer\n  try:" in capsys.readouterr().err


def test_an_unreachable_server_is_reported_once() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "specter_graph", "stats"],
        env=os.environ | {"NEO4J_URI": "neo4j://127.0.0.1:1", "NEO4J_PASSWORD": "password"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert ended.stderr.startswith("error: no Neo4j answers at neo4j://127.0.0.1:1")


def test_arguments_and_output_are_utf_8_also_in_a_locale_of_ascii() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "specter_graph", "论文-é"],
        env=os.environ | {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
        capture_output=True,
        check=False,
    )
    assert ended.returncode == 2
    assert "No such command '论文-é'" in ended.stderr.decode()


INTERRUPTED_IMPORT = """if True:
    import sys

    class Interrupt:
        def find_spec(self, name, path=None, target=None):
            if name == "click":
                raise KeyboardInterrupt

    sys.meta_path.insert(0, Interrupt())
    from specter_graph.__main__ import main

    main()
"""


def test_ctrl_c_is_one_line_also_while_the_commands_are_imported() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_IMPORT], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (130, "stopped\n")


def test_an_error_of_the_system_names_the_file(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    child = os.fork()
    if child == 0:
        tmp_path.chmod(0)
        if os.getuid() == 0:
            os.setuid(65534)
        monkeypatch.setattr("sys.argv", ["specter-graph", "load", "jsonl", f"{tmp_path}/p.jsonl"])
        try:
            cli.main()
        except SystemExit as stopped:
            error = capsys.readouterr().err
            expected = f"error: {tmp_path}/p.jsonl: Permission denied\n  try: check the path"
            os._exit(0 if stopped.code == 1 and expected in error else 2)
        os._exit(3)
    status = os.waitpid(child, 0)[1]
    tmp_path.chmod(0o700)
    assert status == 0


CONTROLS = "\x1b]0;title\x07\x1b[2J \x9b31m \x7f \r"


@pytest.mark.parametrize("format", FORMATS)
def test_no_text_of_a_stranger_controls_the_terminal(
    format: str, capsys: pytest.CaptureFixture[str]
) -> None:
    row = {"title": f"A\tjet{CONTROLS}", f"key{CONTROLS}": [CONTROLS]}
    Output(format).show_rows([row, row])
    Output(format).show(row)
    print_hits([SearchHit(CONTROLS, CONTROLS, 2020, 1.0, authors=(CONTROLS,), snippet=CONTROLS)])
    printed = capsys.readouterr().out
    assert "jet" in printed
    assert not {*printed} & {*map(chr, [*range(9), *range(11, 32), *range(127, 160)])}


def test_an_error_with_the_text_of_a_stranger_does_not_control_the_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["specter-graph", "load", "jsonl", f"missing{CONTROLS}"])
    with pytest.raises(SystemExit):
        cli.main()
    assert "file not found: missing\ufffd" in capsys.readouterr().err
