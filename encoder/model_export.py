"""Export of a model as a folder for sentence-transformers."""

from dataclasses import asdict
from pathlib import Path

import numpy as np
import torch
from sentence_transformers import SentenceTransformer, SentenceTransformerModelCardData
from sentence_transformers.base.modules import Dense, Normalize, Transformer
from sentence_transformers.sentence_transformer.modules import Pooling

from specter_graph.core.vectors import Vectors
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.head import Head
from specter_graph.encoder.model import TransformerModel, quiet
from specter_graph.encoder.model_files import EXPORT_FILE
from specter_graph.encoder.sentence_modules import ConcatFeatures, FeaturesTransformer


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
    prompts = asdict(encoder.prompts)
    model = SentenceTransformer(
        modules=modules,
        device="cpu",
        model_card_data=card,
        prompts=prompts,
        default_prompt_name="document" if prompts["document"] else None,
    )
    model.max_seq_length = base.max_length
    with quiet():
        model.float().save(str(folder), create_model_card=False)
    if encoder.record:
        (folder / EXPORT_FILE).write_text(encoder.record.model_dump_json(indent=2) + "\n", "utf-8")


def sentence_vectors(folder: Path, texts: list[str]) -> Vectors:
    """Return the vectors of texts of papers by an exported folder, (n, dimension) float32.

    `trust_remote_code` only imports `sentence_modules`: this module wrote the folder.
    """
    with quiet():
        model = SentenceTransformer(
            str(folder), device="cpu", trust_remote_code=True, local_files_only=True
        )
    return np.asarray(model.encode_document(texts, show_progress_bar=False), np.float32)


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
