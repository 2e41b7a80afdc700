"""Download jars from a small repository on loopback with realistic faults."""

import hashlib
import os
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from specter_graph.core.errors import ServerError
from specter_graph.graph.server.download import fetch_jars
from specter_graph.graph.server.jars import (
    Jar,
    Lock,
    damaged_jars,
    jar_folder,
    missing_jars,
)


class Repository:
    """Serves files by path, and records the requested paths."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.requests: list[str] = []
        self.cut_first: dict[str, int] = {}
        self.wrong: set[str] = set()
        repository = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                repository.answer(self)

            def log_message(self, *arguments: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}/maven"

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        path = request.path.removeprefix("/maven/")
        self.requests.append(path)
        content = self.files.get(path)
        if content is None:
            request.send_error(404)
            return
        if path in self.wrong:
            content = bytes(len(content))
        request.send_response(200)
        request.send_header("Content-Length", str(len(content)))
        request.end_headers()
        end = self.cut_first.pop(path, len(content))
        request.wfile.write(content[:end])
        request.wfile.flush()
        request.close_connection = True

    def add(self, name: str, content: bytes) -> Jar:
        sha256 = hashlib.sha256(content).hexdigest()
        jar = Jar(f"org.example:{name}:1.0", sha256, len(content), "lib")
        self.files[str(jar.path)] = content
        return jar


@pytest.fixture
def repository() -> Iterator[Repository]:
    repository = Repository()
    thread = threading.Thread(target=repository.server.serve_forever, args=(0.02,))
    thread.start()
    yield repository
    repository.server.shutdown()
    repository.server.server_close()
    thread.join()


def lock_of(*jars: Jar) -> Lock:
    return Lock("1.0", "2.0", jars)


def content_of(lock: Lock, cache: Path) -> list[bytes]:
    folder = jar_folder(lock, cache)
    return [(folder / jar.folder / jar.filename).read_bytes() for jar in lock.jars]


def test_jars_are_fetched_once_and_counted(repository: Repository, tmp_path: Path) -> None:
    contents = [os.urandom(3_000_000), os.urandom(1_000_000), b"small"]
    lock = lock_of(*(repository.add(f"jar{i}", content) for i, content in enumerate(contents)))
    seen: list[tuple[int, int | None]] = []
    for _ in range(2):
        fetch_jars(
            lock,
            tmp_path,
            repository=repository.url,
            progress=lambda stage, done, total: seen.append((done, total)),
        )
    assert content_of(lock, tmp_path) == contents
    assert len(repository.requests) == 3
    assert seen[-1] == (4, 4)


def test_a_jar_is_fetched_again_after_a_broken_connection(
    repository: Repository, tmp_path: Path
) -> None:
    content = os.urandom(200_000)
    lock = lock_of(jar := repository.add("cut", content))
    repository.cut_first[str(jar.path)] = 120_000
    fetch_jars(lock, tmp_path, repository=repository.url)
    assert content_of(lock, tmp_path) == [content]


def test_a_later_run_fetches_the_missing_jars_only(repository: Repository, tmp_path: Path) -> None:
    contents = [os.urandom(1_000), os.urandom(1_000)]
    lock = lock_of(*(repository.add(f"jar{i}", content) for i, content in enumerate(contents)))
    first, second = lock.jars
    path = jar_folder(lock, tmp_path) / first.folder / first.filename
    path.parent.mkdir(parents=True)
    path.write_bytes(contents[0])
    fetch_jars(lock, tmp_path, repository=repository.url)
    assert content_of(lock, tmp_path) == contents
    assert repository.requests == [str(second.path)]


def test_a_wrong_checksum_is_an_error(repository: Repository, tmp_path: Path) -> None:
    lock = lock_of(jar := repository.add("forged", os.urandom(10_000)))
    repository.wrong.add(str(jar.path))
    with pytest.raises(ServerError, match=r"the checksum of forged-1\.0\.jar is wrong"):
        fetch_jars(lock, tmp_path, repository=repository.url)
    assert missing_jars(lock, tmp_path)
    assert list(jar_folder(lock, tmp_path).rglob("forged*")) == []


def test_a_missing_jar_is_named(repository: Repository, tmp_path: Path) -> None:
    lock = lock_of(Jar("org.example:absent:1.0", "0" * 64, 10, "lib"))
    with pytest.raises(ServerError, match=r"cannot download absent-1\.0\.jar.*404"):
        fetch_jars(lock, tmp_path, repository=repository.url)
    assert len(repository.requests) == 1


def test_two_concurrent_downloads_fetch_each_jar_once(
    repository: Repository, tmp_path: Path
) -> None:
    lock = lock_of(*(repository.add(f"jar{i}", os.urandom(400_000)) for i in range(8)))
    threads = [
        threading.Thread(target=fetch_jars, args=(lock, tmp_path), kwargs={"repository": url})
        for url in [repository.url] * 2
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not missing_jars(lock, tmp_path)
    assert len(repository.requests) == 8


def test_a_nearly_full_disk_is_detected_before_the_download(
    repository: Repository, tmp_path: Path
) -> None:
    lock = lock_of(Jar("org.example:huge:1.0", "0" * 64, 10**18, "lib"))
    with pytest.raises(ServerError, match=r"MB free, the download of Neo4j needs") as refused:
        fetch_jars(lock, tmp_path, repository=repository.url)
    assert "set SPECTER_GRAPH_CACHE to" in (refused.value.hint or "")
    assert repository.requests == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_disk_that_fills_up_is_a_clear_error(repository: Repository, tmp_path: Path) -> None:
    lock = lock_of(jar := repository.add("full", os.urandom(100_000)))
    part = jar_folder(lock, tmp_path) / "lib" / f"{jar.filename}.part"
    part.parent.mkdir(parents=True)
    part.symlink_to("/dev/full")
    with pytest.raises(ServerError, match="is full"):
        fetch_jars(lock, tmp_path, repository=repository.url)


def test_a_cache_that_cannot_be_written_is_an_error_that_names_its_variable(
    repository: Repository, tmp_path: Path
) -> None:
    lock = lock_of(repository.add("core", b"core"))
    (tmp_path / "cache").touch()
    with pytest.raises(ServerError, match=r"cannot write to .*/cache/") as refused:
        fetch_jars(lock, tmp_path / "cache", repository=repository.url)
    assert refused.value.hint == "set SPECTER_GRAPH_CACHE to a folder that you can write to"
    assert repository.requests == []


def test_a_changed_jar_in_the_cache_is_detected(repository: Repository, tmp_path: Path) -> None:
    lock = lock_of(jar := repository.add("rotten", b"fresh"))
    folder = fetch_jars(lock, tmp_path, repository=repository.url)
    assert damaged_jars(lock, tmp_path) == []
    (folder / "lib" / jar.filename).write_bytes(b"stale")
    assert damaged_jars(lock, tmp_path) == [jar.filename]
