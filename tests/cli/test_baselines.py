"""Run `specter-graph baseline` on a real graph."""

import json
import random

import numpy as np
import pytest
import torch
from click.testing import CliRunner

from specter_graph.baselines.build import BuildRequest, TrainingCorpus
from specter_graph.baselines.registry import build_baseline, missing_baselines
from specter_graph.cli.baselines import list_, run
from specter_graph.cli.evaluate import arxiv, held_out, scidocs, split
from specter_graph.cli.loading import load
from specter_graph.cli.training import embed, sgc
from specter_graph.core.errors import GraphError, InputError, LeakError, ModelError
from specter_graph.graph.embeddings.spaces import (
    EmbeddingSpace,
    get_space,
    list_spaces,
    read_vectors,
    write_space,
)
from specter_graph.graph.loading.loader import load_papers
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.loaders.records import Paper
from tests.evaluation.scidocs_files import record, write_scidocs
from tests.graph.citation_graphs import held_out_ids

IDS = [f"p{i}" for i in range(160)]


@pytest.fixture
def run_command(server):
    """Load papers of two subjects, which differ in words and citations."""
    rng = random.Random(0)
    words = [[f"{name}word{chr(97 + i)}" for i in range(12)] for name in ("red", "blue")]
    papers = [
        Paper(
            p,
            " ".join(rng.choices(words[i % 2], k=20)),
            references=tuple(rng.sample(IDS[i % 2 :: 2], 8)),
        )
        for i, p in enumerate(IDS)
    ]
    load_papers(server, papers)
    return lambda command, *arguments: CliRunner().invoke(command, arguments)


def test_a_tuned_baseline_is_a_space_that_evaluate_scores(run_command, server):
    created = json.loads(
        run_command(run, "tfidf", "--tune", "--holdout", "0.25", "--format", "json").stdout
    )
    assert len(created["tried"]) == 9
    best = max(value for _, value in created["tried"])
    assert [created["settings"], best] in created["tried"]
    record = get_space(server, "tfidf")
    assert json.loads(record.sources)["settings"] == created["settings"]
    assert not record.sees_edges
    ids, _ = read_vectors(server, "tfidf")
    assert sorted(ids) == sorted(IDS)
    run_command(run, "random")
    spaces = json.loads(run_command(held_out, "--format", "json").stdout)["spaces"]
    assert set(spaces) == {"tfidf", "random"}
    assert spaces["tfidf"]["cite"]["map"]["value"] > spaces["random"]["cite"]["map"]["value"] + 0.1


def test_settings_are_not_scored_on_the_papers_they_were_chosen_by(run_command, server):
    some = run_command(run, "tfidf", "--tune")
    assert isinstance(some.exception, InputError)
    assert "too few to choose settings" in some.exception.message
    run_command(run, "tfidf", "--tune", "--holdout", "0.25")
    run_command(run, "sif", "--min-count", "2")
    # Some test papers of hold-out 0.3 were validation papers of hold-out 0.25.
    options = ("--holdout", "0.3", "--space")
    assert isinstance(run_command(held_out, *options, "tfidf").exception, LeakError)
    assert run_command(held_out, *options, "sif").exit_code == 0


@pytest.mark.parametrize(
    "arguments", ["sif --min-count 2", "fasttext-sum --min-count 2", "doc2vec"]
)
def test_baselines_of_word_vectors_make_spaces(run_command, server, arguments):
    name, *options = arguments.split()
    result = run_command(run, name, *options)
    assert result.exit_code == 0, result.output
    _, vectors = read_vectors(server, name.replace("-", "_"))
    assert vectors.shape == (160, 300)
    assert np.isfinite(vectors).all()


def test_rankers_are_scored_without_seeing_the_answers(run_command):
    for name in ("bm25", "coupling", "cocitation"):
        results = json.loads(run_command(run, name, "--format", "json").stdout)
        assert ("cocite" in results["scores"]) == (name != "cocitation")
        assert results["scores"]["cite"]["map"]["value"] > 0.3
    assert "retrieval mrr" in run_command(run, "bm25").stdout


@pytest.mark.parametrize(
    "arguments",
    [
        "tfidf --split validation",
        "bm25 --tune",
        "bm25 --min-count 2",
        "bm25 -o x.jsonl",
        "tfidf --min-count 25",
        "doc2vec --word-vectors x",
        "random --tune",
        "tfidf --weights x",
    ],
)
def test_options_that_have_no_effect_are_refused(arguments: str):
    name, option, *_ = arguments.split()
    refused = CliRunner().invoke(run, arguments.split())
    assert refused.exit_code == 2
    assert f"{option} has no effect with {name}." in refused.stderr


def test_a_setting_that_has_no_effect_is_refused(server):
    with pytest.raises(InputError, match="min_count has no effect with tfidf"):
        build_baseline(server, "tfidf", min_count=2)


def test_a_space_that_is_no_baseline_is_not_overwritten(run_command):
    run_command(run, "random")
    refused = run_command(run, "tfidf", "--space", "random")
    assert isinstance(refused.exception, InputError)
    assert run_command(run, "random", "--seed", "1").exit_code == 0


def test_sgc_takes_the_k_that_is_best_on_validation(run_command, server):
    assert isinstance(run_command(run, "sgc-sif").exception, GraphError)
    run_command(run, "sif", "--min-count", "2")
    created = json.loads(
        run_command(run, "sgc-sif", "--tune", "--holdout", "0.25", "--format", "json").stdout
    )
    assert [settings["k"] for settings, _ in created["tried"]] == list(range(1, 9))
    best, _ = max(created["tried"], key=lambda each: each[1])
    assert created["settings"] == {**best, "a": 1e-4}
    tuned = read_vectors(server, "sgc_sif")[1]
    smoothed = ("--space", "sif", "--holdout", "0.25")
    run_command(sgc, *smoothed, "--output-space", "again", "--steps", str(best["k"]))
    np.testing.assert_allclose(read_vectors(server, "again")[1], tuned, atol=1e-6)
    again = json.loads(run_command(sgc, *smoothed, "--tune", "--format", "json").stdout)
    assert again["sources"] == get_space(server, "sgc_sif").sources


def test_released_weights_make_spaces_with_the_named_pooling(run_command, server, tiny_bert):
    graph = LiteratureGraph(server.driver, server.name)
    vectors = {}
    for name, pooling in (("scibert", "cls"), ("scibert-mean", "mean")):
        result = run_command(run, name, "--weights", str(tiny_bert))
        assert result.exit_code == 0, result.exception
        target = name.replace("-", "_")
        record = get_space(server, target)
        assert (record.kind, record.pooling, record.sees_edges) == ("base", pooling, False)
        vectors[name] = graph.spaces.embed_text("redworda", target)
        assert graph.embed(graph.spaces.open_encoder(target), target).embedded == 0
    assert not np.allclose(vectors["scibert"], vectors["scibert-mean"])
    run_command(embed, "--model", str(tiny_bert), "--pooling", "max", "--space", "scibert_max")
    rows = json.loads(run_command(arxiv, "--format", "json").stdout)
    poolings = {row["space"]: row["pooling"] for row in rows[1:]}
    assert poolings == {"scibert": "cls", "scibert_mean": "mean", "scibert_max": "max"}
    assert run_command(run, "sentence-bert", "--weights", str(tiny_bert)).exit_code == 0
    assert isinstance(run_command(run, "tfidf", "--space", "scibert").exception, InputError)
    assert isinstance(run_command(run, "scincl", "--space", "scibert").exception, ModelError)
    other = run_command(run, "scibert-mean", "--weights", str(tiny_bert), "--space", "scibert")
    assert isinstance(other.exception, InputError)


def test_citeomatic_learns_from_no_citation_of_a_held_out_paper(run_command, server):
    held = held_out_ids(server, 0.1)
    corpus = TrainingCorpus.read(BuildRequest(server, "citeomatic", "citeomatic", 0.1))
    learnt = {row for row, of in enumerate(corpus.citations()) if len(of)}
    learnt.update(row for of in corpus.citations() for row in of.tolist())
    learnt.update(row for triplet in corpus.triplets() for row in triplet)
    assert held
    assert len(learnt) > 100
    assert held.isdisjoint(corpus.papers[row].id for row in learnt)
    assert run_command(run, "citeomatic").exit_code == 0
    record = get_space(server, "citeomatic")
    assert record.sees_edges
    assert (record.holdout, record.learned_from) == (0.1, ("citations",))
    figures = json.loads(run_command(held_out, "--format", "json").stdout)["spaces"]["citeomatic"]
    # The subject alone gives about 0.42, because half of the negatives share it; chance is 0.25.
    assert figures["cite"]["map"]["value"] > 0.32


def test_infersent_is_used_as_released_or_tuned(run_command, server, tmp_path):
    lstm = torch.nn.LSTM(4, 3, bidirectional=True)
    torch.save({f"enc_lstm.{k}": v for k, v in lstm.state_dict().items()}, tmp_path / "w.pkl")
    words = [f"{name}word{chr(97 + i)}" for name in ("red", "blue") for i in range(12)]
    (tmp_path / "w.vec").write_text("".join(f"{w} {i} {i % 5} 1 0\n" for i, w in enumerate(words)))
    for name in ("infersent", "infersent-tuned"):
        result = run_command(run, name, "--weights", str(tmp_path))
        assert result.exit_code == 0, result.exception
    given, tuned = (read_vectors(server, f"infersent{end}")[1] for end in ("", "_tuned"))
    assert given.shape == tuned.shape == (160, 6)
    assert not np.allclose(given, tuned)
    assert [get_space(server, f"infersent{end}").sees_edges for end in ("", "_tuned")] == [
        False,
        True,
    ]
    assert run_command(held_out, "--space", "infersent_tuned").exit_code == 0


def test_a_space_of_fastrp_is_a_baseline(run_command, server):
    vectors = np.random.default_rng(0).normal(size=(len(IDS), 4)).astype(np.float32)
    record = EmbeddingSpace("base", "base", 4, "m", "m", "d", sees_edges=False)
    write_space(server, record, IDS, vectors)
    assert run_command(run, "fastrp").exit_code == 0
    assert get_space(server, "fastrp").holdout == 0.1
    assert {row.split(":")[0] for row in missing_baselines(list_spaces(server)).values()} == {
        "open"
    }
    assert "fastrp" not in missing_baselines(list_spaces(server))


def test_a_baseline_is_complete_under_any_name_of_its_space():
    def closed_by(*created):
        return {*missing_baselines([])} - {*missing_baselines(created)}

    def named(name, kind, base, pooling="", model="m", sources="{}"):
        return EmbeddingSpace(
            name, kind, 4, model, base, "d", pooling=pooling, sources=sources, sees_edges=False
        )

    hub = "allenai/scibert_scivocab_uncased"
    assert closed_by(named("mine", "base", hub, "cls")) == {"scibert"}
    assert closed_by(named("mine", "base", hub, "mean")) == {"scibert-mean"}
    assert closed_by(named("scibert_mean", "base", "folder", "mean")) == {"scibert-mean"}
    assert closed_by(named("mine", "tfidf", "tfidf")) == {"tfidf"}
    sections = "sentence-transformers/bert-base-wikipedia-sections-mean-tokens"
    assert closed_by(named("mine", "base", sections, "mean", model="")) == {"sentence-bert"}
    sif = named("weighted", "sif", "sif")
    smoothed = named("mine", "sgc", "sif", sources='{"space": "weighted", "k": 2}')
    assert closed_by(sif, smoothed) == {"sif", "sgc-sif"}
    assert closed_by(smoothed) == {
        "sgc-sif"
    }  # the space from which it was computed may have been dropped


def test_a_space_that_is_no_baseline_does_not_complete_the_row_of_a_baseline():
    for name, kind, base, pooling in [
        ("mine", "full", "allenai/scibert_scivocab_uncased", "cls"),  # a trained baseline
        ("mine", "base", "allenai/scibert_scivocab_uncased", "max"),
        ("scibert_mean", "base", "google-bert/bert-base-uncased", "max"),
        ("tfidf", "base", "m", "mean"),
        ("sgc_sif", "sgc", "m", "mean"),
        # the text is not split into sentences
        ("m", "base", "sentence-transformers/bert-base-wikipedia-sections-mean-tokens", "mean"),
    ]:
        record = EmbeddingSpace(name, kind, 4, "m", base, "d", pooling=pooling)
        assert missing_baselines([record]) == missing_baselines([])


def test_all_are_listed_with_what_they_need(run_command):
    listed = json.loads(run_command(list_, "--format", "json").stdout)
    assert len(listed) == 27
    assert {row["name"]: row for row in listed}["scibert"]["needs"].startswith(
        "the weights allenai/scibert_scivocab_uncased"
    )
    assert "needs the weights allenai/specter2_base+allenai/specter2" in run_command(list_).stdout


def test_an_unavailable_baseline_is_refused_with_the_reason(run_command, tmp_path):
    assert isinstance(run_command(run, "word2vec").exception, InputError)
    missing = run_command(run, "scincl", "--weights", str(tmp_path)).exception
    assert isinstance(missing, ModelError)
    assert "needs the weights malteos/scincl" in missing.message


def test_baselines_write_files_from_which_scidocs_makes_its_table(server, tmp_path, tiny_bert):
    folder = tmp_path / "data"
    folder.mkdir()
    embedded = write_scidocs(folder)
    papers = [json.loads(line)["paper_id"] for file in embedded.values() for line in file.open()]
    titles = {paper: paper.rsplit("-", 1)[0].replace("-", "") for paper in papers}
    for task in ("mag", "mesh"):
        for part in ("train", "val", "test"):
            for row in (folder / task / f"{part}.csv").read_text().split()[1:]:
                paper, label = row.split(",")
                titles[paper] = f"{task}class{label}"
    for file in folder.glob("c*/*.qrel"):
        for line in file.read_text().splitlines():
            query, _, candidate, relevance = line.split()
            titles[query] = query.replace("-", "")
            titles[candidate] = titles[query] if relevance == "1" else "paper"
    metadata = folder / "paper_metadata_view_cite_read.json"
    metadata.write_text(
        json.dumps({paper: record(paper) | {"title": title} for paper, title in titles.items()})
    )

    def run_command(command, *arguments):
        result = CliRunner().invoke(command, [*map(str, arguments), "--format", "json"])
        assert result.exit_code == 0, result.exception
        return json.loads(result.stdout)

    run_command(load, "s2", metadata)
    run_command(split, "--scidocs", folder)
    files = {name: tmp_path / f"{name}.jsonl.gz" for name in ("random", "tfidf", "scibert")}
    for name, file in files.items():
        weights = ["--weights", tiny_bert] if name == "scibert" else []
        run_command(run, name, "-o", file, "--strip-id-prefix", *weights)
    table = run_command(scidocs, folder, *[f"--vectors={file}" for file in files.values()])
    assert list(table) == [*files]
    assert len(table["tfidf"]["tasks"]) == 7
    for group in ("classification", "usage", "citation"):
        averages = {name: table[name]["averages"][group] for name in files}
        assert averages["tfidf"] > averages["random"] + 0.2
    of_spaces = run_command(scidocs, folder)
    for name in files:
        for group in ("usage", "citation"):  # an SVM of random vectors depends on their precision
            expected = of_spaces[name]["averages"][group]
            assert table[name]["averages"][group] == pytest.approx(expected, abs=1e-3)


def test_a_file_of_vectors_is_refused_before_the_baseline_is_built(run_command):
    refused = run_command(run, "random", "-o", "vectors.csv")
    assert isinstance(refused.exception, InputError)
    assert "no known suffix" in refused.exception.message
    assert run_command(run, "coupling", "-o", "vectors.jsonl").exit_code == 2
