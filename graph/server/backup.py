"""Backup of a local instance to one file, and its restoration.

A backup is a ZIP archive with two entries: `neo4j.dump`, written by neo4j-admin, and `backup.json`,
with the versions and the counts. The server is stopped during the backup.
A backup contains no users or passwords: a restored instance keeps its own.
"""

import json
import zipfile
import zlib
from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Annotated, Protocol

import pydantic

from specter_graph.core.atomic_files import complete_file
from specter_graph.core.errors import GraphError, InputError, ServerError, counted
from specter_graph.core.progress import Progress, silent, timestamp
from specter_graph.graph.contents import stats
from specter_graph.graph.database import connect
from specter_graph.graph.schema import migrations, program_version, schema_version
from specter_graph.graph.server.endpoint import Endpoint
from specter_graph.graph.server.exclusive_access import ExclusiveServer
from specter_graph.graph.server.jars import read_lock

FORMAT = 1
_DUMP, _ABOUT = "neo4j.dump", "backup.json"
_MAX_ABOUT_BYTES = 100_000
_CHUNK = 2**20
_TAIL_LINES = 5


@dataclass(frozen=True, slots=True)
class Backup:
    """The content of `backup.json`.

    Attributes:
        format: Version of the archive's format.
        program: Version of specter-graph.
        neo4j: Version of Neo4j.
        schema: Number of the last migration.
        created: ISO time in UTC.
        instance: Name of the instance.
        papers: Papers with a record.
        stubs: Papers without a record.
        citations: Citations, including those of stubs.
        size: Size of the dump in bytes.
    """

    format: int
    program: str
    neo4j: Annotated[str, pydantic.Field(pattern=r"^\d+(\.\d+)*$")]
    schema: int
    created: str
    instance: str
    papers: int
    stubs: int
    citations: int
    size: int


class LocalInstance(Protocol):
    """The parts of `Instance` that backups use."""

    name: str
    home: Path

    @property
    def others(self) -> tuple[str, ...]:
        """Names of the other instances that have data."""

    def exclusive(self, progress: Progress) -> AbstractContextManager[ExclusiveServer]:
        """Prevent other processes from using the server."""


def write_backup(
    instance: LocalInstance, file: Path | str, *, progress: Progress = silent
) -> Backup:
    """Write all data to a file, which only its owner can read.

    The server is stopped during the backup. The file is created or replaced when the backup is
    complete.

    Args:
        instance: The instance.
        file: The file.
        progress: Called with the number of written bytes.

    Returns:
        The description that is also stored in the file.

    Raises:
        InputError: The instance has no data, or the file cannot be written.
        ServerError: Other commands use the server.
    """
    if not (instance.home / "data" / "databases").exists():
        others = f"name another instance: {', '.join(instance.others)}"
        hint = others if instance.others else "specter-graph load auto FILE"
        raise InputError(f"the instance {instance.name!r} has no data yet", hint)
    with instance.exclusive(progress) as server, complete_file(file) as unfinished:
        schema, papers, stubs, citations = _read_counts(server.up())
        server.down()
        unfinished.touch(mode=0o600)
        with zipfile.ZipFile(unfinished, "w") as archive:
            with server.dump() as dump, archive.open(_DUMP, "w", force_zip64=True) as entry:
                size = _copy(dump, entry, lambda done: progress("back up", done, None))
            backup = Backup(
                format=FORMAT,
                program=program_version(),
                neo4j=read_lock().neo4j,
                schema=schema,
                created=timestamp(),
                instance=instance.name,
                papers=papers,
                stubs=stubs,
                citations=citations,
                size=size,
            )
            archive.writestr(_ABOUT, json.dumps(asdict(backup), indent=2) + "\n")
        return backup


def restore_backup(
    instance: LocalInstance,
    file: Path | str,
    *,
    overwrite: bool = False,
    progress: Progress = silent,
) -> Backup:
    """Replace all data with a backup; after an error the old data remain.

    The counts of the restored graph are compared with those in the backup before the old data are
    deleted.

    Args:
        instance: The instance.
        file: The backup.
        overwrite: Replace an instance that has papers.
        progress: Called with the number of restored bytes.

    Returns:
        The description in the backup.

    Raises:
        InputError: The file is not a backup or is damaged, or the instance has papers and
            `overwrite` is False.
        GraphError: A newer version made the backup.
        ServerError: Other commands use the server.
    """
    path = Path(file)
    backup = read_backup(path)
    _require_known_version(backup, path)
    _require_intact(path)
    with instance.exclusive(progress) as server:
        if not overwrite and (instance.home / "data" / "databases").exists():
            _require_empty(instance, server)
        new_home = server.prepare_new_home()
        _load_dump(server, new_home, path, backup, progress)
        server.down()
        server.swap()
        counts = backup.schema, backup.papers, backup.stubs, backup.citations
        if _read_counts(server.up()) != counts:
            raise ServerError(
                f"the restored graph does not have the counts in {path}",
                "use another backup; the instance has not changed",
            )
        server.confirm()
    return backup


def read_backup(path: Path) -> Backup:
    """Read the description in a backup; raises InputError if the file is not a backup."""
    try:
        with zipfile.ZipFile(path) as archive:
            archive.getinfo(_DUMP)
            with archive.open(_ABOUT) as file:
                text = file.read(_MAX_ABOUT_BYTES + 1)
        if len(text) > _MAX_ABOUT_BYTES:
            raise ValueError(f"{_ABOUT} has more than {_MAX_ABOUT_BYTES:,} bytes")
        about = json.loads(text)
        if about["format"] != FORMAT:
            raise GraphError(
                f"{path} is a backup in an unknown format",
                f"install specter-graph {about['program']}, which made it, or newer",
            )
        return pydantic.TypeAdapter(Backup).validate_json(text, strict=True)
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        problem = f"{path} is not a backup, or is damaged: {error}"
        if isinstance(error, FileNotFoundError):
            problem = f"file not found: {path}"
        raise InputError(problem, "name a file that `specter-graph server backup` wrote") from error


def _require_known_version(backup: Backup, path: Path) -> None:
    """Raise GraphError for a backup of a newer program or a newer Neo4j."""
    neo4j = read_lock().neo4j
    newest = migrations()[-1].version
    if backup.schema > newest or _parse_version(backup.neo4j) > _parse_version(neo4j):
        raise GraphError(
            f"{path} was made by specter-graph {backup.program} (Neo4j {backup.neo4j}, migration"
            f" {backup.schema}); this program ({program_version()}) knows Neo4j {neo4j} and"
            f" migration {newest}",
            f"install specter-graph {backup.program} or newer",
        )


def _parse_version(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def _require_empty(instance: LocalInstance, server: ExclusiveServer) -> None:
    _, papers, stubs, citations = _read_counts(server.up())
    if papers or stubs:
        raise InputError(
            f"the instance {instance.name!r} has {counted(papers, 'paper')} and"
            f" {counted(citations, 'citation')}",
            "name another instance, or replace all data: overwrite=True, in a command --yes",
        )


def _require_intact(path: Path) -> None:
    """Raise InputError if an entry does not have the checksum (CRC-32) in the archive."""
    try:
        with zipfile.ZipFile(path) as archive:
            if damaged := archive.testzip():
                raise zipfile.BadZipFile(f"the checksum of {damaged} is wrong")
    except (OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError(f"{path} is damaged: {error}", "use another backup") from error


def _load_dump(
    server: ExclusiveServer, home: Path, path: Path, backup: Backup, progress: Progress
) -> None:
    with zipfile.ZipFile(path) as archive, archive.open(_DUMP) as entry:
        try:
            with server.load(home) as stdin:
                _copy(entry, stdin, lambda done: progress("restore", done, backup.size))
        except ServerError as error:  # omit lines on logs in `home`, which is removed
            lines = [line for line in error.message.splitlines() if str(home) not in line]
            raise InputError(
                f"Neo4j cannot load the {_DUMP} in {path}:\n" + "\n".join(lines[-_TAIL_LINES:]),
                "use another backup",
            ) from error


def _copy(source: IO[bytes], target: IO[bytes], count: Callable[[int], None]) -> int:
    """Copy a stream and return its size; call `count` with the size so far."""
    size = 0
    while chunk := source.read(_CHUNK):
        target.write(chunk)
        size += len(chunk)
        count(size)
    return size


def _read_counts(endpoint: Endpoint) -> tuple[int, int, int, int]:
    """Return the last migration, and the numbers of papers, stubs and citations."""
    with connect(*endpoint.login) as db:
        counts = stats(db)
        citations = counts.citations + counts.citations_to_stubs
        return schema_version(db), counts.papers, counts.stubs, citations
