"""Measure the quality of searches on the demo's corpus, with functions of bench/search.py.

The thresholds are below the measured values, so that only a regression fails: see docs/search.md.
"""

import random

import numpy as np
import pytest

from specter_graph.encoder.encoder import Encoder
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.loaders.synthetic import synthetic_papers
from tests.docs.pages import BENCH

PAPERS = 600
HIDDEN = 30
TITLES = 60
SHARES = ("first", "top 3")


@pytest.fixture(scope="module")
def bench():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCH)
        import search

        yield search


@pytest.fixture(scope="module")
def corpus(fresh_graph, bench):
    """Return the graph without the hidden papers, the hidden papers, and all papers by id."""
    papers = {paper.id: paper for paper in synthetic_papers(PAPERS)}
    cites = [
        p.id for p in papers.values() if len(bench.references(p, papers)) >= bench.MIN_REFERENCES
    ]
    hidden = random.Random(0).sample(cites, HIDDEN)
    left = {each: paper for each, paper in papers.items() if each not in hidden}
    graph = LiteratureGraph(fresh_graph.driver, fresh_graph.name)
    graph.load([*left.values()])
    graph.embed(Encoder.base(), "base")
    return graph, [papers[each] for each in hidden], left


def test_titles_and_parts_of_abstracts_find_their_papers(corpus, bench):
    graph, _, left = corpus

    def find(text):
        return [hit.id for hit in graph.search(text, space="base", k=bench.CUT)]

    kinds = bench.known_items([*left.values()], TITLES, random.Random(0))
    result = {kind: bench.measure_ranks(find, queries) for kind, queries in kinds.items()}
    share = {(kind, name): result[kind][name]["value"] for kind in result for name in SHARES}
    assert share["title", "first"] >= 0.95  # some titles occur twice
    assert share["title without 2", "top 3"] >= 0.9
    assert share["abstract", "first"] >= 0.9


def test_hybrid_search_finds_as_many_citations_as_its_best_signal(corpus, bench):
    graph, hidden, left = corpus
    recalls = {
        name: np.mean(
            [
                bench.recall(
                    [
                        hit.id
                        for hit in graph.search(
                            f"{p.title}\n\n{p.abstract}", k=bench.CUT, **options
                        )
                    ],
                    {*bench.references(p, left)},
                )
                for p in hidden
            ]
        )
        for name, options in bench.searches(["base"]).items()
    }
    assert recalls["search base"] >= max(recalls["text"], recalls["vectors base"])


def test_missing_references_are_better_than_counts_of_citations(corpus, bench):
    graph, hidden, left = corpus
    result = bench.measure_missing_references(graph, hidden, left, "base", random.Random(0))
    value = {method: each["value"] for method, each in result.items()}
    assert value["text and bibliography"] > value["cited together with the bibliography"]
    assert value["text and bibliography"] > value["cited by most of the bibliography"]
    assert value["text"] >= 0.3
