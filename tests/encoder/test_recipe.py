import pytest
import yaml

from specter_graph.core.errors import InputError
from specter_graph.core.triplet_settings import (
    CitationTriplets,
    CooccurrenceTriplets,
    MultitaskTriplets,
)
from specter_graph.encoder.recipe import (
    FullSettings,
    HeadSettings,
    Recipe,
    read_recipe,
    recipe_names,
)


@pytest.mark.parametrize("name", recipe_names())
def test_a_recipe_is_printed_as_it_is_read(name, tmp_path):
    recipe = read_recipe(name)
    file = tmp_path / "recipe.yaml"
    file.write_text(recipe.to_yaml())
    assert recipe.about
    assert read_recipe(str(file)) == recipe


def test_the_recipe_of_the_paper_has_its_settings():
    """SPECTER, section 4: settings that are not named there keep their defaults."""
    recipe = read_recipe("specter")
    assert recipe.base.name == "allenai/scibert_scivocab_uncased"
    assert (recipe.base.pooling, recipe.base.max_length) == ("cls", 512)
    assert recipe.triplets == CitationTriplets(per_query=5, hard=2)
    expected = {
        "loss": "triplet", "distance": "l2", "margin": 1.0,
        "epochs": 2, "batch": 32, "learning_rate": 2e-5, "warmup": 0.1,
    }  # fmt: skip
    assert expected.items() <= recipe.training.model_dump().items()


def test_the_recipes_of_the_modes_are_their_defaults():
    assert read_recipe("head").training == HeadSettings()
    assert read_recipe("full").training == FullSettings()


def test_any_setting_can_be_changed():
    changes = {"epochs": 3, "distillation.weight": 0.2, "features": None, "base.name": "other"}
    recipe = read_recipe("head").changed(changes)
    training = recipe.training
    assert (training.epochs, training.distillation.weight, training.features) == (3, 0.2, None)
    assert training.distillation.k == HeadSettings().distillation.k
    assert recipe.base.name == "other"
    assert read_recipe("full").changed({"base.max_length": 64}).base.max_length == 64
    assert recipe.changed({"triplets.hard": 8}).triplets == CitationTriplets(per_query=20, hard=8)


def test_another_source_of_triplets_has_settings_of_its_own():
    recipe = read_recipe("head").changed({"triplets.cited_by": True, "triplets.hard_from": "own"})
    shared = {"per_query": 20, "hard": 0, "hard_from": "own"}
    assert recipe.triplets == CitationTriplets(cited_by=True, **shared)
    counted = recipe.changed({"triplets.weighted": True, "triplets.source": "co_view"})
    assert counted.triplets == CooccurrenceTriplets(source="co_view", weighted=True, **shared)
    mixed = recipe.changed({"triplets.source": "multitask", "triplets.distribution.coupling": 9})
    assert mixed.triplets == MultitaskTriplets(
        distribution=MultitaskTriplets().distribution | {"coupling": 9}, **shared
    )
    assert (
        mixed.changed({"triplets.distribution.co_view": 0}).triplets.distribution["coupling"] == 9
    )


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"epochs": 0}, "training.epochs"),
        ({"epoch": 1}, "training.epoch: "),
        ({"base.pooling": "sum"}, "base.pooling"),
        ({"distillation": 3}, "training.distillation"),
        ({"distillation.share": 0.6}, "training.distillation.share"),
        ({"seed": -1}, "training.seed"),
        ({"base.max_length": 64}, "are for mode full"),
        (
            {"triplets.per_query": 3, "triplets.hard": 8},
            "triplets.*8 is greater",
        ),
        ({"per_query": 3}, "training.per_query"),
        ({"triplets.weighted": True}, "triplets.weighted: "),
        ({"triplets.source": "neighbors"}, "triplets.space: Field required"),
        ({"triplets.source": "co_views"}, "triplets: .*'co_view'"),
        ({"triplets.source": ["co_view"]}, "triplets: "),
        (
            {"triplets.source": "multitask", "triplets.distribution.x": 1},
            r"triplets\.distribution\.x",
        ),
    ],
)
def test_an_invalid_setting_is_named(changes, named):
    with pytest.raises(InputError, match=named) as caught:
        read_recipe("head").changed(changes)
    assert "--print-recipe" in caught.value.hint


@pytest.mark.parametrize("text", ["training: [", "- 1", "training: {mode: tail}", "", "base: {}"])
def test_a_file_that_is_no_recipe_is_refused(tmp_path, text):
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    with pytest.raises(InputError, match=r"mine\.yaml"):
        read_recipe(str(file))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("training: {mode: head}\nbase: {name: a, name: b}\n", "the key name is repeated"),
        ("training: {mode: head}\ntraining: {mode: full}\n", "the key training is repeated"),
        ("training: " + "[" * 2_000, "nested too deeply"),
        ("about: 2027-02-31\n", "day"),
    ],
)
def test_a_recipe_that_cannot_be_read_has_one_clear_error(tmp_path, text, reason):
    file = tmp_path / "mine.yaml"
    file.write_text(text)
    with pytest.raises(InputError, match=rf"the recipe .*mine\.yaml cannot be read: .*{reason}"):
        read_recipe(str(file))


def test_triplets_without_a_source_are_of_citations(tmp_path):
    file = tmp_path / "mine.yaml"
    file.write_text("triplets: {per_query: 9}\ntraining: {mode: head}\n")
    assert read_recipe(str(file)).triplets == CitationTriplets(per_query=9)


@pytest.mark.parametrize("value", [float("inf"), float("nan")])
def test_a_setting_is_a_finite_number(value):
    for recipe, key in (("head", "distillation.weight"), ("full", "learning_rate")):
        with pytest.raises(InputError, match=f"training.{key}: Input should be a finite number"):
            read_recipe(recipe).changed({key: value})


def test_a_distance_that_the_contrastive_loss_does_not_use_is_refused():
    with pytest.raises(InputError, match="uses the cosine, not distance: dot"):
        read_recipe("contrastive").changed({"distance": "dot"})
    read_recipe("contrastive").changed({"distance": "cosine"})


def test_the_mode_is_that_of_the_recipe():
    with pytest.raises(InputError, match="mode") as caught:
        read_recipe("head").changed({"mode": "full"})
    assert caught.value.hint == "choose another recipe"


def test_an_unknown_recipe_is_an_error_that_lists_the_known_ones():
    with pytest.raises(InputError, match="'spectre' is neither a recipe") as caught:
        read_recipe("spectre")
    assert "specter" in caught.value.hint


def test_settings_alone_are_a_recipe():
    recipe = Recipe(training=FullSettings(epochs=1))
    assert yaml.safe_load(recipe.to_yaml())["training"]["epochs"] == 1


def test_settings_of_one_recipe_do_not_change_another():
    changes = {"triplets.source": "multitask", "triplets.distribution.citations": 80}
    first = read_recipe("head").changed(changes)
    second = read_recipe("head").changed({"triplets.source": "multitask"})
    assert first.triplets.distribution["citations"] == 80
    assert "citations" not in second.triplets.distribution
