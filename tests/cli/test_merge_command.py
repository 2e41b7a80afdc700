import json
from pathlib import Path

from click.testing import CliRunner

from specter_graph.cli import cli
from specter_graph.graph.database import Database


def run(*arguments: str) -> str:
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def test_two_files_are_merged_with_a_report(server: Database, tmp_path: Path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name, year in (("one", 1999), ("other", 2000)):
        row = {"id": name, "title": "T", "year": year, "doi": "10.1234/x", "authors": [name]}
        Path(f"{name}.jsonl").write_text(json.dumps(row))
    assert "wait" not in run(
        "load", "jsonl", "one.jsonl", "other.jsonl", "--preview-merge", "same.jsonl"
    )
    assert json.loads(Path("same.jsonl").read_text())["kind"] == "same"
    summary = json.loads(run("merge", "--report", "merged.jsonl", "--format", "json"))
    assert (summary["merged"], summary["ids"], summary["conflicts"]) == (1, 2, 0)
    [line] = map(json.loads, Path("merged.jsonl").read_text().splitlines())
    assert (line["kind"], line["paper"], line["absorbed"]) == ("merged", "one", ["other"])
    Path("other.jsonl").write_text(
        json.dumps({"id": "other", "title": "T", "abstract": "We look.", "doi": "10.1234/x"})
    )
    loaded = CliRunner().invoke(cli, ["load", "jsonl", "other.jsonl"])
    assert "1 record of merged papers is pending: run specter-graph merge" in loaded.stderr
    assert run("merge", "--prefer", "b, a").split()[:2] == ["merged", "1"]
    assert server.read("MATCH (p:Paper) RETURN p.abstract AS a") == [{"a": "We look."}]


def test_a_list_of_authors_is_applied(server: Database, tmp_path: Path):
    papers, same = tmp_path / "papers.jsonl", tmp_path / "same.csv"
    papers.write_text(json.dumps({"id": "p", "title": "T", "authors": ["Ann Smith", "A. Smith"]}))
    same.write_text("Ann Smith,A. Smith\n")
    run("load", "jsonl", str(papers))
    assert run("merge-authors", str(same)).split()[-2:] == ["moved", "1"]
    assert json.loads(run("merge-authors", str(same), "--format", "json")) == {
        "authors": 1,
        "ids": 1,
        "moved": 0,
    }
    assert server.read("MATCH (a:Author) RETURN a.id AS id, a.identified AS identified") == [
        {"id": "Ann Smith", "identified": True}
    ]
