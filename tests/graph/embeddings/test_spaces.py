"""Test embedding spaces: names, records and vectors."""

from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specter_graph.core.errors import GraphError, ModelError
from specter_graph.graph.embeddings import spaces
from specter_graph.graph.embeddings.index import property_name
from specter_graph.graph.embeddings.spaces import (
    EmbeddingSpace,
    delete_space,
    get_space,
    list_spaces,
    outdated_ids,
    read_vectors,
    record_space,
    require_model,
    text_hash,
    write_space,
    write_vectors,
)
from specter_graph.groups.spaces import Spaces
from specter_graph.loaders.records import PaperText
from tests.graph.small_corpus import PAPERS, load_small_corpus, write_places

SPACE = EmbeddingSpace("specter", "head", 2, "/models/one", "minilm", "d1", holdout=0.1, split="")


@pytest.fixture
def corpus(graph, no_vector_indexes):
    load_small_corpus(graph)
    return graph


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        (np.array([[0, 1], [2, np.nan]], np.float32), "the vector of 'b' has NaN or infinity"),
        (np.array([[-np.inf, 1], [2, 0]], np.float32), "the vector of 'a' has NaN or infinity"),
        (np.ones((2, 4_097), np.float32), "up to 4,096 dimensions, not 4,097"),
    ],
)
def test_vectors_that_neo4j_cannot_store_are_an_error_with_a_hint(corpus, vectors, message):
    with pytest.raises(GraphError, match=message) as caught:
        write_vectors(corpus, "odd", ["a", "b"], vectors)
    assert caught.value.hint


@pytest.mark.parametrize("name", ["specter", "specter_2", "s", "x" * 63])
def test_a_plain_name_can_name_a_space(name):
    assert property_name(name) == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        "Specter",
        "2nd",
        "a-b",
        "a b",
        "a`b",
        "x" * 64,
        "title",
        "sample_key",
        "sgc_hash",
        "a__next",
        "ä",
    ],
)
def test_names_that_cypher_or_papers_reserve_are_rejected(name):
    with pytest.raises(GraphError) as caught:
        property_name(name)
    assert caught.value.hint


@given(st.text(max_size=70))
def test_no_valid_name_can_end_an_identifier(name):
    try:
        passed = property_name(name)
    except GraphError:
        return
    assert passed.isascii()
    assert passed.replace("_", "").isalnum()


def test_a_text_hash_changes_with_the_model_the_title_and_the_abstract():
    texts = [PaperText("1", "a", "b"), PaperText("1", "ab", None), PaperText("1", "a", None)]
    hashes = {text_hash(digest, text) for digest in ("d", "e") for text in texts}
    assert len(hashes) == 6
    assert text_hash("d", PaperText("1", "a", None)) == text_hash("d", PaperText("2", "a", ""))


def test_a_record_is_read_as_written_and_replaces_an_older_one(graph):
    record_space(graph, EmbeddingSpace("specter", "base", 3, "minilm", "minilm", "d0"))
    record_space(graph, SPACE)
    assert list_spaces(graph) == [SPACE]
    assert get_space(graph, "specter") == SPACE


def test_a_record_of_a_user_needs_only_a_name_and_a_dimension(corpus):
    corpus.write("CREATE (:EmbeddingSpace {property: 'mine', dimension: 2})")
    corpus.write("CREATE (:EmbeddingSpace {property: 'other'}), (:EmbeddingSpace {dimension: 3})")
    [mine] = list_spaces(corpus)
    assert mine == get_space(corpus, "mine")
    assert (mine.name, mine.dimension, mine.kind, mine.model) == ("mine", 2, "imported", "")
    write_vectors(corpus, "mine", ["a", "b"], np.ones((2, 2), dtype=np.float32))
    assert read_vectors(corpus, "mine")[0] == ["a", "b"]
    with pytest.raises(GraphError, match="no embedding space 'other'; there are mine"):
        get_space(corpus, "other")


def test_the_error_for_an_unknown_space_lists_the_known_ones(corpus):
    with pytest.raises(GraphError, match="there is none yet") as error:
        get_space(corpus)
    assert "embed --space specter" not in str(error.value.hint)  # it would not be trained
    record_space(corpus, SPACE)
    with pytest.raises(GraphError, match="no embedding space 'sgc'; there are specter"):
        get_space(corpus, "sgc")


def test_the_error_for_a_model_that_was_moved_names_the_command_for_its_new_folder(
    corpus, tmp_path
):
    record_space(corpus, replace(SPACE, model=str(tmp_path / "moved")))
    with pytest.raises(ModelError, match=r"no longer at .*moved") as error:
        Spaces(corpus).embed_text("tides", "specter")
    assert "embed --model FOLDER --space specter" in str(error.value.hint)


@pytest.mark.parametrize("batch", [1, 3, 1_000])
def test_vectors_are_read_as_written(corpus, monkeypatch, batch):
    monkeypatch.setattr(spaces, "WRITE_BATCH", batch)
    monkeypatch.setattr(spaces, "READ_BATCH", batch)
    record_space(corpus, SPACE)
    vectors = np.random.default_rng(0).normal(size=(len(PAPERS), 2)).astype(np.float32)
    write_vectors(corpus, "specter", list(PAPERS), vectors, ["h"] * len(PAPERS))
    ids, result = read_vectors(corpus, "specter")
    assert ids == sorted(PAPERS)
    order = [list(PAPERS).index(paper) for paper in ids]
    assert result.dtype == np.float32
    assert np.array_equal(result, vectors[order])
    ids, result = read_vectors(corpus, "specter", ["n", "unread", "nowhere", "a"])
    assert ids == ["n", "a"]
    assert np.array_equal(result, vectors[[5, 1]])


def test_a_space_without_vectors_reads_as_no_rows(corpus):
    record_space(corpus, SPACE)
    ids, vectors = read_vectors(corpus, "specter")
    assert (ids, vectors.shape) == ([], (0, 2))


def test_a_vector_is_outdated_when_its_hash_differs_or_is_missing(corpus):
    vectors = np.ones((2, 2), dtype=np.float32)
    write_vectors(corpus, "specter", ["a", "b"], vectors, ["one", "two"])
    pairs = [("a", "one"), ("b", "other"), ("c", "three")]
    assert outdated_ids(corpus, "specter", pairs) == ["b", "c"]


def test_as_many_vectors_as_ids_are_required(graph):
    with pytest.raises(ValueError, match="2 ids for 1 vectors"):
        write_vectors(graph, "specter", ["a", "b"], np.ones((1, 2), dtype=np.float32))


def test_a_paper_that_is_deleted_while_vectors_are_written_is_skipped(corpus):
    record_space(corpus, SPACE)
    with ThreadPoolExecutor(1) as executor, corpus.session() as session:
        deletion = session.begin_transaction()
        deletion.run("MATCH (p:Paper {id: 'a'}) DETACH DELETE p").consume()
        vectors = np.ones((2, 2), dtype=np.float32)
        writing = executor.submit(write_vectors, corpus, "specter", ["a", "b"], vectors, ["", ""])
        wait([writing], timeout=1)
        deletion.commit()
        writing.result()
    assert read_vectors(corpus, "specter")[0] == ["b"]


def test_a_replaced_space_has_no_data_of_the_old_one(corpus):
    write_places(corpus, "specter", 1)
    write_space(corpus, SPACE, ["q"], np.ones((1, 2), dtype=np.float32))
    assert list_spaces(corpus) == [SPACE]
    assert read_vectors(corpus, "specter")[0] == ["q"]
    assert corpus.read("MATCH (p:Paper) WHERE p.specter_hash IS NOT NULL RETURN p") == []


def test_a_space_can_be_searched_while_it_is_replaced(corpus, monkeypatch):
    write_places(corpus, "specter", 1)
    before = get_space(corpus, "specter"), read_vectors(corpus, "specter")[1].tolist()

    def killed(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(spaces, "replace_vectors", killed)
        with pytest.raises(KeyboardInterrupt):
            write_space(corpus, SPACE, ["q"], np.ones((1, 2), dtype=np.float32))
    assert (get_space(corpus, "specter"), read_vectors(corpus, "specter")[1].tolist()) == before


def test_vectors_of_two_models_are_not_read_together(corpus, monkeypatch):
    write_places(corpus, "specter", 1)
    first_batches = spaces.batches

    def batches_while_replaced(rows, size):
        stored = first_batches(rows, 2)
        yield next(stored)
        other = replace(SPACE, dimension=3)
        write_space(corpus, other, list(PAPERS), np.ones((len(PAPERS), 3), dtype=np.float32))
        yield from stored

    with monkeypatch.context() as patch:
        patch.setattr(spaces, "batches", batches_while_replaced)
        with pytest.raises(GraphError, match="'specter' were replaced by those of another model"):
            read_vectors(corpus, "specter")
    assert read_vectors(corpus, "specter")[1].shape == (len(PAPERS), 3)


def test_dropping_a_space_leaves_the_others(corpus):
    write_places(corpus, "specter", 1)
    write_places(corpus, "sgc", 2)
    write_vectors(corpus, "specter__next", ["a"], np.ones((1, 2), np.float32))
    delete_space(corpus, "specter")
    delete_space(corpus, "specter")
    assert [each.name for each in list_spaces(corpus)] == ["sgc"]
    assert len(read_vectors(corpus, "sgc")[0]) == len(PAPERS)
    result = corpus.read(
        "MATCH (p:Paper) WHERE any(key IN keys(p) WHERE key STARTS WITH 'specter') RETURN p.id"
    )
    indexes = corpus.read("SHOW VECTOR INDEXES YIELD name RETURN name")
    assert (result, indexes) == ([], [{"name": "paper_sgc"}])


def test_free_text_is_embedded_by_the_model_of_the_space():
    require_model(SPACE, "d1")
    with pytest.raises(GraphError, match="not the model that made"):
        require_model(SPACE, "d2")
