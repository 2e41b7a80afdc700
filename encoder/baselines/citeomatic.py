"""Citeomatic's text embedder (Bhagavatula et al. 2018, section 3.1), trained on citations."""

from collections.abc import Sequence
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
"""Margins of random negatives, of near ones, and of papers that a cited paper cites."""

POSITIVES = 5
"""Positives drawn per query and epoch; each gets a negative of each available kind."""
NEAR = 50
"""Number of nearest papers from which a near negative is drawn."""
BATCH = 1_024

Counts = Any
"""A sparse matrix (papers, words), in CSR format."""
Ints = npt.NDArray[np.int64]


class Embedder(torch.nn.Module):
    """Has a direction and a magnitude for each word, and a weight for each field."""

    def __init__(self, words: int, fields: int = 2, dimension: int = DIMENSION) -> None:
        super().__init__()
        self.direction = torch.nn.Parameter(torch.randn(words, dimension))
        self.magnitude = torch.nn.Parameter(torch.ones(words))
        self.weights = torch.nn.Parameter(torch.ones(fields))

    def forward(self, fields: Sequence[Counts]) -> torch.Tensor:
        """Return vectors, (n, dimension), from the word counts of each field.

        With f = the sum over the words t of a field of m_t d_t / |d_t|, the vector is the sum over
        the fields of w f / |f|, scaled to length 1.
        """
        table = self.magnitude[:, None] * functional.normalize(self.direction, dim=1)
        total = sum(
            weight * functional.normalize(_sum_rows(counts, table), dim=1)
            for weight, counts in zip(self.weights, fields, strict=True)
        )
        return functional.normalize(torch.as_tensor(total), dim=1)


def citeomatic_loss(
    query: torch.Tensor, positive: torch.Tensor, negative: torch.Tensor, margin: torch.Tensor
) -> torch.Tensor:
    """Return the mean of max(m + cos(q, n) - cos(q, p), 0) over unit vectors, (n, d).

    The loss of section 3.1, without the boost for papers with many citations.
    """
    far, near = (query * negative).sum(dim=1), (query * positive).sum(dim=1)
    return functional.relu(margin + far - near).mean()


def draw_triplets(
    cites: Sequence[Ints], train: Ints, vectors: Vectors, generator: np.random.Generator
) -> tuple[Ints, Vectors]:
    """Draw triplets for each training paper that cites others.

    Negatives are neither the query nor cited by it. Kinds of negatives that a query lacks are
    skipped.

    Args:
        cites: For each row of the corpus, the training rows that it cites.
        train: Rows of the training papers.
        vectors: Unit vectors of the present embedding, (n, d).
        generator: The random generator.

    Returns:
        Rows of query, positive and negative, (3, n), and the margin of each triplet, (n,).
    """
    queries = np.array([row for row in train if len(cites[row])], dtype=np.int64)
    triplets: list[tuple[int, int, int, float]] = []
    for start in range(0, len(queries), BATCH):
        block = queries[start : start + BATCH]
        similarity = vectors[block] @ vectors[train].T
        k = min(NEAR, len(train))
        nearest = train[np.argpartition(-similarity, k - 1, axis=1)[:, :k]]
        for query, near in zip(block.tolist(), nearest, strict=True):
            cited = cites[query]
            excluded = {query, *cited.tolist()}
            second = np.concatenate([cites[paper] for paper in cited])
            kinds = [
                np.array([paper for paper in papers if paper not in excluded], np.int64)
                for papers in (near, second)
            ]
            for positive in generator.choice(cited, POSITIVES).tolist():
                random = _random(train, excluded, generator)
                if random is None:
                    break
                triplets.append((query, positive, random, MARGINS[0]))
                for negatives, margin in zip(kinds, MARGINS[1:], strict=True):
                    if len(negatives):
                        negative = int(generator.choice(negatives))
                        triplets.append((query, positive, negative, margin))
    if not triplets:
        raise InputError("training needs citations: no training paper cites another")
    *rows, margins = zip(*triplets, strict=True)
    return np.array(rows, np.int64), np.array(margins, np.float32)


def train_citeomatic(
    fields: Sequence[Counts],
    train: Ints,
    cites: Sequence[Ints],
    *,
    epochs: int = 10,
    rate: float = 0.01,
    seed: int = 0,
) -> Vectors:
    """Train on the citations among the training rows by Adam, and embed all papers, (n, 75).

    `fields` are the word counts of titles and of abstracts. Each epoch draws new negatives. The
    same seed gives the same vectors. Raises InputError without citations.
    """
    torch.manual_seed(seed)
    generator = np.random.default_rng(seed)
    embedder = Embedder(fields[0].shape[1], len(fields))
    adam = torch.optim.Adam(embedder.parameters(), lr=rate)
    for _ in range(epochs):
        present = _embed_fields(embedder, fields)
        triplets, margins = draw_triplets(cites, train, present, generator)
        order = generator.permutation(len(margins))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            rows = triplets[:, batch]
            distinct, place = np.unique(rows, return_inverse=True)
            vectors = embedder([counts[distinct] for counts in fields])
            q, p, n = vectors[torch.from_numpy(place.reshape(rows.shape))]
            loss = citeomatic_loss(q, p, n, torch.from_numpy(margins[batch]))
            adam.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            adam.step()
    return _embed_fields(embedder, fields)


def _embed_fields(embedder: Embedder, fields: Sequence[Counts]) -> Vectors:
    with torch.inference_mode():
        return np.asarray(embedder(fields).numpy(), np.float32)


def _sum_rows(counts: Counts, table: torch.Tensor) -> torch.Tensor:
    """Return the product counts @ table, with a gradient for the table."""
    return functional.embedding_bag(
        torch.from_numpy(counts.indices.astype(np.int64)),
        table,
        torch.from_numpy(counts.indptr[:-1].astype(np.int64)),
        mode="sum",
        per_sample_weights=torch.from_numpy(counts.data.astype(np.float32)),
    )


def _random(train: Ints, excluded: set[int], generator: np.random.Generator) -> int | None:
    """Draw a training row that is not excluded; None if all are."""
    if len(excluded) >= len(train) and not set(train.tolist()) - excluded:
        return None
    while (row := int(generator.choice(train))) in excluded:
        pass
    return row
