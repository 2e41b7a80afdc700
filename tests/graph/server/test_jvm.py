"""Select a Java; test_instance.py starts the available ones."""

from pathlib import Path

import pytest

from specter_graph.core.errors import ServerError
from specter_graph.graph.server import jvm
from specter_graph.graph.server.jvm import bundled_java, find_jvm, probe_jvm

pytestmark = pytest.mark.server


def java(folder: Path, modules: str) -> Path:
    """Write a script that answers --list-modules as such a Java does."""
    path = folder / "bin" / "java"
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\nprintf '{modules}'\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(jvm, "_FOLDER", tmp_path / "jvm")
    monkeypatch.setenv("PATH", str(tmp_path / "path" / "bin"))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    return tmp_path


def test_the_bundled_java_is_suitable_and_has_no_vector_module() -> None:
    java = bundled_java()
    assert java is not None
    bundled = probe_jvm(java)
    assert bundled is not None
    assert not bundled.vector


def test_a_bare_machine_gets_the_bundled_java(bare_machine: Path) -> None:
    assert find_jvm().java == bundled_java()


@pytest.mark.parametrize("version", ["17.0.15", "31"])
def test_a_java_that_is_too_old_or_too_new_is_skipped(bare_machine: Path, version: str) -> None:
    java(bare_machine / "path", f"java.base@{version}\\njdk.incubator.vector@{version}\\n")
    assert find_jvm().java == bundled_java()


def test_a_java_with_the_vector_module_is_preferred(
    bare_machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    java(bare_machine / "path", "java.base@21.0.4\\n")
    chosen = java(bare_machine / "jvm" / "jdk-21", "java.base@21.0.4\\njdk.incubator.vector@21\\n")
    assert find_jvm().java == chosen
    own = java(bare_machine / "own", "java.base@25\\njdk.incubator.vector@25\\n")
    monkeypatch.setenv("JAVA_HOME", str(bare_machine / "own"))
    assert find_jvm().java == own


def test_no_java_at_all_is_a_clear_error(
    bare_machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jvm, "bundled_java", lambda: None)
    with pytest.raises(ServerError, match="no Java 21 to 25"):
        find_jvm()


def test_a_program_that_is_no_java_is_skipped(tmp_path: Path) -> None:
    assert probe_jvm(java(tmp_path, "hello\\n")) is None
    assert probe_jvm(tmp_path / "absent") is None
