"""A load continues after a kill of the loader or of the server, and gives the same graph.

`bench/kills.py` kills twenty times each; these tests kill only at random times of one seed.
"""

import json
import subprocess
import sys
import time
from pathlib import Path
from random import Random

import psutil
import pytest

from specter_graph.core.errors import ServerError
from specter_graph.graph.contents import stats
from specter_graph.graph.database import Database
from specter_graph.graph.loading import loader, write_transactions
from specter_graph.graph.loading.loader import LoadSummary, load_papers
from specter_graph.graph.maintenance.delete import clear
from specter_graph.graph.server import Endpoint, Instance
from specter_graph.loaders import open_corpus
from tests.graph.canonical import canonical

pytestmark = pytest.mark.server

FILES, PAPERS = 6, 25
LOADER = """
import sys
from pathlib import Path
from specter_graph.graph.loading import loader, write_transactions
from specter_graph.graph.database import Database
from specter_graph.loaders import open_corpus
from neo4j import GraphDatabase
write_transactions.MAX_PAPERS = 10
uri, *auth = sys.argv[1:4]
with GraphDatabase.driver(uri, auth=tuple(auth), max_transaction_retry_time=4) as driver:
    print("reading", flush=True)
    corpus = open_corpus("jsonl", *sys.argv[5:])
    loader.load_papers(Database(driver), corpus, rejects=Path(sys.argv[4]))
"""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Write papers that cite one another across files, some repeated, and a bad line per file."""
    folder = tmp_path_factory.mktemp("corpus")
    random = Random(7)
    ids = [f"p{n}" for n in range(FILES * PAPERS)]
    paths = [folder / f"{n}.jsonl" for n in range(FILES)]
    for number, path in enumerate(paths):
        rows = [
            {
                "id": ids[number * PAPERS + n],
                "title": f"Title {n}",
                "authors": random.sample(["Ann", "Bob", "Cara", "Dan"], 2),
                "references": [*random.sample(ids, 6), "elsewhere"],
            }
            for n in range(PAPERS)
        ]
        rows.append({"id": ids[0], "title": "Another record of the first paper " + "x" * number})
        path.write_text("\n".join([*map(json.dumps, rows), "no json"]))
    return paths


def start(endpoint: Endpoint, rejects: Path, files: list[Path]) -> "subprocess.Popen[str]":
    """Start a process that loads the files, and wait until it has connected."""
    arguments = [endpoint.uri, endpoint.username, endpoint.password, str(rejects), *map(str, files)]
    process = subprocess.Popen(
        [sys.executable, "-c", LOADER, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "reading\n"
    return process


def await_papers(db: Database, papers: int) -> None:
    """Wait until a load has written this number of papers."""
    deadline = time.monotonic() + 60
    while stats(db).papers < papers and time.monotonic() < deadline:
        time.sleep(0.01)


def load_again(db: Database, rejects: Path, files: list[Path]) -> LoadSummary:
    return load_papers(db, open_corpus("jsonl", *files), rejects=rejects)


def lines(rejects: Path) -> list[str]:
    return sorted(rejects.read_text().splitlines())


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_transactions, "MAX_PAPERS", 10)


@pytest.mark.usefixtures("small_batches")
def test_a_load_whose_server_is_killed_continues(
    graph: Database, local_instance: Instance, files: list[Path], tmp_path: Path
):
    rejects, random = tmp_path / "rejects.jsonl", Random(2)
    load_again(graph, rejects, files)
    expected = canonical(graph)
    clear(graph)
    with local_instance.lease() as endpoint:
        process = start(endpoint, rejects, files)
        await_papers(graph, random.randrange(FILES * PAPERS // 2))
        pid = local_instance.status().pid
        assert pid is not None
        server = psutil.Process(pid)
        server.kill()
        server.wait()
        assert process.wait() != 0
    local_instance.up(keep=False)
    load_again(graph, rejects, files)
    assert canonical(graph) == expected


@pytest.mark.usefixtures("small_batches")
def test_rejects_of_a_file_that_is_read_again_are_listed_once(
    graph: Database, files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    rejects, done = tmp_path / "rejects.jsonl", []

    def end_at_the_third(*arguments: object) -> None:
        done.append(arguments)
        if len(done) == 3:
            raise ServerError("the server ended")

    with monkeypatch.context() as patch:
        patch.setattr(loader, "file_done", end_at_the_third)
        with pytest.raises(ServerError, match="the server ended"):
            load_again(graph, rejects, files)
    for arguments in done[:2]:
        loader.file_done(*arguments)
    with rejects.open("ab") as file:
        file.write(b'{"file": "a line of a process that was ki')
    assert load_again(graph, rejects, files).parts_done_before == 2
    rows = [json.loads(line) for line in rejects.read_text().splitlines()]
    assert sorted(row["file"] for row in rows if not row["repaired"]) == [*map(str, files)]


@pytest.mark.usefixtures("small_batches")
def test_a_killed_load_continues_and_skips_completed_files(
    graph: Database, local_instance: Instance, files: list[Path], tmp_path: Path
):
    rejects, passed_over, random = tmp_path / "rejects.jsonl", [], Random(1)
    load_again(graph, rejects, files)
    expected, stored = canonical(graph), lines(rejects)
    with local_instance.lease() as endpoint:
        for _ in range(3):
            clear(graph)
            process = start(endpoint, rejects, files)
            await_papers(graph, random.randrange(FILES * PAPERS * 9 // 10))
            process.kill()
            process.wait()
            summary = load_again(graph, rejects, files)
            passed_over.append(summary.parts_done_before)
            assert canonical(graph) == expected
            assert lines(rejects) == stored
            assert summary.records == (FILES - summary.parts_done_before) * (PAPERS + 2)
    assert any(passed_over)
    assert load_again(graph, rejects, files).parts_done_before == 0
