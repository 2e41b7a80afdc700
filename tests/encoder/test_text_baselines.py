"""Compare the text baselines with their formulas, computed word by word."""

import math
import os
import random
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer

from specter_graph.core.errors import ModelError
from specter_graph.encoder.baselines import text_vectors
from specter_graph.encoder.baselines.text_vectors import WEIGHTINGS, Words

TRAINED = [True] * 40 + [False] * 10


@pytest.fixture(scope="module")
def texts():
    rng = random.Random(0)
    names = [f"word{chr(97 + i)}" for i in range(20)]
    return [" ".join(rng.choices(names, k=rng.randint(4, 15))) for _ in range(50)]


@pytest.fixture(scope="module")
def words(texts):
    return Words.count(texts, TRAINED)


def of_words(words):
    return np.random.default_rng(0).normal(size=(len(words.names), 7)).astype(np.float32)


def test_the_nine_weightings_differ(words):
    assert len(WEIGHTINGS) == 9
    dense = [words.weighted(**each).toarray() for each in WEIGHTINGS]
    for i, one in enumerate(dense):
        for other in dense[:i]:
            assert not np.allclose(one, other)


@pytest.mark.parametrize("weighting", WEIGHTINGS, ids=str)
def test_every_weighting_agrees_with_its_formula(texts, words, weighting):
    known = set(words.names)
    train = [
        set(text.split()) & known for text, learnt in zip(texts, TRAINED, strict=True) if learnt
    ]
    df = Counter(word for some in train for word in some)
    result = words.weighted(**weighting).toarray()
    for row in (0, 45):
        counts = Counter(word for word in texts[row].split() if word in known)
        for place, name in enumerate(words.names):
            tf = counts[name]
            if tf:
                tf = (
                    1
                    if weighting["binary"]
                    else 1 + math.log(tf)
                    if weighting["sublinear_tf"]
                    else tf
                )
            smooth = int(weighting["smooth_idf"])
            idf = math.log((40 + smooth) / (df[name] + smooth)) + 1 if weighting["use_idf"] else 1
            assert result[row, place] == pytest.approx(tf * idf, abs=1e-5)


def test_weights_are_those_of_scikit_learns_vectorizer_on_the_training_papers(texts, words):
    golden = TfidfVectorizer(
        min_df=3, max_df=0.75, strip_accents="ascii", stop_words="english", norm=None
    ).fit(texts[:40])
    result = words.weighted(**WEIGHTINGS[0]).toarray()
    np.testing.assert_allclose(result, golden.transform(texts).toarray(), atol=1e-5)


def test_the_weighted_sum_is_the_sum_word_by_word(texts, words):
    vectors = of_words(words)
    result = text_vectors.weighted_sum(words, vectors, **WEIGHTINGS[2])
    position = {name: place for place, name in enumerate(words.names)}
    for row, text in enumerate(texts):
        total = sum(
            (vectors[position[word]] for word in text.split() if word in position), np.zeros(7)
        )
        np.testing.assert_allclose(result[row], total, atol=1e-5)


def test_sif_is_algorithm_1_word_by_word(texts, words):
    vectors, a = of_words(words), 1e-3
    known = {name: place for place, name in enumerate(words.names)}
    split = [[word for word in text.split() if word in known] for text in texts]
    totals = Counter(word for some in split[:40] for word in some)
    size = sum(totals.values())
    means = np.array(
        [
            sum(a / (a + totals[word] / size) * vectors[known[word]].astype(float) for word in some)
            / len(some)
            for some in split
        ]
    )
    first = np.linalg.svd(means[:40], full_matrices=False)[2][0]
    golden = means - np.outer(means @ first, first)
    np.testing.assert_allclose(text_vectors.sif(words, vectors, TRAINED, a), golden, atol=1e-5)


def test_tfidf_vectors_preserve_products_within_their_dimensions(texts, words):
    result = text_vectors.tfidf(words, TRAINED, **WEIGHTINGS[0])
    weights = words.weighted(**WEIGHTINGS[0]).toarray()
    unit = weights / np.linalg.norm(weights, axis=1, keepdims=True)
    components = np.linalg.svd(unit[:40], full_matrices=False)[2][: result.shape[1]]
    golden = unit @ components.T
    golden /= np.linalg.norm(golden, axis=1, keepdims=True)
    np.testing.assert_allclose(result @ result.T, golden @ golden.T, atol=1e-4)


def test_words_that_only_held_out_papers_have_are_unknown():
    texts = ["alpha beta"] * 3 + ["gamma delta alpha beta"] * 3 + ["kappa"] * 2 + ["omega"] * 9
    words = Words.count(texts, [True] * 8 + [False] * 9)
    assert "omega" not in words.names
    assert "kappa" not in words.names  # only two papers have this word
    assert words.probabilities().sum() == pytest.approx(1)


def test_texts_with_nothing_in_common_are_refused():
    with pytest.raises(ModelError, match="too few words in common"):
        Words.count(["one", "two", "three"], [True] * 3)
    with pytest.raises(ModelError, match="only one word in common"):
        Words.count(["quark a", "quark b", "quark c", "other"], [True] * 4)


def test_random_vectors_have_25_dimensions_and_zero_mean():
    result = text_vectors.random_vectors(2_000)
    assert result.shape == (2_000, 25)
    assert abs(result.mean()) < 0.02
    assert np.array_equal(result, text_vectors.random_vectors(2_000))


def test_fasttext_is_deterministic_and_reads_files_of_facebook(tmp_path, texts, words):
    from gensim.models.fasttext import FastText, save_facebook_model

    first = text_vectors.fasttext(texts, words.names, min_count=2)
    assert first.shape == (len(words.names), 300)
    assert np.array_equal(first, text_vectors.fasttext(texts, words.names, min_count=2))
    model = FastText(
        [text_vectors.gensim_words(text) for text in texts], vector_size=5, min_count=2, workers=1
    )
    save_facebook_model(model, str(tmp_path / "model.bin"))
    read = text_vectors.fasttext([], words.names, file=tmp_path / "model.bin")
    golden = [model.wv[name] for name in words.names]
    np.testing.assert_allclose(read, golden, atol=1e-5)
    expected = (tmp_path / "model.bin").read_bytes()
    (tmp_path / "cut.bin").write_bytes(expected[: len(expected) // 2])
    (tmp_path / "text.bin").write_text("2 3\na 1 2 3\nb 1 2 3\n")
    (tmp_path / "empty.bin").write_bytes(b"")
    (tmp_path / "other.bin").write_bytes(np.random.default_rng(0).bytes(100_000))
    for name in ("none", "cut", "text", "empty", "other"):
        with pytest.raises(ModelError, match=rf"{name}\.bin is not a model of fastText"):
            text_vectors.fasttext([], words.names, file=tmp_path / f"{name}.bin")


def test_words_that_a_file_without_ngrams_lacks_are_zero(tmp_path):
    from gensim.models.fasttext import FastText, save_facebook_model

    texts = [["jets", "halo"], ["jets", "halo", "glue"]]
    model = FastText(texts, vector_size=5, min_count=2, workers=1, bucket=0)
    save_facebook_model(model, str(tmp_path / "model.bin"))
    read = text_vectors.fasttext([], ["jets", "glue"], file=tmp_path / "model.bin")
    np.testing.assert_allclose(read, [model.wv["jets"], np.zeros(5)], atol=1e-6)


def test_fasttext_learns_words_with_digits():
    rng = random.Random(0)
    topics = [["p53", "brca", "tumour"], ["h1n1", "fever", "virus"]]
    texts = [" ".join(rng.choices(topics[i % 2], k=12)) for i in range(800)]
    result = text_vectors.fasttext(texts, topics[0] + topics[1], min_count=5)
    unit = result / np.linalg.norm(result, axis=1, keepdims=True)
    cosines = unit @ unit.T
    assert cosines[0, 1] > cosines[0, 4] + 0.05
    assert cosines[3, 4] > cosines[3, 1] + 0.05


def test_doc2vec_is_the_same_in_another_process():
    program = (
        "from specter_graph.encoder.baselines.text_vectors import doc2vec;"
        "texts = ['red blue green', 'red blue', 'blue green red', ''] * 3;"
        "print(doc2vec(texts, [True] * 12, sample=0.0, epochs=2).tobytes().hex())"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": salt},
            check=True, capture_output=True, text=True,
        ).stdout
        for salt in ("1", "2")
    }  # fmt: skip
    assert len(outputs) == 1


def test_doc2vec_is_deterministic_and_places_papers_on_the_same_subject_together():
    rng = random.Random(0)
    topics = [[f"{t}word{chr(97 + i)}" for i in range(8)] for t in ("red", "blue")]
    texts = [" ".join(rng.choices(topics[i % 2], k=30)) for i in range(40)]
    train = [i < 30 for i in range(40)]
    result = text_vectors.doc2vec(texts, train, sample=0.0, epochs=20)
    assert result.shape == (40, 300)
    assert np.array_equal(result, text_vectors.doc2vec(texts, train, sample=0.0, epochs=20))
    unit = result / np.linalg.norm(result, axis=1, keepdims=True)
    cosines = unit[30:] @ unit[30:].T
    same = np.equal.outer(np.arange(10) % 2, np.arange(10) % 2) & ~np.eye(10, dtype=bool)
    assert cosines[same].mean() > cosines[~same & ~np.eye(10, dtype=bool)].mean() + 0.1
