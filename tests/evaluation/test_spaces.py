"""Spaces of a real graph are scored on papers that were hidden from them, or refused."""

import random
from dataclasses import replace

import numpy as np
import pytest

from specter_graph.core.errors import GraphError, InputError, LeakError
from specter_graph.evaluation import evaluate, evaluate_spaces
from specter_graph.evaluation.protocols.arxiv_protocol import draw_anchors
from specter_graph.evaluation.protocols.held_out import METRICS
from specter_graph.evaluation.protocols.space_evaluation import (
    citation_data,
    compare_spaces,
    split_vectors,
)
from specter_graph.evaluation.report.page import ReportSettings, write_report
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, record_space, write_vectors
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.split import ANY_REFERENCES, SOME_REFERENCES, query_ids, training_ids
from specter_graph.loaders.records import Paper
from tests.graph.citation_graphs import held_out_ids

IDS = [f"p{i}" for i in range(160)]
HOLDOUT = 0.15
SPACE = EmbeddingSpace("text", "base", 8, model="m", base="m", digest="d", sees_edges=False)


@pytest.fixture
def loaded(graph):
    rng = random.Random(3)
    papers = [
        Paper(p, f"On {p}", references=tuple(rng.sample(IDS, rng.randint(3, 12)))) for p in IDS
    ]
    load_papers(graph, papers)
    return graph


def add_space(db, record, ids=IDS):
    vectors = np.random.default_rng(len(record.name)).normal(size=(len(ids), 8))
    write_vectors(db, record.name, ids, vectors.astype(np.float32))
    record_space(db, record)
    return list(ids), vectors.astype(np.float32)


def trained(name, holdout=HOLDOUT):
    """Write a space that has seen all citations except those of the papers hidden from it."""
    return replace(SPACE, name=name, kind="head", sees_edges=True, holdout=holdout)


def test_every_space_is_scored_as_its_arrays_alone_would_be(loaded):
    arrays = {"text": add_space(loaded, SPACE), "sgc": add_space(loaded, trained("sgc"))}
    report = evaluate_spaces(loaded)
    assert report == evaluate(arrays, citation_data(loaded, "test", HOLDOUT, variants=True))
    assert list(report.spaces) == ["text", "sgc"]
    assert METRICS.keys() < report.spaces["sgc"].keys()


def test_papers_with_fewer_references_are_queries_of_a_variant_only(loaded):
    main, every = (citation_data(loaded, "test", HOLDOUT, variants=v) for v in (False, True))
    some = {paper.id for paper in every.papers if paper.is_short}
    assert some == set(query_ids(loaded, "test", HOLDOUT, references=SOME_REFERENCES))
    assert {paper.id for paper in every.papers} == some | {paper.id for paper in main.papers}
    assert some


def test_the_arxiv_protocol_asks_for_all_held_out_papers_with_a_citation(loaded):
    load_papers(loaded, [Paper(f"cited {n}", "Only cited") for n in range(60)])
    load_papers(loaded, [Paper("survey", "All", references=tuple(f"cited {n}" for n in range(60)))])
    data = citation_data(loaded, "test", HOLDOUT, references=ANY_REFERENCES)
    queries = {data.papers[anchor.query].id for anchor in draw_anchors(data)}
    assert queries == {paper.id for paper in data.papers if len(paper.linked)}
    assert any(paper.startswith("cited") for paper in queries)
    assert queries > {paper.id for paper in citation_data(loaded, "test", HOLDOUT).papers}


def test_test_and_validation_ask_for_different_papers(loaded):
    add_space(loaded, SPACE)
    assert evaluate_spaces(loaded).spaces != evaluate_spaces(loaded, split="validation").spaces


def test_held_out_papers_are_queries_and_never_candidates(loaded):
    data = citation_data(loaded, "test", HOLDOUT)
    held = held_out_ids(loaded, HOLDOUT)
    assert len(held) > 30
    assert not held & set(data.candidates)
    assert {paper.id for paper in data.papers} == set(query_ids(loaded, "test", HOLDOUT)) <= held


@pytest.mark.parametrize("holdout", [0.0, 0.1])
def test_a_space_that_has_seen_other_edges_is_refused_by_name(loaded, holdout):
    add_space(loaded, SPACE)
    add_space(loaded, trained("tainted", holdout))
    for names in (None, ["tainted"], ["text", "tainted"]):
        with pytest.raises(LeakError, match="'tainted'") as refused:
            evaluate_spaces(loaded, names, holdout=HOLDOUT)
        assert "with holdout 0.15" in refused.value.hint
    assert list(evaluate_spaces(loaded, ["text"], holdout=HOLDOUT).spaces) == ["text"]


def test_imported_spaces_of_unknown_training_are_scored_only_if_named(loaded):
    add_space(loaded, replace(trained("given", 0.0), kind="imported"))
    with pytest.raises(LeakError, match="'given'"):  # the only one
        evaluate_spaces(loaded)
    add_space(loaded, SPACE)
    add_space(loaded, replace(SPACE, name="texts", kind="imported"))
    assert {*evaluate_spaces(loaded).spaces} == {"text", "texts"}
    with pytest.raises(LeakError, match="'given'"):
        evaluate_spaces(loaded, ["text", "given"])


def test_spaces_are_scored_under_their_smallest_hold_out_by_default(loaded):
    for created in (SPACE, trained("less", 0.15), trained("more", 0.25)):
        add_space(loaded, created)

    def queries(*names, **options):
        return evaluate_spaces(loaded, names, **options).queries["cite"]

    expected = {f: len(query_ids(loaded, "test", f)) for f in (0.1, 0.15, 0.25)}
    assert queries("text") == expected[0.1]
    assert queries("more") == queries("text", "more") == expected[0.25]
    assert queries("less", "more") == queries("more", holdout=0.15) == expected[0.15]
    assert len({*expected.values()}) == 3
    with pytest.raises(LeakError, match="'less'"):
        queries("less", "more", holdout=0.25)


def test_papers_without_vectors_are_counted_and_refused(loaded):
    add_space(loaded, SPACE, list(training_ids(loaded, 0.1)))
    tests = len(query_ids(loaded, "test", 0.1, references=range(1, 2**31)))
    with pytest.raises(GraphError, match=f"^{tests} of the .* papers to be ranked have no vector"):
        evaluate_spaces(loaded)
    with pytest.raises(GraphError, match="to be ranked have no vector in the space 'text', such"):
        split_vectors(loaded, "text", citation_data(loaded, "test", 0.1))


def test_vectors_of_a_split_are_no_wider_than_the_stored_ones(loaded):
    add_space(loaded, SPACE)
    vectors, queries, corpus = split_vectors(loaded, "text", citation_data(loaded, "test", 0.1))
    assert {vectors.array.dtype, queries.dtype, corpus.dtype} == {np.dtype(np.float32)}


def test_unknown_spaces_and_none_at_all_are_refused(loaded):
    with pytest.raises(GraphError, match="has no embedding space to evaluate"):
        evaluate_spaces(loaded)
    with pytest.raises(GraphError, match="'specter'"):
        evaluate_spaces(loaded, ["specter"])


def test_one_space_is_not_two_seeds(loaded):
    add_space(loaded, replace(SPACE, name="text"))
    with pytest.raises(InputError, match="text,text repeats a space"):
        evaluate_spaces(loaded, ["text,text"])
    with pytest.raises(InputError, match="text,text repeats a space"):
        compare_spaces(loaded, "text", "text,text")


def test_spaces_of_different_models_are_not_two_seeds(loaded):
    add_space(loaded, replace(SPACE, name="text"))
    add_space(loaded, replace(SPACE, name="other", base="another model"))
    message = "text,other are not seeds of one system: text is base m 8, other is base another"
    with pytest.raises(InputError, match=message):
        evaluate_spaces(loaded, ["text,other"])
    with pytest.raises(InputError, match=message):
        compare_spaces(loaded, "text,other", "text")


def test_an_unknown_split_is_refused(loaded):
    add_space(loaded, SPACE)
    with pytest.raises(InputError, match="unknown split 'train'"):
        evaluate_spaces(loaded, split="train")


def test_a_comparison_needs_a_row_of_the_scored_spaces(loaded, tmp_path):
    for name in ("text", "spec_1", "spec_2", "spec_7", "spec_8"):
        add_space(loaded, replace(SPACE, name=name))
    names = ["text", "spec_1,spec_2"]
    results = evaluate_spaces(loaded, names, compare_to="spec_2,spec_1")
    assert (results.compare_to, set(results.differences)) == ("spec (2 seeds)", {"text"})
    for absent in ("spec_7,spec_8", "spec_5,spec_6", "spec_1", "spec (2 seeds)"):
        for created in (
            lambda name: evaluate_spaces(loaded, names, compare_to=name),
            lambda name: write_report(loaded, tmp_path, ReportSettings(names, compare_to=name)),
        ):
            with pytest.raises(InputError) as refused:
                created(absent)
            assert repr(absent) in refused.value.message
            assert "is not one of the systems: text spec_1,spec_2" in refused.value.message
