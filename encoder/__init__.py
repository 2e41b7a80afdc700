"""Triplets and texts in, a trained model and vectors out; knows no database.

In: `PaperText` records, triplets as Arrow tables (query, positive, negative, hard) of paper ids.
Out: a model directory (`model_dir`) and float32 vectors (`Encoder`). PyTorch and its friends are
loaded when a name of this room is first used, not when the room is imported.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from specter_graph.encoder.encoder import Encoder
    from specter_graph.encoder.full import FullSettings, train_full
    from specter_graph.encoder.head import HeadSettings, train_head
    from specter_graph.encoder.model import BaseModel
    from specter_graph.encoder.model_dir import ModelRecord, read_record
    from specter_graph.encoder.settings import BaseChoice, Recipe, read_recipe

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

_HOMES = {
    "BaseChoice": "settings",
    "BaseModel": "model",
    "Encoder": "encoder",
    "FullSettings": "full",
    "HeadSettings": "head",
    "ModelRecord": "model_dir",
    "Recipe": "settings",
    "read_recipe": "settings",
    "read_record": "model_dir",
    "train_full": "full",
    "train_head": "head",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
