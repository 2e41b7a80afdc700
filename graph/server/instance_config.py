"""Ports, memory, password and configuration of a local server, and its command line."""

import errno
import json
import os
import secrets
import shutil
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from string import Template

import psutil

from specter_graph.core.atomic_files import write_file
from specter_graph.core.errors import ServerError
from specter_graph.graph.server.jvm import VECTOR_MODULE, Jvm

HOST = "127.0.0.1"
USERNAME = "neo4j"
_HASH_ITERATIONS = 1024
"""Number of times that Neo4j hashes a password."""

_MIB = 2**20


@dataclass(frozen=True, slots=True)
class Ports:
    """The loopback ports of an instance."""

    bolt: int
    http: int


@dataclass(frozen=True, slots=True)
class Memory:
    """Sizes in MiB of the Java heap and of Neo4j's page cache."""

    heap: int
    page_cache: int


def memory_for_machine(total: int | None = None, home: Path | None = None) -> Memory:
    """Return sizes that leave memory for a model.

    The heap (transactions and GDS projections) gets an eighth of the memory, 1 to 2 GiB. The page
    cache gets a sixteenth, 256 MiB to 4 GiB, or what the store files need, up to a quarter.

    Args:
        total: Memory of the machine in bytes, by default of this one.
        home: Folder of the instance whose store files are measured.
    """
    mib = (psutil.virtual_memory().total if total is None else total) // _MIB
    files = home.glob("data/databases/neo4j/neostore*") if home else ()
    store = sum(file.stat().st_size for file in files) // _MIB
    return Memory(
        heap=min(max(mib // 8, 1024), 2048),
        page_cache=max(min(max(mib // 16, 256), 4096), min(store, mib // 4)),
    )


def read_ports(home: Path) -> Ports | None:
    """Return the ports that the instance used last; None before its first start."""
    try:
        return Ports(**json.loads((home / "ports.json").read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def choose_ports(home: Path) -> Ports:
    """Return the stored ports if they are free; otherwise choose and store new ones."""
    ports = read_ports(home)
    if ports is None or not (is_free(ports.bolt) and is_free(ports.http)):
        ports = _free_ports()
        _write_file(home / "ports.json", json.dumps(asdict(ports)) + "\n")
    return ports


def is_free(port: int) -> bool:
    """Return True if no process listens on this loopback port."""
    with socket.socket() as probe:
        if os.name != "nt":  # a port in TIME_WAIT after the last server is free
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError:
            return False
        return True


def _free_ports() -> Ports:
    with socket.socket() as bolt, socket.socket() as http:
        bolt.bind((HOST, 0))
        http.bind((HOST, 0))
        return Ports(bolt.getsockname()[1], http.getsockname()[1])


def read_password(home: Path) -> str:
    """Return the password of an instance; it is created on first use, readable by its owner."""
    path = home / "password"
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        password = secrets.token_hex(24)
        _write_file(path, password + "\n", mode=0o600)
        return password


def write_configuration(home: Path, jars: Path, ports: Ports, memory: Memory) -> None:
    """Write HOME/conf/neo4j.conf with the settings that differ from the server's defaults."""
    settings = files(__package__).joinpath("neo4j.conf").read_text(encoding="utf-8")
    plugins = (jars / "plugins").as_posix()
    values = {**asdict(ports), **asdict(memory), "host": HOST, "plugins": plugins}
    _write_file(home / "conf" / "neo4j.conf", Template(settings).substitute(values))


def server_command(home: Path, jars: Path, jvm: Jvm, memory: Memory) -> list[str]:
    """Return the command line of the server; it contains `home_argument`."""
    return [
        str(jvm.java),
        f"-Xms{memory.heap // 4}m",
        f"-Xmx{memory.heap}m",
        # A new server mines triplets of 100,000 queries in 17 s; with G1 it takes 20 s.
        "-XX:+UseParallelGC",
        # With less, Java would pause twice during the start to unload classes.
        "-XX:MetaspaceSize=256m",
        *_processor_flag(),
        # The classes as an earlier server had them in memory: a start takes 8 s instead of 12.
        # Java writes the file when a server ends and no matching file exists.
        "-XX:+AutoCreateSharedArchive",
        f"-XX:SharedArchiveFile={_archive(jars, jvm)}",
        *_java_flags(jvm),
        "-cp",
        _classpath(jars),
        "org.neo4j.server.Neo4jCommunity",
        home_argument(home),
        f"--config-dir={home / 'conf'}",
        "--console-mode",
    ]


def home_argument(home: Path) -> str:
    """Return the argument that identifies the running server of a home."""
    return f"--home-dir={home}"


def server_environment() -> dict[str, str]:
    """Return the environment without variables that select another home or configuration."""
    return {name: value for name, value in os.environ.items() if not name.startswith("NEO4J_")}


def set_first_password(home: Path, password: str) -> None:
    """Set the password of a new instance before its server starts for the first time.

    The file is the one that `neo4j-admin dbms set-initial-password` writes, in the format of
    Neo4j's SecureHasher and SystemGraphCredential; writing it here saves a run of Java.
    """
    if (home / "data" / "databases").exists():
        return
    salt = secrets.token_bytes(32)
    digest = salt + password.encode()
    for _ in range(_HASH_ITERATIONS):
        digest = sha256(digest).digest()
    line = f"{USERNAME}:SHA-256,{digest.hex()},{salt.hex()},{_HASH_ITERATIONS}:\n"
    _write_file(home / "data" / "dbms" / "auth.ini", line, mode=0o600)


def admin_command(jars: Path, jvm: Jvm, *arguments: str) -> list[str]:
    """Return the command line of neo4j-admin, which works on the files of a stopped server.

    It uses the class archive of the servers if there is one, which makes the start faster.
    """
    archive = _archive(jars, jvm)
    return [
        str(jvm.java),
        *([f"-XX:SharedArchiveFile={archive}"] if archive.exists() else []),
        *_java_flags(jvm),
        "-cp",
        _classpath(jars),
        "org.neo4j.cli.AdminTool",
        *arguments,
    ]


def admin_environment(home: Path) -> dict[str, str]:
    """Return the environment that selects the home for neo4j-admin."""
    return server_environment() | {"NEO4J_HOME": str(home), "NEO4J_CONF": str(home / "conf")}


def check_space(folder: Path, purpose: str, needed: int, variable: str) -> None:
    """Raise ServerError if the disk of a folder has fewer than `needed` bytes free.

    Args:
        folder: The folder.
        purpose: The use of the space, for the message.
        needed: Bytes.
        variable: The environment variable that selects another disk.
    """
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise ServerError(
            f"the disk of {folder} has {free // 10**6} MB free, {purpose} needs"
            f" {needed // 10**6} MB",
            f"free some space, or set {variable} to a folder on another disk",
        )


@contextmanager
def disk_errors(folder: Path, variable: str) -> Iterator[None]:
    """Raise ServerError if the disk of a folder is full, or the folder cannot be written.

    Args:
        folder: The folder.
        variable: The environment variable that selects another folder.
    """
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise ServerError(
                f"the disk of {folder} is full", "free some space, and run the command again"
            ) from error
        raise ServerError(
            f"cannot write to {folder}: {error}",
            f"set {variable} to a folder that you can write to",
        ) from error


def _java_flags(jvm: Jvm) -> list[str]:
    opened = ("java.nio", "java.io", "sun.nio.ch")
    flags = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in opened]
    flags += ["--enable-native-access=ALL-UNNAMED", "-Dlog4j2.disable.jmx=true"]
    # Before its first projection, GDS would start four processes that attach to the server: 0.8 s
    # of processor time, in which it answers no query.
    flags += ["-Djol.skipHotspotSAAttach=true"]
    # Messages of Java must not be mixed into a dump, which is written to standard output.
    flags += ["-Xlog:disable", "-Xlog:all=warning:stderr"]
    if jvm.vector:
        newest = "-Dorg.neo4j.shaded.lucene9.vectorization.upperJavaFeatureVersion=25"
        flags += [f"--add-modules={VECTOR_MODULE}", newest]
    return flags


def _processor_flag() -> list[str]:
    """Return the flag with which both of two processors build an index, or no flag.

    Neo4j reserves one processor for the thread that reads ids, which is almost always idle.
    """
    return ["-XX:ActiveProcessorCount=3"] if os.cpu_count() == 2 else []


def _archive(jars: Path, jvm: Jvm) -> Path:
    """Return the path of the class archive, which exists after a server has ended."""
    return jars / f"server-{jvm.version}.jsa"


def _classpath(jars: Path) -> str:
    return os.pathsep.join(str(jars / folder / "*") for folder in ("plugins", "lib"))


def _write_file(path: Path, text: str, mode: int = 0o644) -> None:
    """Write a file atomically, with its mode set before its content is written."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_file(path, text, mode)
