"""Batches of triplets for mode `full`: their order, their distinct texts and their loss."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.losses import CachedLossMixin
from sentence_transformers.util import all_gather_with_grad
from torch.utils.data import Sampler

from specter_graph.encoder.device import process_count
from specter_graph.encoder.losses import contrastive_loss, over_prefixes, triplet_margin_loss
from specter_graph.encoder.model import TOKENS, TransformerModel
from specter_graph.encoder.model_files import MAX_LENGTH
from specter_graph.encoder.recipe import FullSettings
from specter_graph.encoder.triplets import IndexedTriplets, KnownCitations
from specter_graph.loaders.records import PaperText


class TripletOrder(Sampler[int]):
    """A random order of the triplets for each epoch, held in memory (8 bytes per triplet).

    An epoch has `steps` steps of `step` triplets. The last step is filled up with the first
    triplets of the epoch, so that all steps weigh the same and all processes get equally many
    batches.
    """

    def __init__(self, triplets: int, step: int, seed: int) -> None:
        self.triplets = triplets
        self.step = step
        self.steps = math.ceil(triplets / step)
        self.seed = seed
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Set the epoch of the next iteration."""
        self.epoch = epoch

    def __len__(self) -> int:
        return self.steps * self.step

    def __iter__(self) -> Iterator[int]:
        order = np.random.default_rng([self.seed, self.epoch]).permutation(self.triplets)
        return (int(order[place % self.triplets]) for place in range(len(self)))


class UniqueTextCollator:
    """Converts the numbers of b triplets into the tokens of their distinct papers.

    `label` is (2, b, 3) int64: the place of each paper among the texts, and its row of the corpus.
    Texts are sorted by length, which reduces the padding of a part of them. A paper is tokenized
    once and its tokens are kept, because tokenizing takes as long as a step of a GPU.
    """

    valid_label_columns = ("label",)

    def __init__(
        self, base: TransformerModel, texts: Sequence[PaperText], rows: IndexedTriplets
    ) -> None:
        self.base = base
        self.texts = texts
        self.columns = (rows.query, rows.positive, rows.negative)
        self.tokens: dict[int, NDArray[np.unsignedinteger]] = {}

    def __call__(self, numbers: list[int]) -> dict[str, torch.Tensor]:
        """Return the inputs of `BatchLoss` in the trainer's format."""
        triplets = np.stack([column[numbers] for column in self.columns], axis=1)
        papers, places = np.unique(triplets, return_inverse=True)
        self._tokenize([row for row in papers if row not in self.tokens])
        order = np.argsort([len(self.tokens[row]) for row in papers], kind="stable")
        ids, mask = self.base.padded([self.tokens[row] for row in papers[order]])
        label = np.stack([np.argsort(order)[places.reshape(triplets.shape)], triplets])
        return {
            "text_input_ids": ids,
            "text_attention_mask": mask,
            "label": torch.from_numpy(label),
        }

    def _tokenize(self, rows: Sequence[int]) -> None:
        if not rows:
            return
        tokenizer, limit = self.base.tokenizer, self.base.folder.max_length
        texts = self.base.inputs([self.texts[row] for row in rows])
        encoded = tokenizer(texts, truncation=True, max_length=limit)["input_ids"]
        smallest = np.min_scalar_type(len(tokenizer))
        for row, ids in zip(rows, encoded, strict=True):
            self.tokens[row] = np.array(ids, smallest)


class BatchLoss(CachedLossMixin, torch.nn.Module):  # type: ignore[misc]
    """Encodes the texts of a `UniqueTextCollator` once each and computes the loss of the triplets.

    The contrastive loss compares all vectors of a batch, which is encoded in parts: gradients are
    cached at the vectors (Gao et al. 2021). Several processes share the batch.
    """

    def __init__(self, model: SentenceTransformer, settings: FullSettings) -> None:
        super().__init__()
        self.model = model
        self.settings = settings
        self.mini_batch_size = 3 * settings.micro_batch
        # Smaller parts have less padding, and fit into the caches of a CPU.
        tokens = self.mini_batch_size * (model.max_seq_length or MAX_LENGTH)
        self.mini_batch_num_tokens = min(TOKENS[model.device.type], tokens)

    def forward(self, features: list[dict[str, torch.Tensor]], label: torch.Tensor) -> torch.Tensor:
        """Return the mean loss of a batch."""
        cached: Any = self  # torch declares unknown attributes as tensors
        loss: torch.Tensor
        if self.settings.loss == "contrastive":
            loss = cached.forward_cached(features, label)
        else:
            (texts,) = features
            parts = cached.embed_minibatch_iter(texts, with_grad=True, copy_random_state=False)
            loss = self.calculate_loss([[vectors for vectors, _ in parts]], label)
        return loss

    def calculate_loss(
        self, reps: list[list[torch.Tensor]], labels: torch.Tensor, *, with_backward: bool = False
    ) -> torch.Tensor:
        """Return the loss of a batch of vectors in parts; called by `CachedLossMixin`."""
        place, row = labels
        vectors = torch.cat(reps[0])[place]
        if self.settings.loss == "contrastive" and process_count() > 1:
            vectors, row = all_gather_with_grad(vectors), all_gather_with_grad(row)
        loss = batch_loss(vectors, row, self.settings)
        if with_backward:
            loss.backward()  # type: ignore[no-untyped-call]
            loss = loss.detach()
        return loss


def batch_loss(vectors: torch.Tensor, row: torch.Tensor, settings: FullSettings) -> torch.Tensor:
    """Return the mean loss of b triplets: vectors (b, 3, d) and rows of the corpus (b, 3).

    The contrastive loss excludes negatives that are the query itself, or that cite or are cited by
    the query in a triplet of the batch.
    """
    excluded = None
    if settings.loss == "contrastive":
        _, places = np.unique(row.cpu().numpy().T, return_inverse=True)
        columns = places.reshape(3, -1)  # numbers in the batch, which are smaller
        known = KnownCitations((columns[0], columns[1]))
        excluded = torch.from_numpy(known.excluded(*columns)).to(vectors.device)

    def loss(cut: torch.Tensor) -> torch.Tensor:
        query, positive, negative = cut.unbind(1)
        if settings.loss == "triplet":
            return triplet_margin_loss(
                query, positive, negative, settings.margin, settings.distance
            )
        return contrastive_loss(
            query, positive, negative, excluded, settings.temperature, symmetric=settings.symmetric
        )

    return over_prefixes(loss, vectors, settings.matryoshka, normalize=settings.normalized)
