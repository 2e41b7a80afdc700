"""Test the counts of `spaces check`, and index settings, on spaces with deliberate errors."""

from dataclasses import replace

import numpy as np
import pytest

from specter_graph.core.errors import GraphError
from specter_graph.graph.embeddings import index
from specter_graph.graph.embeddings.embed import embed
from specter_graph.graph.embeddings.index import (
    Dialect,
    IndexSettings,
    await_index,
    create_index,
    drop_index,
)
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.embeddings.spaces import (
    EmbeddingSpace,
    delete_space,
    list_spaces,
    record_space,
    text_hash,
    write_space,
    write_vectors,
)
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.search import space_check
from specter_graph.graph.search.space_check import check
from specter_graph.loaders.records import Paper
from tests.fake_encoders import LetterCounts
from tests.graph.citation_graphs import held_out_ids

PLACES = np.random.default_rng(0).normal(size=(60, 3)).astype(np.float32)
RECORD = EmbeddingSpace("three", "base", 3, "m", "m", digest="d", sees_edges=False)


@pytest.fixture
def space(graph, no_vector_indexes):
    load_papers(graph, [Paper(f"p{n}", f"title {n}") for n in range(60)], rejects=None)
    texts = {text.id: text for text in paper_texts(graph)}
    ids = [f"p{n}" for n in range(60)]
    write_space(graph, RECORD, ids, PLACES, [text_hash("d", texts[paper]) for paper in ids])
    return graph


def test_a_correct_space_has_no_errors(space, monkeypatch):
    monkeypatch.setattr(space_check, "BLOCK", 7)
    [result] = check(space, "three", queries=20)
    assert (result.papers, result.vectors, result.missing, result.outdated) == (60, 60, 0, 0)
    assert (result.misshapen, result.queries, result.recall) == (0, 20, 1.0)


def test_old_missing_and_malformed_vectors_are_counted(space):
    load_papers(space, [Paper("p3", "another title"), Paper("new", "new")], rejects=None)
    write_vectors(space, "three", ["p5"], np.ones((1, 2), dtype=np.float32), ["0" * 16])
    [result] = check(space)
    assert (result.papers, result.vectors, result.missing, result.outdated) == (61, 60, 1, 2)
    assert (result.misshapen, result.queries) == (1, 59)


def test_vectors_of_texts_with_references_are_outdated_when_a_reference_changes(graph):
    """References from and to held-out papers are in no text: their changes do not count."""
    ids = [f"p{n:02}" for n in range(20)]
    papers = [Paper(paper, "a", references=tuple(ids)) for paper in ids]
    load_papers(graph, papers)
    embed(graph, LetterCounts(parts=("title", "references")), "three", holdout=0.1)
    held_out = held_out_ids(graph, 0.1)
    training = [paper for paper in papers if paper.id not in held_out]
    assert 0 < len(training) < 20
    for changed, outdated in ((held_out, len(held_out)), ({training[0].id}, 20)):
        load_papers(graph, [replace(each, title="b") for each in papers if each.id in changed])
        assert check(graph, "three", queries=0)[0].outdated == outdated


def test_vectors_of_a_model_that_was_trained_with_another_split_are_not_outdated(graph):
    ids = [f"p{n:02}" for n in range(20)]
    load_papers(graph, [Paper(paper, "a", references=tuple(ids)) for paper in ids])
    model = {"kind": "full", "holdout": 0.1, "split": "other"}
    embed(graph, LetterCounts(parts=("title", "references"), **model), "three")
    assert check(graph, "three", queries=0)[0].outdated == 0


def test_all_spaces_are_checked_although_one_has_no_index_and_one_is_being_replaced(space):
    for name in ("bare", "changing"):
        write_space(space, replace(RECORD, name=name), ["p1"], PLACES[:1], ["0" * 16])
    drop_index(space, "bare")
    record_space(space, replace(RECORD, name="changing", replacing=True))
    bare, changing, three = check(space, queries=5)
    assert (three.space, three.recall, three.error) == ("three", 1.0, None)
    assert (bare.vectors, bare.missing, bare.recall) == (1, 59, None)
    assert bare.error.startswith("the vector index of 'bare' does not exist; try: ")
    assert "are being replaced" in changing.error
    with pytest.raises(GraphError, match="does not exist"):
        check(space, "bare")


def test_the_recall_is_that_of_the_index(space, monkeypatch):
    exact = space_check._exact

    def exact_and_nowhere(*arguments):
        first, *_ = exact(*arguments)
        return [first, {f"no {paper}" for paper in first}]

    monkeypatch.setattr(space_check, "_exact", exact_and_nowhere)
    [result] = check(space, "three", queries=2)
    assert result.recall == 0.5


def test_a_dropped_space_leaves_no_record_and_no_index(space):
    delete_space(space, "three")
    assert list_spaces(space) == []
    assert space.read("SHOW VECTOR INDEXES YIELD name RETURN name") == []


def settings_of(graph):
    [row] = graph.read("SHOW VECTOR INDEXES YIELD options RETURN options.indexConfig AS config")
    config = row["config"]
    return (  # later servers than the tested one show another setting
        config.get("vector.quantization.enabled", config.get("vector.quantization.type") != "NONE"),
        config["vector.hnsw.m"],
        config["vector.hnsw.ef_construction"],
    )


def test_a_new_index_considers_50_neighbors_for_a_link(space):
    assert settings_of(space) == (True, 16, 50)


def test_the_vectors_are_not_rounded_if_the_server_returns_their_scores(space, monkeypatch):
    monkeypatch.setattr(index, "read_dialect", lambda _: Dialect(False, vector_values=False))
    drop_index(space, "three")
    create_index(space, "three", 3)
    assert settings_of(space) == (False, 16, 50)


def test_an_index_keeps_its_settings(space):
    create_index(space, "three", 3, IndexSettings(quantize=False, m=8, ef=60))
    assert settings_of(space) == (False, 8, 60)
    create_index(space, "three", 3)
    assert settings_of(space) == (False, 8, 60)
    create_index(space, "three", 3, IndexSettings(ef=70))
    assert settings_of(space) == (False, 8, 70)
    create_index(space, "three", 3, IndexSettings(m=9))
    assert settings_of(space) == (False, 9, 70)
    await_index(space, "three")
    with pytest.raises(GraphError, match="rejects the index"):
        create_index(space, "three", 3, IndexSettings(m=100_000))
