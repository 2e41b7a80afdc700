"""Samples are deterministic, and contain held-out papers in proportion to their share.

Papers with the smallest sample keys are held out, so no sample may be ordered by the key itself.
"""

import re
from importlib.resources import files

import numpy as np
import pytest

from specter_graph.cypher import statement
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, write_space
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.queries.library_queries import run_query
from specter_graph.loaders.records import SAMPLE_PRIME, Field, Paper, Venue, sample_key

PAPERS = 2_000
HELD_OUT = 0.2
SPACE = EmbeddingSpace("drawn", "base", 2, "m", "m", digest="d", sees_edges=False)


@pytest.fixture(scope="module")
def drawn(fresh_graph):
    """Load papers of one field and venue, whose vectors show whether they are held out."""
    papers = [
        Paper(
            f"p{number}",
            f"On {number}",
            year=2000,
            venue=Venue("v", "V"),
            fields=(Field("keyword", "f", "f"),),
            references=("p0",) if number else (),
        )
        for number in range(PAPERS)
    ]
    load_papers(fresh_graph, papers, rejects=None)
    held_out = [sample_key(each.id) < HELD_OUT * SAMPLE_PRIME for each in papers]
    vectors = np.array([[each, not each] for each in held_out], dtype=np.float32)
    write_space(fresh_graph, SPACE, [each.id for each in papers], vectors, ["0"] * PAPERS)
    return fresh_graph


def test_no_statement_sorts_by_the_sample_key_itself():
    result = [
        path.name
        for folder in files("specter_graph.cypher").iterdir()
        if folder.is_dir()
        for path in folder.iterdir()
        if path.name.endswith(".cypher")
        and re.search(
            r"ORDER\s+BY\s+(?:(?!LIMIT|RETURN)[^(])*?\w\.sample_key",
            path.read_text(encoding="utf-8"),
        )
    ]
    assert result == []


@pytest.mark.parametrize("largest", [100, 500])
def test_a_sample_of_vectors_has_the_share_of_held_out_papers_that_the_corpus_has(drawn, largest):
    text = statement("embeddings/sample_papers").text
    rows = drawn.read(text, space="drawn", dimension=2, limit=largest)
    assert len(rows) == largest
    assert 0.1 < np.mean([row["vector"][0] for row in rows]) < 0.3


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("heterogeneous_papers", {"from": 2000, "to": 2000, "other": "drawn"}),
        ("suspect_vectors", {"from": 2000, "to": 2000, "min_links": 1, "papers": 100}),
        ("field_outliers", {"field": "f", "papers": 100}),
        ("venue_outliers", {"venue": "v", "papers": 100}),
    ],
)
def test_sampling_queries_reads_a_fraction_of_the_held_out_papers(drawn, name, parameters):
    rows = run_query(drawn, name, parameters | {"space": "drawn", "k": 100}).rows
    assert len(rows) >= 95
    assert 0.1 < np.mean([sample_key(row["id"]) < HELD_OUT * SAMPLE_PRIME for row in rows]) < 0.3
