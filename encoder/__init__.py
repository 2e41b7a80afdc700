"""Train document embeddings from triplets and texts, and encode papers; knows no database.

In: `PaperText` records, triplets as Arrow tables (query, positive, negative, hard) of paper ids.
Out: a model directory (`model_dir`) and float32 vectors (`Encoder`). PyTorch is loaded when a name
of this package is first used, not when the package is imported.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from specter_graph.encoder.encoder import Encoder
    from specter_graph.encoder.finetune import train_full
    from specter_graph.encoder.head_training import train_head
    from specter_graph.encoder.model import BaseModel
    from specter_graph.encoder.model_record import ModelRecord, read_record
    from specter_graph.encoder.recipe import (
        BaseChoice,
        FullSettings,
        HeadSettings,
        Recipe,
        read_recipe,
    )

__all__ = [
    "BaseChoice",
    "BaseModel",
    "Encoder",
    "FullSettings",
    "HeadSettings",
    "ModelRecord",
    "Recipe",
    "read_recipe",
    "read_record",
    "train_full",
    "train_head",
]

_MODULES = {
    "BaseModel": "model",
    "Encoder": "encoder",
    "ModelRecord": "model_record",
    "read_record": "model_record",
    "train_full": "finetune",
    "train_head": "head_training",
}
"""Modules of the names that are not in `recipe`."""


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_MODULES.get(name, 'recipe')}"), name)
