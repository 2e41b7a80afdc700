"""A model as a folder for other programs, its vectors compared with ours before it is there."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import numpy as np

from specter_graph.core.errors import ModelError, extra
from specter_graph.core.files import check_new_folder, complete_folder
from specter_graph.core.vectors import Vectors
from specter_graph.encoder import Encoder
from specter_graph.encoder.model_dir import ExportFormat, render_card
from specter_graph.loaders.records import PaperText

FARTHEST = {"sentence-transformers": 1e-5, "onnx": 1e-4}
"""Largest difference of a number of a vector from ours; an export beyond it is not kept.

Of vectors with numbers over 1, which not every base has, it is a share of the largest number: that
is how float32 rounds.
"""

SAMPLES = [
    PaperText("1", "Neutrino masses", "We study the seesaw mechanism in a left-right model."),
    PaperText("2", "Dwarf galaxies", None),
    PaperText("3", "Jets " * 200, "A text far longer than models read. " * 300),
]


@dataclass(frozen=True, slots=True)
class ModelExport:
    """An exported model; `difference` is the largest from our vectors, over `SAMPLES`."""

    path: str
    form: str
    kind: str
    dimension: int
    difference: float


def export_model(name: str, output: Path, form: ExportFormat) -> ModelExport:
    """Write what `Encoder.load(name)` opens into the new folder `output`.

    Raises InputError where there is something at `output`, or a library of `--as onnx` is missing,
    ModelError where the model cannot be written in this form or the vectors would not be the same.
    """
    check_new_folder(output)
    if form == "onnx":
        _require_onnx()
    encoder = Encoder.load(name)
    if encoder.model.folder.apart:
        raise ModelError(f"{name} reads the parts of a paper apart: other programs do not")
    if encoder.truncate_dim:
        raise ModelError(
            f"{name} is a model with its vectors cut",
            "export the full one: sentence-transformers truncates with"
            f" truncate_dim={encoder.truncate_dim}",
        )
    encoder.model.precision = "float32"
    ours = encoder.encode(SAMPLES)
    write, read = _form(form)
    with complete_folder(output) as folder:
        write(encoder, folder)
        (folder / "README.md").write_text(render_card(encoder.record, encoder, form), "utf-8")
        theirs = read(folder, [encoder.model.text(paper) for paper in SAMPLES])
        difference = float(np.abs(ours - theirs).max())
        if not difference <= FARTHEST[form] * max(1, np.abs(ours).max()):
            raise ModelError(
                f"the vectors of {name} as {form} differ from ours by up to {difference:.2g}",
                "this base has parts that do not come along; nothing was written",
            )
    return ModelExport(str(output), form, encoder.kind, encoder.dimension, difference)


def _form(
    form: ExportFormat,
) -> tuple[Callable[[Encoder, Path], None], Callable[[Path, list[str]], Vectors]]:
    """What writes a model in a form, and what reads vectors from it."""
    if form == "onnx":
        from specter_graph.encoder.export import onnx_vectors, write_onnx

        return write_onnx, onnx_vectors
    from specter_graph.encoder.export import sentence_vectors, write_sentence_transformer

    return write_sentence_transformer, sentence_vectors


def _require_onnx() -> None:
    with extra("onnx"):
        for library in ("onnx", "onnxscript", "onnxruntime"):
            import_module(library)
