"""Export Parquet, and read every table."""

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from specter_graph.graph.database import Database
from specter_graph.graph.deduplication.merge import merge
from specter_graph.graph.export import corpus_writers, export_graph
from specter_graph.graph.loading.loader import load_papers
from specter_graph.loaders.records import Identifier, Paper
from tests.graph.export.rich_corpus import NASTY, READING, load_rich_corpus, write_places


def table(folder: Path, name: str) -> list[tuple]:
    rows = pq.read_table(folder / f"{name}.parquet").to_pylist()
    return [tuple(row.values()) for row in rows]


@pytest.mark.parametrize("rows", [1, 1_000])
def test_the_tables_hold_the_graph_without_readers(
    graph: Database, tmp_path: Path, rows: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(corpus_writers, "_ROWS", rows)
    monkeypatch.setattr(corpus_writers, "_PAPER_ROWS", rows)
    load_rich_corpus(graph)
    load_papers(graph, [READING])
    folder = tmp_path / "tables.parquet"
    export_graph(graph, folder)
    papers = pq.read_table(folder / "papers.parquet").to_pylist()
    assert [paper["id"] for paper in papers] == ["a", "b", "c", "d e/f", "unread"]
    assert papers[0] | {"sample_key": 0, "record_version": 0, "load": 0} == {
        "id": "a",
        "labels": [],
        "title": NASTY,
        "abstract": f"First.\n\nThen: {NASTY}",
        "abstract_supplementary": None,
        "year": 1999,
        "published": "1999-07-02",
        "language": "en",
        "url": "https://example.org/a?b=1&c={d}",
        "source": "openalex",
        "body": "All\x1fof it.",
        "retracted": True,
        "doi": "10.1234/x_y",
        "arxiv_id": "hep-ph/9901001",
        "pubmed_id": "17",
        "sample_key": 0,
        "record_version": 0,
        "abstract_version": None,
        "references_version": None,
        "load": 0,
    }
    assert papers[4]["labels"] == ["Stub"]
    citations = table(folder, "citations")
    assert [row[:2] for row in citations] == [
        ("a", "b"),
        ("a", "c"),
        ("a", "unread"),
        ("b", "c"),
        ("b", "d e/f"),
    ]
    assert citations[0][2:5] == (["method", "result"], True, [NASTY, "Second; context."])
    assert sorted(table(folder, "authors")) == [
        ("A1", 'Zoë "Z" Ångström', True, "0000-0002-1825-0097"),
        ("A2", "Smith and Sons", False, None),
    ]
    assert table(folder, "wrote") == [
        ("A1", "a", 1, ["ror:1", "ror:2"]),
        ("A2", "a", 2, None),
        ("A1", "c", 1, None),
    ]
    assert sorted(table(folder, "affiliations")) == [("ror:1", "CERN; Geneva"), ("ror:2", "DESY")]
    assert table(folder, "affiliated_with") == [
        ("A1", "ror:1", 1999, 1999),
        ("A1", "ror:2", 1999, 1999),
    ]
    assert sorted(table(folder, "venues")) == [("V1", "J. of A & B"), ("V2", "K")]
    assert table(folder, "published_in") == [("a", "V1"), ("d e/f", "V2")]
    assert sorted(table(folder, "fields")) == [
        ("keyword", "k", "k", None),
        ("mesh", "D0", "All diseases", True),
        ("mesh", "D1", "Disease", None),
    ]
    assert table(folder, "about") == [
        ("a", "keyword", "k", None),
        ("a", "mesh", "D1", None),
        ("b", "keyword", "k", None),
        ("c", "mesh", "D1", True),
    ]
    assert table(folder, "broader") == [("mesh", "D1", "mesh", "D0")]
    assert sorted(table(folder, "identifies")) == [
        ("arxiv", "hep-ph/9901001", "a"),
        ("doi", "10.1234/x_y", "a"),
        ("pmid", "17", "a"),
    ]
    assert len(table(folder, "identifiers")) == 3
    assert not any(b"reader" in file.read_bytes() for file in folder.iterdir())


def test_a_subgraph_has_each_node_of_its_papers_once(graph: Database, tmp_path: Path):
    load_rich_corpus(graph)
    folder = tmp_path / "tables.parquet"
    export_graph(graph, folder, field="Disease")
    assert [row[0] for row in table(folder, "papers")] == ["a", "c"]
    assert [row[:2] for row in table(folder, "citations")] == [("a", "c")]
    assert sorted(row[0] for row in table(folder, "authors")) == ["A1", "A2"]
    assert [row[0] for row in table(folder, "venues")] == ["V1"]
    assert sorted(row[:2] for row in table(folder, "fields")) == [
        ("keyword", "k"),
        ("mesh", "D0"),
        ("mesh", "D1"),
    ]


def test_vectors_have_the_records_of_their_spaces(graph: Database, tmp_path: Path):
    load_rich_corpus(graph)
    write_places(graph)
    export_graph(graph, tmp_path / "tables.parquet", spaces=["specter"])
    papers = pq.read_table(tmp_path / "tables.parquet" / "papers.parquet")
    assert str(papers.schema.field("specter").type) == "list<element: float>"
    assert papers["specter"].to_pylist() == [[0.5, 1.0], [1.5, 2.0], [2.5, 3.0], None, None]
    assert papers["specter_hash"].to_pylist()[:2] == ["1" * 16, "2" * 16]
    [space] = pq.read_table(tmp_path / "tables.parquet" / "embedding_spaces.parquet").to_pylist()
    assert (space["name"], space["dimension"], space["sees_edges"]) == ("specter", 2, False)


def test_all_ids_of_merged_papers_are_exported(graph: Database, tmp_path: Path):
    doi = (Identifier("doi", "10.1/x"),)
    load_papers(graph, [Paper(each, "T", identifiers=doi) for each in "ab"])
    merge(graph)
    export_graph(graph, tmp_path / "tables.parquet")
    assert [row[0] for row in table(tmp_path / "tables.parquet", "papers")] == ["a"]
    assert sorted(table(tmp_path / "tables.parquet", "describes")) == [("a", "a"), ("b", "a")]
    assert sorted(row[0] for row in table(tmp_path / "tables.parquet", "source_records")) == [
        "a",
        "b",
    ]
