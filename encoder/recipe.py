"""Recipes and their settings: the base, the triplets and the mode of a training.

A recipe has a name (`recipes/NAME.yaml`), or is a YAML file of the user. This module needs neither
PyTorch nor a model.
"""

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import pydantic
import yaml

from specter_graph.core.errors import InputError
from specter_graph.core.triplet_settings import SHARED, Citations, Source, defaults
from specter_graph.core.vectors import require_prefixes
from specter_graph.encoder.input_fields import TITLE_AND_ABSTRACT, Parts
from specter_graph.encoder.model_files import Pooling

Distance: TypeAlias = Literal["l2", "squared_l2", "cosine", "dot"]
"""A distance between vectors; see `losses.distance`."""

_FOLDER = files("specter_graph.encoder").joinpath("recipes")
_SECTIONS = ("base", "triplets", "training")


class _Settings(pydantic.BaseModel):
    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)


class FeatureSettings(_Settings):
    """TF-IDF features reduced by an SVD: without English stop words, term counts are 1 + log."""

    dimension: int = pydantic.Field(default=1000, ge=1, description="components of the SVD")
    min_df: int = pydantic.Field(default=2, ge=1, description="papers a term must occur in")
    max_terms: int = pydantic.Field(
        default=100_000, ge=1, description="the most frequent terms kept"
    )


class DistillationSettings(_Settings):
    """Distillation of SGC; the defaults were chosen on hepph's validation papers."""

    share: float = pydantic.Field(
        default=1 / 3, gt=0, le=0.5, description="of the vectors' dimensions, for what is distilled"
    )
    weight: float = pydantic.Field(
        default=0.6, gt=0, description="length of that part; the other's is 1"
    )
    k: int = pydantic.Field(default=2, ge=1, le=8, description="how often SGC smooths")
    ridge: float = pydantic.Field(default=0.1, gt=0, description="of the regression")


class LoraSettings(_Settings):
    """Low-rank adapters: W x becomes W x + (alpha / rank) B A x (Hu et al. 2022), W frozen.

    A is (rank, d_in), B is (d_out, rank) and begins at 0.
    """

    rank: int = pydantic.Field(default=8, ge=1)
    alpha: float = pydantic.Field(default=16.0, gt=0)
    dropout: float = pydantic.Field(default=0.0, ge=0, lt=1, description="of what A reads")
    targets: list[str] = pydantic.Field(
        default=["query", "value"], min_length=1, description="names of the linear layers"
    )


class _TrainingSettings(_Settings):
    """Settings that both modes have."""

    mode: Literal["head", "full"]
    loss: Literal["triplet", "contrastive"]
    temperature: float = pydantic.Field(default=0.05, gt=0, description="of the contrastive loss")
    symmetric: bool = pydantic.Field(
        default=False, description="the contrastive loss also finds queries from positives"
    )
    matryoshka: list[int] = pydantic.Field(
        default=[], description="dimensions that vectors can be cut to: the loss counts these too"
    )
    seed: int = pydantic.Field(default=0, ge=0)
    controls: bool = pydantic.Field(
        default=False,
        description="also train without hard negatives and on shuffled positives: 3 x time",
    )


class HeadSettings(_TrainingSettings):
    """Mode `head`; the defaults were chosen on hepph's validation papers."""

    mode: Literal["head"] = "head"
    loss: Literal["triplet", "contrastive"] = "contrastive"
    dimension: int = pydantic.Field(default=768, ge=1, description="length of the vectors made")
    features: FeatureSettings | None = pydantic.Field(
        default=FeatureSettings(),
        description="TF-IDF/SVD features beside the base vectors, or none",
    )
    feature_weight: float = pydantic.Field(
        default=1.0, gt=0, description="their length; a base's is 1"
    )
    distil: DistillationSettings | None = pydantic.Field(
        default=DistillationSettings(),
        description="a part of the vectors predicts SGC's from the text, or none does",
    )
    random_negatives: int = pydantic.Field(
        default=0, ge=0, description="papers drawn for each batch, beside the mined negatives"
    )
    margin: float = pydantic.Field(default=0.3, gt=0, description="of the triplet loss")
    epochs: int = pydantic.Field(default=1, ge=1)
    epoch_triplets: int = pydantic.Field(
        default=5_000_000, ge=1, description="triplets of an epoch at most; more are drawn from"
    )
    batch: int = pydantic.Field(default=256, ge=2, description="triplets a step")
    learning_rate: float = pydantic.Field(default=5e-4, gt=0, description="of Adam")

    @property
    def distilled_dimension(self) -> int:
        """How many of the dimensions predict SGC's vectors."""
        return int(self.dimension * self.distil.share) if self.distil else 0

    @property
    def learned_dimension(self) -> int:
        """How many of the dimensions, the first ones, are learned on triplets."""
        return self.dimension - self.distilled_dimension

    @pydantic.model_validator(mode="after")
    def _of_one_loss(self) -> "HeadSettings":
        if self.loss == "triplet" and (self.symmetric or self.random_negatives):
            raise ValueError("symmetric and random_negatives are of the contrastive loss")
        require_prefixes(self.matryoshka, self.learned_dimension)
        return self


class FullSettings(_TrainingSettings):
    """Mode `full`; the defaults are those of the SPECTER paper (section 4).

    The contrastive loss compares every query with all positives and negatives of its batch by the
    cosine, except papers that the batch shows to be cited by the query or to cite the query. Its
    vectors are normalized.
    """

    mode: Literal["full"] = "full"
    loss: Literal["triplet", "contrastive"] = "triplet"
    distance: Distance = pydantic.Field(default="l2", description="of the triplet loss")
    margin: float = pydantic.Field(default=1.0, gt=0, description="of the triplet loss")
    epochs: int = pydantic.Field(default=2, ge=1)
    batch: int = pydantic.Field(default=32, ge=1, description="triplets a step of Adam")
    micro_batch: int = pydantic.Field(
        default=4, ge=1, description="triplets in memory at once; their gradients add up to a batch"
    )
    learning_rate: float = pydantic.Field(default=2e-5, gt=0, description="of Adam, at its peak")
    warmup: float = pydantic.Field(
        default=0.1, ge=0, lt=1, description="share of steps it rises for"
    )
    lora: LoraSettings | None = pydantic.Field(
        default=None, description="train adapters beside the frozen weights, or all of these"
    )
    gradient_checkpointing: bool = pydantic.Field(
        default=False, description="less memory for a third more time"
    )
    checkpoint_minutes: float = pydantic.Field(
        default=10, gt=0, description="longest work lost by a kill"
    )

    @property
    def normalized(self) -> bool:
        """Whether vectors are scaled to length 1, so that L2 ranks them as the loss does."""
        return self.loss == "contrastive" or self.distance == "cosine"

    @pydantic.model_validator(mode="after")
    def _fits(self) -> "FullSettings":
        if self.loss == "triplet" and self.symmetric:
            raise ValueError("symmetric is of the contrastive loss")
        if self.batch % self.micro_batch:
            raise ValueError(f"batch {self.batch} is no multiple of micro_batch {self.micro_batch}")
        return self


class BaseChoice(_Settings):
    """The Transformer that training starts from; see `Encoder.base`."""

    name: str | None = pydantic.Field(
        default=None,
        description="a hub name, a path, a MODEL_DIR, or the offline MiniLM",
    )
    revision: str | None = None
    pooling: Pooling | None = pydantic.Field(default=None, description="or the folder's own")
    max_length: int | None = pydantic.Field(
        default=None, ge=8, description="tokens read of a paper, or the folder's own limit"
    )
    parts: Parts = pydantic.Field(
        default=TITLE_AND_ABSTRACT,
        min_length=1,
        description="of a paper, in the order they are read: title, abstract, venue, authors,"
        " references (titles of papers it cites), body",
    )
    apart: bool = pydantic.Field(
        default=False, description="each part by itself, their vectors one after another"
    )


class Recipe(_Settings):
    """A training: where it starts from, what it learns on, and its mode with all settings."""

    about: str = ""
    base: BaseChoice = BaseChoice()
    triplets: Source = Citations()
    training: Annotated[HeadSettings | FullSettings, pydantic.Field(discriminator="mode")]

    @pydantic.model_validator(mode="after")
    def _base_as_it_comes(self) -> "Recipe":
        own = self.base.pooling or self.base.max_length
        if self.training.mode == "head" and own:
            raise ValueError(
                "a head learns on the base's vectors as they come: base.pooling and base.max_length"
                " are for training the whole Transformer"
            )
        if self.training.mode == "full" and self.base.apart:
            raise ValueError("base.apart is for heads: a whole Transformer reads its parts as one")
        if len(set(self.base.parts)) < len(self.base.parts):
            raise ValueError("base.parts names a part twice")
        return self

    def changed(self, changes: Mapping[str, Any]) -> "Recipe":
        """The recipe with other values, by key: `epochs`, `distil.weight`, `triplets.hard`.

        A key is one of the training's but for those of `base` and `triplets`. Raises
        InputError for a key or a value that does not fit.
        """
        if "mode" in changes:
            raise InputError("the mode is the recipe's own", "name another one with --recipe")
        parts = self.model_dump()
        if "triplets.source" in changes:  # the settings of another source are no settings of it
            shared = {key: parts["triplets"][key] for key in SHARED}
            parts["triplets"] = defaults(changes["triplets.source"]) | shared
        for key, value in changes.items():
            path = (
                key.split(".") if key.split(".")[0] in _SECTIONS else ["training", *key.split(".")]
            )
            _set(parts, path, value)
        return _validated(parts, ", ".join(changes))

    def to_yaml(self) -> str:
        """Every setting as YAML, defaults too; `read_recipe` reads it."""
        return yaml.safe_dump(self.model_dump(), sort_keys=False, allow_unicode=True, width=100)


def recipe_names() -> list[str]:
    """The recipes that come with the package."""
    return sorted(entry.name.removesuffix(".yaml") for entry in _FOLDER.iterdir())


def read_recipe(name: str) -> Recipe:
    """Read a recipe by its name, or from a YAML file.

    Raises InputError when there is none, or the file is not YAML or not a recipe.
    """
    known = name in recipe_names()
    path = Path(name)
    if not known and not path.is_file():
        raise InputError(
            f"there is no recipe {name!r}, and no such file",
            f"the recipes are {', '.join(recipe_names())}; `--print-recipe` shows one",
        )
    try:
        text = (_FOLDER.joinpath(f"{name}.yaml") if known else path).read_text("utf-8")
        parts = yaml.safe_load(text)
    except (OSError, UnicodeDecodeError, yaml.YAMLError) as error:
        raise InputError(
            f"the recipe {name} cannot be read: {' '.join(str(error).split())}"
        ) from error
    return _validated(parts, name)


def _validated(parts: object, name: str) -> Recipe:
    try:
        return Recipe.model_validate(parts)
    except pydantic.ValidationError as error:
        first = error.errors()[0]
        part, *inner = [str(each) for each in first["loc"]] or ["the whole"]
        # Behind these two stands which of several kinds they are.
        where = ".".join([part, *(inner[1:] if part in ("triplets", "training") else inner)])
        raise InputError(
            f"the recipe ({name}) does not fit: {where}: {first['msg']}",
            "`specter-graph train --print-recipe` shows every setting",
        ) from error


def _set(parts: dict[str, Any], path: list[str], value: object) -> None:
    for key in path[:-1]:
        inner = parts.get(key)
        parts[key] = inner = inner if isinstance(inner, dict) else {}
        parts = inner
    parts[path[-1]] = value
