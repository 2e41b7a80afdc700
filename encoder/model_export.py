"""Export of a model as a folder for sentence-transformers, or as an ONNX graph."""

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import torch
from sentence_transformers import SentenceTransformer, SentenceTransformerModelCardData
from sentence_transformers.base.modules import Dense, Normalize, Transformer
from sentence_transformers.sentence_transformer.modules import Pooling

from specter_graph.core.errors import ModelError
from specter_graph.core.vectors import Vectors
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.head import Head
from specter_graph.encoder.model import TransformerModel, quiet
from specter_graph.encoder.model_files import EXPORT_FILE
from specter_graph.encoder.sentence_modules import ConcatFeatures, FeaturesTransformer

MODEL_FILE = "model.onnx"

MAX_BYTES = 2**31 - 2**24
"""Maximum bytes of weights in a file of protocol buffers; more are written beside the file."""


def write_sentence_transformer(encoder: Encoder, folder: Path) -> None:
    """Write the modules of a model into an empty folder.

    The modules are Transformer, Pooling and, if the model normalizes, Normalize; for a head
    Transformer, Pooling, Normalize, ConcatFeatures if it has features, Dense (W), Normalize.
    """
    base, head = encoder.model, encoder.head
    normalize = [Normalize()] if head or base.folder.normalize else []
    modules = [
        _transformer(base, head),
        Pooling(base.dimension, pooling_mode=base.pooling),
        *normalize,
        *(_head(head) if head else []),
    ]
    # Without it `save` would query the Hugging Face Hub for an unused model card.
    card = SentenceTransformerModelCardData(local_files_only=True)
    model = SentenceTransformer(modules=modules, device="cpu", model_card_data=card)
    model.max_seq_length = base.max_length
    with quiet():
        model.float().save(str(folder), create_model_card=False)
    if encoder.record:
        (folder / EXPORT_FILE).write_text(encoder.record.model_dump_json(indent=2) + "\n", "utf-8")


def sentence_vectors(folder: Path, texts: list[str]) -> Vectors:
    """Return the vectors of texts by an exported folder, (n, dimension) float32.

    `trust_remote_code` only imports `sentence_modules`: this module wrote the folder.
    """
    with quiet():
        model = SentenceTransformer(
            str(folder), device="cpu", trust_remote_code=True, local_files_only=True
        )
    return np.asarray(model.encode(texts, show_progress_bar=False), np.float32)


def _transformer(base: TransformerModel, head: Head | None) -> Transformer:
    kind = FeaturesTransformer if head and head.features else Transformer
    with quiet():
        module = kind(str(base.folder.path))
    if head and head.features:
        module.text_features = head.features
    return module


def _head(head: Head) -> list[torch.nn.Module]:
    d_in, dimension = head.weight.shape
    weight = torch.from_numpy(np.ascontiguousarray(head.weight.T))
    dense = Dense(d_in, dimension, bias=False, activation_function=None, init_weight=weight)
    features = [ConcatFeatures(head.feature_weight)] if head.features else []
    return [*features, dense, Normalize()]


class OnnxGraph(torch.nn.Module):
    """The graph to export: (n, width) int64 `input_ids` and `attention_mask` to (n, d) vectors."""

    map: torch.Tensor | None

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.base = encoder.model
        self.network = encoder.model.network
        weight = torch.from_numpy(encoder.head.weight) if encoder.head else None
        self.register_buffer("map", weight)
        self.eval()

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        """Return vectors, (n, d) float32."""
        states = self.network(input_ids=input_ids, attention_mask=attention_mask)
        vectors = self.base.pool(states.last_hidden_state, attention_mask)
        if self.map is None:
            return vectors
        unit = torch.nn.functional.normalize(vectors, dim=1)
        return torch.nn.functional.normalize(unit @ self.map, dim=1)


def check_onnx(encoder: Encoder) -> None:
    """Raise ModelError for a model that cannot be an ONNX graph."""
    if encoder.head and encoder.head.features:
        raise ModelError(
            "the head has text features, which count words; an ONNX graph only reads tokens",
            "export it for sentence-transformers, or train a head with --set features=null",
        )


def write_onnx(encoder: Encoder, folder: Path) -> None:
    """Write `model.onnx` and the files of the tokenizer into an empty folder."""
    check_onnx(encoder)
    model = OnnxGraph(encoder).cpu()
    weights = sum(
        parameter.numel() * parameter.element_size() for parameter in model.network.parameters()
    )
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
                external_data=weights > MAX_BYTES,
                dynamo=True,
                verbose=False,
            )
    except torch.onnx.errors.OnnxExporterError as error:
        raise ModelError(
            f"PyTorch cannot write {encoder.base_name} as ONNX: {str(error).splitlines()[0]}",
            "export it for sentence-transformers",
        ) from error
    tokenizer = encoder.model.tokenizer
    tokenizer.model_max_length = encoder.model.max_length
    tokenizer.save_pretrained(folder)


def onnx_vectors(folder: Path, texts: list[str]) -> Vectors:
    """Return the vectors of texts by the ONNX graph in a folder, (n, dimension) float32."""
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
    """Silence the exporter, which reports missing optional libraries."""
    log = logging.getLogger("torch.onnx")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        log.setLevel(level)
