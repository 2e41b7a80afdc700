"""The loss of a fine-tuning: vectors of the distinct papers of a batch, compared in triplets."""

from typing import Any

import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.losses.gradcache import CachedLossMixin
from torch.distributed import get_world_size, is_initialized
from torch.distributed.nn import all_gather

from specter_graph.encoder.full import FullSettings
from specter_graph.encoder.losses import contrastive_loss, over_prefixes, triplet_margin_loss
from specter_graph.encoder.model import TOKENS
from specter_graph.encoder.model_files import LONGEST
from specter_graph.encoder.triplets import KnownCitations


class BatchLoss(CachedLossMixin, torch.nn.Module):  # type: ignore[misc]
    """Encodes the texts that `full_batches.Distinct` makes, and compares them.

    The contrastive loss takes a batch as one although it passes through memory in parts: its
    gradients are cached at the vectors (Gao et al. 2021). With several processes the batch is that
    of all of them.
    """

    def __init__(self, model: SentenceTransformer, settings: FullSettings) -> None:
        super().__init__()
        self.model = model
        self.settings = settings
        self.mini_batch_size = 3 * settings.micro_batch
        # Smaller parts are padded less, and on CPUs they stay in the caches.
        most = self.mini_batch_size * (model.max_seq_length or LONGEST)
        self.mini_batch_num_tokens = min(TOKENS[model.device.type], most)

    def forward(self, features: list[dict[str, torch.Tensor]], label: torch.Tensor) -> torch.Tensor:
        """The mean loss of a batch; `label` is that of `Distinct`."""
        loss: torch.Tensor
        cached: Any = self  # torch takes what it does not know for a tensor
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
        """The loss of vectors that come in parts; `CachedLossMixin` calls it."""
        place, row = labels
        vectors = torch.cat(reps[0])[place]
        if self.settings.loss == "contrastive":
            vectors, row = _of_all(vectors), _of_all(row)
        loss = batch_loss(vectors, row, self.settings)
        if with_backward:
            loss.backward()  # type: ignore[no-untyped-call]
            loss = loss.detach()
        return loss


def batch_loss(vectors: torch.Tensor, row: torch.Tensor, settings: FullSettings) -> torch.Tensor:
    """The mean loss of b triplets: their vectors (b, 3, d), and their rows of the corpus (b, 3).

    No negative of the contrastive loss is the query itself, or a paper that it cites or is cited by
    according to the triplets of the batch.
    """
    excluded = None
    if settings.loss == "contrastive":
        columns = row.cpu().numpy().T
        query, positive, negative = columns
        known = KnownCitations((query, positive))
        excluded = torch.from_numpy(known.excluded(query, positive, negative)).to(vectors.device)

    def loss(cut: torch.Tensor) -> torch.Tensor:
        anchor, positive, negative = cut.unbind(1)
        if settings.loss == "triplet":
            return triplet_margin_loss(
                anchor, positive, negative, settings.margin, settings.distance
            )
        return contrastive_loss(
            anchor,
            positive,
            negative,
            excluded,
            settings.temperature,
            symmetric=settings.symmetric,
        )

    return over_prefixes(loss, vectors, settings.matryoshka, normalize=settings.normalized)


def _of_all(tensor: torch.Tensor) -> torch.Tensor:
    """The rows of all processes, (processes x n, ...); gradients flow back to each."""
    if not is_initialized() or get_world_size() == 1:
        return tensor
    return torch.cat(all_gather(tensor))  # type: ignore[no-untyped-call]
