"""bfloat16 or float32: what each gives, and which one is taken."""

import time

import numpy as np
import pytest

from specter_graph.encoder import device
from specter_graph.encoder.base import BaseModel
from specter_graph.encoder.precision import ENOUGH, Choice, mean_cosine, probe
from specter_graph.loaders.records import PaperText

TOKENS = [[5] * (3 + row % 20) for row in range(ENOUGH)]


@pytest.mark.parametrize("name", [None, "tiny"])
def test_vectors_in_bfloat16_are_those_in_float32(name, tiny_bert, papers):
    base = BaseModel.load(name and str(tiny_bert))
    texts = papers[:12] if name else [PaperText("1", "Neutrino masses", "We study a seesaw.")]
    base.precision = "float32"
    exact = base.encode(texts)
    base.precision = "bfloat16"
    near = base.encode(texts)
    assert 0.999 <= mean_cosine(near, exact) < 1
    assert not np.array_equal(near, exact)


@pytest.mark.parametrize(
    ("gain", "cosine", "taken"),
    [
        (2.0, 0.9991, "bfloat16"),
        (9.0, 0.9989, "float32"),
        (1.05, 0.9999, "float32"),
        (0.1, 1.0, "float32"),
    ],
)
def test_only_what_is_faster_and_as_good_is_taken(gain, cosine, taken):
    choice = Choice(gain, cosine)
    assert choice.precision == taken
    assert f"{gain:.1f} x as fast as float32, mean cosine {cosine:.4f}; {taken}" in str(choice)


@pytest.mark.parametrize(("spoilt", "taken"), [(0.0, "bfloat16"), (0.2, "float32")])
def test_the_probe_measures_time_and_quality(spoilt, taken):
    """An encoder that is three times as fast in bfloat16, and may err there."""
    chance = np.random.default_rng(1)
    exact = chance.normal(size=(len(TOKENS), 32)).astype(np.float32)

    def encode(tokens, precision):
        time.sleep(len(tokens) * (0.001 if precision == "bfloat16" else 0.003))
        error = spoilt * (precision == "bfloat16")
        noise = chance.normal(size=(len(tokens), 32)).astype(np.float32)
        return exact[: len(tokens)] + error * noise

    choice = probe(encode, TOKENS)
    assert choice.precision == taken
    assert 2 < choice.gain < 4
    assert (choice.cosine >= 0.999) == (spoilt == 0)


def test_few_texts_are_not_measured_and_many_are_once(tiny_bert, papers, monkeypatch):
    monkeypatch.setattr(device, "fast_bfloat16", lambda _: True)
    base = BaseModel.load(str(tiny_bert))
    many = [papers[row % len(papers)] for row in range(ENOUGH)]
    base.encode(many[:-1])
    assert base.choice is None
    vectors = base.encode(many)
    choice = base.choice
    assert choice.cosine >= 0.999
    base.encode(many)
    assert base.choice is choice
    other = BaseModel.load(str(tiny_bert))
    other.precision = choice.precision
    np.testing.assert_allclose(vectors, other.encode(many), atol=1e-5)


def test_without_bfloat16_there_is_nothing_to_measure(tiny_bert, papers, monkeypatch):
    monkeypatch.setattr(device, "fast_bfloat16", lambda _: False)
    base = BaseModel.load(str(tiny_bert))
    found = base.encode([papers[row % len(papers)] for row in range(ENOUGH)])
    assert base.choice is None
    base.precision = "float32"
    np.testing.assert_allclose(found[:80], base.encode(papers), atol=1e-5)
