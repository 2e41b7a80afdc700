"""A model as one ONNX graph: tokens in, the vector out, pooled and mapped."""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import torch

from specter_graph.core.errors import ModelError
from specter_graph.core.vectors import Vectors
from specter_graph.encoder.encoder import Encoder

MODEL_FILE = "model.onnx"

LARGEST = 2**31 - 2**24
"""Bytes of weights that a file of protocol buffers can hold; more go into a file beside it."""


class PaperVectors(torch.nn.Module):
    """What the graph computes: `input_ids` and `attention_mask`, (n, width) int64, to (n, d)."""

    map: torch.Tensor | None

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.base = encoder.base
        self.network = encoder.base.network
        weight = torch.from_numpy(encoder.head.weight) if encoder.head else None
        self.register_buffer("map", weight)
        self.eval()

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Vectors, (n, d) float32."""
        read = self.network(input_ids=input_ids, attention_mask=attention_mask)
        vectors = self.base.pool(read.last_hidden_state, attention_mask)
        if self.map is None:
            return vectors
        unit = torch.nn.functional.normalize(vectors, dim=1)
        return torch.nn.functional.normalize(unit @ self.map, dim=1)


def check_onnx(encoder: Encoder) -> None:
    """Raise ModelError for a model that no ONNX graph can hold."""
    if encoder.head and encoder.head.features:
        raise ModelError(
            "the head has text features, which count words; an ONNX graph reads tokens only",
            "export it --as sentence-transformers, or train one with --set features=null",
        )


def write_onnx(encoder: Encoder, folder: Path) -> None:
    """Write `model.onnx` and the files of the tokenizer into an empty folder."""
    check_onnx(encoder)
    model = PaperVectors(encoder).cpu()
    weights = sum(each.numel() * each.element_size() for each in model.network.parameters())
    free = {0: torch.export.Dim.DYNAMIC, 1: torch.export.Dim.DYNAMIC}
    example = torch.ones((2, 8), dtype=torch.long)
    try:
        with _quiet_export():
            torch.onnx.export(
                model,
                (example, example.clone()),
                folder / MODEL_FILE,
                input_names=["input_ids", "attention_mask"],
                output_names=["vector"],
                dynamic_shapes={"input_ids": free, "attention_mask": free},
                external_data=weights > LARGEST,
                dynamo=True,
                verbose=False,
            )
    except torch.onnx.errors.OnnxExporterError as error:
        raise ModelError(
            f"PyTorch cannot write {encoder.base_name} as ONNX: {str(error).splitlines()[0]}",
            "export it --as sentence-transformers",
        ) from error
    tokenizer = encoder.base.tokenizer
    tokenizer.model_max_length = encoder.base.max_length
    tokenizer.save_pretrained(folder)


def onnx_vectors(folder: Path, texts: list[str]) -> Vectors:
    """The vectors, (n, dimension) float32, that such a folder gives for texts joined already."""
    from onnxruntime import InferenceSession
    from transformers import AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(
        folder, local_files_only=True, trust_remote_code=False
    )
    tokens = tokenizer(texts, padding=True, truncation=True, return_tensors="np")
    session = InferenceSession(str(folder / MODEL_FILE), providers=["CPUExecutionProvider"])
    inputs = {name: tokens[name].astype(np.int64) for name in ("input_ids", "attention_mask")}
    return np.asarray(session.run(["vector"], inputs)[0], np.float32)


@contextmanager
def _quiet_export() -> Iterator[None]:
    """Keep the exporter's notes on libraries that are not there off the terminal."""
    log = logging.getLogger("torch.onnx")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(level)
