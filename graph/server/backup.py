"""Backs a local instance up into one file, and restores it.

A backup is a ZIP archive with two entries: `neo4j.dump`, as Neo4j's own tool writes it, and
`backup.json`, which says what is in it, by which versions, and the dump's SHA-256. The server is
stopped meanwhile. Users and passwords are not in it: a restored instance keeps its own.
"""

import json
import zipfile
import zlib
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import IO, Annotated

import pydantic

from specter_graph.core.atomic_files import complete_file
from specter_graph.core.errors import GraphError, InputError, ServerError
from specter_graph.core.progress import Progress, silent
from specter_graph.graph.database import connect
from specter_graph.graph.schema import migrations, program_version, schema_version
from specter_graph.graph.server.endpoint import Endpoint
from specter_graph.graph.server.exclusive_access import SoleUse
from specter_graph.graph.server.instance import Instance
from specter_graph.graph.server.jar_lock import read_lock
from specter_graph.graph.stats import stats

FORMAT = 1
_DUMP, _ABOUT = "neo4j.dump", "backup.json"
_CHUNK = 2**20
_TAIL_LINES = 5
_MAX_ABOUT = 2**16
"""Bytes of `backup.json`; ours have 400."""


@dataclass(frozen=True, slots=True)
class Backup:
    """What a backup says of itself.

    `format` is that of the archive, `schema` the number of the last migration, `program` the
    version of specter-graph, `created` an ISO time in UTC, `sha256` and `size` (bytes) are those of
    the dump; the rest are counts of the graph.
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
    sha256: str
    size: int


def back_up(instance: Instance, path: Path, progress: Progress = silent) -> Backup:
    """Write all that an instance holds to a file, which appears, or is replaced, when it is whole.

    Only its owner can read the file. Raises ServerError when commands are at work on the instance,
    InputError when there is no such instance or the file cannot be written.
    """
    if not (instance.home / "data" / "databases").exists():
        raise InputError(
            f"the instance {instance.name!r} has no data yet", "specter-graph server status"
        )
    with instance.sole_use(progress) as sole, complete_file(path) as unfinished:
        schema, papers, stubs, citations = _counted(sole.up())
        sole.down()
        unfinished.touch(mode=0o600)
        with zipfile.ZipFile(unfinished, "w") as archive:
            with sole.dump() as dump, archive.open(_DUMP, "w", force_zip64=True) as entry:
                digest, size = _copy(dump, entry, lambda done: progress("back up", done, None))
            backup = Backup(
                format=FORMAT,
                program=program_version(),
                neo4j=read_lock().neo4j,
                schema=schema,
                created=datetime.now(UTC).isoformat(timespec="seconds"),
                instance=instance.name,
                papers=papers,
                stubs=stubs,
                citations=citations,
                sha256=digest,
                size=size,
            )
            archive.writestr(_ABOUT, json.dumps(asdict(backup), indent=2) + "\n")
        return backup


def restore(
    instance: Instance, path: Path, *, overwrite: bool = False, progress: Progress = silent
) -> Backup:
    """Put what a backup holds in place of what an instance holds: all of it, or nothing changes.

    The counts of the restored graph are compared with those in the backup before the old data go.
    Raises InputError for a file that is no backup or is damaged, and, without `overwrite`, for an
    instance that holds something; GraphError for a backup of a newer version; ServerError when
    commands are at work on the instance.
    """
    backup = read_backup(path)
    _require_known(backup, path)
    _require_whole(backup, path)
    with instance.sole_use(progress) as sole:
        if not overwrite and (instance.home / "data" / "databases").exists():
            _require_empty(instance, sole)
        beside = sole.prepare_beside()
        _load(sole, beside, path, backup, progress)
        sole.down()
        sole.swap()
        try:
            if _counted(sole.up()) != _counts(backup):
                raise ServerError(
                    f"the restored graph has other counts than {path} says",
                    "use another backup; the instance is as it was",
                )
        except BaseException:
            sole.down()
            sole.swap_back()
            raise
        sole.confirm()
    return backup


def read_backup(path: Path) -> Backup:
    """What a backup says of itself; raises InputError for a file that is none."""
    try:
        with zipfile.ZipFile(path) as archive:
            archive.getinfo(_DUMP)
            if (size := archive.getinfo(_ABOUT).file_size) > _MAX_ABOUT:
                raise zipfile.BadZipFile(f"its {_ABOUT} has {size:,} bytes")
            text = archive.read(_ABOUT)
        about = json.loads(text)
        if about["format"] != FORMAT:
            raise GraphError(
                f"{path} is a backup in a format that this program does not know",
                f"it was made by specter-graph {about['program']}: install that, or newer",
            )
        return pydantic.TypeAdapter(Backup).validate_json(text, strict=True)
    except FileNotFoundError as error:
        raise InputError(f"there is no file {path}") from error
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        raise InputError(
            f"{path} is a damaged backup: {'.'.join(map(str, first['loc']))} in its {_ABOUT}:"
            f" {first['msg']}",
            "use another backup",
        ) from error
    except (OSError, ValueError, KeyError, TypeError, zipfile.BadZipFile) as error:
        raise InputError(
            f"{path} is no backup, or a damaged one: {error}",
            "name a file that `specter-graph server backup` wrote",
        ) from error


def _require_known(backup: Backup, path: Path) -> None:
    """Raise GraphError for a backup of a newer program or a newer Neo4j."""
    ours = read_lock().neo4j
    newest = migrations()[-1].version
    if backup.schema > newest or _parts(backup.neo4j) > _parts(ours):
        raise GraphError(
            f"{path} was made by specter-graph {backup.program} (Neo4j {backup.neo4j}, migration"
            f" {backup.schema}); this program ({program_version()}) knows Neo4j {ours} and"
            f" migration {newest}",
            f"install specter-graph {backup.program} or newer",
        )


def _parts(version: str) -> list[int]:
    return [int(part) for part in version.split(".")]


def _require_empty(instance: Instance, sole: SoleUse) -> None:
    _, papers, stubs, citations = _counted(sole.up())
    if papers or stubs:
        raise InputError(
            f"the instance {instance.name!r} holds {papers:,} papers and {citations:,} citations",
            "restore into another one (--instance NAME), or replace all of it: --yes",
        )


def _require_whole(backup: Backup, path: Path) -> None:
    """Raise InputError when the dump is not what the backup says; it is read once for that."""
    try:
        with zipfile.ZipFile(path) as archive, archive.open(_DUMP) as entry:
            if _copy(entry, None) != (backup.sha256, backup.size):
                raise zipfile.BadZipFile("the checksum is not that of the backup")
    except (OSError, EOFError, RuntimeError, zipfile.BadZipFile, zlib.error) as error:
        raise InputError(f"{path} is damaged: {error}", "use another backup") from error


def _load(sole: SoleUse, home: Path, path: Path, backup: Backup, progress: Progress) -> None:
    with (
        zipfile.ZipFile(path) as archive,
        archive.open(_DUMP) as entry,
    ):
        try:
            with sole.load(home) as stdin:
                _copy(entry, stdin, lambda done: progress("restore", done, backup.size))
        except ServerError as error:  # without the lines on logs in `home`, which is removed
            lines = [line for line in error.message.splitlines() if str(home) not in line]
            raise InputError(
                f"Neo4j cannot load the {_DUMP} in {path}:\n" + "\n".join(lines[-_TAIL_LINES:]),
                "use another backup",
            ) from error


def _copy(
    source: IO[bytes], target: IO[bytes] | None, tell: Callable[[int], None] = lambda done: None
) -> tuple[str, int]:
    """Copy a stream, or only look at it; the SHA-256 and the size of what came."""
    digest, size = sha256(), 0
    while chunk := source.read(_CHUNK):
        if target:
            target.write(chunk)
        digest.update(chunk)
        size += len(chunk)
        tell(size)
    return digest.hexdigest(), size


def _counted(endpoint: Endpoint) -> tuple[int, int, int, int]:
    with connect(endpoint.uri, endpoint.username, endpoint.password) as db:
        counts = stats(db)
        citations = counts.citations + counts.citations_to_stubs
        return schema_version(db), counts.papers, counts.stubs, citations


def _counts(backup: Backup) -> tuple[int, int, int, int]:
    return backup.schema, backup.papers, backup.stubs, backup.citations
