"""Recipes: what a training starts from and how it goes, named or in a YAML file of the user's."""

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from typing import Annotated, Any

import pydantic
import yaml

from specter_graph.core.errors import InputError
from specter_graph.core.triplet_settings import SHARED, Citations, Source, defaults
from specter_graph.encoder.full import FullSettings
from specter_graph.encoder.head import HeadSettings
from specter_graph.encoder.input_fields import TITLE_AND_ABSTRACT, Parts
from specter_graph.encoder.model_files import Pooling

_FOLDER = files("specter_graph.encoder").joinpath("recipes")
_PARTS = ("base", "triplets", "training")


class BaseChoice(pydantic.BaseModel):
    """The Transformer that training starts from; see `base_folder.find_base`, `Encoder.start`."""

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)

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


class Recipe(pydantic.BaseModel):
    """A training: where it starts from, what it learns on, and its mode with all settings."""

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)

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
            raise InputError("the mode is the recipe's own", "name another one with --config")
        parts = self.model_dump()
        if "triplets.source" in changes:  # the settings of another source are no settings of it
            shared = {key: parts["triplets"][key] for key in SHARED}
            parts["triplets"] = defaults(changes["triplets.source"]) | shared
        for key, value in changes.items():
            path = key.split(".") if key.split(".")[0] in _PARTS else ["training", *key.split(".")]
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
            f"the recipes are {', '.join(recipe_names())}; `--print-config` shows one",
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
            "`specter-graph train --print-config` shows every setting",
        ) from error


def _set(parts: dict[str, Any], path: list[str], value: object) -> None:
    for key in path[:-1]:
        inner = parts.get(key)
        parts[key] = inner = inner if isinstance(inner, dict) else {}
        parts = inner
    parts[path[-1]] = value
