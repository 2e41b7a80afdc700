"""Citeomatic's text embedder (Bhagavatula et al. 2018, section 3.1), trained on citations."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

from specter_graph.core.errors import InputError
from specter_graph.core.vectors import Vectors

DIMENSION = 75
"""SPECTER, appendix A, 6."""

MARGINS = (0.3, 0.2, 0.1)
"""Of random negatives, of near ones, and of what a cited paper cites: those are worse to confuse
with a citation than these."""

POSITIVES = 5
"""Drawn a query and epoch; each gets a negative of each kind that there is."""
NEAR = 50
"""Of the nearest papers a near negative is drawn."""
BATCH = 1_024

Counts = Any
"""A sparse scipy matrix (papers, words) in rows."""
Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Triplets:
    """Rows of the corpus, (n,) each, and the margin of each triplet, (n,)."""

    query: Ints
    positive: Ints
    negative: Ints
    margin: npt.NDArray[np.float32]


class Embedder(torch.nn.Module):
    """A direction and a magnitude for each word, and a weight for each field."""

    def __init__(self, words: int, fields: int = 2, dimension: int = DIMENSION) -> None:
        super().__init__()
        self.direction = torch.nn.Parameter(torch.randn(words, dimension))
        self.magnitude = torch.nn.Parameter(torch.ones(words))
        self.weights = torch.nn.Parameter(torch.ones(fields))

    def forward(self, fields: Sequence[Counts]) -> torch.Tensor:
        """Papers as (n, dimension), from the counts of the words of each field.

        f = the sum over the field's words t of m_t d_t / |d_t|; the paper is the sum over fields of
        w f / |f|, scaled to length 1.
        """
        table = self.magnitude[:, None] * functional.normalize(self.direction, dim=1)
        total = sum(
            weight * functional.normalize(_summed(counts, table), dim=1)
            for weight, counts in zip(self.weights, fields, strict=True)
        )
        return functional.normalize(torch.as_tensor(total), dim=1)


def citeomatic_loss(
    query: torch.Tensor, positive: torch.Tensor, negative: torch.Tensor, margin: torch.Tensor
) -> torch.Tensor:
    """The mean of max(m + cos(q, n) - cos(q, p), 0), of vectors (n, d) of length 1.

    Section 3.1, without its boost for papers that are cited much.
    """
    far, near = (query * negative).sum(dim=1), (query * positive).sum(dim=1)
    return functional.relu(margin + far - near).mean()


def draw_triplets(
    cites: Sequence[Ints], train: Ints, vectors: Vectors, generator: np.random.Generator
) -> Triplets:
    """Triplets for each training paper that cites any, with negatives that follow the embedding.

    `cites` has for each row of the corpus the training rows that it cites, `vectors` (n, d) are of
    length 1. No negative is cited by the query or is the query. A query without papers of a kind
    has no triplets of that kind.
    """
    queries = np.array([row for row in train if len(cites[row])], dtype=np.int64)
    found: list[tuple[int, int, int, float]] = []
    for start in range(0, len(queries), BATCH):
        block = queries[start : start + BATCH]
        alike = vectors[block] @ vectors[train].T
        most = min(NEAR, len(train))
        near = train[np.argpartition(-alike, most - 1, axis=1)[:, :most]]
        for query, close in zip(block.tolist(), near, strict=True):
            own = cites[query]
            no = {query, *own.tolist()}
            further = np.concatenate([cites[each] for each in own])
            kinds = [np.array([n for n in c if n not in no], np.int64) for c in (close, further)]
            for positive in generator.choice(own, POSITIVES).tolist():
                random = _random(train, no, generator)
                if random is None:
                    break
                found.append((query, positive, random, MARGINS[0]))
                for negatives, margin in zip(kinds, MARGINS[1:], strict=True):
                    if len(negatives):
                        found.append((query, positive, int(generator.choice(negatives)), margin))
    if not found:
        raise InputError("no training paper cites another: there is nothing to learn")
    query, positive, negative, margins = zip(*found, strict=True)
    return Triplets(
        np.array(query), np.array(positive), np.array(negative), np.array(margins, np.float32)
    )


def train_citeomatic(
    fields: Sequence[Counts],
    train: Ints,
    cites: Sequence[Ints],
    *,
    epochs: int = 10,
    rate: float = 0.01,
    seed: int = 0,
) -> Vectors:
    """Train on the citations among the training rows, and embed all papers, (n, 75).

    `fields` are the counts of the words of titles and of abstracts. Adam; negatives are drawn anew
    for each epoch. The same seed gives the same vectors. Raises InputError without citations.
    """
    torch.manual_seed(seed)
    generator = np.random.default_rng(seed)
    embedder = Embedder(fields[0].shape[1], len(fields))
    adam = torch.optim.Adam(embedder.parameters(), lr=rate)
    for _ in range(epochs):
        drawn = draw_triplets(cites, train, _all(embedder, fields), generator)
        order = generator.permutation(len(drawn.query))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            rows = np.stack([drawn.query[batch], drawn.positive[batch], drawn.negative[batch]])
            distinct, place = np.unique(rows, return_inverse=True)
            vectors = embedder([counts[distinct] for counts in fields])
            q, p, n = vectors[torch.from_numpy(place.reshape(rows.shape))]
            loss = citeomatic_loss(q, p, n, torch.from_numpy(drawn.margin[batch]))
            adam.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            adam.step()
    return _all(embedder, fields)


def _all(embedder: Embedder, fields: Sequence[Counts]) -> Vectors:
    with torch.inference_mode():
        return np.asarray(embedder(fields).numpy(), np.float32)


def _summed(counts: Counts, table: torch.Tensor) -> torch.Tensor:
    """The product counts @ table, with a gradient for the table."""
    return functional.embedding_bag(
        torch.from_numpy(counts.indices.astype(np.int64)),
        table,
        torch.from_numpy(counts.indptr[:-1].astype(np.int64)),
        mode="sum",
        per_sample_weights=torch.from_numpy(counts.data.astype(np.float32)),
    )


def _random(train: Ints, no: set[int], generator: np.random.Generator) -> int | None:
    if len(no) >= len(train) and not set(train.tolist()) - no:
        return None
    while True:
        drawn = int(generator.choice(train))
        if drawn not in no:
            return drawn
