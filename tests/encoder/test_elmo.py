"""Compare a tiny ELMo biLM in the published format with loops over its scalar formulas."""

import json

import numpy as np
import pytest
from scipy.special import expit

from specter_graph.core.errors import ModelError
from specter_graph.encoder.baselines.elmo import Elmo, characters
from specter_graph.encoder.baselines.pretrained import load_pretrained
from specter_graph.encoder.baselines.sentences import tokens
from specter_graph.loaders.records import PaperText

h5py = pytest.importorskip("h5py")

OPTIONS = {
    "lstm": {
        "use_skip_connections": True,
        "projection_dim": 3,
        "cell_clip": 0.8,
        "proj_clip": 0.5,
        "dim": 5,
        "n_layers": 2,
    },
    "char_cnn": {
        "activation": "relu",
        "filters": [[1, 4], [3, 3]],
        "n_highway": 2,
        "embedding": {"dim": 4},
        "n_characters": 262,
        "max_characters_per_token": 12,
    },
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with a random biLM, and its arrays by path."""
    rng = np.random.default_rng(5)
    shapes = {"char_embed": (261, 4), "CNN_proj/W_proj": (7, 3), "CNN_proj/b_proj": (3,)}
    for i, (width, filters) in enumerate(OPTIONS["char_cnn"]["filters"]):
        shapes |= {f"CNN/W_cnn_{i}": (1, width, 4, filters), f"CNN/b_cnn_{i}": (filters,)}
    for i in range(2):
        for gate in ("transform", "carry"):
            shapes |= {f"CNN_high_{i}/W_{gate}": (7, 7), f"CNN_high_{i}/b_{gate}": (7,)}
        for direction in range(2):
            cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{i}/LSTMCell"
            shapes |= {f"{cell}/W_0": (6, 20), f"{cell}/B": (20,), f"{cell}/W_P_0": (5, 3)}
    arrays = {path: rng.normal(size=shape).astype(np.float32) for path, shape in shapes.items()}
    folder = tmp_path_factory.mktemp("elmo")
    (folder / "tiny_options.json").write_text(json.dumps(OPTIONS))
    with h5py.File(folder / "tiny_weights.hdf5", "w") as file:
        for path, array in arrays.items():
            file[path] = array
    return folder, arrays


def word_by_hand(word, of):
    ids = characters(word, 12)
    read = of["char_embed"][ids]
    x = []
    for i, (width, filters) in enumerate(OPTIONS["char_cnn"]["filters"]):
        w, b = of[f"CNN/W_cnn_{i}"][0], of[f"CNN/b_cnn_{i}"]
        for n in range(filters):
            at = [
                sum(read[start + step] @ w[step, :, n] for step in range(width)) + b[n]
                for start in range(12 - width + 1)
            ]
            x.append(max(0.0, *at))
    x = np.array(x)
    for i in range(2):
        high = {name: of[f"CNN_high_{i}/{name}"] for name in ("W_carry", "b_carry")}
        carry = expit(x @ high["W_carry"] + high["b_carry"])
        created = x @ of[f"CNN_high_{i}/W_transform"] + of[f"CNN_high_{i}/b_transform"]
        x = carry * np.maximum(created, 0) + (1 - carry) * x
    return x @ of["CNN_proj/W_proj"] + of["CNN_proj/b_proj"]


def side_by_hand(xs, direction, of):
    """Compute the outputs of both layers for one direction, in the order of the sentence."""
    xs = xs if direction == 0 else xs[::-1]
    layers = []
    for layer in range(2):
        cell = f"RNN_{direction}/RNN/MultiRNNCell/Cell{layer}/LSTMCell"
        h, m, out = np.zeros(3), np.zeros(5), []
        for x in xs:
            gates = np.concatenate([x, h]) @ of[f"{cell}/W_0"] + of[f"{cell}/B"]
            i, j, f, o = gates[:5], gates[5:10], gates[10:15], gates[15:]
            m = np.clip(expit(i) * np.tanh(j) + expit(f + 1) * m, -0.8, 0.8)
            h = np.clip((expit(o) * np.tanh(m)) @ of[f"{cell}/W_P_0"], -0.5, 0.5)
            out.append(h)
        xs = [y + x for y, x in zip(out, xs, strict=True)] if layer else out
        layers.append(xs if direction == 0 else xs[::-1])
    return layers


def paper_by_hand(sentences, of):
    states = []
    for sentence in sentences:
        xs = [word_by_hand(word, of) for word in (256, *sentence, 257)]
        sides = [side_by_hand(xs, direction, of) for direction in range(2)]
        for t in range(1, len(xs) - 1):
            upper = [side[layer][t] for layer in range(2) for side in sides]
            states.append(np.concatenate([xs[t], xs[t], *upper]))
    return np.mean(states, axis=0)


def test_a_paper_is_the_mean_of_all_layers_of_its_tokens(folder):
    path, of = folder
    papers = [
        PaperText("a", "Deep words", "It is so. The extraordinarily long one, naïve!"),
        PaperText("b", "One", None),
        PaperText("c", "A b c", "Of it."),
    ]
    elmo = load_pretrained("elmo", str(path))
    golden = [
        paper_by_hand(sentences, of)
        for sentences in (
            [
                ["Deep", "words"],
                ["It", "is", "so", "."],
                ["The", "extraordinarily", "long", "one", ",", "naïve", "!"],
            ],
            [["One"]],
            [["A", "b", "c"], ["Of", "it", "."]],
        )
    ]
    result = elmo.encode(papers)
    assert result.shape == (3, elmo.card.dimension) == (3, 18)
    np.testing.assert_allclose(result, golden, atol=1e-5)
    np.testing.assert_allclose(elmo.encode(papers[1:2]), golden[1:2], atol=1e-5)


def test_words_are_bytes_between_markers():
    assert characters("ab", 6) == [258, 97, 98, 259, 260, 260]
    assert characters("abcdefgh", 6) == [258, 97, 98, 99, 100, 259]
    assert characters(257, 5) == [258, 257, 259, 260, 260]
    assert tokens("It's (a) b2.") == ["It", "'", "s", "(", "a", ")", "b2", "."]


def test_a_paper_without_words_is_zeros(folder):
    assert not Elmo.load(folder[0]).encode([PaperText("a", " ")]).any()


def test_files_that_are_no_bilm_are_refused(tmp_path):
    with pytest.raises(ModelError, match=r"elmo needs the weights .*options\.json"):
        load_pretrained("elmo", str(tmp_path))
    (tmp_path / "options.json").write_text("{}")
    (tmp_path / "weights.hdf5").write_bytes(b"none")
    with pytest.raises(ModelError, match="does not contain ELMo"):
        load_pretrained("elmo", str(tmp_path))
    with pytest.raises(ModelError, match="elmo needs the weights"):
        load_pretrained("elmo")
