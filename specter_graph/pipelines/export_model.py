"""Export of a model as a folder for sentence-transformers, verified by comparing vectors."""

from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.base.modules import Dense, Normalize, Transformer

from specter_graph.core.atomic_files import check_new_folder, complete_folder
from specter_graph.core.errors import ModelError
from specter_graph.core.vectors import Vectors
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.head import Head
from specter_graph.encoder.model import quiet
from specter_graph.encoder.model_dir import render_card
from specter_graph.encoder.model_files import EXPORT_FILE
from specter_graph.encoder.sentence_modules import (
    ConcatFeatures,
    FeaturesTransformer,
    build_sentence_transformer,
)
from specter_graph.loaders.records import PaperText

MAX_DIFFERENCE = 1e-5
"""Largest allowed absolute difference between a component of our vectors and the exported model's.

If a component exceeds 1, the limit is relative to the largest component, as float32 rounding is.
"""

SAMPLES = [
    PaperText("1", "Neutrino masses", "We study the seesaw mechanism in a left-right model."),
    PaperText("2", "Dwarf galaxies", None),
    PaperText("3", "Jets " * 200, "A text far longer than models read. " * 300),
]


@dataclass(frozen=True, slots=True)
class ModelExport:
    """An exported model; `difference` is the largest deviation from our vectors on `SAMPLES`."""

    path: str
    kind: str
    dimension: int
    difference: float


def export_model(name: Path | str, path: Path | str) -> ModelExport:
    """Export the model that `Encoder.load(name)` opens into a new folder for sentence-transformers.

    Raises:
        InputError: `path` exists.
        ModelError: The model cannot be exported, or its vectors would differ.
    """
    path = Path(path)
    check_new_folder(path)
    encoder = Encoder.load(name)
    if encoder.model.folder.separate_parts:
        raise ModelError(
            f"{name} encodes the parts of a paper separately, which other programs do not support"
        )
    if encoder.model.folder.adapter:
        raise ModelError(f"{name} has a task adapter, which other programs load by `adapters`")
    if encoder.model.folder.is_static:
        raise ModelError(
            f"{name} is a static model or a head on one",
            f"a static model is a folder of sentence-transformers: {encoder.model.folder.path}",
        )
    if dimensions := encoder.truncate_dim:
        raise ModelError(
            f"{name} truncates its vectors to {dimensions} dimensions",
            f"export the full model and use truncate_dim={dimensions} in sentence-transformers",
        )
    encoder.model.precision = "float32"
    ours = encoder.encode(SAMPLES)
    with complete_folder(path) as folder:
        write_sentence_transformer(encoder, folder)
        (folder / "README.md").write_text(render_card(encoder.record, encoder), "utf-8")
        theirs = sentence_vectors(folder, [encoder.model.text(paper) for paper in SAMPLES])
        difference = float(np.abs(ours - theirs).max())
        if not difference <= MAX_DIFFERENCE * max(1, np.abs(ours).max()):
            raise ModelError(
                f"the vectors of the exported {name} differ from ours by up to {difference:.2g}",
                "use another base: this one has parts that cannot be exported",
            )
    return ModelExport(str(path), encoder.kind, encoder.dimension, difference)


def write_sentence_transformer(encoder: Encoder, folder: Path) -> None:
    """Write the modules of a model into an empty folder.

    The modules are Transformer, Pooling and, if the model normalizes, Normalize; for a head
    Transformer, Pooling, Normalize, ConcatFeatures if it has features, Dense (W), Normalize.
    """
    base, head = encoder.model, encoder.head
    prompts = asdict(encoder.prompts)
    model = build_sentence_transformer(
        base,
        *(_make_head(head) if head else []),
        normalize=bool(head) or base.folder.normalize,
        kind=FeaturesTransformer if head and head.features else Transformer,
        device="cpu",
        prompts=prompts,
        default_prompt_name="document" if prompts["document"] else None,
    )
    if head and head.features:
        model[0].text_features = head.features
    with quiet():
        model.save(str(folder), create_model_card=False)
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


def _make_head(head: Head) -> list[torch.nn.Module]:
    d_in, dimension = head.weight.shape
    weight = torch.from_numpy(np.ascontiguousarray(head.weight.T))
    dense = Dense(d_in, dimension, bias=False, activation_function=None, init_weight=weight)
    features = [ConcatFeatures(head.feature_weight)] if head.features else []
    return [*features, dense, Normalize()]
