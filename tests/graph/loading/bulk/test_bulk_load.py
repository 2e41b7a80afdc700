"""Bulk loads into real instances give the graph of the online load, or leave none.

Starting a server takes time, so the tests share an instance and depend on their order.
"""

import json
import pickle
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from specter_graph.cli import cli
from specter_graph.core.errors import InputError
from specter_graph.graph.contents import is_empty
from specter_graph.graph.database import Database
from specter_graph.graph.loading.bulk import parse
from specter_graph.graph.loading.bulk.load import (
    _delete_work_folder,
    _prepare_work_folder,
    bulk_load,
    number_tasks,
)
from specter_graph.graph.loading.bulk.parse import write_tables
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.schema import migrations, schema_version
from specter_graph.graph.server import Instance
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.loaders import open_corpus
from specter_graph.settings import Settings
from tests.graph.canonical import canonical, on_instance
from tests.graph.loading.bulk.every_kind import EVERY_KIND

CACHE = Settings().specter_graph_cache
LOADS = "MATCH (l:Load) RETURN l.key AS key, l.began <= l.ended AS complete"
CONSTRAINTS = "SHOW CONSTRAINTS YIELD name RETURN name ORDER BY name"
OFFLINE = "SHOW INDEXES YIELD name, state WHERE state <> 'ONLINE' RETURN name"


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("data, with a comma")


@pytest.fixture(scope="module")
def instance(data: Path) -> Iterator[Instance]:
    instance = Instance("bulk", data, CACHE, idle_minutes=2)
    try:
        yield instance
    finally:
        instance.delete()


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Write three files of papers that cite each other, with repeated papers and two bad lines."""
    draws = random.Random(1)
    paths = [tmp_path / f"{name}.jsonl" for name in "abc"]
    for number, path in enumerate(paths):
        rows = [
            {
                "id": f"p{draws.randrange(900)}",
                "title": f"Title {n}",
                "abstract": "Two\nlines",
                "authors": [f"author {draws.randrange(50)}"],
                "venue": f"venue {n % 7}",
                "references": [f"p{draws.randrange(1_000)}" for _ in range(4)],
            }
            for n in range(400)
        ]
        lines = [json.dumps(row) for row in rows]
        path.write_text("\n".join([*lines, '{"id": "no title"}' if number else "no JSON"]))
    return paths


LOADED = """
MATCH (p:Paper)
RETURN count(p.record_version) AS recorded,
  count(CASE WHEN p.loaded <= datetime() THEN 1 END) AS loaded,
  count(CASE WHEN p:Stub THEN p.loaded END) AS stubs
"""


def test_a_bulk_load_gives_the_graph_of_an_online_load(graph: Database, instance: Instance):
    load_papers(graph, EVERY_KIND)
    summary = bulk_load(instance, EVERY_KIND)
    assert on_instance(instance, canonical) == canonical(graph)
    for [row] in (graph.read(LOADED), on_instance(instance, lambda db: db.read(LOADED))):
        assert row["loaded"] == row["recorded"] > 0 == row["stubs"]
    assert on_instance(instance, schema_version) == migrations()[-1].version
    assert on_instance(instance, lambda db: db.read(CONSTRAINTS)) == graph.read(CONSTRAINTS)
    assert on_instance(instance, lambda db: db.read(OFFLINE)) == []
    assert summary.records == summary.new + summary.duplicates == len(EVERY_KIND)
    assert not (instance.home / "bulk").exists()


def test_a_graph_that_is_not_empty_is_refused_and_unchanged(instance: Instance):
    before = on_instance(instance, canonical)
    with pytest.raises(InputError, match="not empty"):
        bulk_load(instance, EVERY_KIND[:1])
    assert on_instance(instance, canonical) == before


def test_a_remote_server_is_refused(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NEO4J_URI", "bolt://nowhere.example")
    with pytest.raises(InputError, match="only a local one"):
        LiteratureGraph.bulk_load(EVERY_KIND)


KILLED = """
import sys
from pathlib import Path
from specter_graph.graph.loading.bulk.load import bulk_load
from specter_graph.graph.server import Instance
from specter_graph.loaders import open_corpus

def say(stage, *done):
    print(stage, flush=True)

instance = Instance("killed", Path(sys.argv[1]), Path(sys.argv[2]), idle_minutes=2)
corpus = open_corpus("jsonl", *sys.argv[3:])
bulk_load(instance, corpus, on_batch=lambda summary: say("read"), progress=say)
"""


def test_a_load_killed_at_any_stage_is_completed_by_the_command(
    graph: Database, data: Path, files: list[Path], monkeypatch: pytest.MonkeyPatch
):
    online = load_papers(graph, open_corpus("jsonl", *files))
    instance = Instance("killed", data, CACHE, idle_minutes=2)
    monkeypatch.setenv("SPECTER_GRAPH_DATA", str(data))
    command = [sys.executable, "-c", KILLED, str(data), str(CACHE), *map(str, files)]
    rejects = data / "rejects.jsonl"
    arguments = [*map(str, files), "--bulk", "--instance", "killed", "--rejects", str(rejects)]
    try:
        for stage in ("read", "resolve", "import (s)", "start Neo4j (s)", "schema"):
            _kill_at(stage, command)
        assert on_instance(instance, is_empty)  # data without a complete schema do not stay
        result = CliRunner().invoke(cli, ["load", "jsonl", *arguments, "--format", "json"])
        assert result.exit_code == 0, result.output
        summary = json.loads(result.stdout)
        for name in ("records", "new", "rejected", "repaired"):
            assert summary[name] == getattr(online, name)
        rejected = [json.loads(line)["file"] for line in rejects.read_text().splitlines()]
        assert {*rejected} == {*map(str, files)}
        assert len(rejected) == summary["rejected"] + summary["repaired"]
        assert on_instance(instance, canonical) == canonical(graph)
        assert on_instance(instance, lambda db: db.read(LOADS)) == graph.read(LOADS)
        assert sorted(
            path.name for path in (instance.home / "data").iterdir() if path.is_file()
        ) == ["server_id"]
    finally:
        instance.delete()


@dataclass(frozen=True)
class Shard:
    key: str
    size: int = 0


def test_a_file_that_was_read_keeps_its_number_when_others_are_added(tmp_path: Path):
    for task in number_tasks([Shard("b"), Shard("d")], tmp_path):
        write_tables([], task, lambda summary: None)
    tasks = number_tasks([Shard(key) for key in "abcde"], tmp_path)
    assert {task.shard.key for task in tasks if task.done} == {"b", "d"}
    assert len({task.number for task in tasks}) == 5


def test_a_module_in_the_current_folder_is_not_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    (tmp_path / "orjson.py").write_text("raise SystemExit('a module of a stranger')")
    for name in "ab":
        (tmp_path / f"{name}.jsonl").write_text('{"id": "p", "title": "Jets"}')
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(parse, "reader_count", lambda: 2)
    corpus = open_corpus("jsonl", "a.jsonl", "b.jsonl")
    tasks = number_tasks(corpus.shards(2), tmp_path / "parts")
    parse.read_tasks(corpus, tasks, lambda *progress: None, "mark")
    assert [task.done.records for task in tasks if task.done] == [1, 1]


def test_the_processes_that_read_get_the_list_of_files_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    for number in range(50):
        (tmp_path / f"{number}.jsonl").write_text(f'{{"id": "p{number}", "title": "Jets"}}')
    corpus, sent, dump = open_corpus("jsonl", tmp_path), [], pickle.dump

    def measure(value: object, file: Any) -> None:
        sent.append(len(pickle.dumps(value)))
        dump(value, file)

    monkeypatch.setattr(pickle, "dump", measure)
    monkeypatch.setattr(parse, "reader_count", lambda: 2)
    tasks = number_tasks(corpus.shards(2), tmp_path / "parts")
    parse.read_tasks(corpus, tasks, lambda *_: None, "mark")
    assert sum(task.done.records for task in tasks if task.done) == 50
    assert sum(sent) < 4 * len(pickle.dumps(corpus)) + sum(len(pickle.dumps(t)) for t in tasks)


def test_a_load_does_not_continue_with_files_that_were_being_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    work = _prepare_work_folder(tmp_path, "a load")
    for task in number_tasks([Shard("a")], work / "parts"):
        write_tables([], task, lambda summary: None)
    assert _prepare_work_folder(tmp_path, "a load") == work
    assert (work / "parts").exists()
    monkeypatch.setattr("shutil.rmtree", lambda *_, **__: None)  # killed before it deletes a file
    _delete_work_folder(work)
    monkeypatch.undo()
    assert not (_prepare_work_folder(tmp_path, "a load") / "parts").exists()


def _kill_at(stage: str, command: list[str]) -> None:
    """Run the command and kill it 0.3 s after it has reached a stage, with SIGKILL."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        for line in process.stdout:
            if line.strip() == stage:
                time.sleep(0.3)
                process.kill()
    assert process.returncode == -signal.SIGKILL
