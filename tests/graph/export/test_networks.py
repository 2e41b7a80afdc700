"""Export networks, and read them with NetworkX or as VOSviewer's JSON."""

import json
from pathlib import Path
from typing import Any

import networkx
import pytest

from specter_graph.core.errors import GraphError, InputError
from specter_graph.graph.database import Database
from specter_graph.graph.export.networks import (
    KINDS,
    Network,
    NetworkItem,
    export_network,
    to_networkx,
)
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.maintenance.reading_lists import add_to_list, create_list
from specter_graph.loaders.records import Author, Field, Paper


def paper(id: str, year: int | None, authors: str, words: str, cites: str) -> Paper:
    return Paper(
        id,
        f"On {id}",
        year=year,
        authors=tuple(Author(f"x:{name}", f"{name} Lee") for name in authors),
        fields=tuple(Field("keyword", word, word) for word in words.split()),
        references=tuple(cites.split()),
    )


PAPERS = [
    paper("a", 2001, "AB", 'light "sound" <glass>', "x y z"),
    paper("b", 2003, "ABC", "light glass", "x y"),
    paper("c", None, "CA", 'light "sound"', "y z x"),
    paper("d", 1999, "D", "potatoes", "q"),
    paper("x", 1990, "E", "", ""),
]


@pytest.fixture
def corpus(graph: Database) -> Database:
    load_papers(graph, PAPERS)
    return graph


def expected(kind: str) -> dict[frozenset[str], int]:
    """Count the links by brute force."""
    items = {
        "co-citation": lambda p: p.references,
        "co-author": lambda p: [author.id for author in p.authors],
        "keyword": lambda p: [f"keyword:{field.id}" for field in p.fields],
    }
    weights: dict[frozenset[str], int] = {}
    if kind == "coupling":
        for p in PAPERS:
            for q in PAPERS:
                common = len({*p.references} & {*q.references})
                if p.id < q.id and common:
                    weights[frozenset([p.id, q.id])] = common
        return weights
    for p in PAPERS:
        listed = sorted(items[kind](p))
        for at, first in enumerate(listed):
            for second in listed[at + 1 :]:
                pair = frozenset([first, second])
                weights[pair] = weights.get(pair, 0) + 1
    return weights


def links(graph: Any) -> dict[frozenset[str], int]:
    return {frozenset([a, b]): int(w) for a, b, w in graph.edges(data="weight")}


@pytest.mark.parametrize("kind", KINDS)
def test_networkx_reads_the_expected_counts(kind, corpus: Database, tmp_path: Path):
    for suffix, read in ((".gexf", networkx.read_gexf), (".graphml", networkx.read_graphml)):
        path = tmp_path / f"n{suffix}"
        summary = export_network(corpus, path, kind, min_papers=1, min_weight=1)
        assert links(read(path)) == expected(kind)
        assert summary.links == len(expected(kind))
        assert summary.items == len({item for pair in expected(kind) for item in pair})
    strong = {pair: weight for pair, weight in expected(kind).items() if weight >= 2}
    export_network(corpus, tmp_path / "n.gexf", kind, min_papers=2, min_weight=2)
    assert links(networkx.read_gexf(tmp_path / "n.gexf")) == strong


def test_pajek_has_unique_labels(corpus: Database, tmp_path: Path):
    summary = export_network(corpus, tmp_path / "n.net", "coupling", min_papers=1, min_weight=1)
    graph = networkx.read_pajek(tmp_path / "n.net")
    assert set(graph.nodes) == {"Lee (2001)", "Lee (2003)", "Lee"}
    weights = {frozenset(pair): d["weight"] for *pair, d in graph.edges(data=True)}
    assert weights[frozenset(["Lee (2001)", "Lee"])] == 3
    assert summary.links == 3


def test_the_label_of_a_paper_has_the_family_name_of_its_first_author(
    graph: Database, tmp_path: Path
):
    names = {"a": "Martin King Jr.", "b": "The CLEO Collaboration", "c": "Jan van Dyck"}
    papers = [Paper(id, "T", references=("x",), authors=(Author(n, n),)) for id, n in names.items()]
    load_papers(graph, [*papers, Paper("x", "X")])
    export_network(graph, tmp_path / "n.json", "coupling", min_papers=1, min_weight=1)
    items = json.loads((tmp_path / "n.json").read_bytes())["network"]["items"]
    assert {item["label"] for item in items} == {"King", "The CLEO Collaboration", "van Dyck"}


def test_equal_labels_with_quotes_stay_two_nodes():
    items = [NetworkItem(id, 'A "B"', 'A "B"', 1, None) for id in ("x", "y", "z")]
    graph = to_networkx(Network(items, [(0, 1, 2), (1, 2, 3)]), unique_labels=True)
    assert list(graph.nodes) == ["A 'B'", "A 'B' y", "A 'B' z"]


@pytest.mark.parametrize("suffix", ["gexf", "graphml"])
def test_characters_that_xml_forbids_are_left_out(suffix, graph: Database, tmp_path: Path):
    cites = tuple("xy")
    load_papers(graph, [Paper(id, "A\x0bB", references=cites) for id in ("a", "b\x01")])
    export_network(graph, file := tmp_path / f"n.{suffix}", "coupling", min_papers=1)
    written = getattr(networkx, f"read_{suffix}")(file)
    assert {values["title"] for _, values in written.nodes(data=True)} == {"AB"}
    assert {*written} == {"a", "b\N{REPLACEMENT CHARACTER}"}


def test_vosviewer_has_items_with_weights_and_years(corpus: Database, tmp_path: Path):
    export_network(corpus, tmp_path / "n.json", "keyword", min_papers=2, min_weight=1)
    network = json.loads((tmp_path / "n.json").read_text())["network"]
    assert network["items"][::-1] == [
        {
            "id": 2,
            "label": "light",
            "description": "light",
            "weights": {"Documents": 3, "Links": 1, "Total link strength": 2},
            "scores": {"Avg. pub. year": 2002.0},
        },
        {
            "id": 1,
            "label": '"sound"',
            "description": '"sound"',
            "weights": {"Documents": 2, "Links": 1, "Total link strength": 2},
            "scores": {"Avg. pub. year": 2001.0},
        },
    ]
    assert network["links"] == [{"source_id": 1, "target_id": 2, "strength": 2}]


def test_a_selection_keeps_references_to_other_papers(corpus: Database, tmp_path: Path):
    create_list(corpus, "l")
    add_to_list(corpus, "l", ["a", "c"])
    options = {"min_papers": 1, "min_weight": 1, "list": "l"}
    summary = export_network(corpus, tmp_path / "n.gexf", "coupling", **options)
    assert (summary.papers, summary.items, summary.links) == (2, 2, 1)
    assert links(networkx.read_gexf(tmp_path / "n.gexf")) == {frozenset("ac"): 3}
    export_network(corpus, tmp_path / "n.json", "coupling", **options)
    first, _ = json.loads((tmp_path / "n.json").read_text())["network"]["items"]
    assert first["weights"] == {"References": 3, "Links": 1, "Total link strength": 3}


def test_an_export_that_is_impossible_says_why(corpus: Database, tmp_path: Path):
    with pytest.raises(InputError, match="no known suffix"):
        export_network(corpus, tmp_path / "n.txt", "keyword")
    with pytest.raises(InputError, match="unknown kind"):
        export_network(corpus, tmp_path / "n.gexf", "citation")
    for wrong in ({"min_weight": "2"}, {"min_papers": 1.5}, {"around": "a", "hops": -1}):
        with pytest.raises(InputError, match=rf"{list(wrong)[-1]} is"):
            export_network(corpus, tmp_path / "n.gexf", "keyword", **wrong)
    with pytest.raises(GraphError, match="no reading list 'none'"):
        export_network(corpus, tmp_path / "n.gexf", "keyword", list="none")
    summary = export_network(corpus, tmp_path / "n.net", "keyword", min_papers=99)
    assert (summary.items, summary.links) == (0, 0)
