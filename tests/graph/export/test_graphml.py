"""Export GraphML, and read it with NetworkX."""

from pathlib import Path

import networkx as nx

from specter_graph.graph.database import Database
from specter_graph.graph.export import export_graph
from specter_graph.graph.loading.loader import load_papers
from specter_graph.loaders.records import Paper
from tests.graph.export.rich_corpus import NASTY, load_rich_corpus


def test_networkx_reads_papers_with_their_properties_and_citations(graph: Database, tmp_path: Path):
    load_rich_corpus(graph)
    export_graph(graph, tmp_path / "graph.graphml")
    read = nx.read_graphml(tmp_path / "graph.graphml")
    assert type(read) is nx.DiGraph
    assert list(read) == ["a", "b", "c", "d e/f", "unread"]
    assert sorted(read.edges) == [
        ("a", "b"),
        ("a", "c"),
        ("a", "unread"),
        ("b", "c"),
        ("b", "d e/f"),
    ]
    lines = NASTY.replace("\r\n", "\n")  # in XML syntax
    assert read.nodes["a"] == {
        "title": lines,
        "abstract": f"First.\n\nThen: {lines}",
        "year": 1999,
        "published": "1999-07-02",
        "language": "en",
        "url": "https://example.org/a?b=1&c={d}",
        "source": "openalex",
        "retracted": True,
        "doi": "10.1234/x_y",
        "arxiv_id": "hep-ph/9901001",
        "pubmed_id": "17",
        "stub": False,
        "authors": 'Zoë "Z" Ångström; Smith and Sons',
        "venue": "J. of A & B",
        "fields": "k; Disease",
    }
    assert read.nodes["unread"] == {"stub": True}
    assert read.edges["a", "b"] == {"intents": "method; result", "influential": True}
    assert read.edges["b", "c"] == {}


def test_a_selection_is_exported_with_compression(graph: Database, tmp_path: Path):
    load_rich_corpus(graph)
    export_graph(graph, tmp_path / "graph.graphml.gz", around="d e/f", hops=1)
    read = nx.read_graphml(tmp_path / "graph.graphml.gz")
    assert list(read.edges) == [("b", "d e/f")]


def test_characters_that_xml_forbids_are_removed(graph: Database, tmp_path: Path):
    load_papers(graph, [Paper("i\x01d<&\">'", "T\x02\x0b\ufffe]]>")])
    export_graph(graph, tmp_path / "graph.graphml")
    read = nx.read_graphml(tmp_path / "graph.graphml")
    assert dict(read.nodes(data="title")) == {"i\ufffdd<&\">'": "T]]>"}
