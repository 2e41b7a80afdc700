import math

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from specter_graph.encoder.losses import (
    contrastive_loss,
    distance,
    over_prefixes,
    triplet_accuracy,
    triplet_margin_loss,
)


def vectors(seed, rows=6, size=5):
    generator = np.random.default_rng(seed)
    return [generator.normal(size=(rows, size)) for _ in range(3)]


@given(st.integers(0, 1000), st.floats(0.1, 3))
@settings(max_examples=30)
def test_triplet_margin_loss_is_equation_2(seed, margin):
    q, p, n = vectors(seed)
    direct = [
        max(math.dist(a, b) - math.dist(a, c) + margin, 0) for a, b, c in zip(q, p, n, strict=True)
    ]
    loss = triplet_margin_loss(*map(torch.from_numpy, (q, p, n)), margin=margin)
    assert loss.item() == pytest.approx(np.mean(direct))


@pytest.mark.parametrize(
    ("kind", "direct"),
    [
        ("l2", math.dist),
        ("squared_l2", lambda a, b: math.dist(a, b) ** 2),
        ("cosine", lambda a, b: 1 - a @ b / math.hypot(*a) / math.hypot(*b)),
        ("dot", lambda a, b: -(a @ b)),
    ],
)
def test_distances_are_those_of_their_formulas(kind, direct):
    one, other, third = vectors(5)
    tensors = [torch.from_numpy(array) for array in (one, other, third)]
    expected = [direct(a, b) for a, b in zip(one, other, strict=True)]
    assert distance(*tensors[:2], kind).tolist() == pytest.approx(expected)
    far = [direct(a, b) for a, b in zip(one, third, strict=True)]
    margins = [max(a - b + 0.5, 0) for a, b in zip(expected, far, strict=True)]
    assert triplet_margin_loss(*tensors, 0.5, kind).item() == pytest.approx(np.mean(margins))


def test_triplet_margin_loss_agrees_with_torch_and_sentence_transformers():
    from sentence_transformers.sentence_transformer.losses import TripletLoss

    tensors = [torch.from_numpy(array) for array in vectors(3)]
    ours = triplet_margin_loss(*tensors).item()
    theirs = TripletLoss(None, triplet_margin=1).compute_loss_from_embeddings(tensors, None)
    assert ours == pytest.approx(torch.nn.TripletMarginLoss(margin=1)(*tensors).item(), rel=1e-4)
    assert ours == pytest.approx(theirs.item())


def direct_contrastive(q, p, n, excluded, temperature):
    candidates = [*p, *n]
    losses = []
    for i, anchor in enumerate(q):
        scores = {
            j: math.exp(float(anchor @ c) / temperature)
            for j, c in enumerate(candidates)
            if j == i or not excluded[i, j]
        }
        losses.append(-math.log(scores[i] / sum(scores.values())))
    return np.mean(losses)


@given(st.integers(0, 1000), st.floats(0.05, 1), st.floats(0, 1))
@settings(max_examples=30)
def test_contrastive_loss_is_infonce_without_excluded_candidates(seed, temperature, share):
    q, p, n = (array / np.linalg.norm(array, axis=1, keepdims=True) for array in vectors(seed))
    excluded = np.random.default_rng(seed).random((6, 12)) < share
    loss = contrastive_loss(
        *map(torch.from_numpy, (q, p, n)), torch.from_numpy(excluded), temperature
    )
    assert loss.item() == pytest.approx(direct_contrastive(q, p, n, excluded, temperature))


@given(st.integers(0, 1000), st.floats(0.05, 1), st.floats(0, 1))
@settings(max_examples=30)
def test_the_symmetric_loss_is_the_mean_of_both_directions(seed, temperature, share):
    q, p, n = (array / np.linalg.norm(array, axis=1, keepdims=True) for array in vectors(seed))
    excluded = np.random.default_rng(seed).random((6, 12)) < share
    loss = contrastive_loss(
        *map(torch.from_numpy, (q, p, n)), torch.from_numpy(excluded), temperature, symmetric=True
    )
    forward = direct_contrastive(q, p, n, excluded, temperature)
    back = direct_contrastive(p, q, np.empty((0, 5)), excluded[:, :6].T, temperature)
    assert loss.item() == pytest.approx((forward + back) / 2)


def test_the_symmetric_loss_is_that_of_sentence_transformers():
    from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss

    tensors = [torch.from_numpy(array) for array in vectors(4)]
    theirs = MultipleNegativesRankingLoss(
        None, scale=20, directions=("query_to_doc", "doc_to_query"), partition_mode="per_direction"
    ).compute_loss_from_embeddings(tensors, None)
    unit = [torch.nn.functional.normalize(tensor, dim=1) for tensor in tensors]
    assert contrastive_loss(*unit, symmetric=True).item() == pytest.approx(theirs.item())


@pytest.mark.parametrize("normalize", [True, False])
def test_the_matryoshka_loss_is_the_sum_over_prefixes(normalize):
    tensors = torch.stack([torch.from_numpy(array) for array in vectors(8)])
    tensors = torch.nn.functional.normalize(tensors, dim=-1) if normalize else tensors

    def loss(cut):
        return triplet_margin_loss(*cut)

    direct = 0.0
    for size in (2, 3, 5):
        cut = tensors[..., :size].numpy()
        cut = cut / np.linalg.norm(cut, axis=-1, keepdims=True) if normalize else cut
        q, p, n = cut
        direct += np.mean(
            [max(math.dist(a, b) - math.dist(a, c) + 1, 0) for a, b, c in zip(q, p, n, strict=True)]
        )
    assert over_prefixes(loss, tensors, [2, 3], normalize=normalize).item() == pytest.approx(direct)
    assert over_prefixes(loss, tensors, [], normalize=normalize) == loss(tensors)


def test_no_candidate_is_excluded_by_default():
    tensors = [torch.from_numpy(array) for array in vectors(5)]
    nothing = torch.zeros((6, 12), dtype=torch.bool)
    assert contrastive_loss(*tensors) == contrastive_loss(*tensors, nothing)


def test_accuracy_counts_nearer_positives():
    q = torch.zeros(4, 1)
    near, far = torch.tensor([[1.0], [1], [1], [2]]), torch.tensor([[2.0], [3], [1], [1]])
    assert triplet_accuracy(q, near, far).item() == 0.5
