"""Static models: token vectors that are distilled from a base, and their mean."""

import json
import shutil

import numpy as np
import pytest
from click.testing import CliRunner
from sentence_transformers import SentenceTransformer

from specter_graph import LiteratureGraph
from specter_graph.cli import cli
from specter_graph.core.errors import ModelError
from specter_graph.encoder import static_model
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.finetune import train_full
from specter_graph.encoder.head_training import train_head
from specter_graph.encoder.model_dir import TrainingJob
from specter_graph.encoder.model_record import BaseRecord, Provenance
from specter_graph.encoder.recipe import FullSettings, HeadSettings
from specter_graph.encoder.static_model import project_on_components, token_weights
from specter_graph.loaders.records import PaperText
from specter_graph.pipelines.export_model import export_model

PAPERS = [PaperText("1", "neutrino mass", "in the halo"), PaperText("2", "quark jet", None)]


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory):
    """Return the folder of distilled models."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:  # the server of the tests has its jars elsewhere
        use_cache(patch, folder)
        yield folder / "static"


def use_cache(patch, folder):
    (folder / "static").mkdir()
    patch.setattr(static_model, "cache_folder", folder.joinpath)


@pytest.fixture
def name(tiny_bert):
    return f"static:{tiny_bert}"


def test_a_text_is_the_mean_of_weighted_projected_token_vectors(name, tiny_bert, float32):
    encoder, base = Encoder.load(name), Encoder.load(tiny_bert)
    words = base.model.tokenizer.get_vocab()
    texts = sorted(words, key=words.__getitem__)
    special = [2, 3]  # [CLS], [SEP]
    each = [[special[0], token, special[1]] for token in range(len(texts))]
    vectors = base.model.encode_tokens(each, "float32").astype(np.float64)
    centered = vectors - vectors.mean(axis=0)
    _, _, axes = np.linalg.svd(centered, full_matrices=False)
    is_word = np.array([text.isalpha() and len(text) > 1 for text in texts])  # "##a" is a letter
    frequency = 1 / (np.maximum(np.cumsum(is_word), 1) + 1)
    frequency /= frequency[is_word].sum()
    expected = (centered @ axes.T) * (1e-4 / (1e-4 + frequency))[:, None]
    pair = expected[[words["neutrino"], words["mass"]]].mean(axis=0)
    other = expected[words["quark"]]
    ours = encoder.encode(["neutrino mass", "quark"])
    assert ours.shape == (2, 32)
    cosine = pair @ other / np.linalg.norm(pair) / np.linalg.norm(other)
    assert ours[0] @ ours[1] == pytest.approx(cosine, abs=1e-4)


def test_words_of_earlier_texts_have_the_tokens_of_the_tokenizer(name, monkeypatch):
    monkeypatch.setattr(static_model, "MAX_WORDS", 8)
    model = Encoder.load(name).model
    texts = [
        "Neutrino  mass,\tmasses[SEP]quark",
        "",
        " quark jet. ",
        "\u00e9tale\u4e2d\u6587 jet",
        "a" * 40,
    ]
    for chosen in (texts, texts[::-1], texts * 2, ["jet " * 600, "mass"]):
        plain = model.tokenizer(chosen, add_special_tokens=False)["input_ids"]
        expected = [tokens[: model.folder.max_length] for tokens in plain]
        assert model._tokenize(chosen)[0] == expected
    model._known = {}
    model._tokenize(["jet", "a" * 40])
    assert [*model._known] == ["jet"]


def test_components_have_fixed_signs_and_the_largest_variance_first():
    points = np.random.default_rng(0).standard_normal((50, 4)) * [1, 5, 2, 0.1]
    projected = project_on_components(points, 3)
    assert np.abs(project_on_components(points + 7, 3) - projected).max() < 1e-5
    assert (np.diff(projected.var(axis=0)) < 0).all()
    first, word, rare, letter = token_weights(["[UNK]", "the", "##ing", "x"])
    assert first == word == letter < rare < 1


def test_a_model_is_distilled_once_and_its_digest_is_that_of_base_and_settings(
    name, tiny_bert, cache, tmp_path, monkeypatch
):
    encoder = Encoder.load(name)
    [folder] = cache.iterdir()
    changed = folder.stat().st_mtime_ns
    assert Encoder.load(name).digest == encoder.digest
    assert folder.stat().st_mtime_ns == changed
    use_cache(monkeypatch, tmp_path)
    again = Encoder.load(name)
    assert again.digest == encoder.digest != Encoder.load(tiny_bert).digest
    assert again.encode(PAPERS) == pytest.approx(encoder.encode(PAPERS), abs=1e-5)
    assert (again.name, again.kind, again.dimension) == (name, "base", 32)


def test_the_folder_of_a_faster_process_is_used(name, tmp_path, monkeypatch):
    use_cache(monkeypatch, tmp_path)
    distill = static_model.distill_static_model

    def distill_slowly(base, folder):
        distill(base, folder)
        shutil.copytree(folder, folder.with_name(folder.name.split(".")[1]))

    monkeypatch.setattr(static_model, "distill_static_model", distill_slowly)
    encoder = Encoder.load(name)
    assert [*(tmp_path / "static").iterdir()] == [encoder.model.folder.path]


def test_its_folder_is_one_of_sentence_transformers(name):
    encoder = Encoder.load(name)
    path = encoder.model.folder.path
    theirs = SentenceTransformer(str(path), device="cpu")
    texts = [encoder.model.text(paper) for paper in PAPERS]
    assert theirs.encode(texts) == pytest.approx(encoder.encode(PAPERS), abs=1e-6)
    published = Encoder.load(path)
    assert np.array_equal(published.encode(PAPERS), encoder.encode(PAPERS))
    assert published.digest != encoder.digest
    with pytest.raises(ModelError, match="is a static model or a head on one"):
        export_model(str(path), path.parent / "export")


def test_other_folders_and_settings_are_refused(name, tmp_path):
    path = Encoder.load(name).model.folder.path
    with pytest.raises(ModelError, match="is a static model already"):
        Encoder.load(f"static:{path}")
    with pytest.raises(ModelError, match="pools by mean, not cls"):
        Encoder.load(name, pooling="cls")
    with pytest.raises(ModelError, match="neither a folder nor"):
        Encoder.load("static:nowhere/at-all")
    folder = shutil.copytree(path, tmp_path / "changed")
    modules = json.loads((folder / "modules.json").read_text())
    (folder / "modules.json").write_text(
        json.dumps([modules[0], {**modules[1], "type": "x.Dense"}])
    )
    with pytest.raises(ModelError, match=r"\['StaticEmbedding', 'Dense'\]"):
        Encoder.load(folder)


def test_fine_tuning_is_refused_before_it_removes_checkpoints(name, papers, triplets, tmp_path):
    job = TrainingJob(tmp_path / "model", triplets)
    with pytest.raises(ModelError, match="mode full needs a plain Transformer"):
        train_full(job, papers, Encoder.base(name).model, FullSettings())
    assert list(tmp_path.iterdir()) == []


def test_a_head_is_trained_on_static_vectors(name, papers, triplets, validation, tmp_path):
    base = Encoder.base(name).model
    provenance = Provenance(corpus="f" * 8, holdout=0.1)
    job = TrainingJob(tmp_path / "head", triplets, validation, provenance)
    settings = HeadSettings(dimension=16, features=None, distillation=None, epochs=1)
    train_head(job, papers, base.encode, BaseRecord.of(base.folder), settings)
    encoder = Encoder.load(tmp_path / "head")
    assert len(encoder.encode(PAPERS)) == 2
    assert (encoder.card.base, encoder.card.base_digest) == (name, base.folder.digest)


def test_a_graph_is_embedded_and_searched_after_load(server, name, tmp_path):
    (tmp_path / "papers.jsonl").write_text(
        '{"id": "p1", "title": "neutrino mass"}\n{"id": "p2", "title": "quark jet"}\n'
    )

    def run(*arguments: str) -> tuple[str, str]:
        result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
        return result.stdout, result.stderr

    load = ("load", "jsonl", str(tmp_path / "papers.jsonl"), "--rejects", str(tmp_path / "no"))
    assert "next: specter-graph embed --model static" in run(*load)[1]
    summary = json.loads(run("embed", "--model", name, "--format", "json")[0])
    assert (summary["space"], summary["embedded"]) == ("static", 2)
    assert "next:" not in run(*load)[1]
    again = LiteratureGraph(server.driver, server.name)
    assert again.spaces.get("static").model == name
    assert [hit.id for hit in again.search("jet of a quark", mode="vector", k=1)] == ["p2"]
    assert again.search("jet of a quark", k=1)[0].distance is not None  # the space is the default
    with (tmp_path / "papers.jsonl").open("a") as file:
        file.write('{"id": "p3", "title": "gluon jet"}\n')
    run(*load)
    summary = json.loads(run("embed", "--format", "json")[0])
    assert (summary["space"], summary["embedded"], summary["unchanged"]) == ("static", 1, 2)
