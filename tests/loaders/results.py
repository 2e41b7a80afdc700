"""Results of reading files, by kind, and JSON values to read."""

from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import strategies as st

from specter_graph.loaders.corpus import find_format
from specter_graph.loaders.format_api import ParseResult, RecordIssue
from specter_graph.loaders.formats.s2 import read_s2
from specter_graph.loaders.records import Paper

SAMPLES = Path(__file__).parent / "formats/samples"
_KEYS = [
    "a", "id", "name", "title", "DOI", "type", "date-parts", "display_name", "author", "creators",
    "tags", "raw",
]  # fmt: skip
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_KEYS), inner),
    max_leaves=8,
)


def read(name: str, contents: bytes | str) -> list[tuple[int, ParseResult]]:
    """Return the results of a file of a format."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(contents.encode() if isinstance(contents, str) else contents)
        return list(find_format(name).read(path, lambda size: None))


def papers(result: list[tuple[int, ParseResult]]) -> list[Paper]:
    return [item for _, item in result if isinstance(item, Paper)]


def count_records(items: list[ParseResult]) -> int:
    """Count papers and rejects, one for each record that was read; check that papers are valid."""
    valid = [item for item in items if isinstance(item, Paper)]
    assert all(paper.id and paper.title for paper in valid)
    rejects = [item for item in items if isinstance(item, RecordIssue) and not item.repaired]
    return len(valid) + len(rejects)


def problems(result: list[tuple[int, ParseResult]]) -> list[tuple[int, str | None, str, bool]]:
    return [
        (line, item.id, item.reason, item.repaired)
        for line, item in result
        if isinstance(item, RecordIssue)
    ]


def s2_sample(name: str) -> list[tuple[int, ParseResult]]:
    return list(read_s2(SAMPLES / name))


def s2_items(contents: bytes | str) -> list[ParseResult]:
    return [item for _, item in read("s2", contents)]


def s2_reasons(items: list[ParseResult]) -> list[str]:
    return [item.reason for item in items if isinstance(item, RecordIssue)]
