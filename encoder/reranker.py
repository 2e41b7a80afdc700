"""Cross-encoders, which read a query and a paper together and score the pair."""

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from specter_graph.core.errors import ModelError, require_paths
from specter_graph.core.vectors import Vectors
from specter_graph.encoder.model import quiet
from specter_graph.encoder.model_files import RECORD_FILE, RERANKER_FOLDER, hub_path

MAX_LENGTH = 256
"""Maximum tokens of a pair; a longer one is truncated, which halves the time of abstracts."""


class Reranker:
    """A cross-encoder of sentence-transformers, loaded with the first pair.

    Attributes:
        name: A folder, or a name on the Hugging Face Hub.
    """

    def __init__(self, name: Path | str) -> None:
        """Name the model.

        Args:
            name: A folder, or a hub name such as cross-encoder/ms-marco-MiniLM-L6-v2.

        Raises:
            InputError: The name is not a text or a path.
            ModelError: The folder has a model that encodes papers.
        """
        require_paths("give the folder or the hub name of a cross-encoder", reranker=name)
        self.name = str(name)
        folder = Path(name)
        trained = folder / RERANKER_FOLDER
        self._path = trained if trained.is_dir() else folder
        if self._path == folder and (folder / RECORD_FILE).is_file():
            raise ModelError(
                f"{name} encodes papers; a reranker scores pairs of texts",
                "use a cross-encoder (specter-graph train --recipe reranker), or embed papers with"
                " this model: specter-graph embed",
            )

    @classmethod
    def of(cls, model: Any) -> "Reranker":  # noqa: ANN401
        """Use a CrossEncoder with one label that is in memory."""
        reranker = cls("")
        reranker._model = model
        return reranker

    def score(self, query: str, texts: Sequence[str]) -> Vectors:
        """Score texts for a query, (n,) float32 from 0 to 1 (best)."""
        return self.score_pairs([(query, text) for text in texts])

    def score_pairs(self, pairs: Sequence[tuple[str, str]]) -> Vectors:
        """Score pairs of a query and a text, (n,) float32 from 0 to 1 (best).

        The model computes in bfloat16 on devices with such arithmetic.
        """
        if not pairs:
            return np.empty(0, np.float32)
        import torch

        from specter_graph.encoder.device import has_fast_bfloat16

        model = self._model
        is_fast = has_fast_bfloat16(model.device)
        with torch.autocast(model.device.type, torch.bfloat16, enabled=is_fast):
            return np.asarray(model.predict([*pairs], show_progress_bar=False), np.float32)

    @cached_property
    def _model(self) -> Any:  # noqa: ANN401
        from sentence_transformers import CrossEncoder
        from torch import nn

        path = self._path if self._path.is_dir() else hub_path(self.name, None, "reranker")
        try:
            with quiet():
                model = CrossEncoder(str(path), activation_fn=nn.Sigmoid())
        except Exception as error:
            raise ModelError(
                f"the reranker {self.name} does not load: {error}",
                "use a folder or hub name of a cross-encoder, such as"
                " cross-encoder/ms-marco-MiniLM-L6-v2",
            ) from error
        if model.num_labels != 1:
            raise ModelError(
                f"{self.name} has {model.num_labels} labels; a reranker has one score",
                "use a cross-encoder for ranking, such as cross-encoder/ms-marco-MiniLM-L6-v2",
            )
        model.max_seq_length = min(MAX_LENGTH, model.max_seq_length or MAX_LENGTH)
        return model
