"""A frozen Transformer that reads papers: title, separator, abstract (SPECTER, section 2.2)."""

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, Literal, Unpack

import numpy as np

from specter_graph.core.errors import ModelError, extra
from specter_graph.core.progress import Progress, silent
from specter_graph.core.vectors import Vectors
from specter_graph.encoder.input_fields import scripts_of, texts_of
from specter_graph.encoder.model_files import BaseFolder, BaseOptions, find_base
from specter_graph.encoder.precision_probe import MIN_TEXTS, Precision, PrecisionChoice, benchmark
from specter_graph.loaders.records import PaperText

if TYPE_CHECKING:
    import torch

CHUNK = 1_024
"""Papers tokenised, sorted by length and encoded together: memory stays flat beyond it."""

TOKENS = {"cpu": 1_024, "mps": 8_192, "cuda": 65_536}
"""Tokens in a batch: on CPUs larger ones fall out of the caches, on GPUs smaller ones idle."""


class BaseModel:
    """Encodes texts; the network is loaded at the first text.

    Vectors are pooled as the folder says (see `model_files`), float32 of shape (n, dimension).

    `precision` is that of the network; it may be set at any time. `auto` is bfloat16 on devices
    with such arithmetic, else float32; with enough texts the precisions of the device are
    benchmarked, and `choice` has the result. Vectors of all precisions are comparable. `used` is
    the precision of the last vectors.
    """

    def __init__(self, folder: BaseFolder) -> None:
        self.folder = folder
        self.precision: Literal["auto"] | Precision = "auto"
        self.choice: PrecisionChoice | None = None
        self.used: Precision | None = None

    @classmethod
    def load(
        cls,
        name: str | None = None,
        *,
        revision: str | None = None,
        **options: Unpack[BaseOptions],
    ) -> "BaseModel":
        """Load a base: None is the offline MiniLM, else a local folder or a hub name.

        Args:
            name: The base.
            revision: Branch, tag or commit of a hub name.
            **options: `pooling` (`cls`, `mean` or `max`), `max_length` (tokens read of a paper; by
                default that of the folder, 512 at most), `parts` (of a paper) and `apart` (a vector
                for each part, one after another).

        Raises:
            ModelError: When there is no such model or its files are not what they should be.
        """
        return cls(find_base(name, revision=revision, **options))

    @property
    def name(self) -> str:
        """The package, hub name or absolute path that `load` takes."""
        return self.folder.name

    @property
    def revision(self) -> str | None:
        """The package's version or the hub's commit; None for a local folder."""
        return self.folder.revision

    @property
    def pooling(self) -> str:
        """`cls`, `mean` or `max`."""
        return self.folder.pooling

    @property
    def max_length(self) -> int:
        """Tokens read of a paper."""
        return self.folder.max_length

    @property
    def dimension(self) -> int:
        """Length of a vector."""
        return self.folder.dimension

    @property
    def digest(self) -> str:
        """SHA-256 over everything that decides a vector; equal digests mean comparable vectors."""
        return self.folder.digest

    def text(self, paper: PaperText) -> str:
        """Return the input of the Transformer: its parts, with the separator between."""
        return self.separator.join(texts_of(paper, self.folder.parts))

    def inputs(self, papers: Sequence[PaperText]) -> list[str]:
        """Return the inputs for papers: a text each or, `apart`, a text for each part."""
        if self.folder.apart:
            return [text for paper in papers for text in texts_of(paper, self.folder.parts)]
        return [self.text(paper) for paper in papers]

    @property
    def separator(self) -> str:
        """The tokenizer's separator, between parts."""
        return self.tokenizer.sep_token or " "

    def encode(self, texts: Sequence[PaperText], progress: Progress = silent) -> Vectors:
        """Encode papers into an array of shape (n, dimension), in their order."""
        out = np.empty((len(texts), self.dimension), np.float32)
        done = 0
        for ids, vectors in self.encode_batches(texts, progress, total=len(texts)):
            out[done : done + len(ids)] = vectors
            done += len(ids)
        return out

    def encode_batches(
        self, texts: Iterable[PaperText], progress: Progress = silent, total: int | None = None
    ) -> Iterator[tuple[list[str], Vectors]]:
        """Encode a stream, holding `CHUNK` papers at a time; yields (ids, vectors) in its order."""
        stream = iter(texts)
        done = 0
        while chunk := list(islice(stream, CHUNK)):
            inputs = self.inputs(chunk)
            vectors = np.empty((len(inputs), self.folder.width), np.float32)
            finished = 0
            for rows, part in self._batches(inputs):
                vectors[rows] = part
                finished += len(rows)
                progress("encode", done + finished * len(chunk) // len(inputs), total)
            done += len(chunk)
            yield [paper.id for paper in chunk], vectors.reshape(len(chunk), self.dimension)

    def _batches(self, texts: list[str]) -> Iterator[tuple[list[int], Vectors]]:
        """Encode one chunk in batches of like length; yields (rows of the chunk, vectors)."""
        tokens = self._tokens(texts)
        self.used = self._precision(tokens)
        yield from self._encode(tokens, self.used)

    def _tokens(self, texts: list[str]) -> list[list[int]]:
        tokens: list[list[int]] = self.tokenizer(
            texts, truncation=True, max_length=self.max_length
        )["input_ids"]
        return tokens

    @property
    def settled(self) -> Precision | None:
        """The precision that was set or benchmarked; None before both."""
        if self.precision != "auto":
            return self.precision
        return self.choice.precision if self.choice else None

    @property
    def steady_precision(self) -> Precision:
        """The precision that the device alone decides: bfloat16 if it has such arithmetic."""
        from specter_graph.encoder.device import fast_precisions

        return "bfloat16" if "bfloat16" in fast_precisions(self.device) else "float32"

    def _precision(self, tokens: list[list[int]]) -> Precision:
        """Return the precision for these texts; with enough of them it is benchmarked."""
        from specter_graph.encoder.device import fast_precisions

        others = fast_precisions(self.device)
        if self.settled is None and others and len(tokens) >= MIN_TEXTS:
            self.choice = benchmark(self._in_order, tokens, others)
        return self.settled or self.steady_precision

    def _in_order(self, tokens: Sequence[list[int]], precision: Precision) -> Vectors:
        vectors = np.empty((len(tokens), self.folder.width), np.float32)
        for rows, part in self._encode(tokens, precision):
            vectors[rows] = part
        return vectors

    def _encode(
        self, tokens: Sequence[list[int]], precision: Precision
    ) -> Iterator[tuple[list[int], Vectors]]:
        """Encode texts in batches of like length; yields (rows, vectors)."""
        from specter_graph.encoder.device import map_on_cores

        # Loaded here, not by two workers at once.
        network = self.int8_network if precision == "int8" else self.network

        def forward(rows: list[int]) -> tuple[list[int], Vectors]:
            return rows, self._forward(network, [tokens[row] for row in rows], precision)

        batches = by_length([len(each) for each in tokens], TOKENS[self.device.type])
        if self.device.type == "cpu":
            return map_on_cores(forward, batches)
        return map(forward, batches)

    def _forward(
        self,
        network: Any,  # noqa: ANN401
        tokens: list[list[int]],
        precision: Precision,
    ) -> Vectors:
        import torch

        ids, mask = self._padded(tokens)
        bfloat16 = precision == "bfloat16"
        with (
            torch.inference_mode(),
            torch.autocast(self.device.type, torch.bfloat16, enabled=bfloat16),
        ):
            states = network(input_ids=ids, attention_mask=mask).last_hidden_state
        return self.pool(states.float(), mask).cpu().numpy()

    def _padded(self, tokens: list[list[int]]) -> "tuple[torch.Tensor, torch.Tensor]":
        """The ids of n texts and which of them are not padding, (n, width) int64 each."""
        import torch

        width = max(map(len, tokens))
        ids = torch.full((len(tokens), width), self.tokenizer.pad_token_id or 0)
        mask = torch.zeros((len(tokens), width), dtype=torch.long)
        for row, sequence in enumerate(tokens):
            ids[row, : len(sequence)] = torch.tensor(sequence)
            mask[row, : len(sequence)] = 1
        return ids.to(self.device), mask.to(self.device)

    def pool(self, states: "torch.Tensor", mask: "torch.Tensor") -> "torch.Tensor":
        """Pool (n, width, d) hidden states into (n, d) vectors."""
        import torch

        present = mask.unsqueeze(-1)
        if self.pooling == "cls":
            vectors = states[:, 0]
        elif self.pooling == "max":
            vectors = states.masked_fill(present == 0, -torch.inf).amax(dim=1)
        else:
            vectors = (states * present).sum(dim=1) / present.sum(dim=1)
        return torch.nn.functional.normalize(vectors, dim=1) if self.folder.normalize else vectors

    @cached_property
    def device(self) -> "torch.device":
        """The device of the network."""
        from specter_graph.encoder.device import best_device

        return best_device()

    @cached_property
    def tokenizer(self) -> Any:  # noqa: ANN401
        """The base's own tokenizer (a transformers PreTrainedTokenizer)."""
        from transformers import AutoTokenizer

        with _loading(self.folder):
            return AutoTokenizer.from_pretrained(
                self.folder.path, local_files_only=True, trust_remote_code=False
            )

    @cached_property
    def scripts(self) -> frozenset[str]:
        """The scripts for which the tokenizer has more than single characters."""
        return scripts_of(self.tokenizer)

    @cached_property
    def network(self) -> Any:  # noqa: ANN401
        """The Transformer (a transformers PreTrainedModel), float32, in evaluation mode."""
        from transformers import AutoModel

        with _loading(self.folder):
            network = AutoModel.from_pretrained(
                self.folder.path, local_files_only=True, trust_remote_code=False
            )
        return network.float().eval().to(self.device)

    @cached_property
    def int8_network(self) -> Any:  # noqa: ANN401
        """The Transformer with its linear layers in int8 (see `int8`).

        On CPUs without such arithmetic products overflow.
        """
        from specter_graph.encoder.device import fast_precisions

        if "int8" not in fast_precisions(self.device):
            raise ModelError(
                "int8 needs a CPU with AVX512-VNNI or AMX, which this one lacks",
                "choose another --precision, or continue on the machine that began in int8",
            )
        with extra("int8"):
            from specter_graph.encoder.int8 import SAMPLE, quantize

        texts = [self.separator.join(paper.values()) for paper in json.loads(SAMPLE.read_bytes())]
        ids, mask = self._padded(self._tokens(texts))
        return quantize(self.network, {"input_ids": ids, "attention_mask": mask})


def by_length(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Return batches of texts of similar length, shortest first, as lists of rows.

    A batch, filled up to its longest text, has `budget` tokens at most, or is a single text.
    """
    batches: list[list[int]] = [[]]
    for row in sorted(range(len(lengths)), key=lambda row: lengths[row]):
        if batches[-1] and (len(batches[-1]) + 1) * lengths[row] > budget:
            batches.append([])
        batches[-1].append(row)
    return batches


@contextmanager
def _loading(folder: BaseFolder) -> Iterator[None]:
    """Turn errors of transformers into ModelError."""
    try:
        with quiet():
            yield
    except Exception as error:
        raise ModelError(
            f"the base model {folder.name} does not load: {error}",
            f"check the files in {folder.path}",
        ) from error


@contextmanager
def quiet() -> Iterator[None]:
    """Keep progress bars and notes of transformers off the terminal."""
    from transformers.utils import logging

    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
