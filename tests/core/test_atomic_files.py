"""Check the paths of files before they are written."""

import os
from pathlib import Path

import pytest
from safetensors import SafetensorError

from specter_graph.core.atomic_files import (
    check_file,
    complete_file,
    complete_folder,
    read_ids,
    write_file,
)
from specter_graph.core.errors import InputError


def test_a_pipe_or_a_folder_with_files_is_not_replaced(tmp_path: Path):
    pipe, folder = tmp_path / "pipe", tmp_path / "folder"
    os.mkfifo(pipe)
    folder.mkdir()
    for path, kind in ((pipe, "a pipe or a device"), (folder, "a folder")):
        with pytest.raises(InputError, match=f"{path} is {kind}"):
            write_file(path, "text")
    (folder / "precious").touch()
    with pytest.raises(InputError, match="already exists"), complete_folder(folder):
        pass
    assert (folder / "precious").exists()
    assert pipe.is_fifo()
    assert sorted(tmp_path.iterdir()) == [folder, pipe]


def test_a_link_prepared_by_a_stranger_is_not_followed(tmp_path: Path):
    victim = tmp_path / "victim"
    victim.write_text("precious")
    (tmp_path / f".out.csv.{os.getpid()}.unfinished").symlink_to(victim)
    write_file(tmp_path / "out.csv", "new")
    assert victim.read_text() == "precious"
    assert not (tmp_path / "out.csv").is_symlink()


@pytest.mark.skipif(not hasattr(os, "getuid") or os.getuid() != 0, reason="becomes another user")
def test_a_folder_without_permission_is_an_error_before_the_work():
    child = os.fork()
    if child == 0:
        os.setuid(65534)
        try:
            check_file("/usr/scores.csv")
        except InputError as error:
            is_named = error.message == "/usr/scores.csv cannot be written: no permission to write"
            os._exit(0 if is_named else 2)
        os._exit(1)
    assert os.waitpid(child, 0)[1] == 0


def test_blank_lines_and_a_byte_order_mark_are_no_part_of_ids(tmp_path):
    (tmp_path / "ids.txt").write_bytes(b"\xef\xbb\xbfa\r\n\r\n b \r\n")
    assert read_ids(tmp_path / "ids.txt") == {"a", "b"}


def test_a_full_disk_names_the_file_when_the_error_comes_from_rust(tmp_path):
    def write_half(unfinished: Path) -> None:
        (unfinished / "weights" if unfinished.is_dir() else unfinished).write_text("half")
        raise SafetensorError("Error while serializing: No space left on device (os error 28)")

    for path, complete in ((tmp_path / "file", complete_file), (tmp_path / "m", complete_folder)):
        with (
            pytest.raises(InputError, match=f"the disk of {path} is full"),
            complete(path) as unfinished,
        ):
            write_half(unfinished)
    assert not [*tmp_path.iterdir()]
