"""Options that say which recipe, and what is changed in it."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

import click

from specter_graph.core.errors import InputError

if TYPE_CHECKING:
    from specter_graph.encoder import Recipe

Command = TypeVar("Command", bound=Callable[..., Any])


def recipe_options(default: str) -> Callable[[Command], Command]:
    """Add `--config`, `--set`, `--seed`, `--per-query` and `--hard`."""

    def add(command: Command) -> Command:
        config = click.option(
            "--config",
            metavar="NAME|FILE",
            help="A recipe: head (linear, on frozen base vectors), full (the whole Transformer),"
            f" contrastive, specter, or a YAML file.  [default: {default}]",
        )
        changes = click.option(
            "--set",
            "changes",
            multiple=True,
            metavar="KEY=VALUE",
            help="Another value for a setting of the recipe; again for more.",
        )
        seed = click.option(
            "--seed", type=click.IntRange(0), help="What to draw.  [default: the recipe's]"
        )
        per_query = click.option(
            "--per-query", type=click.IntRange(1), help="Triplets a query.  [default: the recipe's]"
        )
        hard = click.option(
            "--hard", type=click.IntRange(0), help="Hard ones among them.  [default: the recipe's]"
        )
        return config(changes(seed(per_query(hard(command)))))

    return add


def told_recipe(
    config: str | None, changes: tuple[str, ...], options: Mapping[str, object]
) -> "Recipe":
    """The recipe `config`, by default that of `train`, with the options that were given.

    `options` are settings by their keys, None where nothing was said; `changes` are those of
    `--set`.
    """
    from specter_graph.encoder import read_recipe
    from specter_graph.pipelines.train import default_recipe

    recipe = read_recipe(config) if config else default_recipe()
    told = {name: value for name, value in options.items() if value is not None}
    # A revision is that of the recipe's own base.
    told |= {"base.revision": None} if "base.name" in told else {}
    return recipe.changed(told | _values(changes))


def _values(changes: tuple[str, ...]) -> dict[str, object]:
    """What `--set` says, its values as YAML."""
    import yaml

    values = {}
    for each in changes:
        key, found, value = each.partition("=")
        try:
            values[key] = yaml.safe_load(value)
        except yaml.YAMLError as error:
            raise InputError(f"the value of --set {each} is no YAML", "--set epochs=3") from error
        if not found:
            raise InputError(f"--set {each} gives no value", "--set epochs=3")
    return values
