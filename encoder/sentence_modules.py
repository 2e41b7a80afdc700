"""Models of sentence-transformers, arguments of their trainers, and the modules of a head in them.

The modules.json of exported models names these two: moving them breaks models exported before.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Self

import torch
from sentence_transformers import SentenceTransformer, SentenceTransformerModelCardData
from sentence_transformers.base.modules import Module, Normalize, Transformer
from sentence_transformers.sentence_transformer.modules import Pooling

from specter_graph.encoder.device import best_device, has_fast_bfloat16
from specter_graph.encoder.head import NUMBERS_FILE, WORDS_FILE, TextFeatures
from specter_graph.encoder.model import TransformerModel, quiet
from specter_graph.encoder.recipe import FullSettings, RerankerSettings

_FEATURES = "text_features"


class FeaturesTransformer(Transformer):  # type: ignore[misc]
    """The first module: the Transformer of the base, which also computes the features of a text.

    A text is the parts of a paper, joined by the separator of the tokenizer, see
    `TransformerModel.text`.
    """

    text_features: TextFeatures

    def preprocess(
        self, inputs: Sequence[str], prompt: str | None = None, **options: object
    ) -> dict[str, Any]:
        """Return the inputs of the Transformer, and the features, (n, f) float32."""
        read: dict[str, Any] = super().preprocess(inputs, prompt=prompt, **options)
        if inputs:
            words = [text.replace(self.tokenizer.sep_token or " ", " ") for text in inputs]
            read[_FEATURES] = torch.from_numpy(self.text_features.transform(words))
        return read

    def forward(self, features: dict[str, Any], **options: object) -> dict[str, Any]:
        """Return the hidden states, and the features unchanged."""
        passing = features.pop(_FEATURES)
        states: dict[str, Any] = super().forward(features, **options)
        return states | {_FEATURES: passing}

    def save(self, output_path: str, *arguments: object, **options: object) -> None:
        """Write the Transformer's files and those of the features."""
        super().save(output_path, *arguments, **options)
        self.text_features.save(Path(output_path))

    @classmethod
    def load(cls, model_name_or_path: str, subfolder: str = "", **options: Any) -> Self:  # noqa: ANN401
        """Read the files that `save` wrote, from a folder or the Hugging Face Hub."""
        module: Self = super().load(model_name_or_path, subfolder=subfolder, **options)
        source = ("token", "cache_folder", "revision", "local_files_only")
        where = {key: options[key] for key in source if key in options}
        files = [
            cls.load_file_path(model_name_or_path, name, subfolder, **where)
            for name in (WORDS_FILE, NUMBERS_FILE)
        ]
        module.text_features = TextFeatures.load(Path(files[0] or model_name_or_path).parent)
        return module


class ConcatFeatures(Module):  # type: ignore[misc]
    """Appends the features, of length `weight`, to the pooled vectors: (n, d) to (n, d + f)."""

    config_keys = ("weight",)

    def __init__(self, weight: float) -> None:
        super().__init__()
        self.weight = weight

    def forward(self, features: dict[str, Any], **options: object) -> dict[str, Any]:
        """Return the concatenation as `sentence_embedding`."""
        vectors = features["sentence_embedding"]
        appended = self.weight * features.pop(_FEATURES).to(vectors)
        return features | {"sentence_embedding": torch.cat([vectors, appended], dim=1)}

    def save(self, output_path: str, *arguments: object, **options: object) -> None:
        """Write the weight."""
        self.save_config(output_path)


def trainer_options(
    folder: Path, settings: FullSettings | RerankerSettings, warmup: float, steps: int
) -> dict[str, Any]:
    """Return the arguments that all trainers share, for a training of a number of steps."""
    device = best_device()
    return {
        "output_dir": str(folder),
        "num_train_epochs": settings.epochs,
        "learning_rate": settings.learning_rate,
        # The first step has a rate of 0, so a training of a single step would learn nothing.
        "warmup_steps": min(math.ceil(warmup * steps), steps - 1),
        "bf16": has_fast_bfloat16(device),
        "use_cpu": device.type == "cpu",
        "dataloader_pin_memory": device.type == "cuda",
        "report_to": [],
        "disable_tqdm": True,
        "seed": settings.seed,
        "data_seed": settings.seed,
    }


def build_sentence_transformer(
    base: TransformerModel,
    *further: torch.nn.Module,
    normalize: bool = False,
    kind: type[Transformer] = Transformer,
    **options: Any,  # noqa: ANN401
) -> SentenceTransformer:
    """Return the modules of a base: Transformer, pooling and, on request, Normalize and others.

    Args:
        base: The base.
        *further: Modules at the end.
        normalize: Scale the pooled vectors to length 1.
        kind: The class of the first module.
        **options: Options of SentenceTransformer; `device` is the best one by default.
    """
    kwargs = ("model_kwargs", "processor_kwargs", "config_kwargs")
    no_code = {name: {"trust_remote_code": False} for name in kwargs}
    with quiet():
        transformer = kind(str(base.folder.path), **no_code)
    pooling = Pooling(base.folder.dimension, pooling_mode=base.folder.pooling)
    # Without the card every `save` would query the Hugging Face Hub for an unused model card.
    defaults = {
        "device": str(best_device()),
        "model_card_data": SentenceTransformerModelCardData(local_files_only=True),
    }
    model = SentenceTransformer(
        modules=[transformer, pooling, *([Normalize()] if normalize else []), *further],
        **defaults | options,
    )
    model.max_seq_length = base.folder.max_length
    return model.float()
