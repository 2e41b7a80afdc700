"""Baselines with published weights: a registry and a loader."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from specter_graph.core.errors import ModelError
from specter_graph.encoder.baselines.sentences import SentenceSum
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.model_files import Pooling

if TYPE_CHECKING:
    from specter_graph.encoder.baselines.elmo import Elmo

_BERT = {
    "scibert": ("SciBERT", "allenai/scibert_scivocab_uncased"),
    "bert-small": ("BERT, small", "google/bert_uncased_L-4_H-512_A-8"),
    "bert-base": ("BERT, base", "google-bert/bert-base-uncased"),
    "bert-large": ("BERT, large", "google-bert/bert-large-uncased"),
}

_FILES = dict.fromkeys(
    ("paper", "sentences"), "config.json, the tokenizer's files and model.safetensors"
) | {"elmo": "options.json and weights.hdf5"}


@dataclass(frozen=True, slots=True)
class PretrainedBaseline:
    """A baseline with published weights.

    Attributes:
        hub: The name on the Hugging Face Hub, or a description of the weights.
        reading: `paper` encodes title, separator and abstract by a Transformer; `sentences` and
            `elmo` are encoded by `SentenceSum` and `Elmo`.
    """

    about: str
    hub: str
    pooling: Pooling = "cls"
    reading: Literal["paper", "sentences", "elmo"] = "paper"


PRETRAINED = {
    **{
        name: PretrainedBaseline(f"{about}: its first token", hub)
        for name, (about, hub) in _BERT.items()
    },
    **{
        f"{name}-mean": PretrainedBaseline(f"{about}: the mean of its tokens", hub, "mean")
        for name, (about, hub) in _BERT.items()
    },
    "sentence-bert": PretrainedBaseline(
        "Sentence-BERT: the sum over sentences, scaled to length 1",
        "sentence-transformers/bert-base-wikipedia-sections-mean-tokens",
        "mean",
        "sentences",
    ),
    "elmo": PretrainedBaseline(
        "ELMo: the mean of all tokens, three layers concatenated",
        "of a published biLM (a folder with its options and weights.hdf5)",
        "mean",
        "elmo",
    ),
    "specter-released": PretrainedBaseline("SPECTER as released", "allenai/specter"),
    "specter2": PretrainedBaseline(
        "SPECTER2 as released, its base without adapters", "allenai/specter2_base"
    ),
    "specter2-proximity": PretrainedBaseline(
        "SPECTER2 as released, with its adapter for proximity",
        "allenai/specter2_base+allenai/specter2",
    ),
    "scincl": PretrainedBaseline("SciNCL as released", "malteos/scincl"),
}
"""By the name of the baseline (SPECTER, appendix A, 5, 8 and 9; footnote 17 for the means)."""


def load_pretrained(name: str, model: str | None = None) -> "Encoder | SentenceSum | Elmo":
    """Load the model of a baseline from the Hugging Face Hub, another hub name or a folder.

    Raises ModelError when the weights are not available.
    """
    entry = PRETRAINED[name]
    try:
        if entry.reading == "elmo":
            from specter_graph.encoder.baselines.elmo import Elmo

            if model is None:
                raise ModelError("they are not on the Hugging Face Hub")
            return Elmo.load(Path(model))
        if entry.reading == "sentences":
            return SentenceSum.load(model or entry.hub, entry.pooling)
        return Encoder.base(model or entry.hub, pooling=entry.pooling)
    except ModelError as error:
        raise ModelError(
            f"{name} needs the weights {entry.hub}: {error.message}",
            f"run specter-graph baseline run {name} --weights FOLDER with a folder that contains"
            f" {_FILES[entry.reading]}",
        ) from error
