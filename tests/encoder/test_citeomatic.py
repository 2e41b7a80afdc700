"""Compare Citeomatic's embedder with explicit sums, and check that it learns from citations."""

import numpy as np
import pytest
import torch
from scipy import sparse

from specter_graph.core.errors import InputError
from specter_graph.encoder.baselines.citeomatic import (
    MARGINS,
    Embedder,
    citeomatic_loss,
    draw_triplets,
    train_citeomatic,
)


def length(vector):
    return np.sqrt((vector**2).sum()) or 1.0


def test_a_paper_is_the_weighted_sum_of_its_fields():
    rng = np.random.default_rng(0)
    titles, abstracts = (rng.poisson(0.5, (6, 9)) for _ in range(2))
    abstracts[2] = 0
    torch.manual_seed(1)
    embedder = Embedder(9, dimension=4)
    with torch.no_grad():
        embedder.magnitude.copy_(torch.from_numpy(rng.normal(size=9)))
        embedder.weights.copy_(torch.tensor([0.7, 2.0]))
    result = embedder([sparse.csr_array(each) for each in (titles, abstracts)]).detach().numpy()
    d, m = embedder.direction.detach().numpy(), embedder.magnitude.detach().numpy()
    for row in range(6):
        total = np.zeros(4)
        for counts, weight in ((titles, 0.7), (abstracts, 2.0)):
            field = np.zeros(4)
            for word in range(9):
                for _ in range(counts[row, word]):
                    field += m[word] * d[word] / length(d[word])
            total += weight * field / length(field)
        np.testing.assert_allclose(result[row], total / length(total), atol=1e-5)


def test_the_loss_is_its_formula():
    rng = np.random.default_rng(1)
    q, p, n = (rng.normal(size=(5, 3)) for _ in range(3))
    q, p, n = (each / np.linalg.norm(each, axis=1, keepdims=True) for each in (q, p, n))
    margins = np.array([0.3, 0.2, 0.1, 0.3, 0.2])
    golden = [max(m + a @ c - a @ b, 0) for a, b, c, m in zip(q, p, n, margins, strict=True)]
    loss = citeomatic_loss(*(torch.from_numpy(each) for each in (q, p, n, margins)))
    assert float(loss) == pytest.approx(np.mean(golden), abs=1e-9)


@pytest.fixture
def citing():
    """Return 32 training rows and the citations of 40 papers, which stay within two subjects."""
    rng = np.random.default_rng(2)
    cites = [
        rng.choice([c for c in range(row % 2, 32, 2) if c != row], 4, replace=False)
        if row < 32
        else np.empty(0, np.int64)
        for row in range(40)
    ]
    return np.arange(32), cites


def test_hard_negatives_are_near_or_cited_by_references_but_not_cited(citing):
    train, cites = citing
    vectors = np.eye(40, dtype=np.float32) + 0.5 * np.eye(40, k=1, dtype=np.float32)
    triplets, margins = draw_triplets(cites, train, vectors, np.random.default_rng(0))
    assert set(triplets[0].tolist()) == set(range(32))
    for q, p, n, margin in zip(*triplets, margins, strict=True):
        assert p in cites[q]
        assert n != q
        assert n not in cites[q]
        assert n < 32
        if margin == np.float32(MARGINS[2]):
            assert any(n in cites[c] for c in cites[q])
    for margin in MARGINS:
        assert (margins == np.float32(margin)).sum() == 32 * 5


def test_papers_that_cite_each_other_and_new_papers_of_the_same_words_become_near(citing):
    train, cites = citing
    rng = np.random.default_rng(3)
    # Each subject has ten words; two papers rarely share one, so only citations join the subject.
    counts = np.zeros((40, 20), np.int64)
    for row in range(40):
        counts[row, 10 * (row % 2) + rng.choice(10, 2, replace=False)] = 1
    fields = [sparse.csr_array(counts), sparse.csr_array((40, 20), dtype=np.int64)]
    vectors = train_citeomatic(fields, train, cites, epochs=15, rate=0.05)
    assert vectors.shape == (40, 75)
    same = np.equal.outer(np.arange(40) % 2, np.arange(40) % 2)[32:, :32]
    alike = vectors[32:] @ vectors[:32].T
    assert alike[same].mean() > alike[~same].mean() + 0.5
    again = train_citeomatic(fields, train, cites, epochs=15, rate=0.05)
    np.testing.assert_array_equal(again, vectors)


def test_without_citations_nothing_is_learned():
    none = [np.empty(0, np.int64)] * 4
    fields = [sparse.csr_array(np.eye(4))] * 2
    with pytest.raises(InputError, match="no training paper cites another"):
        train_citeomatic(fields, np.arange(4), none)
