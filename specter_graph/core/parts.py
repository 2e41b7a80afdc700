"""Results computed in parts: an interrupted run loses at most the parts being computed.

The parts of a run are Parquet files in a folder, on a disk or in an object store. Its
`manifest.json` records what they were made of, and the rows and the SHA-256 of each.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from time import monotonic
from typing import Any, Protocol, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq
from filelock import FileLock, Timeout
from pyarrow.fs import FileSystem, FileType, LocalFileSystem

from specter_graph.core.atomic_files import check_parent, write_error, write_errors
from specter_graph.core.errors import InputError

MANIFEST = "manifest.json"
_RECORD_INTERVAL = 1.0
"""Seconds between two writes of the manifest, which names up to 100,000 parts."""

_Task = TypeVar("_Task", contravariant=True)
_Result = TypeVar("_Result", covariant=True)
_T = TypeVar("_T")
_R = TypeVar("_R")


class Work(Protocol[_Task, _Result]):
    """A pure function of a task that other processes can run; it must be picklable."""

    @property
    def uses_gpu(self) -> bool:
        """True if a worker needs a GPU, if the machines have any."""

    def open(self) -> Callable[[_Task], _Result]:
        """Prepare a worker, for instance load a model, and return the function."""


class Workers(Protocol):
    """Processes that run tasks, such as `scale.RayWorkers`.

    Attributes:
        storage: URI of a folder that all workers read and write.
    """

    storage: str

    def count(self, *, uses_gpu: bool) -> int:
        """Return the number of tasks that run at the same time."""

    def map(self, work: Work[_T, _R], tasks: Sequence[_T]) -> Iterator[_R]:
        """Yield the results in the order of completion; tasks of a lost worker run again."""


@dataclass(frozen=True, slots=True)
class Part:
    """A complete part: its name, number of rows, and the SHA-256 of its file."""

    name: str
    rows: int
    sha256: str


def locate(uri: str) -> tuple[FileSystem, str]:
    """Return the file system and the path of a URI (s3://bucket/folder) or of a local path.

    Raises:
        InputError: No file system has this URI.
    """
    if "://" not in uri:
        return LocalFileSystem(), str(Path(uri).absolute())
    try:
        files, path = FileSystem.from_uri(uri)
    except (pa.ArrowInvalid, OSError) as error:
        raise InputError(
            f"{uri} cannot be opened: {error}", "name a local path, or a URI such as s3://bucket/x"
        ) from error
    return files, path


def write_part(folder: str, name: str, table: pa.Table) -> Part:
    """Write a part. It counts as complete when its run records it."""
    sink = pa.BufferOutputStream()
    pq.write_table(table, sink, compression="lz4")
    data = sink.getvalue()
    files, path = locate(folder)
    with files.open_output_stream(_part_name(path, name)) as file:
        file.write(data)
    return Part(name, table.num_rows, sha256(data).hexdigest())


def read_part(folder: str, part: Part) -> pa.Table:
    """Read a part.

    Raises:
        InputError: The file was changed.
    """
    files, path = locate(folder)
    with files.open_input_file(_part_name(path, part.name)) as file:
        data = file.read_buffer()
    if sha256(data).hexdigest() != part.sha256:
        raise InputError(
            f"{_part_name(folder, part.name)} is damaged", f"remove {folder} to start again"
        )
    return pq.read_table(pa.BufferReader(data))


class Parts:
    """The parts of a run, in the order in which they were recorded.

    Attributes:
        folder: URI or local path of the folder.
        notes: Notes (JSON values) of the last part, of this run or an earlier one; {} before.
    """

    def __init__(self, folder: str, identity: Mapping[str, str]) -> None:
        """Open a folder, which is created if necessary.

        Raises:
            InputError: The parts in the folder were made with another identity, which is the
                digests of the inputs and the model, the options, and the version of the program.
        """
        self.folder = folder
        self.notes: dict[str, Any] = {}
        self._files, self._path = locate(folder)
        self._identity = {"version of specter-graph": version("specter-graph"), **identity}
        self._parts: dict[str, Part] = {}
        self._recorded = 0.0
        if self._files.get_file_info(self._manifest).type == FileType.File:
            with self._files.open_input_stream(self._manifest) as file:
                stored = json.loads(file.read())
            for name, value in self._identity.items():
                if stored["identity"].get(name) != value:
                    raise InputError(
                        f"the parts in {folder} were made with another {name}",
                        f"name another file or folder, or remove {folder} to start again",
                    )
            self._parts = {part["name"]: Part(**part) for part in stored["parts"]}
            self.notes = stored["notes"]
        self._files.create_dir(self._path)

    def __len__(self) -> int:
        return len(self._parts)

    def __contains__(self, name: object) -> bool:
        return name in self._parts

    def __getitem__(self, name: str) -> Part:
        return self._parts[name]

    def record(self, part: Part | None = None, notes: Mapping[str, Any] | None = None) -> None:
        """Record a part as complete, and the notes, if any."""
        if part:
            self._parts[part.name] = part
        if notes is not None:
            self.notes = dict(notes)
        self._recorded = monotonic()
        parts = [asdict(part) for part in self._parts.values()]
        content = {"identity": self._identity, "parts": parts, "notes": self.notes}
        unfinished = f"{self._manifest}.unfinished"
        with self._files.open_output_stream(unfinished) as file:
            file.write(json.dumps(content).encode())
        self._files.move(unfinished, self._manifest)

    def add(self, part: Part) -> None:
        """Record a part as complete within a second, or with the next call of `record`."""
        self._parts[part.name] = part
        if monotonic() > self._recorded + _RECORD_INTERVAL:
            self.record()

    def append(self, table: pa.Table, notes: Mapping[str, Any]) -> None:
        """Write a part with the next number as its name, and record it with its notes."""
        self.record(write_part(self.folder, f"{len(self):06}", table), notes)

    def compute(
        self, tasks: Mapping[str, _T], work: Work[_T, Part], workers: Workers
    ) -> Iterator[None]:
        """Let workers make the parts that are missing, and yield after each.

        Args:
            tasks: The tasks by the names of the parts that they make.
            work: Writes a part (`write_part`).
            workers: The workers; this process alone writes the manifest.
        """
        missing = [task for name, task in tasks.items() if name not in self]
        try:
            for part in workers.map(work, missing):
                self.add(part)
                yield
        finally:
            self.record()

    def tables(self, names: Iterable[str] | None = None) -> Iterator[pa.Table]:
        """Yield the parts, by default all.

        Raises:
            InputError: A part was changed.
        """
        for name in self._parts if names is None else names:
            yield read_part(self.folder, self._parts[name])

    def remove(self) -> None:
        """Delete the folder, first the manifest: after an interruption, a run starts again."""
        self._files.delete_file(self._manifest)
        self._files.delete_dir(self._path)

    @property
    def _manifest(self) -> str:
        return f"{self._path}/{MANIFEST}"


@contextmanager
def open_parts(path: Path, identity: Mapping[str, str]) -> Iterator[Parts]:
    """Open the parts from which a file is made, including those of an earlier run.

    They are in the folder `.NAME.parts` beside the file `path`.

    Raises:
        InputError: The folder cannot be written, another run is writing it, or its parts were made
            with another identity.
    """
    check_parent(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder", "name a file")
    with locked(path), write_errors(path):
        yield Parts(str(parts_folder(path)), identity)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold the lock of a file or folder to write until the block ends; it is beside it.

    Raises:
        InputError: Another run holds it, or the lock cannot be written.
    """
    lock = FileLock(path.with_name(f".{path.name}.lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise InputError(f"another run is writing {path}", "wait for it, or stop it") from error
    except OSError as error:
        raise write_error(path, error) from error
    try:
        yield
    finally:
        Path(lock.lock_file).unlink(missing_ok=True)  # while it is ours
        lock.release()


def parts_folder(path: Path) -> Path:
    """Return the folder of the parts of a file."""
    return path.with_name(f".{path.name}.parts")


def _part_name(folder: str, name: str) -> str:
    return f"{folder}/{name}.parquet"
