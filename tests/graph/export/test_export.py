"""Test all formats: a file is complete or absent, and errors are raised before anything is read."""

from pathlib import Path

import pytest

from specter_graph.core.errors import GraphError, InputError
from specter_graph.graph.database import Database
from specter_graph.graph.export import FORMATS, check_export, export_graph
from specter_graph.graph.export.source import Source
from tests.graph.export.rich_corpus import load_rich_corpus


def contents(path: Path) -> dict[str, bytes]:
    if path.is_dir():
        return {file.name: file.read_bytes() for file in sorted(path.iterdir())}
    return {"": path.read_bytes()}


@pytest.mark.parametrize("form", FORMATS)
def test_the_same_graph_gives_the_same_files_and_no_others(
    graph: Database, tmp_path: Path, form: str
):
    load_rich_corpus(graph)
    one, two = (tmp_path / f"{name}{FORMATS[form].suffix}" for name in ("one", "two"))
    summary = export_graph(graph, one)
    export_graph(graph, two)
    assert contents(one) == contents(two)
    lists = {"bibtex": (4, 0, 0), "ris": (4, 0, 0), "csl": (4, 0, 0)}
    written = ({"jsonl": (4, 0, 5), "pyg": (4, 0, 4)} | lists).get(form, (4, 1, 5))
    assert (summary.papers, summary.stubs, summary.citations) == written
    assert (summary.path, summary.format) == (str(one), form)
    assert sorted(tmp_path.iterdir()) == [one, two]


@pytest.mark.parametrize("form", FORMATS)
def test_an_empty_graph_can_be_exported(graph: Database, tmp_path: Path, form: str):
    path = tmp_path / f"out{FORMATS[form].suffix}"
    assert export_graph(graph, path).papers == 0
    assert contents(path)


@pytest.mark.parametrize("form", FORMATS)
def test_an_interrupted_export_leaves_the_old_file_unchanged(
    graph: Database, tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
):
    load_rich_corpus(graph)
    path = tmp_path / f"out{FORMATS[form].suffix}"
    if not FORMATS[form].is_folder:
        path.write_text("before")
    papers = Source.papers

    def breaking(self, *properties, **options):
        for number, paper in enumerate(papers(self, *properties, **options)):
            if number == 2:
                raise KeyboardInterrupt
            yield paper

    monkeypatch.setattr(Source, "papers", breaking)
    with pytest.raises(KeyboardInterrupt):
        export_graph(graph, path)
    assert [file.read_text() for file in tmp_path.iterdir()] == (
        [] if FORMATS[form].is_folder else ["before"]
    )


def test_the_suffix_selects_the_format(tmp_path: Path):
    names = ["a.jsonl", "a.jsonl.gz", "a.parquet", "a.graphml", "a.pt", "a.bib.zst"]
    assert [check_export(tmp_path / name) for name in names] == [
        "jsonl",
        "jsonl",
        "parquet",
        "graphml",
        "pyg",
        "bibtex",
    ]
    for name in ("papers", "a.pt.gz", "a.parquet.zst"):
        with pytest.raises(InputError, match="no known suffix"):
            check_export(tmp_path / name)


def test_an_invalid_output_is_refused_immediately(tmp_path: Path):
    for name in ("full.parquet", "full.jsonl"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mine").touch()
    with pytest.raises(InputError, match="already exists"):
        check_export(tmp_path / "full.parquet")
    with pytest.raises(InputError, match="is a folder"):
        check_export(tmp_path / "full.jsonl")
    with pytest.raises(InputError, match="folder not found"):
        check_export(tmp_path / "absent" / "a.jsonl")
    with pytest.raises(InputError, match="no known suffix"):
        check_export(tmp_path / "a.xls")
    with pytest.raises(InputError, match="bibtex does not support vectors"):
        check_export(tmp_path / "a.bib", ["specter"])
    (tmp_path / "empty.parquet").mkdir()
    check_export(tmp_path / "empty.parquet")


def test_a_missing_space_is_refused(graph: Database, tmp_path: Path):
    load_rich_corpus(graph)
    with pytest.raises(GraphError, match="no embedding space 'sgc'"):
        export_graph(graph, tmp_path / "a.jsonl", spaces=["sgc"])
    assert list(tmp_path.iterdir()) == []
