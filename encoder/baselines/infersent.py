"""InferSent (Conneau et al. 2017): a BiLSTM over word vectors, the maximum of each of its numbers.

A folder holds what its makers publish: the weights, `*.pkl` (`infersent2.pkl`), and the word
vectors that go with them, `*.vec` or `*.txt`. It is taken as given, or fine-tuned by triplets.
"""

import pickle
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

from specter_graph.core.errors import ModelError
from specter_graph.core.vectors import Vectors
from specter_graph.encoder.baselines.base_encoder import tokens
from specter_graph.encoder.device import best_device
from specter_graph.encoder.losses import triplet_margin_loss
from specter_graph.encoder.model import by_length

MOST = 512
"""Words read of a text."""
TOKENS = 4_096
"""Words in a batch that is only read."""
BATCH = 16
"""Triplets in a step of fine-tuning."""

SENTINELS = (("<p>", "</p>"), ("<s>", "</s>"))
"""Around every text, where the word vectors have them: those of version 2, and of version 1."""

WordVectors = dict[str, Vectors]
"""Of words, (d,) each."""
Rows = Sequence[tuple[int, int, int]]
"""Triplets of rows: query, positive, negative."""


class InferSent:
    """The network, `lstm`, and the vectors of the words that it knows."""

    def __init__(self, lstm: torch.nn.LSTM, words: WordVectors) -> None:
        self.device = best_device()
        self.lstm = lstm.to(self.device)
        self.words = words
        self.sentinels = next((pair for pair in SENTINELS if pair[0] in words), SENTINELS[0])

    @classmethod
    def load(cls, folder: Path | None, texts: Iterable[str]) -> "InferSent":
        """Load the weights, and the vectors of the words of these texts.

        Raises ModelError where the files are missing, are something else, or do not fit together.
        """
        weights = sorted(folder.glob("*.pkl")) if folder else []
        vectors = sorted([*folder.glob("*.vec"), *folder.glob("*.txt")]) if folder else []
        if len(weights) != 1 or len(vectors) != 1:
            where = (
                f"{folder} has not one *.pkl and one *.vec or *.txt"
                if folder
                else "no hub has them"
            )
            raise ModelError(
                f"infersent needs weights: {where}",
                "specter-graph baseline run infersent --weights FOLDER, with infersent2.pkl and"
                " crawl-300d-2M.vec in it",
            )
        try:
            told = torch.load(weights[0], map_location="cpu", weights_only=True)
            arrays = {key.removeprefix("enc_lstm."): array for key, array in told.items()}
            width = arrays["weight_ih_l0"].shape[1]
            lstm = torch.nn.LSTM(
                width, arrays["weight_hh_l0"].shape[1], bidirectional=True, batch_first=True
            )
            lstm.load_state_dict(arrays)
            wanted = {word for text in texts for word in tokens(text)}.union(*SENTINELS)
            words = read_words(vectors[0], wanted, width)
        except (
            AttributeError, KeyError, OSError, RuntimeError, ValueError, pickle.UnpicklingError
        ) as error:  # fmt: skip
            raise ModelError(
                f"{folder} has no InferSent: {type(error).__name__}: {error}",
                "give the weights and word vectors as their makers publish them",
            ) from error
        return cls(lstm, words)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Encode texts, (n, 2 h) float32."""
        read = [self._read(text) for text in texts]
        out = np.empty((len(texts), 2 * self.lstm.hidden_size), np.float32)
        with torch.inference_mode():
            for rows in by_length([len(each) for each in read], TOKENS):
                out[rows] = self.forward([read[row] for row in rows]).cpu().numpy()
        return out

    def forward(self, read: Sequence[torch.Tensor]) -> torch.Tensor:
        """Texts as (n, 2 h), from their word vectors, (t, d) each.

        v = max over t of (forward h_t, backward h_t).
        """
        lengths = torch.tensor([len(each) for each in read])
        padded = pad_sequence([*read], batch_first=True).to(self.device)
        packed = pack_padded_sequence(padded, lengths, batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        beyond = torch.arange(states.shape[1])[None, :, None] >= lengths[:, None, None]
        return states.masked_fill(beyond.to(self.device), -torch.inf).amax(dim=1)

    def tune(
        self,
        texts: Sequence[str],
        triplets: Rows,
        *,
        epochs: int = 1,
        rate: float = 1e-4,
        margin: float = 1.0,
        seed: int = 0,
    ) -> None:
        """Fine-tune the network by SPECTER's triplet margin loss; the word vectors stay.

        Adam, in an order that the seed draws. Raises ModelError without triplets.
        """
        if not len(triplets):
            raise ModelError("there are no triplets to fine-tune InferSent on")
        order = np.random.default_rng(seed)
        rows = np.asarray(triplets, np.int64)
        adam = torch.optim.Adam(self.lstm.parameters(), lr=rate)
        for _ in range(epochs):
            shuffled = rows[order.permutation(len(rows))]
            for start in range(0, len(rows), BATCH):
                batch = shuffled[start : start + BATCH]
                distinct, place = np.unique(batch, return_inverse=True)
                vectors = self.forward([self._read(texts[row]) for row in distinct])
                q, p, n = vectors[torch.from_numpy(place.reshape(batch.shape).T)]
                loss = triplet_margin_loss(q, p, n, margin)
                adam.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                adam.step()

    def _read(self, text: str) -> torch.Tensor:
        """The vectors of the words that are known, (t, d), between sentinels; a zero for none."""
        begin, end = self.sentinels
        read = [begin, *[word for word in tokens(text) if word in self.words][:MOST], end]
        known = [self.words[word] for word in read if word in self.words]
        nothing = [np.zeros(self.lstm.input_size, np.float32)]
        return torch.from_numpy(np.stack(known or nothing))


def read_words(file: Path, wanted: set[str], width: int) -> WordVectors:
    """The vectors of these words, from lines of a word and its numbers, as GloVe's and fastText's.

    A first line of two numbers says how many there are, and how long.

    Raises ValueError when none is there, or the vectors are not `width` long.
    """
    found: WordVectors = {}
    with file.open(encoding="utf-8", errors="ignore") as lines:
        for number, line in enumerate(lines):
            word, _, numbers = line.rstrip().partition(" ")
            counted = number == 0 and word.isdecimal() and numbers.isdecimal()
            if word in wanted and word not in found and not counted:
                vector = np.array(numbers.split(), dtype=np.float32)
                if len(vector) != width:
                    raise ValueError(f"the vector of {word!r} has {len(vector)} numbers of {width}")
                found[word] = vector
    if not found:
        raise ValueError(f"{file.name} has no word of these texts")
    return found
