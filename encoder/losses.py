"""The losses of the two recipes, as pure functions of vectors."""

import torch
from torch.nn import functional

from specter_graph.encoder.distances import Distance


def distance(one: torch.Tensor, other: torch.Tensor, kind: Distance = "l2") -> torch.Tensor:
    """Distances of rows (n, d) to rows (n, d), as (n,).

    `l2` is |a - b|, SPECTER's choice (section 2.3; footnote 6 names the cosine as worse),
    `squared_l2` its square, `cosine` 1 - cos(a, b), and `dot` -a . b.
    """
    if kind == "cosine":
        return 1 - functional.cosine_similarity(one, other, dim=-1)
    if kind == "dot":
        return -(one * other).sum(dim=-1)
    apart = one - other
    return (
        apart.square().sum(-1) if kind == "squared_l2" else torch.linalg.vector_norm(apart, dim=-1)
    )


def triplet_margin_loss(
    anchor: torch.Tensor,
    positive: torch.Tensor,
    negative: torch.Tensor,
    margin: float = 1.0,
    kind: Distance = "l2",
) -> torch.Tensor:
    """The triplet margin loss of SPECTER (section 2.3, equation 2), averaged over a batch.

    L = max(d(q, p) - d(q, n) + m, 0), with a `distance` d.

    All three are (n, d); the result is a scalar::

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
) -> torch.Tensor:
    """InfoNCE over the batch and the mined negatives, averaged over a batch.

    L_i = -log( exp(q_i . p_i / T) / sum over c in C_i of exp(q_i . c / T) )

    C_i is p_i with all other candidates of the batch: the positives of the other rows and the
    negatives of all rows (van den Oord et al. 2018, equation 4; with mined negatives as in
    Karpukhin et al. 2020, section 3.2). All three are (n, d), L2-normalised, so that the product
    is the cosine. `excluded` is a boolean (n, 2n) over (positives, then negatives): what is true
    is left out of C_i, say because it is q_i itself or a paper that q_i cites; p_i never is.
    """
    scores = anchor @ torch.cat([positive, negative]).T / temperature
    own = torch.arange(len(anchor), device=anchor.device)
    if excluded is not None:
        left_out = excluded.clone()
        left_out[own, own] = False
        scores = scores.masked_fill(left_out, -torch.inf)
    loss: torch.Tensor = functional.cross_entropy(scores, own)
    return loss


def triplet_accuracy(
    anchor: torch.Tensor, positive: torch.Tensor, negative: torch.Tensor
) -> torch.Tensor:
    """The share of triplets whose positive is nearer (L2) to the anchor than the negative."""
    near = torch.linalg.vector_norm(anchor - positive, dim=-1)
    far = torch.linalg.vector_norm(anchor - negative, dim=-1)
    right: torch.Tensor = near < far
    return right.float().mean()
