"""Checks of the machine and the server for problems that would make commands fail."""

import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
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
        hint: An instruction that solves the problem.
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
    checks = list(_check_packages())
    if remote is not None:
        return [*checks, _check_memory(), _check_server(*remote)]
    return [
        *checks,
        _check_jars(instance),
        _check_java(),
        _check_disk("disk of the data", instance.data_dir),
        _check_disk("disk of the cache", instance.cache_dir),
        _check_memory(),
        _check_local_server(instance),
    ]


def _check_packages() -> Iterator[ServerCheck]:
    yield ServerCheck("Python", sys.version.split()[0])
    for package in _PACKAGES:
        try:
            yield ServerCheck(package, version(package))
        except PackageNotFoundError:
            yield ServerCheck(package, "not installed", ok=False, hint=f"pip install {package}")


def _check_jars(instance: Instance) -> ServerCheck:
    lock = read_lock()
    name = "Neo4j and Graph Data Science"
    versions = f"{lock.neo4j} and {lock.gds}"
    damaged = damaged_jars(lock, instance.cache_dir)
    if damaged:
        folder = jar_folder(lock, instance.cache_dir)
        result = f"{versions}, but damaged: {', '.join(damaged)}"
        hint = f"delete {folder}; the next command downloads the jars again"
        return ServerCheck(name, result, ok=False, hint=hint)
    if missing_jars(lock, instance.cache_dir):
        return ServerCheck(name, f"{versions}, not downloaded yet ({lock.size // 10**6} MB)")
    return ServerCheck(name, f"{versions}, {len(lock.jars)} jars with correct checksums")


def _check_java() -> ServerCheck:
    try:
        jvm = find_jvm()
    except ServerError as error:
        return ServerCheck("Java", error.message, ok=False, hint=error.hint)
    vector = "with" if jvm.vector else "without"
    return ServerCheck("Java", f"{jvm.version}, {jvm.java}, {vector} the vector module")


def _check_disk(name: str, folder: Path) -> ServerCheck:
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(existing).free
    fits = _find_largest(lambda size: size.disk * _GB <= free)
    return ServerCheck(
        name,
        f"{free / _GB:.1f} GB free at {folder}, enough for {_describe_papers(fits)}",
        ok=fits is not None,
        hint="free some space, or set SPECTER_GRAPH_DATA and SPECTER_GRAPH_CACHE to another disk",
    )


def _check_memory() -> ServerCheck:
    total = psutil.virtual_memory().total
    # A machine sold with 4 GB has 3.8 GB.
    fits = _find_largest(lambda size: size.memory * _GB <= total * 1.1)
    sizes = memory_for_machine(total)
    return ServerCheck(
        "memory",
        f"{total / _GB:.1f} GB, enough for {_describe_papers(fits)}; the server uses a heap of "
        f"{sizes.heap} MiB and a page cache of {sizes.page_cache} MiB",
        ok=fits is not None,
        hint=f"use a machine with {SIZES[0].memory} GB of memory or more",
    )


def _check_local_server(instance: Instance) -> ServerCheck:
    try:
        status = instance.status()
        if status.state == "stopped":
            return ServerCheck("server", f"{instance.name} is not running; commands start it")
        if status.state == "running":
            return _check_server(*read_endpoint(instance.home).login)
        result, hint = f"{instance.name} (pid {status.pid}) does not answer", f"see {instance.log}"
    except SpecterGraphError as error:
        result, hint = error.message, error.hint or ""
    return ServerCheck("server", result, ok=False, hint=hint)


def _check_server(uri: str, username: str, password: str | None) -> ServerCheck:
    try:
        with connect(uri, username, password) as database:
            versions = database.read("server/versions")[0]
    except ServerError as error:
        return ServerCheck("server", error.message, ok=False, hint=error.hint)
    except ClientError as error:
        hint = "install the Graph Data Science plugin there; topics and graph algorithms need it"
        return ServerCheck("server", f"{uri}: {error.message}", ok=False, hint=hint)
    text = f"Neo4j {versions['neo4j']}, Graph Data Science {versions['gds']}"
    return ServerCheck("server", f"{uri} answers: {text}")


def _find_largest(fits: Callable[[CorpusRequirements], bool]) -> CorpusRequirements | None:
    return max(filter(fits, SIZES), key=lambda size: size.papers, default=None)


def _describe_papers(size: CorpusRequirements | None) -> str:
    return f"fewer than {SIZES[0].papers:,} papers" if size is None else f"{size.papers:,} papers"
