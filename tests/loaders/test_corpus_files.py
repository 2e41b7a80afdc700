"""Open corpus files."""

import bz2
import gzip
import io
import lzma
import os
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from specter_graph.core.errors import InputError
from specter_graph.loaders import corpus_files
from specter_graph.loaders.corpus_files import DamagedFileError, find_files, read_lines

COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "": lambda data: data,
    ".gz": gzip.compress,
    ".zst": zstandard.compress,
}


def lines_of(path: Path) -> list[bytes | None]:
    return list(read_lines(path, lambda size: None))


@pytest.mark.parametrize("suffix", COMPRESSIONS)
@given(lines=st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n")), min_size=1))
def test_lines_are_read_with_any_compression(
    tmp_path_factory: pytest.TempPathFactory, suffix: str, lines: list[str]
):
    path = tmp_path_factory.mktemp("lines") / f"papers.jsonl{suffix}"
    path.write_bytes(COMPRESSIONS[suffix](("\n".join(lines) + "\n").encode()))
    assert lines_of(path) == [line.encode() for line in lines]


@pytest.mark.parametrize("suffix", COMPRESSIONS)
def test_lines_may_cross_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str):
    monkeypatch.setattr(corpus_files, "_CHUNK", 7)
    path = tmp_path / f"papers.jsonl{suffix}"
    lines = [b"x" * size for size in (0, 1, 50, 3, 200)]
    path.write_bytes(COMPRESSIONS[suffix](b"\n".join(lines)))
    sizes: list[int] = []
    assert list(read_lines(path, sizes.append)) == lines
    assert sum(sizes) == path.stat().st_size


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_several_members_and_padding_are_one_stream(tmp_path: Path, suffix: str):
    path = tmp_path / f"papers{suffix}"
    compress = COMPRESSIONS[suffix]
    path.write_bytes(compress(b"one\n") + compress(b"two\n") + b"\0" * 100_000)
    assert lines_of(path) == [b"one", b"two"]


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_compression_is_detected_without_the_suffix(tmp_path: Path, suffix: str):
    path = tmp_path / "papers.jsonl"
    path.write_bytes(COMPRESSIONS[suffix](b"one\ntwo\n"))
    assert lines_of(path) == [b"one", b"two"]


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
@pytest.mark.parametrize("left_out", [1, 200])
def test_a_truncated_file_gives_its_complete_lines_and_a_report(
    tmp_path: Path, suffix: str, left_out: int
):
    path = tmp_path / f"papers{suffix}"
    expected = b"".join(b"line %d\n" % n for n in range(50_000))
    path.write_bytes(COMPRESSIONS[suffix](expected)[:-left_out])
    lines: list[bytes | None] = []
    with pytest.raises(DamagedFileError, match="cut off"):
        lines.extend(read_lines(path, lambda size: None))
    assert lines == expected.split(b"\n")[: len(lines)]


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_uncompressed_files_are_read_under_any_name(tmp_path: Path, suffix: str):
    path = tmp_path / f"papers{suffix}"
    path.write_bytes(b"one\ntwo\n")
    assert lines_of(path) == [b"one", b"two"]


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
@pytest.mark.parametrize("size", [0, 1])
def test_a_compressed_file_without_contents_is_truncated(tmp_path: Path, suffix: str, size: int):
    path = tmp_path / f"papers{suffix}"
    path.write_bytes(COMPRESSIONS[".gz"](b"")[:size] if suffix == ".gz" else b"")
    with pytest.raises(DamagedFileError, match="cut off"):
        lines_of(path)


def test_damaged_compressed_data_are_reported(tmp_path: Path):
    path = tmp_path / "papers.gz"
    path.write_bytes(b"\x1f\x8bone\ntwo\n")
    with pytest.raises(DamagedFileError, match="damaged"):
        lines_of(path)


def zipped(data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("papers.jsonl", data)
    return file.getvalue()


@pytest.mark.parametrize("name", ["papers.jsonl", "papers.gz"])
@pytest.mark.parametrize(
    ("compress", "kind"), [(zipped, "zip"), (bz2.compress, "bzip2"), (lzma.compress, "xz")]
)
def test_an_unsupported_compression_is_named(
    tmp_path: Path, compress: Callable[[bytes], bytes], kind: str, name: str
):
    path = tmp_path / name
    path.write_bytes(compress(b"one\ntwo\n"))
    with pytest.raises(DamagedFileError, match=f"this is a {kind} file: unpack it"):
        lines_of(path)


def test_a_skippable_frame_of_zstandard_is_skipped(tmp_path: Path):
    path = tmp_path / "papers"
    path.write_bytes(b"\x50\x2a\x4d\x18\x03\0\0\0abc" + zstandard.compress(b"one\ntwo\n"))
    assert lines_of(path) == [b"one", b"two"]


def test_an_endless_line_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(corpus_files, "MAX_LINE_BYTES", 100_000)
    path = tmp_path / "papers.jsonl"
    path.write_bytes(b"one\n" + b"x" * 300_000 + b"\ntwo\n" + b"y" * 300_000)
    assert lines_of(path) == [b"one", None, b"two", None]


def test_a_missing_path_is_an_error(tmp_path: Path):
    with pytest.raises(InputError, match=r"file not found: .*absent\.jsonl"):
        list(find_files([tmp_path / "absent.jsonl"]))


def test_a_pipe_or_a_device_is_an_error_because_files_are_read_twice(tmp_path: Path):
    pipe = tmp_path / "papers.jsonl"
    os.mkfifo(pipe)
    for path in (pipe, Path("/dev/null")):
        with pytest.raises(InputError, match=f"{path} is a pipe or a device") as caught:
            list(find_files([path]))
        assert caught.value.hint == "save its contents in a file"
    with pytest.raises(InputError, match="is a pipe or a device"):
        list(find_files([tmp_path]))


def test_all_files_of_a_folder_are_read_in_order_without_hidden_ones_and_our_own(tmp_path: Path):
    own = "a.gz.rejects.jsonl", "a.gz.vanished.jsonl"
    for name in ("b/2.gz", "b/1.gz", "a.gz", ".hidden", "b/.git/x", *own):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    result = find_files([tmp_path])
    assert [str(path.relative_to(tmp_path)) for path in result] == ["a.gz", "b/1.gz", "b/2.gz"]
    assert list(find_files([tmp_path / own[0]])) == [tmp_path / own[0]]


@pytest.mark.parametrize("suffix", [".gz", ".zst"])
def test_a_compression_bomb_is_skipped_without_being_stored(tmp_path: Path, suffix: str):
    path = tmp_path / f"bomb{suffix}"
    bomb = b"one\n" + bytes(200 * 2**20) + b"\ntwo"
    path.write_bytes(COMPRESSIONS[suffix](bomb))
    del bomb
    tracemalloc.start()
    assert lines_of(path) == [b"one", None, b"two"]
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 120 * 2**20
