"""Export of a model for other programs, verified by comparing vectors."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import numpy as np

from specter_graph.core.atomic_files import check_new_folder, complete_folder
from specter_graph.core.errors import ModelError, extra
from specter_graph.core.vectors import Vectors
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.model_dir import ExportFormat, render_card
from specter_graph.loaders.records import PaperText

MAX_DIFFERENCE = {"sentence-transformers": 1e-5, "onnx": 1e-4}
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
    format: str
    kind: str
    dimension: int
    difference: float


def export_model(name: str, output: Path, format: ExportFormat) -> ModelExport:
    """Export the model that `Encoder.load(name)` opens into the new folder `output`.

    Raises:
        InputError: `output` exists, or a package for ONNX is not installed.
        ModelError: The model cannot be exported in this format, or its vectors would differ.
    """
    check_new_folder(output)
    if format == "onnx":
        _require_onnx()
    encoder = Encoder.load(name)
    if encoder.model.folder.separate_parts:
        raise ModelError(
            f"{name} encodes the parts of a paper separately, which other programs do not support"
        )
    if dimensions := encoder.truncate_dim:
        raise ModelError(
            f"{name} truncates its vectors to {dimensions} dimensions",
            f"export the full model and use truncate_dim={dimensions} in sentence-transformers",
        )
    encoder.model.precision = "float32"
    ours = encoder.encode(SAMPLES)
    write, read = _functions(format)
    with complete_folder(output) as folder:
        write(encoder, folder)
        (folder / "README.md").write_text(render_card(encoder.record, encoder, format), "utf-8")
        theirs = read(folder, [encoder.model.text(paper) for paper in SAMPLES])
        difference = float(np.abs(ours - theirs).max())
        if not difference <= MAX_DIFFERENCE[format] * max(1, np.abs(ours).max()):
            raise ModelError(
                f"the vectors of {name} as {format} differ from ours by up to {difference:.2g}",
                "use another base: this one has parts that cannot be exported",
            )
    return ModelExport(str(output), format, encoder.kind, encoder.dimension, difference)


def _functions(
    format: ExportFormat,
) -> tuple[Callable[[Encoder, Path], None], Callable[[Path, list[str]], Vectors]]:
    """Return the functions that write a model in a format and compute vectors with it."""
    if format == "onnx":
        from specter_graph.encoder.model_export import onnx_vectors, write_onnx

        return write_onnx, onnx_vectors
    from specter_graph.encoder.model_export import sentence_vectors, write_sentence_transformer

    return write_sentence_transformer, sentence_vectors


def _require_onnx() -> None:
    with extra("onnx"):
        for library in ("onnx", "onnxscript", "onnxruntime"):
            import_module(library)
