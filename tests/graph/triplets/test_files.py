import hashlib

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from specter_graph.core.errors import InputError
from specter_graph.graph.triplets.triplet_files import (
    SCHEMA,
    check_path,
    read_triplets,
    write_triplets,
)

SUFFIXES = [".parquet", ".jsonl", ".jsonl.gz", ".jsonl.zst"]
ROWS = [
    {"query": f"q{i}", "positive": "é/1", "negative": "n\n", "hard": i % 2 == 0} for i in range(9)
]


def batches():
    yield pa.RecordBatch.from_pylist(ROWS[:4], SCHEMA)
    yield pa.RecordBatch.from_pylist(ROWS[4:], SCHEMA)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_written_triplets_are_read_again(tmp_path, suffix):
    path = write_triplets(batches(), tmp_path / f"t{suffix}")
    result = list(read_triplets(path))
    assert all(batch.schema == SCHEMA for batch in result)
    assert [row for batch in result for row in batch.to_pylist()] == ROWS


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_no_triplets_are_an_error_and_leave_no_file(tmp_path, suffix):
    with pytest.raises(InputError, match="there are no triplets"):
        write_triplets([], tmp_path / f"t{suffix}")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_equal_triplets_have_equal_bytes(tmp_path, suffix):
    digests = {
        hashlib.sha256(write_triplets(batches(), tmp_path / f"{n}{suffix}").read_bytes()).digest()
        for n in range(2)
    }
    assert len(digests) == 1


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_failed_mining_keeps_the_old_file(tmp_path, suffix):
    path = tmp_path / f"t{suffix}"
    path.write_text("old")

    def failing():
        yield from batches()
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_triplets(failing(), path)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_unknown_suffix_is_refused(tmp_path):
    with pytest.raises(InputError, match="has no known suffix"):
        check_path(tmp_path / "triplets.csv")


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(InputError, match="folder not found"):
        check_path(tmp_path / "nowhere" / "t.parquet")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match="no file"):
        list(read_triplets(tmp_path / "t.parquet"))


@pytest.mark.parametrize(
    "line", ["{", "[]", '{"query": "q"}', '{"query":1,"positive":"p","negative":"n","hard":true}']
)
def test_a_line_that_is_no_triplet_is_named(tmp_path, line):
    path = tmp_path / "t.jsonl"
    good = '{"query":"q","positive":"p","negative":"n","hard":false}'
    path.write_text(f"{good}\n{line}\n")
    with pytest.raises(InputError, match=r"line 2, is not a triplet") as caught:
        list(read_triplets(path))
    assert '{"query": "...",' in caught.value.hint


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_a_truncated_file_is_named(tmp_path, suffix):
    path = write_triplets(batches(), tmp_path / f"t{suffix}")
    path.write_bytes(path.read_bytes()[:-9])
    with pytest.raises(InputError, match=rf"t\{suffix}"):
        list(read_triplets(path))


def test_a_broken_file_is_named(tmp_path):
    parquet = tmp_path / "t.parquet"
    parquet.write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"t\.parquet"):
        list(read_triplets(parquet))
    pq.write_table(pa.table({"query": ["q"]}), parquet)
    with pytest.raises(InputError, match="no column"):
        list(read_triplets(parquet))
