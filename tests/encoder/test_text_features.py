import numpy as np
import pytest

from specter_graph.core.errors import ModelError
from specter_graph.encoder.head import TextFeatures
from specter_graph.encoder.input_fields import TITLE_AND_ABSTRACT, words_of
from specter_graph.encoder.recipe import FeatureSettings


@pytest.fixture(scope="module")
def texts(papers):
    return words_of(papers, TITLE_AND_ABSTRACT)


@pytest.fixture(scope="module")
def fitted(texts):
    return TextFeatures.fit(texts, FeatureSettings(dimension=6))


def test_features_agree_with_scikit_learn(texts, fitted):
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize

    vectorizer = TfidfVectorizer(
        sublinear_tf=True, min_df=2, stop_words="english", dtype=np.float32
    )
    tfidf = vectorizer.fit_transform(texts)
    reduced = TruncatedSVD(6, random_state=0).fit_transform(tfidf)
    stored = np.linalg.norm(reduced, axis=1) > 1e-3
    features = fitted.transform(texts)
    np.testing.assert_allclose(features[stored], normalize(reduced)[stored], atol=1e-4)
    assert (np.abs(features[~stored]) < 1e-3).all()


def test_features_are_unit_float32(texts, fitted):
    features = fitted.transform(texts)
    assert features.dtype == np.float32
    assert features.shape == (80, 6)
    lengths = np.linalg.norm(features, axis=1)
    assert (np.isclose(lengths, 1) | (lengths < 1e-5)).all()


def test_unknown_words_give_zeros(fitted):
    assert not fitted.transform(["zebra"]).any()


def test_saved_features_are_unchanged(texts, fitted, tmp_path):
    fitted.save(tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "features.json",
        "features.safetensors",
    ]
    loaded = TextFeatures.load(tmp_path)
    np.testing.assert_array_equal(loaded.transform(texts), fitted.transform(texts))


def test_a_small_corpus_has_fewer_dimensions(texts):
    assert TextFeatures.fit(texts, FeatureSettings()).dimension < 20


def test_a_corpus_without_terms_is_a_clear_error(tmp_path):
    with pytest.raises(ModelError, match="no text features in 1 paper:"):
        TextFeatures.fit(["the of"], FeatureSettings())
    with pytest.raises(ModelError, match="cannot be read"):
        TextFeatures.load(tmp_path)
    with pytest.raises(ModelError, match="no text features in 2 papers:"):
        TextFeatures.fit(["quark", "quark mass"], FeatureSettings())
