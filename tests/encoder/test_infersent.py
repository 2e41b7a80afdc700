"""Compare a tiny InferSent in the published format with a loop over the LSTM's formulas."""

import numpy as np
import pytest
import torch
from scipy.special import expit

from specter_graph.core.errors import ModelError
from specter_graph.encoder.baselines.infersent import InferSent, read_words

TEXTS = ["red green unheard, blue", "blue", "green red red yellow blue green", "unheard"]
WORDS = ["red", "green", "blue", "yellow", ","]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("infersent")
    torch.manual_seed(3)
    lstm = torch.nn.LSTM(4, 3, bidirectional=True)
    torch.save({f"enc_lstm.{k}": v for k, v in lstm.state_dict().items()}, folder / "tiny.pkl")
    vectors = np.random.default_rng(0).normal(size=(len(WORDS), 4)).round(4)
    lines = [f"{w} {' '.join(map(str, v))}" for w, v in zip(WORDS, vectors, strict=True)]
    (folder / "tiny.vec").write_text("\n".join(["5 4", *lines]) + "\n")
    return folder


def lstm_states(xs, of, suffix):
    w_ih, w_hh, b_ih, b_hh = (
        of[f"{name}_l0{suffix}"].numpy()
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    )
    h, c, out = np.zeros(3), np.zeros(3), []
    for x in xs:
        i, f, g, o = (w_ih @ x + b_ih + w_hh @ h + b_hh).reshape(4, 3)
        c = expit(f) * c + expit(i) * np.tanh(g)
        h = expit(o) * np.tanh(c)
        out.append(h)
    return np.array(out)


def test_a_text_is_the_maximum_of_the_states_of_its_known_words(folder):
    model = InferSent.load(folder, TEXTS)
    of, result = model.lstm.state_dict(), model.encode(TEXTS)
    known = [
        ["red", "green", ",", "blue"],
        ["blue"],
        ["green", "red", "red", "yellow", "blue", "green"],
    ]
    for words, vector in zip(known, result, strict=False):
        xs = np.array([model.words[word] for word in words])
        states = [
            lstm_states(xs, of, "").max(axis=0),
            lstm_states(xs[::-1], of, "_reverse").max(axis=0),
        ]
        np.testing.assert_allclose(vector, np.concatenate(states), atol=1e-5)
    assert np.isfinite(result[3]).all()


def test_texts_are_enclosed_in_the_sentinels_that_the_word_vectors_have(folder):
    model = InferSent.load(folder, TEXTS)
    first, last = np.full(4, 0.5, np.float32), np.full(4, -0.5, np.float32)
    for begin, end in (("<s>", "</s>"), ("<p>", "</p>")):
        words = model.words | {begin: first, end: last}
        [vector, nothing] = InferSent(model.lstm, words).encode(["blue", "unheard"])
        for read, result in (
            ([first, model.words["blue"], last], vector),
            ([first, last], nothing),
        ):
            xs, of = np.array(read), model.lstm.state_dict()
            states = [
                lstm_states(xs, of, "").max(axis=0),
                lstm_states(xs[::-1], of, "_reverse").max(axis=0),
            ]
            np.testing.assert_allclose(result, np.concatenate(states), atol=1e-5)


def test_fine_tuning_brings_positives_nearer_than_negatives(folder):
    model = InferSent.load(folder, TEXTS)
    rows = [(0, 1, 2)] * 20

    def separate():
        q, p, n = model.encode(TEXTS[:3])
        return np.linalg.norm(q - n) - np.linalg.norm(q - p)

    before = separate()
    model.tune(TEXTS, rows, epochs=10, rate=0.01)
    after = separate()
    assert after > before + 0.1
    again = InferSent.load(folder, TEXTS)
    again.tune(TEXTS, rows, epochs=10, rate=0.01)
    np.testing.assert_array_equal(again.encode(TEXTS), model.encode(TEXTS))
    with pytest.raises(ModelError, match="no triplets"):
        again.tune(TEXTS, [])


def test_files_that_are_no_infersent_are_refused(folder, tmp_path):
    with pytest.raises(ModelError, match="infersent needs a folder"):
        InferSent.load(None, TEXTS)
    with pytest.raises(ModelError, match="infersent needs a folder"):
        InferSent.load(tmp_path, TEXTS)
    (tmp_path / "w.vec").write_text("red 1 2\n")
    (tmp_path / "w.pkl").write_bytes((folder / "tiny.pkl").read_bytes())
    with pytest.raises(ModelError, match="has 2 dimensions instead of 4"):
        InferSent.load(tmp_path, TEXTS)
    (tmp_path / "w.vec").write_bytes(b"2 4\nred \0\0\x80?\n")
    with pytest.raises(ModelError, match=r"w\.vec is a binary file, not lines of text"):
        InferSent.load(tmp_path, TEXTS)
    (tmp_path / "w.pkl").write_bytes(b"none")
    with pytest.raises(ModelError, match="does not contain InferSent"):
        InferSent.load(tmp_path, TEXTS)
    with pytest.raises(ValueError, match="none of the words of these texts"):
        read_words(folder / "tiny.vec", {"unheard"}, 4)
