"""The batches of a fine-tuning: triplets in a random order, each text of a batch once."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch.utils.data import DataLoader, Dataset, Sampler

from specter_graph.encoder.model import BaseModel
from specter_graph.encoder.triplets import Rows, TripletRows
from specter_graph.loaders.records import PaperText

_ROUNDS = 4


class Batches(Sampler[list[int]]):
    """The places of triplets, `size` at a time, in an order of its own for each epoch.

    An epoch is whole steps of `step` triplets: the last one is filled up from the epoch's
    beginning, so that every step weighs the same and any number of processes has as many batches.
    """

    def __init__(self, triplets: int, size: int, step: int, seed: int) -> None:
        self.triplets = triplets
        self.batch_size = size
        self.steps = -(-triplets // step)
        self.step = step
        self.seed = seed
        self.epoch = 0
        # What accelerate asks of a sampler that it deals out to several processes.
        self.drop_last = False
        self.sampler = self

    def set_epoch(self, epoch: int) -> None:
        """Say which epoch comes next; of one process accelerate calls it too."""
        self.epoch = epoch

    def __len__(self) -> int:
        return self.steps * self.step // self.batch_size

    def __iter__(self) -> Iterator[list[int]]:
        for start in range(0, self.steps * self.step, self.batch_size):
            places = np.arange(start, start + self.batch_size) % self.triplets
            yield permuted(places, self.triplets, [self.seed, self.epoch]).tolist()


class Triplets(Dataset[Rows]):
    """Triplets by their places, as rows of the corpus: (b, 3) for a list of b places."""

    def __init__(self, rows: TripletRows) -> None:
        self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getitems__(self, places: list[int]) -> Rows:
        columns = (self.rows.query, self.rows.positive, self.rows.negative)
        return np.stack([column[places] for column in columns], axis=1)


class Distinct:
    """Turns triplets (b, 3) into the tokens of their distinct papers, shortest first.

    `label` is int64 (2, b, 3): the place of each paper among the texts, and its row of the corpus.
    Papers of like length stand together, so that a part of them is padded little.
    """

    valid_label_columns = ("label",)

    def __init__(self, base: BaseModel, texts: Sequence[PaperText]) -> None:
        self.base = base
        self.texts = texts

    def __call__(self, triplets: Rows) -> dict[str, torch.Tensor]:
        """What the trainer hands to `full_loss.BatchLoss`."""
        papers, places = np.unique(triplets, return_inverse=True)
        texts = [self.base.text(self.texts[row]) for row in papers]
        tokenizer: Any = self.base.tokenizer
        tokens = tokenizer(texts, truncation=True, max_length=self.base.max_length)
        lengths = np.array([len(each) for each in tokens["input_ids"]])
        order = np.argsort(lengths, kind="stable")
        rank = np.empty_like(order)
        rank[order] = np.arange(len(order))
        padded = tokenizer.pad(
            {name: [values[place] for place in order] for name, values in tokens.items()},
            return_tensors="pt",
        )
        label = np.stack([rank[places.reshape(triplets.shape)], triplets])
        return {**{f"text_{k}": v for k, v in padded.items()}, "label": torch.from_numpy(label)}


def loader(
    base: BaseModel, texts: Sequence[PaperText], rows: TripletRows, batches: Batches
) -> DataLoader[Rows]:
    """Triplets in the order of `batches`, tokenised as they are drawn."""
    return DataLoader(
        Triplets(rows),
        batch_sampler=batches,
        collate_fn=Distinct(base, texts),  # type: ignore[arg-type]  # of __getitems__
        generator=torch.Generator().manual_seed(batches.seed),
        pin_memory=torch.cuda.is_available(),
    )


def permuted(places: Rows, size: int, key: Sequence[int]) -> Rows:
    """Where a random order of range(`size`) puts these places; the order itself is never held.

    A Feistel network of four rounds permutes the numbers of 2k bits (Luby and Rackoff 1988); a
    place that falls beyond `size` is permuted again until it does not (cycle walking, Black and
    Rogaway 2002, section 4).
    """
    bits = np.uint64(max(1, -(-(size - 1).bit_length() // 2)))
    mask = np.uint64((1 << int(bits)) - 1)
    keys = np.random.SeedSequence(list(key)).generate_state(_ROUNDS, np.uint64)
    found = places.astype(np.uint64)
    beyond = np.ones(len(found), np.bool_)
    while beyond.any():
        left, right = found[beyond] >> bits, found[beyond] & mask
        for each in keys:
            left, right = right, left ^ (_mixed(right, each) & mask)
        found[beyond] = left << bits | right
        beyond = found >= np.uint64(size)
    return found.astype(np.int64)


def _mixed(values: npt.NDArray[np.uint64], key: np.uint64) -> npt.NDArray[np.uint64]:
    """A hash of 64-bit numbers under a key: the finaliser of SplitMix64 (Steele et al. 2014)."""
    mixed = values + key
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
