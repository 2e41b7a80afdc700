"""Fixtures of a corpus whose citations follow the words of a tiny real BERT."""

from importlib.util import find_spec

import pytest

from specter_graph.encoder.static_model import load_base
from tests.encoder.small_corpus import topic_papers, triplet_table


@pytest.fixture(scope="session", autouse=True)
def _one_thread(one_thread):
    """Compute with one thread in all tests of this folder."""


@pytest.fixture(scope="session")
def papers():
    """Return 80 papers, 20 per topic."""
    return topic_papers()


@pytest.fixture(scope="session")
def openvino():
    """Skip without OpenVINO; importing it in this process would send usage data."""
    if find_spec("openvino") is None:
        pytest.skip("OpenVINO is not installed")


@pytest.fixture(scope="session")
def bert_without_dropout(tmp_path_factory, tiny_bert):
    """Return a folder with the same BERT without dropout, which is random."""
    from transformers import AutoConfig, AutoModel, AutoTokenizer

    folder = tmp_path_factory.mktemp("still") / "bert"
    config = AutoConfig.from_pretrained(
        tiny_bert, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0
    )
    AutoModel.from_pretrained(tiny_bert, config=config).save_pretrained(folder)
    AutoTokenizer.from_pretrained(tiny_bert).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def base(tiny_bert):
    return load_base(str(tiny_bert))


@pytest.fixture(scope="session")
def triplets():
    return triplet_table(range(64))


@pytest.fixture(scope="session")
def validation():
    return triplet_table(range(64, 80))
