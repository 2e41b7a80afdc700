"""Losses, as pure functions of vectors."""

from collections.abc import Callable, Sequence

import torch
from torch.nn import functional

from specter_graph.encoder.recipe import Distance


def distance(one: torch.Tensor, other: torch.Tensor, kind: Distance = "l2") -> torch.Tensor:
    """Return the distances between the rows of two arrays, (n, d) each, as (n,).

    `l2` is |a - b|, SPECTER's choice (section 2.3; footnote 6 names the cosine as worse),
    `squared_l2` its square, `cosine` 1 - cos(a, b), and `dot` -a . b.
    """
    if kind == "cosine":
        return 1 - functional.cosine_similarity(one, other, dim=-1)
    if kind == "dot":
        return -(one * other).sum(dim=-1)
    difference = one - other
    if kind == "squared_l2":
        return difference.square().sum(dim=-1)
    lengths: torch.Tensor = torch.linalg.vector_norm(difference, dim=-1)
    return lengths


def triplet_margin_loss(
    anchor: torch.Tensor,
    positive: torch.Tensor,
    negative: torch.Tensor,
    margin: float = 1.0,
    kind: Distance = "l2",
) -> torch.Tensor:
    """Return the triplet margin loss of SPECTER (section 2.3, equation 2), averaged over a batch.

    L = max(d(q, p) - d(q, n) + m, 0), with a `distance` d. All vectors are (n, d)::

        triplet_margin_loss(vectors[query], vectors[positive], vectors[negative], margin=1.0)
    """
    near, far = distance(anchor, positive, kind), distance(anchor, negative, kind)
    return functional.relu(near - far + margin).mean()


def contrastive_loss(
    anchor: torch.Tensor,
    positive: torch.Tensor,
    negative: torch.Tensor,
    excluded: torch.Tensor | None = None,
    temperature: float = 0.05,
    *,
    symmetric: bool = False,
) -> torch.Tensor:
    """Return InfoNCE over the positives and negatives of a batch, averaged over the batch.

    L_i = -log( exp(q_i . p_i / T) / sum over c in C_i of exp(q_i . c / T) )

    C_i are all positives and negatives of the batch (van den Oord et al. 2018, equation 4; with
    mined negatives as in Karpukhin et al. 2020, section 3.2), except excluded ones. With
    `symmetric`, the loss is the mean of L_i and

        L'_i = -log( exp(q_i . p_i / T) / sum over j of exp(q_j . p_i / T) )

    over the queries q_j of the batch that do not exclude p_i (as in Radford et al. 2021, figure 3).

    Args:
        anchor: L2-normalized queries, (n, d).
        positive: (n, d), L2-normalized.
        negative: (m, d), L2-normalized.
        excluded: (n, n + m) bool over the positives, then the negatives: True for candidates to
            exclude from C_i, such as papers that q_i cites. The own positive is never excluded.
        temperature: T.
        symmetric: Add the loss of finding the query from the positive.
    """
    scores = anchor @ torch.cat([positive, negative]).T / temperature
    own = torch.arange(len(anchor), device=anchor.device)
    if excluded is not None:
        masked = excluded.clone()
        masked[own, own] = False
        scores = scores.masked_fill(masked, -torch.inf)
    loss: torch.Tensor = functional.cross_entropy(scores, own)
    if symmetric:
        back = functional.cross_entropy(scores[:, : len(anchor)].T, own)
        loss = (loss + back) / 2
    return loss


def over_prefixes(
    loss: Callable[[torch.Tensor], torch.Tensor],
    vectors: torch.Tensor,
    dimensions: Sequence[int],
    *,
    normalize: bool,
) -> torch.Tensor:
    """Return the Matryoshka loss: the sum of a loss over prefixes of the vectors.

    L = sum over m in (*dimensions, d) of loss(v[..., :m]) (Kusupati et al. 2022, equation 1, with
    weights of 1). `vectors` are (..., d); with `normalize` each prefix is scaled to length 1.
    """
    prefixes = [vectors[..., :size] for size in dimensions]
    if normalize:
        prefixes = [functional.normalize(prefix, dim=-1) for prefix in prefixes]
    return sum(map(loss, prefixes), start=loss(vectors))


def triplet_accuracy(
    anchor: torch.Tensor, positive: torch.Tensor, negative: torch.Tensor
) -> torch.Tensor:
    """Return the share of triplets whose positive is nearer (L2) than the negative."""
    near = torch.linalg.vector_norm(anchor - positive, dim=-1)
    far = torch.linalg.vector_norm(anchor - negative, dim=-1)
    correct: torch.Tensor = near < far
    return correct.float().mean()
