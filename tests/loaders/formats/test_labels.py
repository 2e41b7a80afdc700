"""Read subject labels; MeSH's files follow "MeSH Data Elements, Descriptors" (NLM)."""

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specter_graph.loaders.format_api import ParseResult, RecordIssue
from specter_graph.loaders.formats.labels import read_labels
from specter_graph.loaders.records import Field, Labels

SAMPLES = Path(__file__).parent / "samples"


def mesh(key: str, name: str | None = None) -> Field:
    return Field("mesh", key, name or key)


def read(folder: Path, text: str, name: str = "snomed.csv") -> list[tuple[int, ParseResult]]:
    path = folder / name
    path.write_text(text)
    return list(read_labels(path))


def test_every_column_is_read():
    assert list(read_labels(SAMPLES / "labels.mixed.csv")) == [
        (2, Labels("p1", (mesh("D1", "Ants"),))),
        (3, Labels("p1", (mesh("D1"), mesh("D2")))),
        (4, Labels("p2", (Field("labels", "ants", "ants"),))),
    ]


def test_a_column_may_be_named_after_the_scheme():
    assert list(read_labels(SAMPLES / "labels.mesh.tsv")) == [
        (2, Labels("p1", (mesh("D1"), mesh("D2"))))
    ]


def test_a_file_may_be_named_after_the_scheme(tmp_path: Path):
    result = read(tmp_path, "paper,label\np1,C1\n", "Snomed.2024.tsv")
    assert result == [(2, Labels("p1", (Field("snomed", "C1", "C1"),)))]


def test_a_vocabulary_has_broader_labels():
    assert list(read_labels(SAMPLES / "labels.vocabulary.csv")) == [
        (2, Field("labels", "C1", "Living things")),
        (3, Field("labels", "C2", "Animals", ("C1",))),
        (4, Field("labels", "C3", "Ants", ("C2", "C9"))),
    ]


@pytest.mark.parametrize("header", ["code,broader", "id,parents", "ID,Parent"])
def test_a_vocabulary_needs_no_names_and_nothing_is_broader_than_itself(
    tmp_path: Path, header: str
):
    assert read(tmp_path, f"{header}\nC1,C1;C2\n") == [(2, Field("snomed", "C1", "C1", ("C2",)))]


def test_mesh_has_the_hierarchy_of_its_tree_numbers():
    result = list(read_labels(SAMPLES / "labels.d2099.bin"))
    assert result[1:] == [
        (1, mesh("D000001", "Animals")),
        (8, Field("mesh", "D000002", "Ants", ("D000001",))),
    ]
    [(line, problem)] = result[:1]
    assert isinstance(problem, RecordIssue)
    assert (line, problem.reason) == (16, "UI or name is missing")


def test_the_tree_of_mesh_has_names_for_ids():
    assert list(read_labels(SAMPLES / "labels.mtrees2099.bin")) == [
        (1, mesh("Organisms")),
        (2, Field("mesh", "Animals", "Animals", ("Organisms",))),
        (3, Field("mesh", "Ants", "Ants", ("Animals",))),
    ]


def test_problems_are_reported_and_the_rest_is_read(tmp_path: Path):
    result = list(read_labels(SAMPLES / "labels.malformed.csv"))
    assert [(line, i.id, i.reason) for line, i in result if isinstance(i, RecordIssue)] == [
        (2, "p1", "the label is missing"),
        (3, None, "the paper is missing"),
    ]
    assert result[2:] == [(4, Labels("p2", (Field("labels", "bees", "bees"),)))]
    [(_, problem)] = read(tmp_path, "id,parent\n,C1\n")
    assert isinstance(problem, RecordIssue)
    assert problem.reason == "id is missing"


@pytest.mark.parametrize(
    "header", ["name,parent", "paper,mesh,mag", "paper_id,paper", "paper,paper"]
)
def test_a_table_without_labels_is_not_loaded(tmp_path: Path, header: str):
    [(_, problem)] = read(tmp_path, f"{header}\n")
    assert isinstance(problem, RecordIssue)
    assert problem.record == header.replace(",", ", ")


CELL = st.text("a;é ", max_size=4)


@settings(max_examples=50)
@given(st.lists(st.tuples(CELL, CELL)), st.sampled_from(["paper,label", "id,parent", "paper,x"]))
def test_every_row_is_an_item_or_a_reasoned_reject(rows: list[tuple[str, str]], header: str):
    text = "\n".join([header, *(f"{first},{second}" for first, second in rows)])
    with TemporaryDirectory() as folder:
        result = [item for _, item in read(Path(folder), text)]
    assert len(result) == len(rows)
    assert all(item.reason for item in result if isinstance(item, RecordIssue))
    assert all(item.fields for item in result if isinstance(item, Labels))
