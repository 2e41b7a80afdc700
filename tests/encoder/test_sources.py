"""Train on triplets of other sources than citations, and on top of a trained model."""

import json
import re

import numpy as np
import pytest
from click.testing import CliRunner

from specter_graph.cli import cli
from specter_graph.core.errors import InputError, LeakError, ModelError
from specter_graph.core.triplet_settings import CitationTriplets, CooccurrenceTriplets
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.model_record import read_record
from specter_graph.encoder.recipe import BaseChoice, FullSettings, HeadSettings, Recipe
from specter_graph.graph.embeddings.spaces import read_vectors
from specter_graph.literature_graph import LiteratureGraph
from tests.environment import server_environment
from tests.graph.citation_graphs import random_papers

QUICK = FullSettings(epochs=1, batch=32, micro_batch=32, learning_rate=1e-3)
HEAD = HeadSettings(dimension=8, features=None, distillation=None)


@pytest.fixture
def literature(graph, local_instance):
    """Load papers that cite one another; commands use the same graph."""
    literature = LiteratureGraph(graph.driver, graph.name)
    literature.load(random_papers(60, 6))
    with server_environment(local_instance):
        yield literature


def run(*arguments):
    return CliRunner().invoke(
        cli, [*map(str, arguments), "--format", "json"], catch_exceptions=False
    )


def test_a_model_is_trained_on_co_citations_and_then_on_citations_that_it_ranks_wrongly(
    literature, tiny_bert, tmp_path
):
    first, second = tmp_path / "first", tmp_path / "second"
    settings = [f"--set={each}" for each in ("batch=32", "micro_batch=32", "learning_rate=1e-3")]
    common = [
        "--recipe",
        "full",
        "--epochs",
        1,
        "--triplets-per-query",
        2,
        "--hard-negatives",
        1,
        *settings,
    ]
    source = ["--set", "triplets.source=co_citation", "--set", "triplets.weighted=true"]
    mined = run(
        "triplets",
        "-o",
        tmp_path / "t.jsonl",
        "--triplets-per-query",
        2,
        "--hard-negatives",
        1,
        *source,
    )
    run("train", "-o", first, "--base", tiny_bert, *common, *source)
    record = read_record(first)
    assert record.mined["source"] == "co_citation"
    assert record.mined["weighted"] is True
    assert json.loads(mined.stdout)["digest"] == record.triplets.digest
    assert record.validation is not None
    run("embed", "--model", first)
    own = ["--set", "triplets.hard_from=specter"]
    run("train", "-o", second, "--base", first, *common, *own)
    further = read_record(second)
    assert further.base.name == str(first)
    assert further.base.digest == record.digest != further.digest
    assert further.base.max_length == record.base.max_length == 64
    assert further.holdout == record.holdout
    assert further.mined["hard_from"] == "specter"
    assert record.learned_from == ["co_citation"]
    assert further.learned_from == ["citations", "co_citation"]
    assert further.validation != record.validation  # each training is validated on its own signal
    ids, vectors = read_vectors(literature.database, "specter")
    texts = {paper.id: paper for paper in random_papers(60, 6)}
    again = Encoder.load(first).encode([texts[paper] for paper in ids])
    np.testing.assert_allclose(again, vectors, atol=1e-3)


def test_a_model_trained_with_another_hold_out_is_refused_as_base(literature, tiny_bert, tmp_path):
    base = BaseChoice(name=str(tiny_bert))
    some = CitationTriplets(per_query=1, hard=0)
    literature.train(tmp_path / "a", Recipe(base=base, triplets=some, training=QUICK), holdout=0)
    trained = BaseChoice(name=str(tmp_path / "a"))
    with pytest.raises(LeakError, match=r"\(hold-out 0\)"):
        literature.train(tmp_path / "b", Recipe(base=trained, training=QUICK))
    shorter = trained.model_copy(update={"max_length": 16})
    recipe = Recipe(base=shorter, triplets=some, training=QUICK)
    record = literature.train(tmp_path / "b", recipe, holdout=0)
    assert record.base.max_length == 16
    assert Encoder.load(tmp_path / "b").model.folder.max_length == 16


def test_a_head_is_trained_on_a_fine_tuned_model(literature, tiny_bert, tmp_path):
    base = BaseChoice(name=str(tiny_bert))
    cocited = CooccurrenceTriplets(source="co_citation", per_query=1, hard=0)
    tuned = BaseChoice(name=str(tmp_path / "full"))
    literature.train(tmp_path / "full", Recipe(base=base, triplets=cocited, training=QUICK))
    recipe = Recipe(base=tuned, training=HEAD)
    record = literature.train(tmp_path / "head", recipe, base_space="full")
    assert record.learned_from == ["citations", "co_citation"]
    assert record.base.digest == Encoder.load(tmp_path / "full").digest
    literature.embed(Encoder.load(tmp_path / "head"), "tuned_head")
    ids, vectors = read_vectors(literature.database, "tuned_head")
    texts = {paper.id: paper for paper in random_papers(60, 6)}
    encoder = Encoder.load(tmp_path / "head")
    encoder.model.precision = "float32"
    again = encoder.encode([texts[paper] for paper in ids])
    np.testing.assert_allclose(again, vectors, atol=0.05)
    with pytest.raises(LeakError, match=r"hold-out of 0\.2"):
        literature.train(tmp_path / "leak", recipe, base_space="full", holdout=0.2)


def test_a_head_is_refused_as_base(literature, tiny_bert, tmp_path):
    base = BaseChoice(name=str(tiny_bert))
    literature.train(tmp_path / "head", Recipe(base=base, training=HEAD))
    with pytest.raises(ModelError, match=re.escape("head is a head")) as caught:
        Encoder.base(str(tmp_path / "head"))
    assert str(tiny_bert) in caught.value.hint


def test_triplets_of_a_file_are_trained_on_and_must_not_be_held_out(
    literature, tiny_bert, tmp_path
):
    path = literature.triplets().write(tmp_path / "mined.parquet")
    recipe = Recipe(base=BaseChoice(name=str(tiny_bert)), training=QUICK)
    mined = literature.train(tmp_path / "mined", recipe)
    read = literature.train(tmp_path / "read", recipe, triplets=path)
    assert read.digest == mined.digest
    assert read.triplets == mined.triplets
    assert read.mined == {"source": "file", "file": "mined.parquet"}
    assert read.learned_from == ["file"]  # which may be readings
    validation = literature.triplets(split="validation").write(tmp_path / "validation.parquet")
    selected = literature.train(tmp_path / "selected", recipe, validation=validation)
    assert (selected.digest, selected.validation) == (mined.digest, mined.validation)
    everything = literature.triplets(holdout=0).write(tmp_path / "all.jsonl")
    with pytest.raises(LeakError, match="is held out"):
        literature.train(tmp_path / "leak", recipe, triplets=everything)
    with pytest.raises(LeakError):
        literature.train(tmp_path / "leak", recipe, triplets=path, validation=everything)


def test_files_of_triplets_are_checked_before_the_base_vectors_are_computed(
    literature, tiny_bert, tmp_path
):
    recipe = Recipe(base=BaseChoice(name=str(tiny_bert)), training=HEAD)
    everything = literature.triplets(holdout=0).write(tmp_path / "all.jsonl")
    for files, error in (
        ({"triplets": tmp_path / "none.parquet"}, InputError),
        ({"validation": tmp_path / "none.parquet"}, InputError),
        ({"triplets": everything}, LeakError),
    ):
        with pytest.raises(error):
            literature.train(tmp_path / "model", recipe, **files)
        assert literature.spaces.list() == []
