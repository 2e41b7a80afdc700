"""The facts of evaluation agree with those of the input records, computed without Cypher."""

import random
from collections import Counter

import pytest

from specter_graph.cypher import statement
from specter_graph.graph.evaluation_data import held_out_citations
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.split import SOME_REFERENCES, held_out_below, training_ids
from specter_graph.loaders.records import SAMPLE_PRIME, Paper, sample_key

FRACTION = 0.15


def corpus():
    """Load 150 papers that cite each other and papers without a record."""
    rng = random.Random(7)
    ids = [f"p{i}" for i in range(150)]
    cited = ids + [f"stub{i}" for i in range(40)]
    return [
        Paper(p, f"On {p}", references=tuple(rng.sample(cited, rng.randint(0, 14)))) for p in ids
    ]


PAPERS = corpus()
REFERENCES = {paper.id: set(paper.references) - {paper.id} for paper in PAPERS}


def split_of(paper):
    part = sample_key(paper) / SAMPLE_PRIME
    return "test" if part < FRACTION else "validation" if part < 2 * FRACTION else "train"


def is_scored(paper):
    return len(REFERENCES[paper] & REFERENCES.keys()) >= 5


TRAINING = {paper for paper in REFERENCES if split_of(paper) == "train"}


def citing(paper):
    return {other for other, cited in REFERENCES.items() if paper in cited}


def cocited(paper, by):
    """Count how often other training papers are cited together with a paper."""
    counts = Counter(each for other in citing(paper) & by for each in REFERENCES[other])
    return {other: times for other, times in counts.items() if other in TRAINING - {paper}}


@pytest.fixture(scope="module")
def facts_of(fresh_graph):
    load_papers(fresh_graph, PAPERS[::-1])
    return lambda split: {row.id: row for row in held_out_citations(fresh_graph, split, FRACTION)}


@pytest.mark.parametrize("split", ["test", "validation"])
def test_citations_are_those_of_the_records_to_and_from_training_papers_only(facts_of, split):
    results = facts_of(split)
    assert len(results) > 5
    assert results.keys() == {p for p in REFERENCES if split_of(p) == split and is_scored(p)}
    for paper, row in results.items():
        assert sorted(row.cites) == sorted(REFERENCES[paper] & TRAINING)
        assert sorted(row.cited_by) == sorted(citing(paper) & TRAINING)


def test_cocitations_of_test_papers_are_those_in_all_papers(facts_of):
    for paper, row in facts_of("test").items():
        assert row.cocited == cocited(paper, by=REFERENCES.keys())


def test_cocitations_of_validation_papers_do_not_show_what_test_papers_cite(facts_of):
    shown = {paper for paper in REFERENCES if split_of(paper) != "test"}
    results = facts_of("validation")
    for paper, row in results.items():
        assert row.cocited == cocited(paper, by=shown)
    assert any(cocited(p, by=REFERENCES.keys()) != cocited(p, by=shown) for p in results)


def test_the_statement_scans_no_store_and_makes_no_cartesian_product(fresh_graph):
    text = statement("evaluation/held_out_citations").text
    for test in (0, held_out_below(FRACTION)):
        result = fresh_graph.driver.execute_query(
            f"EXPLAIN {text}", ids=["p1"], test=test, held_out=9
        )
        names = list(operators(result.summary.plan))
        assert any(name.startswith("NodeUniqueIndexSeek") for name in names)
        assert not any("Scan" in name or "CartesianProduct" in name for name in names)


def operators(plan):
    yield plan["operatorType"]
    for child in plan.get("children", []):
        yield from operators(child)


def test_papers_below_the_minimum_of_references_are_separate(fresh_graph, facts_of):
    some = {
        row.id
        for row in held_out_citations(fresh_graph, "test", FRACTION, references=SOME_REFERENCES)
    }
    assert some
    assert some == {
        paper
        for paper, cited in REFERENCES.items()
        if split_of(paper) == "test" and 1 <= len(cited & REFERENCES.keys()) < 5
    }
    assert not some & facts_of("test").keys()


@pytest.mark.usefixtures("facts_of")
def test_training_ids_are_the_candidates(fresh_graph):
    assert set(training_ids(fresh_graph, FRACTION)) == TRAINING
