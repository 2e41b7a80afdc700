"""Backups of real instances are restored completely, or change nothing.

Starting a server takes time, so the tests share two instances and depend on their order.
"""

import json
import stat
import tracemalloc
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from specter_graph.core.errors import GraphError, InputError, ServerError
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import read_vectors
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.schema import apply_schema, program_version, schema_version
from specter_graph.graph.server import Instance
from specter_graph.graph.server.backup import read_backup
from specter_graph.graph.server.jars import read_lock
from specter_graph.graph.server.process import find_server
from specter_graph.loaders.records import Paper
from specter_graph.settings import Settings
from tests.graph.canonical import canonical, on_instance
from tests.graph.export.rich_corpus import READING, load_rich_corpus, write_places

pytestmark = pytest.mark.server

CACHE = Settings().specter_graph_cache


def fill(database: Database) -> dict[str, list[str]]:
    apply_schema(database)
    load_rich_corpus(database)
    load_papers(database, [READING])
    write_places(database)
    return canonical(database)


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    instance = Instance("source", tmp_path_factory.mktemp("source"), CACHE, idle_minutes=2)
    try:
        yield instance
    finally:
        instance.delete()


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Instance]:
    """Return another instance, which has not been started before the first test."""
    instance = Instance("target", tmp_path_factory.mktemp("target"), CACHE, idle_minutes=2)
    try:
        yield instance
    finally:
        instance.delete()


@pytest.fixture(scope="module")
def expected(source: Instance) -> dict[str, list[str]]:
    """Return the content of the source."""
    filled: dict[str, list[str]] = on_instance(source, fill)
    return filled


@pytest.fixture(scope="module")
def backup(
    source: Instance, expected: dict[str, list[str]], tmp_path_factory: pytest.TempPathFactory
) -> Path:
    assert expected["nodes"]
    path = tmp_path_factory.mktemp("backups") / "papers.backup"
    source.backup(path)
    return path


def changed(backup: Path, path: Path, **about: object) -> Path:
    """Copy a backup with changes to its description."""
    with zipfile.ZipFile(backup) as old, zipfile.ZipFile(path, "w") as new:
        new.writestr("neo4j.dump", old.read("neo4j.dump"))
        new.writestr("backup.json", json.dumps(json.loads(old.read("backup.json")) | about))
    return path


def test_a_backup_describes_itself_and_only_its_owner_can_read_it(source: Instance, backup: Path):
    about = read_backup(backup)
    assert (about.papers, about.stubs, about.citations) == (4, 1, 5)
    assert (about.instance, about.program) == ("source", program_version())
    assert about.neo4j == read_lock().neo4j
    with zipfile.ZipFile(backup) as archive:
        assert about.size == archive.getinfo("neo4j.dump").file_size
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert [file.name for file in backup.parent.iterdir()] == [backup.name]


def test_a_backup_is_restored_into_an_instance_that_was_never_started(
    target: Instance, backup: Path, expected: dict[str, list[str]]
):
    assert target.restore(backup) == read_backup(backup)

    def look(database: Database) -> None:
        assert canonical(database) == expected
        assert apply_schema(database) == []
        assert read_vectors(database, "specter")[0] == ["a", "b", "c"]
        indexes = database.read("SHOW VECTOR INDEXES YIELD name, state")
        assert indexes == [{"name": "paper_specter", "state": "ONLINE"}]

    on_instance(target, look)
    assert {file.name for file in target.home.iterdir()}.isdisjoint(["restoring", "data.replaced"])


def test_an_instance_with_papers_is_replaced_only_with_overwrite(
    target: Instance, backup: Path, expected: dict[str, list[str]]
):
    on_instance(target, lambda database: load_papers(database, [Paper("mine", "Mine")]))
    with pytest.raises(InputError, match=r"'target' has 5 papers"):
        target.restore(backup)
    assert on_instance(target, canonical) != expected
    target.restore(backup, overwrite=True)
    assert on_instance(target, canonical) == expected


@pytest.mark.parametrize(
    "about",
    [
        {"schema": 4_000, "program": "9.1"},
        {"neo4j": "2999.01.0", "program": "9.1"},
        {"format": 2, "program": "9.1", "more": True},
    ],
)
def test_a_backup_of_a_newer_version_is_refused(
    target: Instance, backup: Path, tmp_path: Path, about: dict[str, object]
):
    with pytest.raises(GraphError, match=r"(made by|format)") as refused:
        target.restore(changed(backup, tmp_path / "newer", **about), overwrite=True)
    assert "9.1" in f"{refused.value.message} {refused.value.hint}"


def test_a_damaged_or_foreign_file_is_refused_and_changes_nothing(
    target: Instance, backup: Path, tmp_path: Path, expected: dict[str, list[str]]
):
    with pytest.raises(InputError, match="file not found"):
        target.restore(tmp_path / "absent")
    content = backup.read_bytes()
    for name, damaged in {
        "other": b"no archive",
        "short": content[: len(content) // 2],
        "flipped": content[:5_000] + bytes([content[5_000] ^ 1]) + content[5_001:],
    }.items():
        (tmp_path / name).write_bytes(damaged)
        with pytest.raises(InputError, match="damaged"):
            target.restore(tmp_path / name, overwrite=True)
    with pytest.raises(InputError, match=r"checksum of neo4j.dump"):
        target.restore(tmp_path / "flipped", overwrite=True)
    with pytest.raises(ServerError, match="does not have the counts"):
        target.restore(changed(backup, tmp_path / "counts", papers=5), overwrite=True)
    assert on_instance(target, canonical) == expected


@pytest.mark.parametrize("about", [{"schema": "1"}, {"neo4j": "newest"}, {"papers": None}])
def test_a_backup_with_an_impossible_description_is_refused(
    backup: Path, tmp_path: Path, about: dict[str, object]
):
    with pytest.raises(InputError, match=rf"(?s)is damaged:.*{min(about)}"):
        read_backup(changed(backup, tmp_path / "wrong", **about))


def test_an_invalid_dump_is_refused_and_leaves_no_folder(
    target: Instance, backup: Path, tmp_path: Path
):
    path, dump = tmp_path / "none.backup", b"this is no dump" * 1_000
    about = json.loads(zipfile.ZipFile(backup).read("backup.json"))
    about |= {"size": len(dump)}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("neo4j.dump", dump)
        archive.writestr("backup.json", json.dumps(about))
    with pytest.raises(InputError, match=r"Neo4j cannot load the neo4j.dump in \S+") as refused:
        target.restore(path, overwrite=True)
    assert str(path) in refused.value.message
    assert "restoring" not in refused.value.message
    assert not (target.home / "restoring").exists()


@pytest.mark.parametrize(
    ("folders", "data"),
    [
        (("data.replaced/old", "restoring/data"), "old"),
        (("data.replaced/old", "data/new"), "old"),
        (("restoring/replaced", "data/new"), "new"),
    ],
    ids=["between the two steps", "before the confirmation", "after the confirmation"],
)
def test_a_killed_restore_is_undone_until_the_new_data_are_confirmed(
    tmp_path: Path, folders: tuple[str, str], data: str
):
    instance = Instance("killed", tmp_path, CACHE)
    for folder in folders:
        (instance.home / folder).mkdir(parents=True)
    instance.down()  # as at the start of any other command
    assert {file.name for file in instance.home.iterdir()} == {"data", "down"}
    assert (instance.home / "data" / data).exists()


def test_an_instance_in_use_is_not_changed(target: Instance, backup: Path, tmp_path: Path):
    with target.lease():
        with pytest.raises(ServerError, match="1 command uses the server 'target'"):
            target.backup(tmp_path / "papers.backup")
        with pytest.raises(ServerError, match="uses the server"):
            target.restore(backup, overwrite=True)
        assert find_server(target.home)
    assert list(tmp_path.iterdir()) == []


def test_a_permanent_server_is_restarted_afterwards(target: Instance, tmp_path: Path):
    target.up()
    (tmp_path / "papers.backup").write_text("an older one")
    target.backup(tmp_path / "papers.backup")
    assert read_backup(tmp_path / "papers.backup").papers == 4
    status = target.status()
    assert (status.state, status.permanent) == ("running", True)
    assert on_instance(target, schema_version) == read_backup(tmp_path / "papers.backup").schema


def test_an_instance_without_data_has_no_backup(tmp_path: Path):
    nothing = Instance("nothing", tmp_path, CACHE)
    with pytest.raises(InputError, match="no data"):
        nothing.backup(tmp_path / "papers.backup")
    assert list(tmp_path.iterdir()) == []


def test_a_small_file_with_a_huge_description_is_refused(tmp_path: Path):
    path = tmp_path / "papers.backup"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("neo4j.dump", "")
        archive.writestr("backup.json", b" " * 200_000_000)
    tracemalloc.start()
    try:
        with pytest.raises(InputError, match=r"backup\.json has more than 100,000 bytes"):
            read_backup(path)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()
