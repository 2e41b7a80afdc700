"""A frozen Transformer that encodes papers: title, separator, abstract (SPECTER, section 2.2)."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import ModelError
from specter_graph.core.progress import Progress, silent
from specter_graph.core.vectors import Vectors, unit
from specter_graph.encoder import device
from specter_graph.encoder.device import Precision, PrecisionChoice
from specter_graph.encoder.input_fields import scripts_of, texts_of
from specter_graph.encoder.model_files import TransformerFolder
from specter_graph.loaders.records import PaperText

if TYPE_CHECKING:
    import torch

    from specter_graph.encoder.int8 import Int8Network

CHUNK = 1_024
"""Papers that are tokenized, sorted by length and encoded together."""

TOKENS = {"cpu": 1_024, "mps": 8_192, "cuda": 65_536}
"""Tokens per batch: larger batches exceed the caches of CPUs, smaller ones leave GPUs idle."""


class TransformerModel:
    """A Transformer that encodes papers; its network is loaded with the first text.

    Attributes:
        folder: The files of the model, which define the pooling, see `model_files`.
        precision: Arithmetic of the network, which can be set at any time. `auto` is bfloat16 on
            devices with such arithmetic, else float32; with enough texts, the precisions of the
            device are benchmarked first. Vectors of all precisions are comparable.
        choice: The result of the benchmark, if any.
        used: The precision of the last vectors.
    """

    def __init__(self, folder: TransformerFolder) -> None:
        self.folder = folder
        self.precision: Literal["auto"] | Precision = "auto"
        self.choice: PrecisionChoice | None = None
        self.used: Precision | None = None

    def text(self, paper: PaperText) -> str:
        """Return the text of a paper: the parts, joined by the separator."""
        return self.separator.join(texts_of(paper, self.folder.parts))

    def inputs(self, texts: Sequence[PaperText | str]) -> list[str]:
        """Return one input per paper, or one per part with `separate_parts`.

        The prompt of papers precedes each input. A string is an input itself, and the first part.
        """
        parts, prompt = self.folder.parts, self.folder.prompts.document
        if self.folder.separate_parts:
            empty = [""] * (len(parts) - 1)
            return [
                part
                for text in texts
                for part in (
                    [text, *empty]
                    if isinstance(text, str)
                    else (prompt + each for each in texts_of(text, parts))
                )
            ]
        return [text if isinstance(text, str) else prompt + self.text(text) for text in texts]

    @property
    def separator(self) -> str:
        """The tokenizer's separator, between parts."""
        return self.tokenizer.sep_token or " "

    def encode(self, texts: Sequence[PaperText | str], progress: Progress = silent) -> Vectors:
        """Encode n papers into (n, dimension) float32; besides the result, memory is constant.

        With the part `body`, the vector of a paper is the mean of the vectors of its windows, each
        of `max_length` tokens; all windows together have at most MAX_BODY_CHARACTERS. For strings
        see `inputs`.
        """
        vectors = np.empty((len(texts), self.folder.dimension), np.float32)
        for start in range(0, len(texts), CHUNK):
            chunk = texts[start : start + CHUNK]
            inputs = self.inputs(chunk)
            tokens, owners = self._tokenize(inputs)
            self.used = self._choose_precision(tokens)
            parts = vectors[start : start + CHUNK].reshape(len(inputs), self.folder.width)
            parts[:] = 0
            done = 0
            for rows, part in self._encode(tokens, self.used):
                np.add.at(parts, owners[rows], part)
                done += len(rows)
                progress("encode", start + done * len(chunk) // len(tokens), len(texts))
            if len(tokens) > len(inputs):
                parts /= np.bincount(owners)[:, None]
                if self.folder.normalize:
                    parts[:] = unit(parts)
        return vectors

    def _tokenize(self, texts: list[str]) -> tuple[list[list[int]], NDArray[np.int64]]:
        """Return the tokens of windows, and the number of the text of each window.

        A text with a full text has as many windows as it fills, any other text has one.
        """
        encoded = self.tokenizer(
            texts,
            truncation=True,
            max_length=self.folder.max_length,
            return_overflowing_tokens="body" in self.folder.parts,
        )
        owners = encoded.get("overflow_to_sample_mapping") or range(len(texts))
        return encoded["input_ids"], np.array(owners, dtype=np.int64)

    @property
    def fixed_precision(self) -> Precision | None:
        """The precision that was set or benchmarked; None before."""
        if self.precision != "auto":
            return self.precision
        return self.choice.precision if self.choice else None

    @property
    def default_precision(self) -> Precision:
        """The precision without a benchmark: bfloat16 if the device has such arithmetic."""
        return "bfloat16" if "bfloat16" in device.fast_precisions(self.device) else "float32"

    def benchmark(self, queries: Sequence[str]) -> None:
        """Choose the precision of `auto` for queries, which are encoded one at a time."""
        if queries:
            self._benchmark(self._tokenize(list(queries))[0], one_at_a_time=True)

    def _benchmark(self, tokens: list[list[int]], *, one_at_a_time: bool = False) -> None:
        others = device.fast_precisions(self.device)
        if self.fixed_precision is None and others:
            self.choice = device.benchmark(
                self.encode_tokens, tokens, others, one_at_a_time=one_at_a_time
            )

    def _choose_precision(self, tokens: list[list[int]]) -> Precision:
        """Return the precision for these texts; with enough of them it is benchmarked."""
        if len(tokens) >= device.MIN_TEXTS:
            self._benchmark(tokens)
        return self.fixed_precision or self.default_precision

    def encode_tokens(self, tokens: Sequence[list[int]], precision: Precision) -> Vectors:
        """Encode n texts, given as tokens, into (n, width) float32."""
        vectors = np.empty((len(tokens), self.folder.width), np.float32)
        for rows, part in self._encode(tokens, precision):
            vectors[rows] = part
        return vectors

    def _encode(
        self, tokens: Sequence[list[int]], precision: Precision
    ) -> Iterator[tuple[list[int], Vectors]]:
        """Encode texts in batches of similar length; yields (rows, vectors)."""
        # Loaded before the workers start: two of them must not load it at once.
        network = self.int8_network if precision == "int8" else self.network

        def forward(rows: list[int]) -> tuple[list[int], Vectors]:
            return rows, self._forward(network, [tokens[row] for row in rows], precision)

        batches = batch_by_length([len(ids) for ids in tokens], TOKENS[self.device.type])
        if self.device.type == "cpu":
            return device.map_on_cores(forward, batches)
        return map(forward, batches)

    def _forward(
        self,
        network: Any,  # noqa: ANN401
        tokens: list[list[int]],
        precision: Precision,
    ) -> Vectors:
        import torch

        ids, mask = (part.to(self.device) for part in self.padded(tokens))
        bfloat16 = precision == "bfloat16"
        with (
            torch.inference_mode(),
            torch.autocast(self.device.type, torch.bfloat16, enabled=bfloat16),
        ):
            states = network(input_ids=ids, attention_mask=mask).last_hidden_state
        return self.pool(states.float(), mask).cpu().numpy()

    def padded(
        self, tokens: Sequence[Sequence[int] | NDArray[np.integer]]
    ) -> "tuple[torch.Tensor, torch.Tensor]":
        """Return the ids of n texts and the mask of the tokens, (n, width) int64 each."""
        import torch

        lengths = np.array([len(ids) for ids in tokens])
        mask = np.arange(lengths.max()) < lengths[:, None]
        ids = np.full(mask.shape, self.tokenizer.pad_token_id or 0)
        ids[mask] = np.concatenate(tokens)
        return torch.from_numpy(ids), torch.from_numpy(mask.astype(np.int64))

    def pool(self, states: "torch.Tensor", mask: "torch.Tensor") -> "torch.Tensor":
        """Pool (n, width, d) hidden states into (n, d) vectors."""
        import torch

        present = mask.unsqueeze(-1)
        if self.folder.pooling == "cls":
            vectors = states[:, 0]
        elif self.folder.pooling == "max":
            vectors = states.masked_fill(present == 0, -torch.inf).amax(dim=1)
        else:
            vectors = (states * present).sum(dim=1) / present.sum(dim=1)
        return torch.nn.functional.normalize(vectors, dim=1) if self.folder.normalize else vectors

    @cached_property
    def device(self) -> "torch.device":
        """The device of the network."""
        return device.best_device()

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
        if self.folder.adapter:
            from specter_graph.encoder.task_adapters import add_task_adapter

            add_task_adapter(network, self.folder.adapter)
        return network.float().eval().to(self.device)

    @cached_property
    def query_model(self) -> "TransformerModel":
        """The model that encodes queries: this one, unless queries have an adapter of their own."""
        if self.folder.query_adapter is None:
            return self
        folder = replace(self.folder, adapter=self.folder.query_adapter, query_adapter=None)
        model = TransformerModel(folder)
        model.precision, model.choice = self.precision, self.choice
        return model

    @cached_property
    def int8_network(self) -> "Int8Network":
        """The Transformer with int8 arithmetic, for CPUs."""
        from specter_graph.encoder.int8 import Int8Network

        with quiet():
            return Int8Network(self.network)


def batch_by_length(lengths: Sequence[int], budget: int) -> list[list[int]]:
    """Return batches of texts of similar length, shortest first, as lists of rows.

    A batch, padded to its longest text, has at most `budget` tokens, or is a single text.
    """
    batches: list[list[int]] = [[]]
    for row in sorted(range(len(lengths)), key=lambda row: lengths[row]):
        if batches[-1] and (len(batches[-1]) + 1) * lengths[row] > budget:
            batches.append([])
        batches[-1].append(row)
    return batches


@contextmanager
def _loading(folder: TransformerFolder) -> Iterator[None]:
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
    """Keep progress bars and notes of transformers and sentence-transformers off the terminal."""
    from logging import ERROR, getLogger

    from transformers.utils import logging

    verbosity, bars = logging.get_verbosity(), logging.is_progress_bar_enabled()
    library = getLogger("sentence_transformers")
    level = library.level
    library.setLevel(ERROR)
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        library.setLevel(level)
        logging.set_verbosity(verbosity)
        if bars:
            logging.enable_progress_bar()
