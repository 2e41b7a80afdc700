"""The proxy of reviewer matching, on a graph."""

import numpy as np
import pytest

from specter_graph.core.errors import GraphError, LeakError
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, record_space, write_vectors
from specter_graph.graph.loading.loader import load_papers
from specter_graph.loaders.records import Author, Paper
from specter_graph.matching.checking import check_space

PEOPLE, EARLIER = 6, 9


def corpus() -> list[Paper]:
    """Each of six people writes nine papers, then one more that cites the next one's."""
    papers = [
        Paper(f"{who}-{n}", f"{who} {n}", year=2000 + n, authors=(Author(f"a{who}", "A"),))
        for n in range(EARLIER)
        for who in range(PEOPLE)
    ]
    return papers + [
        Paper(
            f"{who}-new",
            f"{who} new",
            year=2020,
            authors=(Author(f"a{who}", "A"),),
            references=(f"{(who + 1) % PEOPLE}-0",),
        )
        for who in range(PEOPLE)
    ]


def write_space(graph: Database, name: str, angle: float, *, sees_edges: bool = False) -> None:
    """Directions on a circle: papers of one person, and next to them those of the next."""
    ids = [paper.id for paper in corpus()]
    turns = np.array([2 * np.pi * int(key.split("-")[0]) / PEOPLE for key in ids])
    turns += np.array([angle * key.endswith("new") for key in ids])
    vectors = np.float32(np.stack([np.cos(turns), np.sin(turns)], 1))
    write_vectors(graph, name, ids, vectors)
    record_space(graph, EmbeddingSpace(name, "base", 2, "m", "m", name, sees_edges=sees_edges))


def test_a_space_that_brings_papers_to_their_authors_has_no_loss(graph: Database):
    load_papers(graph, corpus())
    write_space(graph, "near", 0.3)  # towards the next person, who is cited
    write_space(graph, "opposite", 0.3 + np.pi)
    assert check_space(graph, "near").loss.value == 0
    assert check_space(graph, "near").coverage.reviewers == PEOPLE
    assert check_space(graph, "opposite").loss.value > 0.9


def test_a_space_that_has_seen_the_citations_is_not_judged_by_them(graph: Database):
    load_papers(graph, corpus())
    write_space(graph, "near", 0.3, sees_edges=True)
    with pytest.raises(LeakError, match="'near' has seen the citations"):
        check_space(graph, "near")


def test_a_graph_without_such_authors_says_so(graph: Database):
    load_papers(graph, corpus()[:PEOPLE])
    write_space(graph, "near", 0.3)
    with pytest.raises(GraphError, match="no new paper is by an author"):
        check_space(graph, "near")
