"""Export tensors for PyTorch Geometric, and read them with torch."""

from pathlib import Path

import torch

from specter_graph.graph.database import Database
from specter_graph.graph.export import export_graph
from specter_graph.graph.loading.loader import load_papers
from specter_graph.loaders.records import SAMPLE_PRIME, Field, Paper
from tests.graph.export.rich_corpus import load_rich_corpus, write_places


def test_papers_citations_labels_and_vectors_by_number(graph: Database, tmp_path: Path):
    load_rich_corpus(graph)
    write_places(graph)
    write_places(graph, "base")
    graph.write("MATCH (p:Paper) SET p.sample_key = $most", most=SAMPLE_PRIME - 1)
    for paper, share in (("b", 0.05), ("c", 0.15)):
        drawn = int(share * SAMPLE_PRIME)
        graph.write("MATCH (p:Paper {id: $id}) SET p.sample_key = $key", id=paper, key=drawn)
    export_graph(graph, tmp_path / "graph.pt", spaces=["specter", "base"])
    stored = torch.load(tmp_path / "graph.pt", weights_only=True)
    assert stored["ids"] == ["a", "b", "c", "d e/f"]
    assert stored["edge_index"].tolist() == [[0, 0, 1, 1], [1, 2, 2, 3]]
    assert stored["x"].tolist() == [
        [0.5, 1.0, 0.5, 1.0],
        [1.5, 2.0, 1.5, 2.0],
        [2.5, 3.0, 2.5, 3.0],
        [0.0, 0.0, 0.0, 0.0],
    ]
    assert stored["x_mask"].tolist() == [True, True, True, False]
    assert stored["classes"] == ["keyword:k", "mesh:D1"]
    assert stored["label_index"].tolist() == [[0, 0, 1, 2], [0, 1, 0, 1]]
    assert stored["y"].tolist() == [0, 0, 1, -1]
    assert stored["year"].tolist() == [1999, 2001, -1, -1]
    assert stored["train_mask"].tolist() == [True, False, False, True]
    assert stored["val_mask"].tolist() == [False, False, True, False]
    assert stored["test_mask"].tolist() == [False, True, False, False]
    assert {key: value.dtype for key, value in stored.items() if key not in ("ids", "classes")} == {
        "x": torch.float32,
        "x_mask": torch.bool,
        "edge_index": torch.int64,
        "y": torch.int64,
        "label_index": torch.int64,
        "year": torch.int64,
        "train_mask": torch.bool,
        "val_mask": torch.bool,
        "test_mask": torch.bool,
    }


def test_the_class_of_a_paper_is_its_field_with_the_largest_number_of_papers(
    graph: Database, tmp_path: Path
):
    fields = {"a": "xy", "b": "yz", "c": "zy", "d": "z", "e": "w", "f": ""}
    load_papers(
        graph,
        [
            Paper(key, "T", fields=tuple(Field("s", name, name) for name in names))
            for key, names in fields.items()
        ],
    )
    export_graph(graph, tmp_path / "graph.pt")
    stored = torch.load(tmp_path / "graph.pt", weights_only=True)
    classes = [stored["classes"][each] if each >= 0 else None for each in stored["y"]]
    # y and z are equally common: the first one is selected
    assert classes == ["s:y", "s:y", "s:y", "s:z", "s:w", None]
    assert "x" not in stored


def test_an_empty_graph_has_empty_tensors(graph: Database, tmp_path: Path):
    load_rich_corpus(graph)
    write_places(graph)
    graph.write("MATCH (p:Paper) DETACH DELETE p")
    export_graph(graph, tmp_path / "graph.pt", spaces=["specter"])
    stored = torch.load(tmp_path / "graph.pt", weights_only=True)
    assert stored["x"].shape == (0, 2)
    assert stored["edge_index"].shape == (2, 0)
    assert stored["label_index"].shape == (2, 0)
