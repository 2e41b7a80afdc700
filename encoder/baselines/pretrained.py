"""Baselines whose weights others have released: which ones, and how each reads a paper."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from specter_graph.core.errors import ModelError
from specter_graph.encoder.baselines.base_encoder import Reader
from specter_graph.encoder.baselines.sentences import SentenceSum
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.model_files import Pooling


@dataclass(frozen=True, slots=True)
class Released:
    """A Transformer at the hub `hub`; of a paper it reads title, separator and abstract as one.

    Or in a `way` of its own: see `SentenceSum` and `Elmo`.
    """

    about: str
    hub: str
    pooling: Pooling = "cls"
    way: Literal["paper", "sentences", "elmo"] = "paper"


_BERT = {
    "scibert": ("SciBERT", "allenai/scibert_scivocab_uncased"),
    "bert-small": ("BERT, small", "google/bert_uncased_L-4_H-512_A-8"),
    "bert-base": ("BERT, base", "google-bert/bert-base-uncased"),
    "bert-large": ("BERT, large", "google-bert/bert-large-uncased"),
}

RELEASED = {
    **{name: Released(f"{about}: its first token", hub) for name, (about, hub) in _BERT.items()},
    **{
        f"{name}-mean": Released(f"{about}: the mean of its tokens", hub, "mean")
        for name, (about, hub) in _BERT.items()
    },
    "sentence-bert": Released(
        "Sentence-BERT: the sum over sentences, scaled to length 1",
        "sentence-transformers/bert-base-wikipedia-sections-mean-tokens",
        "mean",
        "sentences",
    ),
    "elmo": Released(
        "ELMo: the mean of all tokens, three layers side by side",
        "of a published biLM, its options and weights.hdf5 in a folder",
        "mean",
        "elmo",
    ),
    "specter-released": Released("SPECTER as released", "allenai/specter"),
    "specter2": Released(
        "SPECTER2 as released, its base without adapters", "allenai/specter2_base"
    ),
    "scincl": Released("SciNCL as released", "malteos/scincl"),
}
"""By the baseline's name. Appendix A of SPECTER, 5, 8 and 9, and its footnote 17 for the means."""


_FILES = dict.fromkeys(
    ("paper", "sentences"), "config.json, the tokenizer's files and model.safetensors"
) | {"elmo": "options.json and weights.hdf5"}


def open_released(name: str, model: str | None = None) -> Encoder | Reader:
    """Load the model of a baseline, from the hub or of another name or folder.

    Raises ModelError, which says what is missing, where the weights cannot be had.
    """
    told = RELEASED[name]
    try:
        if told.way == "elmo":
            from specter_graph.encoder.baselines.elmo import Elmo

            if model is None:
                raise ModelError("no hub has them")
            return Elmo.load(Path(model))
        if told.way == "sentences":
            return SentenceSum.load(model or told.hub, told.pooling)
        return Encoder.from_base(model or told.hub, pooling=told.pooling)
    except ModelError as error:
        raise ModelError(
            f"{name} needs the weights {told.hub}: {error.message}",
            f"specter-graph baseline {name} --model FOLDER, with {_FILES[told.way]} in it",
        ) from error
