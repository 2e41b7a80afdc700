"""What a server needs before its first start: ports, memory, a password, a configuration."""

import json
import os
import secrets
import shutil
import socket
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path

import psutil

from specter_graph.core.errors import ServerError
from specter_graph.graph.server.jvm import VECTOR_MODULE, Jvm

HOST = "127.0.0.1"
USERNAME = "neo4j"
_HASHED = 1024
"""How often Neo4j hashes a password."""

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


def memory_for_machine(total: int | None = None) -> Memory:
    """Size a server that leaves room for the model beside it; `total` is the machine's bytes.

    Heap: an eighth of the memory, 1 to 2 GiB (transactions and GDS projections). Page cache: a
    sixteenth, 256 MiB to 4 GiB (the store files).
    """
    mib = (psutil.virtual_memory().total if total is None else total) // _MIB
    return Memory(
        heap=min(max(mib // 8, 1024), 2048),
        page_cache=min(max(mib // 16, 256), 4096),
    )


def ports_of(home: Path) -> Ports | None:
    """The ports that the instance used last, None before its first start."""
    try:
        return Ports(**json.loads((home / "ports.json").read_text()))
    except (FileNotFoundError, ValueError, TypeError):
        return None


def choose_ports(home: Path) -> Ports:
    """The remembered ports when they are still free, else new ones; remembered again."""
    ports = ports_of(home)
    if ports is None or not (is_free(ports.bolt) and is_free(ports.http)):
        ports = _free_ports()
        _write(home / "ports.json", json.dumps(asdict(ports)) + "\n")
    return ports


def is_free(port: int) -> bool:
    """Whether nothing listens on this loopback port."""
    with socket.socket() as probe:
        if os.name != "nt":  # a port that our own last server left in TIME_WAIT is free
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


def password_of(home: Path) -> str:
    """The instance's password, made on first use and kept in a file only its owner can read."""
    path = home / "password"
    try:
        return path.read_text().strip()
    except FileNotFoundError:
        password = secrets.token_hex(24)
        _write(path, password + "\n", mode=0o600)
        return password


def write_configuration(home: Path, jars: Path, ports: Ports, memory: Memory) -> None:
    """Write H/conf/neo4j.conf; the server's own defaults stand for all that is not in it."""
    lines = {
        "server.directories.plugins": (jars / "plugins").as_posix(),
        "server.default_listen_address": HOST,
        "server.bolt.listen_address": f"{HOST}:{ports.bolt}",
        "server.http.listen_address": f"{HOST}:{ports.http}",
        "server.bolt.advertised_address": f"{HOST}:{ports.bolt}",  # neo4j:// asks for it
        "server.http.advertised_address": f"{HOST}:{ports.http}",
        "server.https.enabled": "false",
        "server.memory.pagecache.size": f"{memory.page_cache}m",
        "dbms.security.auth_enabled": "true",
        "dbms.security.procedures.unrestricted": "gds.*",
        "dbms.usage_report.enabled": "false",
        "client.allow_telemetry": "false",  # Neo4j Browser's
        # Enough to recover from a kill; the default of two days fills the disk with old logs.
        "db.tx_log.rotation.retention_policy": "1 files",
        # Stopped in 2 s, not 11: Bolt would wait for clients to come back to a closed database.
        "internal.dbms.bolt.netty_server_shutdown_quiet_period": "0",
    }
    text = "".join(f"{name}={value}\n" for name, value in lines.items())
    _write(home / "conf" / "neo4j.conf", "# written at each start\n" + text)


def server_command(home: Path, jars: Path, jvm: Jvm, memory: Memory) -> list[str]:
    """The command line of the server; `home_argument` in it marks the process as this home's."""
    return [
        str(jvm.java),
        f"-Xms{memory.heap // 4}m",
        f"-Xmx{memory.heap}m",
        # A server just started mines 100,000 queries in 17 s with it, in 20 s with G1.
        "-XX:+UseParallelGC",
        # Below that Java would stop twice while it starts, to look for classes nobody needs.
        "-XX:MetaspaceSize=256m",
        # Classes as an earlier server had them in memory: started in 8 s, not 12. Java writes the
        # file when a server ends and there is none that fits, or it does not fit any more.
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
    """The argument by which a running server is known to belong to this home."""
    return f"--home-dir={home}"


def server_environment() -> dict[str, str]:
    """Our environment without what would lead the server to another home or configuration."""
    return {name: value for name, value in os.environ.items() if not name.startswith("NEO4J_")}


def set_first_password(home: Path, password: str) -> None:
    """Give a new instance its password before its server first starts.

    It is in the file that `neo4j-admin dbms set-initial-password` would write in a run of Java, as
    Neo4j's SecureHasher hashes and SystemGraphCredential writes it; the first start takes the user
    from there.
    """
    if (home / "data" / "databases").exists():
        return
    salt = secrets.token_bytes(32)
    digest = salt + password.encode()
    for _ in range(_HASHED):
        digest = sha256(digest).digest()
    line = f"{USERNAME}:SHA-256,{digest.hex()},{salt.hex()},{_HASHED}:\n"
    _write(home / "data" / "dbms" / "auth.ini", line, mode=0o600)


def admin_command(jars: Path, jvm: Jvm, *arguments: str) -> list[str]:
    """The command line of Neo4j's own tool, which works on the files of a stopped server.

    It starts from the servers' class archive; where there is none yet, Java's own is quicker.
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
    """What tells the tool which home it works on."""
    return server_environment() | {"NEO4J_HOME": str(home), "NEO4J_CONF": str(home / "conf")}


def check_space(home: Path, needed: int = 500_000_000) -> None:
    """Raise ServerError when the instance's disk has fewer than `needed` bytes left."""
    free = shutil.disk_usage(home).free
    if free < needed:
        raise ServerError(
            f"the disk of {home} has {free // 10**6} MB free, a server needs {needed // 10**6} MB",
            "free some space, or set XDG_DATA_HOME to a folder on another disk",
        )


def _java_flags(jvm: Jvm) -> list[str]:
    opened = ("java.nio", "java.io", "sun.nio.ch")
    flags = [f"--add-opens=java.base/{package}=ALL-UNNAMED" for package in opened]
    flags += ["--enable-native-access=ALL-UNNAMED", "-Dlog4j2.disable.jmx=true"]
    # What Java itself has to say would stand in a dump, which the tool writes to standard output.
    flags += ["-Xlog:disable", "-Xlog:all=warning:stderr"]
    if jvm.vector:
        newest = "-Dorg.neo4j.shaded.lucene9.vectorization.upperJavaFeatureVersion=25"
        flags += [f"--add-modules={VECTOR_MODULE}", newest]
    return flags


def _archive(jars: Path, jvm: Jvm) -> Path:
    """The servers' class archive; there is none before a server has ended."""
    return jars / f"server-{jvm.version}.jsa"


def _classpath(jars: Path) -> str:
    return os.pathsep.join(str(jars / folder / "*") for folder in ("plugins", "lib"))


def _write(path: Path, text: str, mode: int = 0o644) -> None:
    """Write a file whole or not at all, with its mode from the first byte on."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(path.name + ".part")
    part.unlink(missing_ok=True)
    with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "w") as file:
        file.write(text)
    part.replace(path)
