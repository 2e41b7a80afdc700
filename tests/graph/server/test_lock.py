"""Check the lock file of jars, and that the compose file agrees with it."""

import json
import re
import runpy
from importlib.resources import files
from pathlib import Path

import jsonschema
import yaml

from specter_graph.graph.server.jars import Jar, read_lock

ROOT = Path(__file__).parents[3]


def test_the_lock_names_every_jar_once_with_a_checksum() -> None:
    lock = read_lock()
    names = [jar.filename for jar in lock.jars]
    assert len(names) == len(set(names))
    assert all(re.fullmatch("[0-9a-f]{64}", jar.sha256) and jar.size > 0 for jar in lock.jars)
    assert {jar.folder for jar in lock.jars} == {"lib", "plugins"}
    coordinates = {jar.coordinates for jar in lock.jars}
    assert f"org.neo4j:neo4j:{lock.neo4j}" in coordinates
    assert f"org.neo4j.gds:proc:{lock.gds}" in coordinates


def test_no_plugin_is_another_version_of_a_jar_of_the_server() -> None:
    def artifacts(folder: str) -> set[tuple[str, ...]]:
        jars = [jar for jar in read_lock().jars if jar.folder == folder]
        return {tuple(jar.coordinates.split(":")[:2]) for jar in jars}

    assert artifacts("lib") & artifacts("plugins") == set()


def test_the_lock_has_no_host() -> None:
    text = files("specter_graph.graph.server").joinpath("lock.json").read_text()
    assert "://" not in text


def test_the_script_writes_the_committed_lock(tmp_path: Path) -> None:
    script = runpy.run_path(str(ROOT / "scripts" / "update_jar_lock.py"))
    script["write_lock"](read_lock(), tmp_path / "lock.json")
    assert (tmp_path / "lock.json").read_text() == script["LOCK"].read_text()


def test_coordinates_give_the_path_in_a_repository() -> None:
    jar = Jar("io.netty:netty-transport-native-epoll:4.2.9.Final:linux-x86_64", "", 1, "lib")
    folder = "io/netty/netty-transport-native-epoll/4.2.9.Final"
    name = "netty-transport-native-epoll-4.2.9.Final-linux-x86_64.jar"
    assert str(jar.path) == f"{folder}/{name}"


def _compose() -> dict:
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text())


def test_the_compose_file_follows_the_compose_specification() -> None:
    schemas = files("check_jsonschema").joinpath("builtin_schemas", "vendor")
    schema = json.loads(schemas.joinpath("compose-spec.json").read_text(encoding="utf-8"))
    jsonschema.Draft7Validator(schema).validate(_compose())


def test_the_compose_file_has_the_versions_of_the_lock() -> None:
    lock, compose = read_lock(), _compose()
    assert compose["x-versions"] == {"neo4j": lock.neo4j, "graph-data-science": lock.gds}
    assert compose["services"]["neo4j"]["image"] == f"neo4j:{lock.neo4j}-community"


def test_the_compose_file_requires_a_password_and_binds_to_loopback() -> None:
    service = _compose()["services"]["neo4j"]
    assert service["environment"]["NEO4J_AUTH"].startswith("neo4j/${NEO4J_PASSWORD:?")
    assert all(port.startswith("127.0.0.1:") for port in service["ports"])
    assert "graph-data-science" in json.loads(service["environment"]["NEO4J_PLUGINS"])
    assert {volume.split(":")[1] for volume in service["volumes"]} >= {"/data", "/plugins"}
    assert "gds.version()" in service["healthcheck"]["test"][-1]
