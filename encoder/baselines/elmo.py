"""ELMo (Peters et al. 2018): the published biLM, and papers as the mean of their tokens' states.

A folder holds what the makers publish: `*options.json` and `*weights.hdf5`, TensorFlow's arrays.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from specter_graph.core.errors import ModelError
from specter_graph.core.progress import Progress
from specter_graph.core.vectors import Vectors
from specter_graph.encoder.baselines.base_encoder import BaselineEncoder, sentences_of, tokens
from specter_graph.encoder.model_files import file_sha256
from specter_graph.loaders.records import PaperText

SENTENCE, SENTENCE_END, WORD, WORD_END, PADDING = range(256, 261)
"""Characters that are no bytes: where sentences and words begin and end."""

BATCH = 64
"""Sentences of like length that are read together."""


def characters(word: str | int, width: int) -> list[int]:
    """A word's bytes between the marks of a word, cut and filled up to `width`.

    Instead of a word the mark SENTENCE or SENTENCE_END.
    """
    told = [word] if isinstance(word, int) else [*word.encode()[: width - 2]]
    return [WORD, *told, WORD_END] + [PADDING] * (width - 2 - len(told))


class BiLM:
    """The network: `options` and `weights` as published, arrays by their path in the file."""

    def __init__(self, options: Mapping[str, Any], weights: Mapping[str, torch.Tensor]) -> None:
        self.options = options
        self.weights = weights
        self.layers = options["lstm"]["n_layers"] + 1
        self.dimension = 2 * self.layers * options["lstm"]["projection_dim"]

    def words(self, ids: torch.Tensor) -> torch.Tensor:
        """Vectors of words by the character CNN, (n, characters) int to (n, p).

        x = the maxima over the word of each filter, through an activation; twice, say, the highway
        c * relu(x W_t + b_t) + (1 - c) * x with c = sigmoid(x W_c + b_c); then x W_p + b_p.
        """
        cnn, of = self.options["char_cnn"], self.weights
        activation = {"relu": torch.relu, "tanh": torch.tanh}[cnn["activation"]]
        read = of["char_embed"][ids].transpose(1, 2)
        x = torch.cat(
            [
                activation(
                    functional.conv1d(
                        read, of[f"CNN/W_cnn_{i}"][0].permute(2, 1, 0), of[f"CNN/b_cnn_{i}"]
                    ).amax(dim=2)
                )
                for i in range(len(cnn["filters"]))
            ],
            dim=1,
        )
        for i in range(cnn["n_highway"]):
            high = f"CNN_high_{i}"
            carry = torch.sigmoid(x @ of[f"{high}/W_carry"] + of[f"{high}/b_carry"])
            changed = torch.relu(x @ of[f"{high}/W_transform"] + of[f"{high}/b_transform"])
            x = carry * changed + (1 - carry) * x
        return x @ of["CNN_proj/W_proj"] + of["CNN_proj/b_proj"]

    def lstm(self, x: torch.Tensor, direction: int, layer: int) -> torch.Tensor:
        """One layer in the order of its input, (n, t, p) to (n, t, p), from a state of zeros.

        i, j, f, o = (x, h) W + b; m = clip(sigmoid(i) tanh(j) + sigmoid(f + 1) m);
        h = clip((sigmoid(o) tanh(m)) W_P), as TensorFlow's cell with a projection.
        """
        told = self.options["lstm"]
        cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
        w, b, w_p = (self.weights[f"{cell}/{name}"] for name in ("W_0", "B", "W_P_0"))
        fed = x @ w[: x.shape[2]] + b
        h, m = x.new_zeros(len(x), w_p.shape[1]), x.new_zeros(len(x), w_p.shape[0])
        out = []
        for t in range(x.shape[1]):
            i, j, f, o = (fed[:, t] + h @ w[x.shape[2] :]).chunk(4, dim=1)
            m = torch.sigmoid(i) * torch.tanh(j) + torch.sigmoid(f + 1) * m
            m = m.clamp(-told["cell_clip"], told["cell_clip"])
            h = (torch.sigmoid(o) * torch.tanh(m)) @ w_p
            h = h.clamp(-told["proj_clip"], told["proj_clip"])
            out.append(h)
        return torch.stack(out, dim=1)

    def states(self, sentences: Sequence[Sequence[str]]) -> list[torch.Tensor]:
        """States of the tokens of sentences, (tokens, dimension) each.

        All layers stand side by side, the words themselves first, twice; of each layer the forward
        state, then the backward one. To a layer above the first its input is added. The marks of
        the sentence are read and left out.
        """
        width = self.options["char_cnn"]["max_characters_per_token"]
        lengths = torch.tensor([len(each) + 2 for each in sentences])
        ids = np.full((len(sentences), int(lengths.max()), width), PADDING)
        for row, words in enumerate(sentences):
            marked: list[str | int] = [SENTENCE, *words, SENTENCE_END]
            ids[row, : len(marked)] = [characters(word, width) for word in marked]
        distinct, place = np.unique(ids.reshape(-1, width), axis=0, return_inverse=True)
        x = self.words(torch.from_numpy(distinct))[place.ravel()].view(*ids.shape[:2], -1)
        # What is beyond a sentence comes after it in both directions, and changes nothing before.
        steps = torch.arange(x.shape[1]).expand(len(x), -1)
        turned = torch.where(steps < lengths[:, None], lengths[:, None] - 1 - steps, steps)
        layers = [torch.cat([x, x], dim=2)]
        sides = [x, _turn(x, turned)]
        for layer in range(self.layers - 1):
            found = [self.lstm(side, direction, layer) for direction, side in enumerate(sides)]
            skips = layer > 0 and self.options["lstm"]["use_skip_connections"]
            sides = [a + b for a, b in zip(found, sides, strict=True)] if skips else found
            layers.append(torch.cat([sides[0], _turn(sides[1], turned)], dim=2))
        every = torch.cat(layers, dim=2)
        return [every[row, 1 : len(words) + 1] for row, words in enumerate(sentences)]


def _turn(x: torch.Tensor, order: torch.Tensor) -> torch.Tensor:
    return x.gather(1, order[:, :, None].expand(-1, -1, x.shape[2]))


class Elmo(BaselineEncoder):
    """A paper is the mean over its tokens of all layers (SPECTER, appendix A, 5).

    The title and each sentence of the abstract are read by themselves.
    """

    def __init__(self, bilm: BiLM, name: str, digest: str) -> None:
        super().__init__(name, digest, bilm.dimension, "mean")
        self.bilm = bilm

    @classmethod
    def load(cls, folder: Path) -> "Elmo":
        """Load the folder; raises ModelError where files, arrays or h5py are missing."""
        try:
            import h5py
        except ImportError as error:
            raise ModelError(
                "h5py, which reads ELMo's weights, is not installed",
                "pip install 'specter-graph[baselines]'",
            ) from error
        files = [sorted(folder.glob(f"*{end}")) for end in ("options.json", "weights.hdf5")]
        if any(len(found) != 1 for found in files):
            raise ModelError(f"{folder} has not one *options.json and one *weights.hdf5")
        [told], [weights] = files
        arrays: dict[str, torch.Tensor] = {}

        def keep(path: str, item: object) -> None:
            if isinstance(item, h5py.Dataset):
                arrays[path] = torch.from_numpy(np.asarray(item, dtype=np.float32))

        try:
            options = json.loads(told.read_bytes())
            with h5py.File(weights, "r") as file:
                file.visititems(keep)
            bilm = BiLM(options, arrays)
            bilm.states([["a"]])
        except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
            raise ModelError(
                f"{folder} has no biLM of ELMo: {type(error).__name__}: {error}",
                "give the options and weights as their makers publish them",
            ) from error
        digest = sha256(f"elmo {file_sha256(told)} {file_sha256(weights)}".encode()).hexdigest()
        return cls(bilm, str(folder.resolve()), digest)

    def _encode(self, texts: Sequence[PaperText], progress: Progress) -> Vectors:
        told = [
            (row, words)
            for row, paper in enumerate(texts)
            for words in map(tokens, sentences_of(paper))
            if words
        ]
        sums = np.zeros((len(texts), self.dimension), np.float64)
        counts = np.zeros(len(texts))
        done = 0
        for batch in _alike(told):
            with torch.inference_mode():
                states = self.bilm.states([words for _, words in batch])
            for (row, words), each in zip(batch, states, strict=True):
                sums[row] += each.sum(dim=0).numpy()
                counts[row] += len(words)
            done += len(batch)
            progress("encode", done * len(texts) // len(told), len(texts))
        return np.asarray(sums / np.maximum(counts, 1)[:, None], np.float32)


def _alike(told: Sequence[tuple[int, list[str]]]) -> Iterator[list[tuple[int, list[str]]]]:
    """Batches of sentences of like length."""
    ordered = sorted(told, key=lambda each: len(each[1]))
    for start in range(0, len(ordered), BATCH):
        yield ordered[start : start + BATCH]
