"""Results computed in parts: an interrupted run loses at most the current part."""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from shutil import rmtree
from typing import Any

import pyarrow as pa
from filelock import FileLock, Timeout

from specter_graph.core.atomic_files import check_parent, complete_file, write_error
from specter_graph.core.errors import InputError


class Parts:
    """Arrow tables in the folder `.NAME.parts` from which the file NAME is made.

    `manifest.json` records the identity of the inputs, the number of rows and SHA-256 of each part,
    and the notes of the last one. A part is complete when it is in the manifest.
    """

    def __init__(self, folder: Path, identity: Mapping[str, str]) -> None:
        self._folder = folder
        self._manifest = folder / "manifest.json"
        self._content: dict[str, Any] = {"identity": dict(identity), "parts": [], "notes": {}}
        if self._manifest.exists():
            stored = json.loads(self._manifest.read_text())
            for name, value in identity.items():
                if stored["identity"].get(name) != value:
                    raise InputError(
                        f"the parts in {folder} were made with another {name}",
                        f"name another file, or remove {folder} to start again",
                    )
            self._content = stored
        folder.mkdir(exist_ok=True)

    @property
    def notes(self) -> dict[str, Any]:
        """The notes of the last part, of this run or an earlier one; {} before the first."""
        notes: dict[str, Any] = self._content["notes"]
        return notes

    def append(self, table: pa.Table, notes: Mapping[str, Any]) -> None:
        """Store a part and its notes (JSON values)."""
        parts = self._content["parts"]
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, table.schema) as writer:
            writer.write_table(table)
        data = sink.getvalue().to_pybytes()
        with complete_file(self._path(len(parts))) as new:
            new.write_bytes(data)
        parts.append({"rows": table.num_rows, "sha256": sha256(data).hexdigest()})
        self._content["notes"] = dict(notes)
        with complete_file(self._manifest) as new:
            new.write_text(json.dumps(self._content))

    def tables(self) -> Iterator[pa.Table]:
        """Yield the parts in order.

        Raises:
            InputError: A stored part was changed.
        """
        for number, part in enumerate(self._content["parts"]):
            data = self._path(number).read_bytes()
            if sha256(data).hexdigest() != part["sha256"]:
                raise InputError(
                    f"{self._path(number)} is damaged", f"remove {self._folder} to start again"
                )
            yield pa.ipc.open_file(pa.BufferReader(data)).read_all()

    def remove(self) -> None:
        """Delete the folder."""
        rmtree(self._folder)

    def _path(self, number: int) -> Path:
        return self._folder / f"{number:06}.arrow"


@contextmanager
def open_parts(path: Path, identity: Mapping[str, str]) -> Iterator[Parts]:
    """Open the parts of the file `path`, including those of an earlier run.

    Raises:
        InputError: The folder cannot be written, another run is writing it, or its parts were made
            with another identity.
    """
    check_parent(path)
    if path.is_dir():
        raise InputError(f"{path} is a folder", "name a file")
    folder = parts_folder(path)
    lock = FileLock(folder.with_suffix(".lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise InputError(f"another run is writing {path}", "wait for it, or stop it") from error
    except OSError as error:
        raise write_error(path, error) from error
    try:
        yield Parts(folder, identity)
    except OSError as error:
        raise write_error(path, error) from error
    finally:
        Path(lock.lock_file).unlink(missing_ok=True)  # while it is ours
        lock.release()


def parts_folder(path: Path) -> Path:
    """Return the folder of the parts of a file."""
    return path.with_name(f".{path.name}.parts")
