"""Test the index of a space, in the syntax of old and new servers."""

import numpy as np
import pytest

from specter_graph.graph.embeddings.index import (
    Dialect,
    await_index,
    create_index,
    drop_index,
    read_dialect,
    render_placeholders,
)
from specter_graph.graph.embeddings.spaces import write_vectors
from tests.graph.small_corpus import load_small_corpus, write_places

QUERY = """
MATCH (paper:Paper {id: $id})
{{$k nearest to paper[$space] in $space}}
WHERE near <> paper
RETURN near.id AS id, score ORDER BY score DESC
"""


def dimensions(graph):
    rows = graph.read("SHOW VECTOR INDEXES YIELD name, options RETURN name, options")
    return {row["name"]: row["options"]["indexConfig"]["vector.dimensions"] for row in rows}


def test_old_and_new_servers_get_their_own_syntax():
    new = render_placeholders(QUERY, {"space": "specter"}, Dialect(search=True, vector_values=True))
    assert new.startswith("CYPHER 25")
    assert "IN (VECTOR INDEX paper_specter FOR paper[$space] LIMIT $k)" in new
    old = render_placeholders(
        QUERY, {"space": "specter"}, Dialect(search=False, vector_values=False)
    )
    assert "db.index.vector.queryNodes('paper_specter', $k, paper[$space])" in old
    assert "{{" not in new + old


def test_a_statement_without_a_placeholder_is_unchanged():
    text = "MATCH (p:Paper {id: $id}) RETURN p.title"
    assert render_placeholders(text, {}, Dialect(search=True, vector_values=True)) == text


def test_the_syntax_of_the_server_is_detected(graph):
    assert read_dialect(graph) == Dialect(search=True, vector_values=True)


def test_both_dialects_give_the_same_papers_and_scores(graph):
    load_small_corpus(graph)
    write_places(graph, "specter", 1)
    new, old = (
        graph.read(
            render_placeholders(QUERY, {"space": "specter"}, Dialect(search, vector_values=False)),
            id="q",
            space="specter",
            k=4,
        )
        for search in (True, False)
    )
    assert new == old
    assert [row["id"] for row in new] == ["later", "c", "a"]


def test_an_index_of_another_dimension_is_created_again(graph, no_vector_indexes):
    load_small_corpus(graph)
    create_index(graph, "specter", 2)
    create_index(graph, "specter", 2)
    await_index(graph, "specter")
    assert dimensions(graph) == {"paper_specter": 2}
    create_index(graph, "specter", 3)
    await_index(graph, "specter")
    assert dimensions(graph) == {"paper_specter": 3}
    drop_index(graph, "specter")
    drop_index(graph, "specter")
    assert dimensions(graph) == {}


@pytest.mark.parametrize("vector_values", [True, False])
def test_both_methods_of_sending_vectors_store_the_same(graph, monkeypatch, vector_values):
    from specter_graph.graph.embeddings import spaces

    load_small_corpus(graph)
    monkeypatch.setattr(spaces, "read_dialect", lambda _: Dialect(True, vector_values))
    vectors = np.array([[1 / 3, -2.5, 1e-20]], dtype=np.float32)
    write_vectors(graph, "specter", ["q"], vectors)
    stored = graph.read("MATCH (p:Paper {id: 'q'}) RETURN p.specter AS vector")[0]["vector"]
    assert np.array_equal(np.array(stored, dtype=np.float32), vectors[0])
