"""Looks for what would keep the commands from working, before they are run."""

import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import psutil

from specter_graph.core.errors import ServerError, SpecterGraphError
from specter_graph.cypher import statement
from specter_graph.graph.server.config import memory_for_machine
from specter_graph.graph.server.endpoint import endpoint_of
from specter_graph.graph.server.instance import Instance
from specter_graph.graph.server.jar_lock import read_lock
from specter_graph.graph.server.jars import damaged, fetched, jar_folder
from specter_graph.graph.server.jvm import find_jvm

_PACKAGES = ("specter-graph", "neo4j", "torch", "transformers", "sentence-transformers")
_GB = 10**9


@dataclass(frozen=True, slots=True)
class Size:
    """What a corpus of so many papers takes: memory of the machine and disk, in GB."""

    papers: int
    memory: int
    disk: int


SIZES = (
    Size(10_000, memory=4, disk=1),
    Size(100_000, memory=6, disk=3),
    Size(1_000_000, memory=16, disk=25),
    Size(10_000_000, memory=64, disk=250),
)
"""Papers with title and abstract, ten citations each, and two spaces of 384 dimensions. Memory
counts the server, the vector indexes kept in memory, and a small model beside them. Reckoned from
the sizes of the records and vectors, with room to spare; not measured above 10,000 papers."""


@dataclass(frozen=True, slots=True)
class ServerCheck:
    """One thing looked at: `found` says what is there, `hint` what to do when it is not `ok`."""

    name: str
    found: str
    ok: bool = True
    hint: str | None = None


def run_checks(
    instance: Instance, remote: tuple[str, str, str | None] | None = None
) -> list[ServerCheck]:
    """Look at everything that the commands need, and start nothing.

    `remote` is the (uri, username, password) of a server to look at in place of the local one.
    """
    checks = list(_packages())
    if remote is not None:
        return [*checks, _memory(), _server(*remote)]
    return [
        *checks,
        _jars(instance),
        _java(),
        _disk("disk of the data", instance.data_dir),
        _disk("disk of the cache", instance.cache_dir),
        _memory(),
        _local_server(instance),
    ]


def _packages() -> Iterator[ServerCheck]:
    yield ServerCheck("Python", sys.version.split()[0])
    for package in _PACKAGES:
        try:
            yield ServerCheck(package, version(package))
        except PackageNotFoundError:
            yield ServerCheck(package, "not installed", ok=False, hint=f"pip install {package}")


def _jars(instance: Instance) -> ServerCheck:
    lock = read_lock()
    name = "Neo4j and Graph Data Science"
    versions = f"{lock.neo4j} and {lock.gds}"
    wrong = damaged(lock, instance.cache_dir)
    if wrong:
        folder = jar_folder(lock, instance.cache_dir)
        found = f"{versions}, but damaged: {', '.join(wrong)}"
        return ServerCheck(name, found, ok=False, hint=f"delete {folder}: it is fetched again")
    if not fetched(lock, instance.cache_dir):
        return ServerCheck(name, f"{versions}, to be fetched ({lock.size // 10**6} MB)")
    return ServerCheck(name, f"{versions}, {len(lock.jars)} jars fetched, checksums right")


def _java() -> ServerCheck:
    try:
        jvm = find_jvm()
    except ServerError as error:
        return ServerCheck("Java", error.message, ok=False, hint=error.hint)
    vector = "with" if jvm.vector else "without"
    return ServerCheck("Java", f"{jvm.version}, {jvm.java}, {vector} the vector module")


def _disk(name: str, folder: Path) -> ServerCheck:
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    free = shutil.disk_usage(existing).free
    fits = _largest(lambda size: size.disk * _GB <= free)
    return ServerCheck(
        name,
        f"{free / _GB:.1f} GB free at {folder}, enough for {_papers(fits)}",
        ok=fits is not None,
        hint="free some space, or set XDG_DATA_HOME and XDG_CACHE_HOME to another disk",
    )


def _memory() -> ServerCheck:
    total = psutil.virtual_memory().total
    fits = _largest(lambda size: size.memory * _GB <= total * 1.1)  # 4 GB are sold as 3.8
    sizes = memory_for_machine(total)
    return ServerCheck(
        "memory",
        f"{total / _GB:.1f} GB, enough for {_papers(fits)}; the server takes a heap of "
        f"{sizes.heap} MiB and a page cache of {sizes.page_cache} MiB",
        ok=fits is not None,
        hint=f"{SIZES[0].memory} GB is the least that was thought of",
    )


def _local_server(instance: Instance) -> ServerCheck:
    try:
        status = instance.status()
        if status.state == "stopped":
            return ServerCheck("server", f"{instance.name} is not running: a command starts it")
        if status.state == "running":
            endpoint = endpoint_of(instance.home)
            return _server(endpoint.uri, endpoint.username, endpoint.password)
        found, hint = f"{instance.name} (pid {status.pid}) does not answer", f"see {instance.log}"
    except SpecterGraphError as error:
        found, hint = error.message, error.hint or ""
    return ServerCheck("server", found, ok=False, hint=hint)


def _server(uri: str, username: str, password: str | None) -> ServerCheck:
    from neo4j.exceptions import ClientError

    from specter_graph.graph.database import connect

    try:
        with connect(uri, username, password) as database:
            found = database.read(statement("server/versions").text)[0]
    except ServerError as error:
        return ServerCheck("server", error.message, ok=False, hint=error.hint)
    except ClientError as error:
        hint = "install the Graph Data Science plugin there: topics and graph algorithms need it"
        return ServerCheck("server", f"{uri}: {error.message}", ok=False, hint=hint)
    versions = f"Neo4j {found['neo4j']}, Graph Data Science {found['gds']}"
    return ServerCheck("server", f"{uri} answers: {versions}")


def _largest(fits: Callable[[Size], bool]) -> Size | None:
    return max(filter(fits, SIZES), key=lambda size: size.papers, default=None)


def _papers(size: Size | None) -> str:
    return "too few papers" if size is None else f"{size.papers:,} papers"
