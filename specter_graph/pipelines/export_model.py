"""Export of a model for other programs, verified by comparing vectors."""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from specter_graph.core.atomic_files import check_new_folder, complete_folder
from specter_graph.core.errors import ModelError
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.model_dir import render_card
from specter_graph.encoder.model_export import sentence_vectors, write_sentence_transformer
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


def export_model(name: str, output: Path) -> ModelExport:
    """Export the model that `Encoder.load(name)` opens into a new folder for sentence-transformers.

    Raises:
        InputError: `output` exists.
        ModelError: The model cannot be exported, or its vectors would differ.
    """
    check_new_folder(output)
    encoder = Encoder.load(name)
    if encoder.model.folder.separate_parts:
        raise ModelError(
            f"{name} encodes the parts of a paper separately, which other programs do not support"
        )
    if encoder.model.folder.adapter:
        raise ModelError(f"{name} has a task adapter, which other programs load by `adapters`")
    if dimensions := encoder.truncate_dim:
        raise ModelError(
            f"{name} truncates its vectors to {dimensions} dimensions",
            f"export the full model and use truncate_dim={dimensions} in sentence-transformers",
        )
    encoder.model.precision = "float32"
    ours = encoder.encode(SAMPLES)
    with complete_folder(output) as folder:
        write_sentence_transformer(encoder, folder)
        (folder / "README.md").write_text(render_card(encoder.record, encoder), "utf-8")
        theirs = sentence_vectors(folder, [encoder.model.text(paper) for paper in SAMPLES])
        difference = float(np.abs(ours - theirs).max())
        if not difference <= MAX_DIFFERENCE * max(1, np.abs(ours).max()):
            raise ModelError(
                f"the vectors of the exported {name} differ from ours by up to {difference:.2g}",
                "use another base: this one has parts that cannot be exported",
            )
    return ModelExport(str(output), encoder.kind, encoder.dimension, difference)
