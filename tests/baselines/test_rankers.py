"""Compare BM25, coupling and co-citation with their formulas, computed paper by paper."""

import math
import random

import numpy as np
import pytest

from specter_graph.baselines import rankers
from specter_graph.evaluation import HeldOutData, HeldOutRow

PAPERS = [f"p{i:02}" for i in range(40)]


def test_bm25_scores_agree_with_the_formula():
    rng = random.Random(0)
    names = [f"word{chr(97 + i)}" for i in range(15)]
    texts = [rng.choices(names, k=rng.randint(3, 12)) for _ in range(40)]
    queries = [[*rng.choices(names, k=5), "unheard"] for _ in range(6)]
    mean = sum(map(len, texts)) / len(texts)
    result = rankers.bm25([" ".join(q) for q in queries], [" ".join(t) for t in texts])
    for query, row in zip(queries, result, strict=True):
        for text, distance in zip(texts, row, strict=True):
            score = 0.0
            for word in query:
                df = sum(word in other for other in texts)
                tf = text.count(word)
                idf = math.log(1 + (40 - df + 0.5) / (df + 0.5))
                score += idf * tf / (tf + 1.5 * (0.25 + 0.75 * len(text) / mean))
            assert -distance == pytest.approx(score, abs=1e-5)


def test_all_papers_are_equally_far_from_a_query_of_unknown_words():
    (row,) = rankers.bm25(["unheard"], ["some words", "other words"])
    assert row.tolist() == [0, 0]


@pytest.fixture
def citing():
    rng = np.random.default_rng(0)
    references = {p: [str(c) for c in rng.choice(PAPERS, 6, replace=False)] for p in PAPERS[:30]}
    rows = [
        HeldOutRow(
            f"q{i}",
            [str(c) for c in rng.choice(PAPERS, 5)],
            [str(c) for c in rng.choice(PAPERS, 4)],
            {},
        )
        for i in range(5)
    ]
    return HeldOutData.build(PAPERS, rows), references


def cosine(one, other):
    return len(one & other) / math.sqrt(len(one) * len(other)) if one and other else 0.0


def test_coupling_is_the_cosine_of_the_references(citing):
    data, references = citing
    for paper, row in zip(data.papers, rankers.coupling(data, references), strict=True):
        own = {PAPERS[i] for i in paper.cites}
        golden = [1 - cosine(own, set(references.get(other, ()))) for other in PAPERS]
        np.testing.assert_allclose(row, golden, atol=1e-6)


def test_cocitation_is_the_cosine_of_the_citing_papers(citing):
    data, references = citing
    cited_by = {p: {c for c, refs in references.items() if p in refs} for p in PAPERS}
    for paper, row in zip(data.papers, rankers.cocitation(data, references), strict=True):
        own = {PAPERS[i] for i in paper.cited_by}
        golden = [1 - cosine(own, cited_by[other]) for other in PAPERS]
        np.testing.assert_allclose(row, golden, atol=1e-6)
