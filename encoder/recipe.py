"""Recipes: the base, the triplets and the mode of a training, with all settings.

A recipe has a name (`recipes/NAME.yaml`) or is a YAML file of the user. This module does not import
PyTorch.
"""

from collections import Counter
from collections.abc import Hashable, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import pydantic
import yaml
from pydantic import Field

from specter_graph.core.encoder_card import Prompts
from specter_graph.core.errors import InputError
from specter_graph.core.triplet_settings import SHARED, CitationTriplets, Source, defaults
from specter_graph.core.vectors import require_prefixes
from specter_graph.encoder.input_fields import TITLE_AND_ABSTRACT, Parts
from specter_graph.encoder.model_files import Pooling

Distance: TypeAlias = Literal["l2", "squared_l2", "cosine", "dot"]
"""A distance between vectors; see `losses.distance`."""

RANDOM_NEGATIVES = 1_024
"""Default of a head with the contrastive loss, chosen on the validation papers of hep-ph."""

_FOLDER = files("specter_graph.encoder").joinpath("recipes")
_SECTIONS = ("base", "triplets", "training")


class _Settings(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class FeatureSettings(_Settings):
    """TF-IDF features, reduced by an SVD: no English stop words, term counts as 1 + log.

    Attributes:
        dimension: Components of the SVD.
        min_df: Minimum number of papers with a term.
        max_terms: Maximum number of terms, the most frequent ones.
    """

    dimension: int = Field(default=1000, ge=1)
    min_df: int = Field(default=2, ge=1)
    max_terms: int = Field(default=100_000, ge=1)


class DistillationSettings(_Settings):
    """Distillation of SGC; the defaults were chosen on the validation papers of hep-ph.

    Attributes:
        share: Share of the dimensions for the distilled part.
        weight: Length of the distilled part; that of the learned part is 1.
        k: Smoothing steps of SGC.
        ridge: Ridge of the regression.
    """

    share: float = Field(default=1 / 3, gt=0, le=0.5)
    weight: float = Field(default=0.6, gt=0)
    k: int = Field(default=2, ge=1, le=8)
    ridge: float = Field(default=0.1, gt=0)


class LoraSettings(_Settings):
    """Low-rank adapters: W x becomes W x + (alpha / rank) B A x (Hu et al. 2022), W frozen.

    A is (rank, d_in), B is (d_out, rank) and initially 0.

    Attributes:
        dropout: Dropout of the input of A.
        targets: Names of the linear layers.
    """

    rank: int = Field(default=8, ge=1)
    alpha: float = Field(default=16.0, gt=0)
    dropout: float = Field(default=0.0, ge=0, lt=1)
    targets: list[str] = Field(default=["query", "value"], min_length=1)


class _TrainingSettings(_Settings):
    """Settings of both modes.

    Attributes:
        temperature: Temperature of the contrastive loss.
        symmetric: Add the contrastive loss of finding queries from positives.
        matryoshka: Dimensions to which vectors can be truncated, included in the loss.
    """

    mode: Literal["head", "full"]
    loss: Literal["triplet", "contrastive"]
    temperature: float = Field(default=0.05, gt=0)
    symmetric: bool = False
    matryoshka: list[int] = []
    seed: int = Field(default=0, ge=0)


class HeadSettings(_TrainingSettings):
    """Mode `head`; the defaults were chosen on the validation papers of hep-ph.

    Attributes:
        dimension: Dimension of the vectors.
        features: Features to concatenate with the base vectors, or null.
        feature_weight: Length of the features; that of the base vectors is 1.
        distillation: Predict the vectors of SGC in a part of the dimensions, or null.
        base_share: Share of the base vectors in the vectors; null: 0.5 with fewer than 2,000
            citations, else 0.
        random_negatives: Random papers per batch, in addition to the mined negatives; null: 1,024
            with the contrastive loss, else 0.
        margin: Margin of the triplet loss.
        epoch_triplets: Maximum number of triplets per epoch; a random sample of more.
        batch: Triplets per step.
        learning_rate: Learning rate of Adam.
    """

    mode: Literal["head"] = "head"
    loss: Literal["triplet", "contrastive"] = "contrastive"
    dimension: int = Field(default=768, ge=1)
    features: FeatureSettings | None = FeatureSettings()
    feature_weight: float = Field(default=1.0, gt=0)
    distillation: DistillationSettings | None = DistillationSettings()
    base_share: float | None = Field(default=None, ge=0, lt=1)
    random_negatives: int | None = Field(default=None, ge=0)
    margin: float = Field(default=0.3, gt=0)
    epochs: int = Field(default=1, ge=1)
    epoch_triplets: int = Field(default=5_000_000, ge=1)
    batch: int = Field(default=256, ge=2)
    learning_rate: float = Field(default=5e-4, gt=0)

    @property
    def batch_random_negatives(self) -> int:
        """Number of random papers per batch."""
        if self.random_negatives is None:
            return RANDOM_NEGATIVES if self.loss == "contrastive" else 0
        return self.random_negatives

    @property
    def distilled_dimension(self) -> int:
        """Number of dimensions that predict the vectors of SGC (the last ones)."""
        return int(self.dimension * self.distillation.share) if self.distillation else 0

    @property
    def learned_dimension(self) -> int:
        """Number of dimensions that are learned on triplets (the first ones)."""
        return self.dimension - self.distilled_dimension

    @pydantic.model_validator(mode="after")
    def _check_loss(self) -> "HeadSettings":
        if self.loss == "triplet" and (self.symmetric or self.random_negatives):
            raise ValueError("symmetric and random_negatives need the contrastive loss")
        require_prefixes(self.matryoshka, self.learned_dimension)
        return self


class FullSettings(_TrainingSettings):
    """Mode `full`; the defaults are the settings of the SPECTER paper (section 4).

    The contrastive loss compares each query with all positives and negatives of the batch by
    cosine, except papers that cite or are cited by the query in a triplet of the batch.

    Attributes:
        distance: Distance of the triplet loss.
        margin: Margin of the triplet loss.
        batch: Triplets per step of Adam.
        micro_batch: Triplets per forward pass; gradients are accumulated to a batch.
        learning_rate: Peak learning rate of Adam.
        warmup: Share of the steps in which the rate rises.
        lora: Train adapters and freeze the weights, or null to train all weights.
        gradient_checkpointing: Use less memory and a third more time.
        checkpoint_minutes: Maximum time that an interruption loses.
    """

    mode: Literal["full"] = "full"
    loss: Literal["triplet", "contrastive"] = "triplet"
    distance: Distance = "l2"
    margin: float = Field(default=1.0, gt=0)
    epochs: int = Field(default=2, ge=1)
    batch: int = Field(default=32, ge=1)
    micro_batch: int = Field(default=4, ge=1)
    learning_rate: float = Field(default=2e-5, gt=0)
    warmup: float = Field(default=0.1, ge=0, lt=1)
    lora: LoraSettings | None = None
    gradient_checkpointing: bool = False
    checkpoint_minutes: float = Field(default=10, gt=0)

    @property
    def normalized(self) -> bool:
        """True if vectors are scaled to length 1, so that L2 ranks like the loss."""
        return self.loss == "contrastive" or self.distance == "cosine"

    @pydantic.model_validator(mode="after")
    def _check_loss_and_batch(self) -> "FullSettings":
        if self.loss == "triplet" and self.symmetric:
            raise ValueError("symmetric needs the contrastive loss")
        if self.loss == "contrastive" and self.distance in ("squared_l2", "dot"):
            raise ValueError(f"the contrastive loss uses the cosine, not distance: {self.distance}")
        if self.batch % self.micro_batch:
            raise ValueError(
                f"batch {self.batch} is not a multiple of micro_batch {self.micro_batch}"
            )
        return self


class RerankerSettings(_Settings):
    """Mode `reranker`: a cross-encoder that scores pairs of a query and a paper.

    Attributes:
        layers: Layers of the base, from the first.
        max_length: Maximum tokens of a pair.
        max_triplets: Maximum number of triplets; a random sample of more.
        batch: Triplets per step of AdamW, two pairs each.
        learning_rate: Peak learning rate.
    """

    mode: Literal["reranker"] = "reranker"
    layers: int = Field(default=3, ge=1)
    max_length: int = Field(default=128, ge=16)
    max_triplets: int = Field(default=10_000, ge=1)
    epochs: int = Field(default=1, ge=1)
    batch: int = Field(default=16, ge=1)
    learning_rate: float = Field(default=1e-4, gt=0)
    seed: int = Field(default=0, ge=0)


class BaseChoice(_Settings):
    """The Transformer that training starts from; see `Encoder.base`.

    Attributes:
        name: A hub name, a folder or a MODEL_DIR; null is the offline MiniLM.
        pooling: Default: as in the folder.
        max_length: Maximum tokens of a paper; default: as in the folder.
        parts: Parts of a paper to encode, in this order: title, abstract, venue, authors,
            references (titles of cited papers), body.
        separate_parts: Encode each part by itself and concatenate the vectors.
        prompts: Texts before papers (document) and queries (query); default: as in the folder.
    """

    name: str | None = None
    revision: str | None = None
    pooling: Pooling | None = None
    max_length: int | None = Field(default=None, ge=8)
    parts: Parts = Field(default=TITLE_AND_ABSTRACT, min_length=1)
    separate_parts: bool = False
    prompts: Prompts | None = None


class Recipe(_Settings):
    """A training: its base, its triplets, and its mode with all settings."""

    about: str = ""
    base: BaseChoice = BaseChoice()
    triplets: Source = CitationTriplets()
    training: Annotated[HeadSettings | FullSettings | RerankerSettings, Field(discriminator="mode")]

    @pydantic.field_validator("triplets", mode="before")
    @classmethod
    def _triplets_are_of_citations(cls, given: object) -> object:
        return {"source": "citations"} | given if isinstance(given, dict) else given

    @pydantic.model_validator(mode="after")
    def _check_base(self) -> "Recipe":
        own = self.base.pooling or self.base.max_length
        if self.training.mode == "head" and own:
            raise ValueError(
                "base.pooling and base.max_length are for mode full: a head uses the vectors of"
                " its base unchanged"
            )
        if self.training.mode != "head" and self.base.separate_parts:
            raise ValueError(
                "base.separate_parts is for heads: other modes encode the parts together"
            )
        if len(set(self.base.parts)) < len(self.base.parts):
            raise ValueError("base.parts repeats a part")
        return self

    def changed(self, changes: Mapping[str, Any]) -> "Recipe":
        """Return the recipe with changed settings.

        Args:
            changes: By key the new value. Keys of `base` and `triplets` have this prefix, as in
                `triplets.hard`; all others are settings of the training, such as
                `distillation.weight`.

        Raises:
            InputError: A key or a value is not valid.
        """
        if "mode" in changes:
            raise InputError("a recipe has a fixed mode", "choose another recipe")
        parts = self.model_dump()
        if "triplets.source" in changes:  # only shared settings are valid for another source
            shared = {key: parts["triplets"][key] for key in SHARED}
            parts["triplets"] = defaults(changes["triplets.source"]) | shared
        for key, value in changes.items():
            path = (
                key.split(".") if key.split(".")[0] in _SECTIONS else ["training", *key.split(".")]
            )
            _set(parts, path, value)
        return _validate(parts, ", ".join(changes))

    def to_yaml(self) -> str:
        """Return all settings, including defaults, as YAML for `read_recipe`."""
        return yaml.safe_dump(self.model_dump(), sort_keys=False, allow_unicode=True, width=100)


def recipe_names() -> list[str]:
    """Return the names of the recipes in the package."""
    return sorted(entry.name.removesuffix(".yaml") for entry in _FOLDER.iterdir())


def read_recipe(name: str) -> Recipe:
    """Read a recipe by its name or from a YAML file.

    Raises InputError when it does not exist, or the file is not a valid recipe.
    """
    known = name in recipe_names()
    path = Path(name)
    if not known and not path.is_file():
        raise InputError(
            f"{name!r} is neither a recipe nor a file",
            f"the recipes are {', '.join(recipe_names())}; to see one:"
            " specter-graph train --print-recipe",
        )
    try:
        file = _FOLDER.joinpath(f"{name}.yaml") if known else path
        parts = parse_yaml(file.read_text("utf-8-sig"))
    except (OSError, UnicodeDecodeError, InputError) as error:
        raise InputError(f"the recipe {name} cannot be read: {error}") from error
    return _validate(parts, name)


class _UniqueKeyLoader(yaml.SafeLoader):
    """Rejects a repeated key, of which PyYAML takes the last value."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        keys = Counter(str(key.value) for key, _ in node.value)
        for key, count in keys.items():
            if count > 1:
                raise yaml.MarkedYAMLError(f"the key {key} is repeated", node.start_mark)
        return super().construct_mapping(node, deep)


def parse_yaml(text: str) -> object:
    """Return the value of a YAML text.

    Raises:
        InputError: The text is not YAML, repeats a key or is nested too deeply.
    """
    try:
        return yaml.load(text, _UniqueKeyLoader)  # noqa: S506, a SafeLoader
    except RecursionError as error:
        raise InputError("its lists and mappings are nested too deeply") from error
    except (yaml.YAMLError, ValueError) as error:  # ValueError: a date such as 2027-02-31
        raise InputError(" ".join(str(error).split())) from error


def _validate(parts: object, name: str) -> Recipe:
    try:
        return Recipe.model_validate(parts)
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        section, *keys = map(str, first["loc"] or ["recipe"])
        # In these two sections, the first key is the kind of source or mode.
        keys = keys[1:] if section in ("triplets", "training") else keys
        raise InputError(
            f"the recipe ({name}) is not valid: {'.'.join([section, *keys])}: {first['msg']}",
            "`specter-graph train --print-recipe` shows every setting",
        ) from error


def _set(parts: dict[str, Any], path: list[str], value: object) -> None:
    for key in path[:-1]:
        inner = parts.get(key)
        parts[key] = inner = inner if isinstance(inner, dict) else {}
        parts = inner
    parts[path[-1]] = value
