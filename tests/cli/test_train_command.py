"""Test the parts of `specter-graph train` that need no graph."""

import yaml
from click.testing import CliRunner

from specter_graph.cli import cli


def print_settings(*options: str) -> dict:
    result = CliRunner().invoke(cli, ["train", "--print-recipe", *options])
    assert result.exit_code == 0, result.output
    return yaml.safe_load(result.stdout)


def test_given_options_override_the_recipe(tmp_path):
    mine = tmp_path / "mine.yaml"
    mine.write_text("base: {name: a, revision: r}\ntraining: {mode: full, seed: 3, epochs: 7}\n")
    results = print_settings("--recipe", str(mine), "--epochs", "5", "--set", "learning_rate=3e-5")
    assert (results["base"]["name"], results["base"]["revision"]) == ("a", "r")
    training = results["training"]
    assert (training["seed"], training["epochs"], training["learning_rate"]) == (3, 5, 3e-5)
    other = print_settings("--recipe", str(mine), "--base", "b", "--seed", "4")
    assert (other["base"]["name"], other["base"]["revision"]) == ("b", None)
    assert other["training"]["seed"] == 4


def test_a_printed_recipe_can_be_trained(tmp_path):
    first = print_settings("--recipe", "specter", "--set", "base.max_length=128")
    mine = tmp_path / "mine.yaml"
    mine.write_text(yaml.safe_dump(first))
    assert print_settings("--recipe", str(mine)) == first


def test_options_of_mined_triplets_are_an_error_with_a_file_of_triplets(tmp_path):
    file = tmp_path / "triplets.jsonl"
    file.touch()
    for option in ("--hard-negatives", "--triplets-per-query"):
        arguments = ["train", "-o", str(tmp_path / "m"), "--triplets", str(file), option, "1"]
        result = CliRunner().invoke(cli, arguments)
        assert result.exit_code == 2
        assert f"{option} has no effect with --triplets" in result.output


def test_a_missing_output_folder_is_an_error_before_training():
    result = CliRunner().invoke(cli, ["train", "--recipe", "head"])
    assert result.exit_code == 2
    assert "--output" in result.output
