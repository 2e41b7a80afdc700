"""InferSent (Conneau et al. 2017): a BiLSTM over word vectors with max pooling.

The folder contains the published files: the weights `*.pkl` (`infersent2.pkl`) and the word vectors
`*.vec` or `*.txt`. The network is used as published, or fine-tuned on triplets.
"""

import pickle
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

from specter_graph.core.errors import ModelError
from specter_graph.core.vectors import Vectors
from specter_graph.encoder.baselines.sentences import tokens
from specter_graph.encoder.device import best_device
from specter_graph.encoder.losses import triplet_margin_loss
from specter_graph.encoder.model import batch_by_length

MAX_WORDS = 512
"""Maximum number of words of a text."""
TOKENS = 4_096
"""Words per batch when encoding."""
BATCH = 16
"""Triplets per step of fine-tuning."""

SENTINELS = (("<p>", "</p>"), ("<s>", "</s>"))
"""Begin and end of a text, of version 2 and of version 1, if the word vectors contain them."""

WordVectors = dict[str, Vectors]
"""Vectors by word, (d,) each."""
Rows = Sequence[tuple[int, int, int]]
"""Triplets (query, positive, negative) of rows."""


class InferSent:
    """The network `lstm` and the vectors of its vocabulary `words`."""

    def __init__(self, lstm: torch.nn.LSTM, words: WordVectors) -> None:
        self.device = best_device()
        self.lstm = lstm.to(self.device)
        self.words = words
        self.sentinels = next((pair for pair in SENTINELS if pair[0] in words), SENTINELS[0])

    @classmethod
    def load(cls, folder: Path | None, texts: Iterable[str]) -> "InferSent":
        """Load the weights, and the vectors of the words of these texts.

        Raises ModelError when files are missing, damaged, or do not fit together.
        """
        weights = [*folder.glob("*.pkl")] if folder else []
        vectors = [*folder.glob("*.vec"), *folder.glob("*.txt")] if folder else []
        if len(weights) != 1 or len(vectors) != 1:
            raise ModelError(
                "infersent needs a folder with one *.pkl and one *.vec or *.txt, not"
                f" {folder or 'a hub name'}",
                "download infersent2.pkl and crawl-300d-2M.vec into a folder, and run"
                " specter-graph baseline run infersent --weights FOLDER",
            )
        try:
            state = torch.load(weights[0], map_location="cpu", weights_only=True)
            arrays = {key.removeprefix("enc_lstm."): array for key, array in state.items()}
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
                f"{folder} does not contain InferSent: {type(error).__name__}: {error}",
                "use the weights and word vectors as published",
            ) from error
        return cls(lstm, words)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Encode n texts into (n, 2 h) float32."""
        embedded = [self._embed(text) for text in texts]
        out = np.empty((len(texts), 2 * self.lstm.hidden_size), np.float32)
        with torch.inference_mode():
            for rows in batch_by_length([len(words) for words in embedded], TOKENS):
                out[rows] = self.forward([embedded[row] for row in rows]).cpu().numpy()
        return out

    def forward(self, texts: Sequence[torch.Tensor]) -> torch.Tensor:
        """Return the vectors of texts, (n, 2 h), from their word vectors, (t, d) each.

        v = max over t of (forward h_t, backward h_t).
        """
        lengths = torch.tensor([len(words) for words in texts])
        padded = pad_sequence([*texts], batch_first=True).to(self.device)
        packed = pack_padded_sequence(padded, lengths, batch_first=True, enforce_sorted=False)
        states, _ = pad_packed_sequence(self.lstm(packed)[0], batch_first=True)
        is_padding = torch.arange(states.shape[1])[None, :, None] >= lengths[:, None, None]
        return states.masked_fill(is_padding.to(self.device), -torch.inf).amax(dim=1)

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
        """Fine-tune the network by Adam and the triplet margin loss; word vectors are frozen.

        The seed determines the order of the triplets. Raises ModelError without triplets.
        """
        if not len(triplets):
            raise ModelError("there are no triplets to fine-tune InferSent on")
        generator = np.random.default_rng(seed)
        rows = np.asarray(triplets, np.int64)
        adam = torch.optim.Adam(self.lstm.parameters(), lr=rate)
        for _ in range(epochs):
            shuffled = rows[generator.permutation(len(rows))]
            for start in range(0, len(rows), BATCH):
                batch = shuffled[start : start + BATCH]
                distinct, place = np.unique(batch, return_inverse=True)
                vectors = self.forward([self._embed(texts[row]) for row in distinct])
                q, p, n = vectors[torch.from_numpy(place.reshape(batch.shape).T)]
                loss = triplet_margin_loss(q, p, n, margin)
                adam.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                adam.step()

    def _embed(self, text: str) -> torch.Tensor:
        """Return the vectors of the known words and sentinels, (t, d); one of zeros for none."""
        begin, end = self.sentinels
        words = [begin, *[word for word in tokens(text) if word in self.words][:MAX_WORDS], end]
        vectors = [self.words[word] for word in words if word in self.words]
        return torch.from_numpy(np.stack(vectors or [np.zeros(self.lstm.input_size, np.float32)]))


def read_words(file: Path, wanted: set[str], width: int) -> WordVectors:
    """Read the vectors of words from lines with a word and its vector (GloVe, fastText).

    A first line with two numbers, the shape, is skipped. Raises ValueError when the file is binary
    or has none of the words, or the vectors do not have the dimension `width`.
    """
    vectors: WordVectors = {}
    with file.open(encoding="utf-8", errors="ignore") as lines:
        for number, line in enumerate(lines):
            if "\0" in line:
                raise ValueError(f"{file.name} is a binary file, not lines of text")
            word, _, numbers = line.rstrip().partition(" ")
            is_shape = number == 0 and word.isdecimal() and numbers.isdecimal()
            if word in wanted and word not in vectors and not is_shape:
                vector = np.array(numbers.split(), dtype=np.float32)
                if len(vector) != width:
                    raise ValueError(
                        f"the vector of {word!r} has {len(vector)} dimensions instead of {width}"
                    )
                vectors[word] = vector
    if not vectors:
        raise ValueError(f"{file.name} has none of the words of these texts")
    return vectors
