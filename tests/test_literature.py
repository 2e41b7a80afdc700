"""Run the complete workflow through the public API, on a small generated corpus."""

from itertools import islice

import pytest

from specter_graph import Encoder, LiteratureGraph, ScoreSettings
from specter_graph.core.errors import (
    GraphError,
    InputError,
    LeakError,
    ModelError,
    ServerError,
)
from specter_graph.demo import run_demo
from specter_graph.encoder.model_dir import locked_output
from specter_graph.encoder.recipe import BaseChoice, FeatureSettings, HeadSettings, Recipe
from specter_graph.graph.database import connect
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.split import query_ids
from specter_graph.graph.triplets.mine import mine_triplets
from specter_graph.groups import spaces
from specter_graph.loaders.records import Paper
from specter_graph.loaders.synthetic import synthetic_papers
from tests.graph.citation_graphs import held_out_ids

SOME = 150
SPACES = ["base", "specter", "sgc", "sgc_specter"]
QUICK = HeadSettings(dimension=32, features=FeatureSettings(dimension=20), epochs=1)


@pytest.fixture(scope="module")
def papers():
    return list(islice(synthetic_papers(papers=400), 400))


@pytest.fixture(scope="module")
def tiny(tiny_bert) -> str:
    """Return the name of a tiny base, where any base will do; the demo uses the default one."""
    return str(tiny_bert)


@pytest.fixture
def quick(tiny) -> Recipe:
    return Recipe(base=BaseChoice(name=tiny), training=QUICK)


@pytest.fixture
def literature(graph, papers) -> LiteratureGraph:
    """Load some of the papers, for tests that need only a small number."""
    literature = LiteratureGraph(graph.driver, graph.name)
    literature.load(papers[:SOME])
    return literature


def test_the_demo_runs_from_records_to_searches_and_its_table_can_be_recomputed(
    graph, papers, tmp_path, monkeypatch
):
    monkeypatch.setenv("SPECTER_GRAPH_DATA", str(tmp_path))
    literature = LiteratureGraph(graph.driver, graph.name)
    lines: list[str] = []
    outcome = run_demo(literature, papers, tmp_path / "model", say=lines.append)
    report = outcome.report.as_json()
    assert sorted(report["spaces"]) == sorted(SPACES)
    assert report["queries"]["cite"] > 10
    for tasks in report["spaces"].values():
        for metrics in tasks.values():
            for interval in metrics.values():
                assert 0 <= interval["low"] <= interval["value"] <= interval["high"] <= 1
    assert [answer.query.name for _, answer in outcome.answers] == [
        "library/missing_references",
        "library/citation_path",
        "library/disagreement",
    ]
    assert outcome.answers[0][1].rows
    assert len(lines) == 9
    assert not [line for line in lines if "left out" in line]
    assert list(tmp_path.glob("maps/*.json.gz"))
    assert list(tmp_path.glob("reports/*/report.html"))
    assert len({pair.submission for pair in literature.venue("demo").assigned()}) == 30
    assert literature.evaluate.held_out().as_json() == report
    assert literature.stats().spaces == sorted(SPACES)
    again = literature.embed(Encoder.load(tmp_path / "model"), "specter")
    assert (again.embedded, again.unchanged) == (0, 400)
    hits = literature.search("tides and orbits", k=3)
    assert len(hits) == 3


def test_no_held_out_paper_is_learned_from(literature, quick, tmp_path):
    record = literature.train(tmp_path / "model", quick)
    held_out = held_out_ids(literature.database, 0.1)
    assert held_out
    for batch in mine_triplets(literature.database):
        for column in ("query", "positive", "negative"):
            assert held_out.isdisjoint(batch.column(column).to_pylist())
    assert (record.holdout, record.learned_from) == (0.1, ["citations"])


def test_a_folder_that_training_cannot_replace_is_an_error_before_papers_are_embedded(
    literature, quick, tmp_path
):
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ModelError, match="is not a model directory"):
        literature.train(tmp_path, quick)
    with pytest.raises(InputError, match="the name of the model directory is empty"):
        literature.train("", quick)
    with (
        locked_output(tmp_path / "model"),
        pytest.raises(InputError, match="another run is writing"),
    ):
        literature.train(tmp_path / "model", quick)
    assert literature.spaces.list() == []


def test_training_measures_no_precision_and_records_that_of_the_base_vectors(
    literature, quick, tmp_path, monkeypatch
):
    def benchmark(*arguments: object) -> None:
        raise AssertionError("the time decides")

    monkeypatch.setattr("specter_graph.encoder.device.MIN_TEXTS", 1)
    monkeypatch.setattr("specter_graph.encoder.device.benchmark", benchmark)
    monkeypatch.setattr("specter_graph.encoder.device.fast_precisions", lambda _: ("int8",))
    record = literature.train(tmp_path / "model", quick)
    assert record.base.precision == "float32"
    assert [each.precision for each in literature.spaces.list()] == ["float32"]
    assert "| precision of the base vectors | float32 |" in (
        tmp_path / "model" / "README.md"
    ).read_text("utf-8")


def test_a_space_recorded_by_a_user_does_not_prevent_evaluation(literature, tiny):
    literature.embed(Encoder.base(tiny), "base")
    literature.database.write(
        "CREATE (:EmbeddingSpace {property: 'mine', dimension: 32, sees_edges: false})"
    )
    literature.database.write("MATCH (p:Paper) SET p.mine = p.base")
    spaces = literature.evaluate.held_out().as_json()["spaces"]
    assert spaces["mine"] == spaces["base"]
    literature.database.write("MATCH (s:EmbeddingSpace {property: 'mine'}) REMOVE s.sees_edges")
    assert "mine" not in literature.evaluate.held_out().as_json()["spaces"]
    with pytest.raises(LeakError, match="'mine'"):
        literature.evaluate.held_out(["mine"])


def test_the_texts_of_held_out_papers_have_no_references(literature, tiny, tmp_path):
    base = BaseChoice(name=tiny, parts=("title", "references"))
    recipe = Recipe(base=base, training=QUICK)
    literature.train(tmp_path / "model", recipe, base_space="cited")
    created = literature.embed(Encoder.load(tmp_path / "model"), "specter")
    assert (created.embedded, created.reused) == (SOME, SOME)
    literature.evaluate.held_out(["specter"])
    held = query_ids(literature.database, "test", 0.1)
    for text in paper_texts(literature.database, held, ["references"], holdout=0.1):
        assert not text.references
    assert literature.spaces.check("specter")[0].outdated == 0


def test_a_space_trained_without_a_hold_out_is_not_scored(literature, quick, tmp_path):
    literature.train(tmp_path / "model", quick, holdout=0)
    literature.embed(Encoder.load(tmp_path / "model"), "specter")
    with pytest.raises(LeakError, match="specter"):
        literature.evaluate.held_out(["specter"])
    with pytest.raises(LeakError, match="specter"):
        literature.sgc("specter")
    with pytest.raises(InputError, match="steps is 9"):
        literature.sgc("specter", steps=9)


def test_training_and_mining_give_the_same_digest_of_the_triplets(literature, quick, tmp_path):
    record = literature.train(tmp_path / "model", quick)
    stream = literature.triplets()
    assert sum(batch.num_rows for batch in stream) == record.triplets.triplets
    assert stream.report.digest == record.triplets.digest
    with pytest.raises(InputError, match="source is a str") as caught:
        literature.triplets("triplets.parquet")
    assert 'graph.triplets().write("triplets.parquet")' in caught.value.hint
    assert stream.report.mined == record.mined


def test_the_model_of_a_space_is_opened_once_for_all_searches(graph, literature, tiny, monkeypatch):
    literature.embed(Encoder.base(tiny), "base")
    opened, open_model = [], spaces._open_model
    monkeypatch.setattr(spaces, "_open_model", lambda *of: opened.append(of) or open_model(*of))
    again = LiteratureGraph(graph.driver, graph.name)
    for text in ("tides and orbits", "winds of distant planets"):
        assert again.search(text, space="base", mode="vector")
    assert len(opened) == 1


def test_new_papers_are_embedded_by_the_model_of_the_space(literature, quick, tmp_path):
    literature.train(tmp_path / "model", quick)
    literature.embed(Encoder.load(tmp_path / "model"), "specter")
    literature.load([Paper("new", "Tides of a new planet")])
    again = literature.embed(literature.spaces.open_encoder("specter"), "specter")
    assert (again.embedded, again.unchanged, again.replaced) == (1, SOME, False)


def test_an_unknown_space_has_no_encoder(literature, tiny):
    literature.embed(Encoder.base(tiny), "base")
    for open_encoder in (literature.spaces.open_encoder, literature.spaces.encoder_of):
        with pytest.raises(GraphError, match="no embedding space 'typo'; there are base"):
            open_encoder("typo")


def test_a_venue_is_not_scored_by_a_model_that_was_trained_again(
    graph, literature, quick, papers, tmp_path
):
    literature.train(tmp_path / "model", quick)
    literature.embed(Encoder.load(tmp_path / "model"), "specter")
    other = QUICK.model_copy(update={"seed": 1})
    literature.train(tmp_path / "model", quick.model_copy(update={"training": other}))
    submissions, reviewers = tmp_path / "submissions.jsonl", tmp_path / "reviewers.csv"
    submissions.write_text('{"id": "s", "title": "tides and orbits"}')
    reviewers.write_text(f"id\n{papers[0].authors[0].id}")
    # An open graph caches the model of a space; another process reads the folder.
    venue = LiteratureGraph(graph.driver, graph.name).venue("v")
    venue.load(submissions=submissions, reviewers=reviewers)
    with pytest.raises(GraphError, match="not the model that made the vectors of 'specter'"):
        venue.score(ScoreSettings(("specter",)))


def test_sgc_replaces_no_space_of_a_model(literature, tiny):
    literature.embed(Encoder.base(tiny), "base")
    with pytest.raises(InputError, match="would replace"):
        literature.sgc("base", output_space="base")


def test_a_part_of_a_trained_model_is_not_accepted_as_an_untrained_base(
    literature, quick, tmp_path
):
    literature.train(tmp_path / "model", quick)
    (tmp_path / "model" / "transformer").mkdir()
    with pytest.raises(ModelError, match="part of a trained model"):
        literature.spaces.open_encoder(model=str(tmp_path / "model" / "transformer"))


def test_clear_does_not_delete_data_of_other_programs(literature):
    literature.database.write("CREATE (:Invoice)-[:PAID]->(:Invoice)")
    literature.maintenance.clear()
    assert literature.database.value("MATCH (n:Invoice)-[:PAID]->() RETURN count(n)") == 1
    assert literature.stats().papers == 0


def test_an_unknown_database_and_a_closed_driver_are_clear_errors(local_instance):
    with local_instance.lease() as endpoint, connect(*endpoint.login) as db:
        with pytest.raises(ServerError, match="the database does not exist"):
            LiteratureGraph(db.driver, "nope")
        literature = LiteratureGraph(db.driver, db.name)
    for call in (
        lambda: LiteratureGraph(db.driver, db.name),
        lambda: literature.cypher("RETURN 1"),
        lambda: literature.search("x"),
        lambda: literature.lists.create("x"),
        lambda: literature.database.commit("RETURN 1"),
        lambda: next(literature.database.stream("RETURN 1")),
    ):
        with pytest.raises(ServerError, match="the connection is not open: Driver closed"):
            call()
