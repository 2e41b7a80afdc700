from pathlib import Path

import pytest

from specter_graph.core.errors import InputError
from specter_graph.loaders.author_merges import read_author_groups


def test_ids_are_separated_by_commas_or_a_json_list(tmp_path: Path):
    path = tmp_path / "same.csv"
    path.write_text(
        '\ufeffa,b\n\n  csl:x , "csl:Smith, J.",y\n["openalex:A1", "dblp:A, B"]\n', encoding="utf-8"
    )
    assert read_author_groups(path) == [
        ["a", "b"],
        ["csl:x", "csl:Smith, J.", "y"],
        ["openalex:A1", "dblp:A, B"],
    ]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        (b"a", "only one id"),
        (b"a,", "empty"),
        (b'["a", 1]', "not a string"),
        (b'["a", "b"', "not CSV or"),
        (b'a,"b', "not CSV or"),
        (b"a,\xff", "not CSV or"),
        (b"a," + b"x" * 1_001, "longer than"),
    ],
)
def test_the_first_invalid_line_is_named(tmp_path: Path, line: bytes, what: str):
    path = tmp_path / "same.csv"
    path.write_bytes(b"x,y\n" + line)
    with pytest.raises(InputError, match=f"same.csv, line 2: .*{what}"):
        read_author_groups(path)


def test_a_file_that_is_missing_or_damaged_is_a_clear_error(tmp_path: Path):
    with pytest.raises(InputError, match="file not found"):
        read_author_groups(tmp_path / "absent.csv")
    (tmp_path / "cut.csv.gz").write_bytes(b"\x1f\x8b\x08")
    with pytest.raises(InputError, match="cut off"):
        read_author_groups(tmp_path / "cut.csv.gz")
    with pytest.raises(InputError, match="cannot be read: Input/output error"):
        read_author_groups("/proc/self/mem")  # can be opened, but not read from its start
