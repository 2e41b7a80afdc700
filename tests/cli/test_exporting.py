"""Run `export graph`."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from specter_graph.cli import cli
from specter_graph.core.errors import GraphError, InputError
from specter_graph.graph.database import Database
from specter_graph.graph.export import FORMATS
from tests.graph.export.rich_corpus import load_rich_corpus, write_places


def run(*arguments: str) -> Result:
    return CliRunner().invoke(cli, ["export", "graph", *arguments], catch_exceptions=False)


def test_the_suffix_selects_the_format_and_the_summary_counts_what_was_written(
    server: Database, tmp_path: Path
):
    load_rich_corpus(server)
    result = run("-o", str(tmp_path / "papers.jsonl"))
    assert result.stdout.split()[:10] == [
        *("path", str(tmp_path / "papers.jsonl"), "format", "jsonl"),
        *("papers", "4", "stubs", "0", "citations", "5"),
    ]
    summary = json.loads(
        run("-o", str(tmp_path / "tables.parquet"), "--field", "k", "--format", "json").stdout
    )
    assert summary.pop("seconds") > 0
    assert summary == {
        "path": str(tmp_path / "tables.parquet"),
        "format": "parquet",
        "papers": 2,
        "stubs": 0,
        "citations": 1,
    }


def test_around_takes_one_hop_by_default(server: Database, tmp_path: Path):
    load_rich_corpus(server)
    path = tmp_path / "list.bib"
    assert "papers     2\n" in run("-o", str(path), "--around", "d e/f").stdout
    with pytest.raises(GraphError, match="no paper 'x'"):
        run("-o", str(path), "--around", "x")
    assert "papers     4\n" in run("-o", str(path), "--around", "d e/f", "--hops", "3").stdout


def test_vectors_are_written_on_request(server: Database, tmp_path: Path):
    load_rich_corpus(server)
    write_places(server)
    run("-o", str(tmp_path / "a.jsonl"), "--space", "specter")
    [first, *_] = (tmp_path / "a.jsonl").read_text().splitlines()
    assert json.loads(first)["vectors"] == {"specter": [0.5, 1.0]}


def test_an_invalid_output_is_an_error_before_a_server_is_queried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:1")
    with pytest.raises(InputError, match="no known suffix"):
        run("-o", str(tmp_path / "papers"))
    with pytest.raises(InputError, match="graphml does not support vectors"):
        run("-o", str(tmp_path / "papers.graphml"), "--space", "specter")
    result = run("-o", str(tmp_path / "a.bib"), "--hops", "2")
    assert (result.exit_code, "--hops goes with --around" in result.stderr) == (2, True)


def test_the_help_names_every_format():
    page = run("--help").stdout
    assert all(form.suffix in page for form in FORMATS.values())
