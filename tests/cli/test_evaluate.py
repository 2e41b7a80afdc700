"""Run `specter-graph evaluate`."""

import json
import random
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner

from specter_graph.cli.evaluate import compare, held_out, split
from specter_graph.cli.spaces import list_
from specter_graph.core.errors import LeakError
from specter_graph.graph.embeddings.spaces import (
    EmbeddingSpace,
    get_space,
    record_space,
    write_vectors,
)
from specter_graph.graph.loading.loader import load_papers
from specter_graph.loaders.records import Paper

IDS = [f"p{i}" for i in range(120)]


@pytest.fixture(scope="module")
def evaluate(fresh_server):
    """Run the command on a graph with the spaces `base`, which is valid, and `tainted`."""
    rng = random.Random(3)
    papers = [Paper(p, p, references=tuple(rng.sample(IDS, 8))) for p in IDS]
    load_papers(fresh_server, papers)
    for name, sees_edges in (("base", False), ("tainted", True)):
        vectors = np.random.default_rng(len(name)).normal(size=(len(IDS), 4)).astype(np.float32)
        write_vectors(fresh_server, name, IDS, vectors)
        record = EmbeddingSpace(name, "base", 4, "m", "m", "d", sees_edges=sees_edges)
        record_space(fresh_server, record)

    return lambda *arguments: CliRunner().invoke(held_out, arguments)


def compared(*arguments):
    return CliRunner().invoke(compare, arguments)


def test_stdout_has_only_json(evaluate):
    result = evaluate("--space", "base", "--format", "json")
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert set(report) == {"spaces", "queries"}
    assert set(report["spaces"]) == {"base"}


def test_a_narrow_terminal_names_the_missing_columns(evaluate, monkeypatch):
    assert "nDCG@10" in evaluate("--space", "base").stdout
    monkeypatch.setattr("specter_graph.cli.output._WIDTH", 72)
    narrow = " ".join(evaluate("--space", "base").stdout.split())
    note = "because the terminal is too narrow: retrieval nDCG@10; use --format markdown."
    assert narrow.count("nDCG@10") == narrow.count(note) > 0


def test_a_space_that_has_seen_test_edges_fails_the_command(evaluate):
    for arguments in (
        (),
        (
            "--format",
            "json",
        ),
        ("--space", "tainted"),
    ):
        result = evaluate(*arguments)
        assert isinstance(result.exception, LeakError)
        assert result.stdout == ""


def test_an_imported_space_that_may_have_seen_test_edges_is_left_out_aloud(evaluate, fresh_server):
    tainted = get_space(fresh_server, "tainted")
    record_space(fresh_server, replace(tainted, kind="imported"))
    result = evaluate("--format", "json")
    record_space(fresh_server, tainted)
    assert {*json.loads(result.stdout)["spaces"]} == {"base"}
    assert "left out: tainted (imported" in result.stderr
    assert "left out" not in evaluate("--space", "base").stderr


def test_the_list_of_spaces_shows_which_have_seen_citations(evaluate):
    rows = [line.split() for line in CliRunner().invoke(list_).stdout.splitlines()]
    assert {row[0]: "True" in row for row in rows[1:] if row} == {"base": False, "tainted": True}


def test_the_table_and_its_markdown_name_the_space(evaluate):
    for arguments in (
        (),
        (
            "--format",
            "markdown",
        ),
    ):
        result = evaluate("--space", "base", "--split", "validation", *arguments)
        assert "base" in result.stdout
        assert "(random)" in result.stdout
        assert "bootstrap intervals" in result.stdout


def test_a_table_marks_the_spaces_that_are_linear_heads(evaluate, fresh_server):
    vectors = np.ones((len(IDS), 4), np.float32)
    for seed in (0, 1):
        write_vectors(fresh_server, f"specter_{seed}", IDS, vectors)
        record = EmbeddingSpace(f"specter_{seed}", "head", 4, "m", "MiniLM", "d", holdout=0.1)
        record_space(fresh_server, record)
    note = "specter: linear head on frozen vectors of MiniLM."
    assert note in evaluate("--space=base", "--space=specter_0,specter_1").stdout
    assert "linear head" not in evaluate("--space=base").stdout


def test_two_systems_are_tested_against_each_other(evaluate, fresh_server):
    for name in ("one", "two"):
        vectors = np.random.default_rng(len(name) + ord(name[0])).normal(size=(len(IDS), 4))
        write_vectors(fresh_server, name, IDS, vectors.astype(np.float32))
        record_space(fresh_server, EmbeddingSpace(name, "base", 4, "m", "m", "d", sees_edges=False))
    results = json.loads(compared("one,two", "base", "--format", "json").stdout)
    scores = json.loads(
        evaluate("--format", "json", *["--space=base", "--space=one", "--space=two"]).stdout
    )
    spaces = scores["spaces"]
    assert [each["figure"] for each in results][:2] == ["cite map", "cite ndcg"]
    for each in results:
        task, metric = each["figure"].split()
        one, two, base = (spaces[name][task][metric]["value"] for name in ("one", "two", "base"))
        assert each["one"] == pytest.approx((one + two) / 2)
        assert each["difference"]["value"] == pytest.approx((one + two) / 2 - base)
        assert each["p"] <= each["p_holm"] <= 1
    assert "p (Holm)" in compared("one", "base").stdout
    assert isinstance(compared("one", "tainted").exception, LeakError)


@pytest.mark.parametrize("arguments", [[], ["--by-hash"]])
def test_the_split_by_hash_is_shown_by_its_rule(evaluate, arguments):
    assert CliRunner().invoke(split, arguments).stdout == "rule  by hash\n"
