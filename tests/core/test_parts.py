"""Parts: a manifest, and runs that skip what earlier runs completed."""

import json
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import pyarrow as pa
import pytest
from pyarrow.fs import LocalFileSystem

from specter_graph.core.errors import InputError
from specter_graph.core.parts import Parts, locate, read_part, write_part


@dataclass(frozen=True)
class Squares:
    folder: str
    uses_gpu: bool = False

    def open(self):
        return lambda number: write_part(self.folder, str(number), table(number**2))


@dataclass
class OneByOne:
    """Workers in this process, which are interrupted after a number of tasks."""

    interrupted_after: int = 100
    storage: str = ""
    count: int = 1

    def map(self, work, tasks):
        run, self.tasks = work.open(), tasks
        for task in tasks[: self.interrupted_after]:
            yield run(task)
        if len(tasks) > self.interrupted_after:
            raise KeyboardInterrupt


def table(number):
    return pa.table({"number": [number]})


def compute(parts, workers):
    tasks = {str(number): number for number in range(5)}
    list(parts.compute(tasks, Squares(parts.folder), workers))


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_a_second_run_skips_complete_parts(tmp_path: Path, scheme: str) -> None:
    folder = f"{scheme}{tmp_path}/new/squares"
    with pytest.raises(KeyboardInterrupt):
        compute(Parts(folder, {"input": "5"}), OneByOne(2))
    (tmp_path / "new" / "squares" / "2.parquet").write_bytes(b"half a par")
    parts, workers = Parts(folder, {"input": "5"}), OneByOne()
    compute(parts, workers)
    assert workers.tasks == [2, 3, 4]
    assert [each["number"].to_pylist() for each in parts.tables()] == [[n * n] for n in range(5)]
    parts.remove()
    assert not (tmp_path / "new" / "squares").exists()


def test_a_run_starts_again_after_an_interrupted_removal(tmp_path: Path) -> None:
    def delete_some_and_stop(path: str) -> None:
        Path(path, "0.parquet").unlink()
        raise KeyboardInterrupt

    parts = Parts(str(tmp_path), {"input": "5"})
    compute(parts, OneByOne())
    with pytest.MonkeyPatch.context() as patch:
        files = SimpleNamespace(
            delete_dir=delete_some_and_stop, delete_file=LocalFileSystem().delete_file
        )
        patch.setattr(parts, "_files", files)
        with pytest.raises(KeyboardInterrupt):
            parts.remove()
    parts = Parts(str(tmp_path), {"input": "5"})
    compute(parts, OneByOne())
    assert sum(each["number"][0].as_py() for each in parts.tables()) == 30


def test_the_manifest_names_inputs_rows_and_digests(tmp_path: Path) -> None:
    compute(Parts(str(tmp_path), {"input": "5", "model": "squares"}), OneByOne())
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    assert set(manifest["identity"]) == {"version of specter-graph", "input", "model"}
    assert [part["rows"] for part in manifest["parts"]] == [1] * 5
    assert len({part["sha256"] for part in manifest["parts"]}) == 5
    with pytest.raises(InputError, match="made with another model"):
        Parts(str(tmp_path), {"input": "5", "model": "cubes"})


def test_a_failed_write_of_the_manifest_leaves_the_earlier_one(tmp_path: Path) -> None:
    parts = Parts(str(tmp_path), {})
    parts.append(table(1), {"read": 1})
    parts.append(table(2), {"read": 2})
    with pytest.raises(TypeError):
        parts.record(notes={"read": object()})
    stored = Parts(str(tmp_path), {})
    assert (len(stored), stored.notes) == (2, {"read": 2})


def test_a_changed_part_is_refused(tmp_path: Path) -> None:
    part = write_part(str(tmp_path), "a", table(1))
    write_part(str(tmp_path), "a", table(2))
    with pytest.raises(InputError, match="is damaged"):
        read_part(str(tmp_path), part)


def test_an_unknown_uri_is_a_clear_error() -> None:
    with pytest.raises(InputError, match="ftp://x/y cannot be opened"):
        locate("ftp://x/y")
