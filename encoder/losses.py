"""The losses of the two recipes, as pure functions of vectors."""

from collections.abc import Callable, Sequence

import torch
from torch.nn import functional

from specter_graph.encoder.recipe import Distance


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
    *,
    symmetric: bool = False,
) -> torch.Tensor:
    """InfoNCE over the batch and the negatives, averaged over a batch.

    L_i = -log( exp(q_i . p_i / T) / sum over c in C_i of exp(q_i . c / T) )

    C_i is p_i with all other candidates of the batch: the positives of the other rows and all
    negatives (van den Oord et al. 2018, equation 4; with mined negatives as in
    Karpukhin et al. 2020, section 3.2). `anchor` and `positive` are (n, d), `negative` is (m, d),
    L2-normalised, so that the product is the cosine. `excluded` is a boolean (n, n + m) over
    (positives, then negatives): what is true is left out of C_i, say because it is q_i itself or a
    paper that q_i cites; p_i never is.

    With `symmetric` a positive has to find its query too, and the mean of both is the loss::

        L'_i = -log( exp(q_i . p_i / T) / sum over j of exp(q_j . p_i / T) )

    (as in Radford et al. 2021, figure 3), over the batch's queries q_j but those that exclude p_i.
    """
    scores = anchor @ torch.cat([positive, negative]).T / temperature
    own = torch.arange(len(anchor), device=anchor.device)
    if excluded is not None:
        left_out = excluded.clone()
        left_out[own, own] = False
        scores = scores.masked_fill(left_out, -torch.inf)
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
    """The Matryoshka loss: the sum of a loss over prefixes of the vectors and the whole of them.

    L = sum over m in (*dimensions, d) of loss(v[..., :m]) (Kusupati et al. 2022, equation 1, with
    weights of 1). `vectors` are (..., d); with `normalize` each prefix is scaled to length 1.
    """
    cuts = (vectors[..., :size] for size in dimensions)
    prefixes = (functional.normalize(cut, dim=-1) if normalize else cut for cut in cuts)
    return sum((loss(prefix) for prefix in prefixes), start=loss(vectors))


def triplet_accuracy(
    anchor: torch.Tensor, positive: torch.Tensor, negative: torch.Tensor
) -> torch.Tensor:
    """The share of triplets whose positive is nearer (L2) to the anchor than the negative."""
    near = torch.linalg.vector_norm(anchor - positive, dim=-1)
    far = torch.linalg.vector_norm(anchor - negative, dim=-1)
    right: torch.Tensor = near < far
    return right.float().mean()
