"""Checks of the machine and the server for problems that would make commands fail."""

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import psutil
from neo4j.exceptions import ClientError

from specter_graph.core.errors import ServerError, SpecterGraphError
from specter_graph.graph.database import connect
from specter_graph.graph.server.endpoint import read_endpoint
from specter_graph.graph.server.instance import Instance
from specter_graph.graph.server.instance_config import memory_for_machine
from specter_graph.graph.server.jars import damaged_jars, jar_folder, missing_jars, read_lock
from specter_graph.graph.server.jvm import find_jvm

_PACKAGES = ("specter-graph", "neo4j", "torch", "transformers", "sentence-transformers")
_GB = 10**9


@dataclass(frozen=True, slots=True)
class CorpusRequirements:
    """The memory of the machine and the disk space, in GB, for a corpus of `papers` papers."""

    papers: int
    memory: int
    disk: int


SIZES = (
    CorpusRequirements(10_000, memory=4, disk=1),
    CorpusRequirements(100_000, memory=6, disk=3),
    CorpusRequirements(1_000_000, memory=16, disk=25),
    CorpusRequirements(10_000_000, memory=64, disk=250),
)
"""For papers with title and abstract, ten citations each, and two spaces of 384 dimensions. Memory
includes the server, the vector indexes and a small model. Estimated from the sizes of records and
vectors, with a reserve."""


@dataclass(frozen=True, slots=True)
class ServerCheck:
    """The result of one check.

    Attributes:
        name: Name of the check.
        result: The detected state.
        ok: False if commands would fail.
        hint: An instruction that solves the problem, if there is one.
    """

    name: str
    result: str
    ok: bool = True
    hint: str | None = None


def check_installation(
    instance: Instance, remote: tuple[str, str, str | None] | None
) -> list[ServerCheck]:
    """Check the requirements of all commands without starting a server.

    Args:
        instance: The local server.
        remote: URI, user and password of another server to check instead.
    """
    checks: dict[str, Callable[[], str]] = {"Python": lambda: sys.version.split()[0]}
    checks |= {package: partial(_check_package, package) for package in _PACKAGES}
    if remote is not None:
        checks |= {"memory": _check_memory, "server": partial(_check_server, *remote)}
    else:
        checks |= {
            "Neo4j and Graph Data Science": partial(_check_jars, instance),
            "Java": _check_java,
            "disk of the data": partial(_check_disk, instance.data_dir),
            "disk of the cache": partial(_check_disk, instance.cache_dir),
            "memory": _check_memory,
            "server": partial(_check_local_server, instance),
        }
    return [_run(name, check) for name, check in checks.items()]


def _run(name: str, check: Callable[[], str]) -> ServerCheck:
    """Return the state that a check describes, or the problem that it raises."""
    try:
        return ServerCheck(name, check())
    except SpecterGraphError as error:
        return ServerCheck(name, error.message, ok=False, hint=error.hint)


def _check_package(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError as error:
        raise ServerError("not installed", f"pip install {package}") from error


def _check_jars(instance: Instance) -> str:
    lock = read_lock()
    versions = f"{lock.neo4j} and {lock.gds}"
    if damaged := damaged_jars(lock, instance.cache_dir):
        raise ServerError(
            f"{versions}, but damaged: {', '.join(damaged)}",
            f"delete {jar_folder(lock, instance.cache_dir)}; the next command downloads the jars"
            " again",
        )
    if missing_jars(lock, instance.cache_dir):
        return f"{versions}, not downloaded yet ({lock.size // 10**6} MB)"
    return f"{versions}, {len(lock.jars)} jars with correct checksums"


def _check_java() -> str:
    jvm = find_jvm()
    return f"{jvm.version}, {jvm.java}, {'with' if jvm.vector else 'without'} the vector module"


def _check_disk(folder: Path) -> str:
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(existing).free
    return _describe_size(
        f"{free / _GB:.1f} GB free at {folder}",
        _find_largest(lambda size: size.disk * _GB <= free),
        "free some space, or set SPECTER_GRAPH_DATA and SPECTER_GRAPH_CACHE to another disk",
    )


def _check_memory() -> str:
    total = psutil.virtual_memory().total
    sizes = memory_for_machine(total)
    return _describe_size(
        f"{total / _GB:.1f} GB; the server uses a heap of {sizes.heap} MiB and a page cache of"
        f" {sizes.page_cache} MiB",
        # A machine sold with 4 GB has 3.8 GB.
        _find_largest(lambda size: size.memory * _GB <= total * 1.1),
        f"use a machine with {SIZES[0].memory} GB of memory or more",
    )


def _check_local_server(instance: Instance) -> str:
    status = instance.status()
    if status.state == "stopped":
        return f"{instance.name} is not running; commands start it"
    if status.state == "running":
        return _check_server(*read_endpoint(instance.home).login)
    raise ServerError(f"{instance.name} (pid {status.pid}) does not answer", f"see {instance.log}")


def _check_server(uri: str, username: str, password: str | None) -> str:
    try:
        with connect(uri, username, password) as database:
            versions = database.read("server/versions")[0]
    except ClientError as error:
        raise ServerError(
            f"{uri}: {error.message}",
            "install the Graph Data Science plugin there; topics and graph algorithms need it",
        ) from error
    return f"{uri} answers: Neo4j {versions['neo4j']}, Graph Data Science {versions['gds']}"


def _find_largest(fits: Callable[[CorpusRequirements], bool]) -> CorpusRequirements | None:
    return max(filter(fits, SIZES), key=lambda size: size.papers, default=None)


def _describe_size(resource: str, fits: CorpusRequirements | None, hint: str) -> str:
    """Return a resource with the number of papers for which it is enough."""
    if fits is None:
        raise ServerError(f"{resource}, enough for fewer than {SIZES[0].papers:,} papers", hint)
    return f"{resource}, enough for {fits.papers:,} papers"
