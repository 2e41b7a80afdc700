"""Embed only new and changed papers, whatever happened before."""

from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace

import numpy as np
import pytest

from specter_graph.core.errors import GraphError, LeakError
from specter_graph.core.progress import silent
from specter_graph.graph.embeddings import embed as embed_module
from specter_graph.graph.embeddings import spaces
from specter_graph.graph.embeddings.embed import embed
from specter_graph.graph.embeddings.index import drop_index
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.embeddings.spaces import (
    check_no_leakage,
    find_space,
    get_space,
    list_spaces,
    read_vectors,
    record_space,
)
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.queries.library_queries import run_query
from specter_graph.graph.search.space_check import check
from specter_graph.graph.search.vector_search import similar
from specter_graph.loaders.records import Paper
from tests.fake_encoders import LetterCounts


def head(**changes):
    return LetterCounts(
        "trained",
        "head",
        "/models/one",
        holdout=0.1,
        trained_on="f",
        learned_from=("citations", "co_read"),
        **changes,
    )


@pytest.fixture
def corpus(graph):
    papers = [Paper(f"p{n}", "a" * n, "b", references=("stub",)) for n in range(1, 6)]
    load_papers(graph, papers, rejects=None)
    return graph


def test_all_papers_are_embedded_recorded_and_searchable(corpus):
    summary = embed(corpus, head(), "specter")
    assert (summary.embedded, summary.unchanged, summary.replaced) == (5, 0, False)
    ids, vectors = read_vectors(corpus, "specter")
    assert ids == ["p1", "p2", "p3", "p4", "p5"]
    assert vectors[1].tolist() == [3, 2]
    record = get_space(corpus, "specter")
    assert (record.kind, record.model, record.base) == ("head", "/models/one", "letters")
    assert (record.holdout, record.trained_on) == (0.1, "f")
    assert record.learned_from == ("citations", "co_read")
    assert record.sees_edges
    assert [hit.id for hit in similar(corpus, "p1", "specter", k=2)] == ["p2", "p3"]


def test_a_second_run_embeds_nothing(corpus):
    embed(corpus, LetterCounts(), "base")
    before = get_space(corpus, "base")
    again = LetterCounts()
    summary = embed(corpus, again, "base")
    assert (summary.embedded, summary.unchanged, again.encoded) == (0, 5, [])
    assert get_space(corpus, "base") == before
    assert not before.sees_edges


def test_a_second_run_embeds_new_and_changed_papers(corpus):
    embed(corpus, LetterCounts(), "base")
    load_papers(corpus, [Paper("p3", "aaa", "bbb"), Paper("p0", "a", None)], rejects=None)
    again = LetterCounts()
    embed(corpus, again, "base")
    assert sorted(again.encoded) == ["p0", "p3"]
    assert read_vectors(corpus, "base", ["p3"])[1].tolist() == [[3, 3]]


def test_papers_without_a_title_are_skipped_and_counted(corpus):
    corpus.write(
        "CREATE (:Paper {id: 'own', sample_key: 1}),"
        " (:Paper {id: 'number', sample_key: 2, title: 7})"
    )
    before = embed(corpus, LetterCounts())
    assert before.untitled == 2
    assert "own" not in read_vectors(corpus, "specter")[0]
    corpus.write("MATCH (p:Paper {id: 'own'}) SET p.title = 'It has one now'")
    after = embed(corpus, LetterCounts())
    assert (after.embedded, after.untitled) == (1, 1)


def test_a_stub_is_embedded_when_its_record_is_loaded(corpus):
    embed(corpus, LetterCounts(), "base")
    load_papers(corpus, [Paper("stub", "ab")], rejects=None)
    assert embed(corpus, LetterCounts(), "base").embedded == 1


def test_an_interrupted_run_is_completed_by_the_next(corpus, monkeypatch):
    monkeypatch.setattr(embed_module, "CHUNK", 2)
    with pytest.raises(KeyboardInterrupt):
        embed(corpus, LetterCounts(fail_after=4), "base")
    assert list_spaces(corpus) == []
    again = LetterCounts()
    summary = embed(corpus, again, "base")
    assert (again.encoded, summary.unchanged) == (["p5"], 4)
    assert len(read_vectors(corpus, "base")[0]) == 5


def test_an_interrupted_run_with_another_hold_out_hides_no_citations(graph, monkeypatch):
    """Otherwise vectors that have seen the titles of held-out references would be scored."""
    monkeypatch.setattr(embed_module, "CHUNK", 2)
    ids = [f"p{n:02}" for n in range(20)]
    load_papers(graph, [Paper(paper, "a", references=tuple(ids)) for paper in ids])

    def encoder(**changes):
        return LetterCounts(parts=("title", "references"), **changes)

    embed(graph, encoder(), "base", holdout=0.1)
    check_no_leakage([get_space(graph, "base")], 0.1)
    with pytest.raises(KeyboardInterrupt):
        embed(graph, encoder(fail_after=2), "base", holdout=0)
    with pytest.raises(LeakError):
        check_no_leakage([get_space(graph, "base")], 0.1)
    again = encoder()
    embed(graph, again, "base", holdout=0.1)
    assert again.encoded == ["p00", "p01"]
    check_no_leakage([get_space(graph, "base")], 0.1)


def test_an_error_of_the_writer_ends_the_run_without_a_record(corpus, monkeypatch):
    monkeypatch.setattr(embed_module, "CHUNK", 2)

    class OneShort(LetterCounts):
        def encode(self, texts, progress=silent):
            return super().encode(texts)[: -1 if "p3" in [text.id for text in texts] else None]

    with pytest.raises(ValueError, match="2 ids for 1 vectors"):
        embed(corpus, OneShort(), "base")
    assert list_spaces(corpus) == []
    assert embed(corpus, LetterCounts(), "base").unchanged == 2


def test_another_model_replaces_all_vectors_of_a_space(corpus):
    class Wider(LetterCounts):
        def encode(self, texts, progress=silent):
            return np.hstack([super().encode(texts), np.ones((len(texts), 1), np.float32)])

    embed(corpus, LetterCounts(), "base")
    summary = embed(corpus, Wider(digest="wider", dimension=3), "base")
    assert (summary.embedded, summary.replaced) == (5, True)
    assert read_vectors(corpus, "base")[1].shape == (5, 3)
    assert similar(corpus, "p1", "base", k=1)[0].id == "p2"


def test_a_head_starts_from_stored_base_vectors_that_are_current(corpus):
    embed(corpus, LetterCounts(), "base")
    load_papers(corpus, [Paper("p3", "aaa", "bbb")], rejects=None)
    encoder = head()
    summary = embed(corpus, encoder, "specter")
    assert encoder.reused == ["p1", "p2", "p4", "p5"]
    assert (summary.embedded, summary.reused) == (5, 4)
    assert read_vectors(corpus, "specter", ["p2", "p3"])[1].tolist() == [[3, 2], [4, 4]]


def test_a_head_that_replaces_its_base_starts_from_its_vectors(corpus):
    embed(corpus, LetterCounts(), "specter")
    summary = embed(corpus, head(), "specter")
    assert (summary.embedded, summary.reused, summary.replaced) == (5, 5, True)
    assert read_vectors(corpus, "specter", ["p2"])[1].tolist() == [[3, 2]]


def test_the_record_has_the_precision_of_all_vectors(corpus):
    def recorded(name):
        return next(each.precision for each in list_spaces(corpus) if each.name == name)

    embed(corpus, LetterCounts(precision="int8"), "base")
    assert recorded("base") == "int8"
    embed(corpus, LetterCounts(precision="float32"), "base")  # this run computes nothing
    assert recorded("base") == "int8"
    embed(corpus, head(precision="float32"), "specter")  # computed from the base vectors
    assert recorded("specter") == "int8"
    load_papers(corpus, [Paper("p6", "aa", "b")])
    embed(corpus, LetterCounts(precision="bfloat16"), "base")
    assert recorded("base") == "bfloat16, int8"
    corpus.write("MATCH (s:EmbeddingSpace {property: 'base'}) REMOVE s.precision")
    load_papers(corpus, [Paper("p7", "aa", "b")])
    # The precision of five vectors is unknown.
    embed(corpus, LetterCounts(precision="bfloat16"), "base")
    assert recorded("base") == ""


def test_progress_ends_at_all_papers(corpus, monkeypatch):
    monkeypatch.setattr(embed_module, "CHUNK", 2)
    steps = []
    embed(corpus, LetterCounts(), "base", progress=lambda *step: steps.append(step))
    assert [step for step in steps if step[0] == "embed"][-1] == ("embed", 5, 5)


def other_model(**changes):
    """Return a model in which p1, with the fewest letters a, is nearest to p5."""
    return Mirrored(digest="mirrored", **changes)


class Mirrored(LetterCounts):
    def encode(self, texts, progress=silent):
        return np.array([[6 if t.id == "p1" else -len(t.title), 1] for t in texts], np.float32) + (
            0 * super().encode(texts)
        )


def test_the_old_vectors_are_searched_until_all_new_ones_are_written(corpus, monkeypatch):
    monkeypatch.setattr(embed_module, "CHUNK", 2)
    embed(corpus, LetterCounts(), "base")
    before = get_space(corpus, "base"), [hit.id for hit in similar(corpus, "p1", "base", k=4)]
    with pytest.raises(KeyboardInterrupt):
        embed(corpus, other_model(fail_after=4), "base")
    after = get_space(corpus, "base"), [hit.id for hit in similar(corpus, "p1", "base", k=4)]
    assert after == before
    assert before[1] == ["p2", "p3", "p4", "p5"]
    again = other_model()
    summary = embed(corpus, again, "base")
    assert (again.encoded, summary.unchanged, summary.replaced) == (["p5"], 4, True)
    assert read_vectors(corpus, "base")[1][:, 0].tolist() == [6, -2, -3, -4, -5]
    assert get_space(corpus, "base").digest == "mirrored"
    assert corpus.read("MATCH (p:Paper) WHERE p.base__next IS NOT NULL RETURN p.id") == []
    assert corpus.read("MATCH (p:Paper) WHERE p.base__next_hash IS NOT NULL RETURN p.id") == []


@pytest.mark.parametrize("second_digest", ["mirrored", "third"])
@pytest.mark.parametrize("is_new", [True, False])
def test_a_second_run_on_a_space_waits_for_the_first(corpus, monkeypatch, second_digest, is_new):
    monkeypatch.setattr(embed_module, "CHUNK", 1)
    if not is_new:
        embed(corpus, LetterCounts(), "base")
    with ThreadPoolExecutor(1) as executor:
        runs = []

        def start_second(*_):
            if not runs:
                second = Mirrored(digest=second_digest)
                runs.append(executor.submit(embed, corpus, second, "base"))
                wait(runs, timeout=1)

        first = embed(corpus, other_model(), "base", progress=start_second)
        summary = runs[0].result()
    assert (first.embedded, summary.embedded) == (5, 0 if second_digest == "mirrored" else 5)
    assert get_space(corpus, "base").digest == second_digest
    hashes = [(text.id, spaces.text_hash(second_digest, text)) for text in paper_texts(corpus)]
    assert len(read_vectors(corpus, "base")[0]) == 5
    assert spaces.outdated_ids(corpus, "base", hashes) == []
    assert corpus.read("MATCH (s:EmbeddingSpace) RETURN s.property AS name") == [{"name": "base"}]


def test_a_paper_that_the_new_model_does_not_embed_keeps_no_old_vector(corpus):
    embed(corpus, LetterCounts(), "base")
    corpus.write("MATCH (p:Paper {id: 'p3'}) SET p:Stub")
    embed(corpus, other_model(), "base")
    assert read_vectors(corpus, "base")[0] == ["p1", "p2", "p4", "p5"]


@pytest.mark.parametrize(
    ("step", "read"),
    [
        ("drop_index", lambda db: read_vectors(db, "base")),
        ("_forget_derived", lambda db: similar(db, "p1", "base", k=1)),
    ],
)
def test_a_kill_while_vectors_are_replaced_is_repaired_by_the_same_command(
    corpus, monkeypatch, step, read
):
    embed(corpus, LetterCounts(), "base")
    with monkeypatch.context() as patch:
        patch.setattr(spaces, step, killed)
        with pytest.raises(KeyboardInterrupt):
            embed(corpus, other_model(), "base")
    with pytest.raises(GraphError, match="are being replaced by those of letters"):
        read(corpus)
    again = other_model()
    assert embed(corpus, again, "base").unchanged == 5
    assert again.encoded == []
    assert read_vectors(corpus, "base")[1][:, 0].tolist() == [6, -2, -3, -4, -5]
    assert similar(corpus, "p2", "base", k=1)[0].id == "p3"


@pytest.mark.parametrize("step", ["create_index", "await_index"])
def test_a_kill_after_all_vectors_are_written_is_repaired_without_encoding(
    corpus, monkeypatch, step
):
    with monkeypatch.context() as patch:
        patch.setattr(embed_module, step, killed)
        with pytest.raises(KeyboardInterrupt):
            embed(corpus, LetterCounts(), "base")
    assert embed(corpus, LetterCounts(), "base").embedded == 0
    assert len(read_vectors(corpus, "base")[0]) == 5
    assert similar(corpus, "p1", "base", k=1)[0].id == "p2"


@pytest.mark.parametrize(
    "read",
    [
        lambda db: similar(db, "p1", "base", k=1),
        lambda db: run_query(db, "missing_references", {"id": "p1", "space": "base"}),
        lambda db: check(db, "base"),
    ],
)
def test_a_space_without_an_index_is_an_error(corpus, read):
    embed(corpus, LetterCounts(), "base")
    drop_index(corpus, "base")
    with pytest.raises(GraphError, match="the vector index of 'base' does not exist") as caught:
        read(corpus)
    assert "specter-graph embed --space base" in caught.value.hint


def test_a_check_reports_that_a_space_is_being_replaced(corpus):
    embed(corpus, LetterCounts(), "base")
    record_space(corpus, replace(find_space(corpus, "base"), replacing=True))
    with pytest.raises(GraphError, match="the vectors of 'base' are being replaced"):
        check(corpus, "base")


def killed(*_, **__):
    raise KeyboardInterrupt
