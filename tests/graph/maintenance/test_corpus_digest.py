"""Test the digest of a corpus."""

from dataclasses import replace

from specter_graph.graph.contents import corpus_fingerprint
from specter_graph.graph.database import Database
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.maintenance.delete import clear
from specter_graph.loaders.records import Paper

PAPERS = [Paper(f"p{n}", f"T{n}", references=(f"p{n + 1}", f"p{n + 2}")) for n in range(20)]


def fingerprint(graph: Database, papers: list[Paper]) -> str:
    clear(graph)
    load_papers(graph, papers)
    return corpus_fingerprint(graph)


def test_the_digest_does_not_depend_on_order_and_vectors(graph: Database):
    first = fingerprint(graph, PAPERS)
    assert len(first) == 16
    assert fingerprint(graph, PAPERS[::-1]) == first
    graph.write("MATCH (p:Paper) SET p.specter = [1.0]")
    assert corpus_fingerprint(graph) == first


def test_different_corpora_have_different_digests(graph: Database):
    changes = [
        [],
        PAPERS,
        PAPERS[1:],
        [replace(PAPERS[0], title="Another"), *PAPERS[1:]],
        [replace(PAPERS[0], references=("p1",)), *PAPERS[1:]],
        [replace(PAPERS[0], references=("p1", "p3")), *PAPERS[1:]],
    ]
    assert len({fingerprint(graph, papers) for papers in changes}) == len(changes)


def test_the_digest_depends_on_the_direction_of_a_citation(graph: Database):
    fingerprints = set()
    for citing, cited in ("pq", "qp"):
        clear(graph)
        graph.write(
            "CREATE (:Paper {id: $citing, sample_key: $p})"
            "-[:CITES]->(:Paper {id: $cited, sample_key: $q})",
            citing=citing,
            cited=cited,
            p=17 if citing == "p" else 23,
            q=17 if cited == "p" else 23,
        )
        fingerprints.add(corpus_fingerprint(graph))
    assert len(fingerprints) == 2
