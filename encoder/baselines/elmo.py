"""ELMo (Peters et al. 2018): the published biLM; a paper is the mean of the states of its tokens.

The folder contains the published files `*options.json` and `*weights.hdf5` (TensorFlow arrays).
"""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch.nn import functional

from specter_graph.core.atomic_files import file_sha256
from specter_graph.core.errors import ModelError, extra
from specter_graph.core.progress import Progress, batches, silent
from specter_graph.core.vectors import Vectors
from specter_graph.encoder.baselines.sentences import baseline_card, sentences_of, tokens
from specter_graph.loaders.records import PaperText

SENTENCE, SENTENCE_END, WORD, WORD_END, PADDING = range(256, 261)
"""Character numbers beyond bytes: the boundaries of sentences and words, and padding."""

BATCH = 64
"""Sentences of similar length per batch."""


def characters(word: str | int, width: int) -> list[int]:
    """Return the characters of a word between WORD and WORD_END, truncated or padded to `width`.

    Instead of a word, pass SENTENCE or SENTENCE_END.
    """
    inner = [word] if isinstance(word, int) else [*word.encode()[: width - 2]]
    return [WORD, *inner, WORD_END] + [PADDING] * (width - 2 - len(inner))


class BiLM:
    """The network; `options` are as published, `weights` are arrays by their path in the file."""

    def __init__(self, options: Mapping[str, Any], weights: Mapping[str, torch.Tensor]) -> None:
        self.options = options
        self.weights = weights
        self.layers = options["lstm"]["n_layers"] + 1
        self.dimension = 2 * self.layers * options["lstm"]["projection_dim"]

    def words(self, ids: torch.Tensor) -> torch.Tensor:
        """Return the vectors of words by the character CNN: (n, characters) int to (n, p).

        x are the maxima over the word of each filter, after an activation. Highway layers compute
        c * relu(x W_t + b_t) + (1 - c) * x with c = sigmoid(x W_c + b_c), and then x W_p + b_p.
        """
        cnn, arrays = self.options["char_cnn"], self.weights
        activation = {"relu": torch.relu, "tanh": torch.tanh}[cnn["activation"]]
        embedded = arrays["char_embed"][ids].transpose(1, 2)
        maxima = []
        for i in range(len(cnn["filters"])):
            kernel = arrays[f"CNN/W_cnn_{i}"][0].permute(2, 1, 0)
            convolved = functional.conv1d(embedded, kernel, arrays[f"CNN/b_cnn_{i}"])
            maxima.append(activation(convolved.amax(dim=2)))
        x = torch.cat(maxima, dim=1)
        for i in range(cnn["n_highway"]):
            name = f"CNN_high_{i}"
            carry = torch.sigmoid(x @ arrays[f"{name}/W_carry"] + arrays[f"{name}/b_carry"])
            new = torch.relu(x @ arrays[f"{name}/W_transform"] + arrays[f"{name}/b_transform"])
            x = carry * new + (1 - carry) * x
        return x @ arrays["CNN_proj/W_proj"] + arrays["CNN_proj/b_proj"]

    def lstm(self, x: torch.Tensor, direction: int, layer: int) -> torch.Tensor:
        """Return the states of a layer, (n, t, p), of inputs (n, t, p), starting from zeros.

        i, j, f, o = (x, h) W + b; m = clip(sigmoid(i) tanh(j) + sigmoid(f + 1) m);
        h = clip((sigmoid(o) tanh(m)) W_P), as in TensorFlow's cell with a projection.
        """
        options = self.options["lstm"]
        cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
        w, b, w_p = (self.weights[f"{cell}/{name}"] for name in ("W_0", "B", "W_P_0"))
        fed = x @ w[: x.shape[2]] + b
        h, m = x.new_zeros(len(x), w_p.shape[1]), x.new_zeros(len(x), w_p.shape[0])
        out = []
        for t in range(x.shape[1]):
            i, j, f, o = (fed[:, t] + h @ w[x.shape[2] :]).chunk(4, dim=1)
            m = torch.sigmoid(i) * torch.tanh(j) + torch.sigmoid(f + 1) * m
            m = m.clamp(-options["cell_clip"], options["cell_clip"])
            h = (torch.sigmoid(o) * torch.tanh(m)) @ w_p
            h = h.clamp(-options["proj_clip"], options["proj_clip"])
            out.append(h)
        return torch.stack(out, dim=1)

    def states(self, sentences: Sequence[Sequence[str]]) -> list[torch.Tensor]:
        """Return the states of the tokens of each sentence, (tokens, dimension).

        The states of all layers are concatenated: first the vectors of the words, twice, then the
        forward and the backward state of each layer. The input of a layer above the first is added
        to its states. Boundaries of sentences are read, but not returned.
        """
        width = self.options["char_cnn"]["max_characters_per_token"]
        lengths = torch.tensor([len(tokens) + 2 for tokens in sentences])
        ids = np.full((len(sentences), int(lengths.max()), width), PADDING)
        for row, words in enumerate(sentences):
            marked: list[str | int] = [SENTENCE, *words, SENTENCE_END]
            ids[row, : len(marked)] = [characters(word, width) for word in marked]
        distinct, place = np.unique(ids.reshape(-1, width), axis=0, return_inverse=True)
        x = self.words(torch.from_numpy(distinct))[place.ravel()].view(*ids.shape[:2], -1)
        # Padding comes after the sentence in both directions, so it changes no state before it.
        steps = torch.arange(x.shape[1]).expand(len(x), -1)
        backward = torch.where(steps < lengths[:, None], lengths[:, None] - 1 - steps, steps)
        layers = [torch.cat([x, x], dim=2)]
        inputs = [x, _reorder(x, backward)]
        for layer in range(self.layers - 1):
            states = [self.lstm(side, direction, layer) for direction, side in enumerate(inputs)]
            if layer > 0 and self.options["lstm"]["use_skip_connections"]:
                states = [state + side for state, side in zip(states, inputs, strict=True)]
            layers.append(torch.cat([states[0], _reorder(states[1], backward)], dim=2))
            inputs = states
        joined = torch.cat(layers, dim=2)
        return [joined[row, 1 : len(words) + 1] for row, words in enumerate(sentences)]


def _reorder(x: torch.Tensor, order: torch.Tensor) -> torch.Tensor:
    return x.gather(1, order[:, :, None].expand(-1, -1, x.shape[2]))


class Elmo:
    """Encodes a paper as the mean of all layers over its tokens (SPECTER, appendix A, 5).

    The title and each sentence of the abstract are encoded separately.
    """

    def __init__(self, bilm: BiLM, name: str, digest: str) -> None:
        self.card = baseline_card(name, digest, bilm.dimension, "mean")
        self.bilm = bilm

    @classmethod
    def load(cls, folder: Path) -> "Elmo":
        """Load the files of a folder; raises ModelError when they are missing or damaged."""
        with extra("baselines"):
            import h5py
        files = [*folder.glob("*options.json"), *folder.glob("*weights.hdf5")]
        if [file.suffix for file in files] != [".json", ".hdf5"]:
            raise ModelError(f"expected one *options.json and one *weights.hdf5 in {folder}")
        options_file, weights_file = files
        arrays: dict[str, torch.Tensor] = {}

        def keep(path: str, item: object) -> None:
            if isinstance(item, h5py.Dataset):
                arrays[path] = torch.from_numpy(np.asarray(item, dtype=np.float32))

        try:
            options = json.loads(options_file.read_bytes())
            with h5py.File(weights_file, "r") as file:
                file.visititems(keep)
            bilm = BiLM(options, arrays)
            bilm.states([["a"]])
        except (OSError, ValueError, KeyError, TypeError, RuntimeError) as error:
            raise ModelError(
                f"{folder} does not contain ELMo: {type(error).__name__}: {error}",
                "use the options and weights as published",
            ) from error
        hashes = " ".join(map(file_sha256, files))
        digest = sha256(f"elmo {hashes}".encode()).hexdigest()
        return cls(bilm, str(folder.resolve()), digest)

    def encode(self, texts: Sequence[PaperText], progress: Progress = silent) -> Vectors:
        """Encode papers into (n, dimension) float32."""
        sentences = [
            (row, words)
            for row, paper in enumerate(texts)
            for words in map(tokens, sentences_of(paper))
            if words
        ]
        sums = np.zeros((len(texts), self.card.dimension), np.float64)
        counts = np.zeros(len(texts))
        done = 0
        for batch in batches(sorted(sentences, key=lambda sentence: len(sentence[1])), BATCH):
            with torch.inference_mode():
                states = self.bilm.states([words for _, words in batch])
            for (row, words), of_sentence in zip(batch, states, strict=True):
                sums[row] += of_sentence.sum(dim=0).numpy()
                counts[row] += len(words)
            done += len(batch)
            progress("encode", done * len(texts) // len(sentences), len(texts))
        return np.asarray(sums / np.maximum(counts, 1)[:, None], np.float32)
