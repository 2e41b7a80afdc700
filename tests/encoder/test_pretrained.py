"""Compare baselines of released models, replaced with tiny ones, with direct computation."""

import numpy as np
import pytest
import torch
from transformers import AutoModel, AutoTokenizer

from specter_graph.core.errors import ModelError
from specter_graph.encoder.baselines.pretrained import PRETRAINED, load_pretrained
from specter_graph.encoder.baselines.sentences import sentences, sum_of_sentences
from specter_graph.loaders.records import PaperText

ABSTRACT = "The dwarf of a galaxy. In the halo, of Fig. 2 and e.g. A, mass! Is it 3 dual? the end"


@pytest.fixture(scope="module")
def states(tiny_bert):
    """Compute the hidden states of a text's tokens (n, 32) with transformers."""
    tokenizer = AutoTokenizer.from_pretrained(tiny_bert)
    network = AutoModel.from_pretrained(tiny_bert).eval()

    def hidden_states(*texts):
        with torch.inference_mode():
            tokens = tokenizer(*texts, return_tensors="pt")
            tokens.pop("token_type_ids")
            return network(**tokens).last_hidden_state[0].numpy()

    return hidden_states


@pytest.mark.usefixtures("float32")
@pytest.mark.parametrize(
    "name", [name for name, entry in PRETRAINED.items() if entry.reading == "paper"]
)
def test_a_released_model_has_the_pooling_of_its_row(name, tiny_bert, papers, states):
    encoder = load_pretrained(name, str(tiny_bert))
    result = encoder.encode(papers[:3])
    for paper, vector in zip(papers, result, strict=False):
        tokens = states(f"{paper.title}[SEP]{paper.abstract or ''}")
        golden = tokens.mean(axis=0) if name.endswith("-mean") else tokens[0]
        np.testing.assert_allclose(vector, golden, atol=1e-5)


@pytest.mark.usefixtures("float32")
def test_sentence_bert_sums_the_title_and_each_sentence(tiny_bert, states):
    papers = [PaperText("a", "neutrino mass", ABSTRACT), PaperText("b", "quark gluon", None)]
    encoder = load_pretrained("sentence-bert", str(tiny_bert))
    total = sum(
        states(each).mean(axis=0)
        for each in (
            "neutrino mass",
            "The dwarf of a galaxy.",
            "In the halo, of Fig. 2 and e.g. A, mass!",
            "Is it 3 dual? the end",
        )
    )
    alone = states("quark gluon").mean(axis=0)
    golden = [each / np.sqrt((each**2).sum()) for each in (total, alone)]
    np.testing.assert_allclose(encoder.encode(papers), golden, atol=1e-5)
    assert encoder.card.digest != load_pretrained("scibert-mean", str(tiny_bert)).card.digest


def test_a_sentence_ends_before_a_capital_and_after_no_abbreviation():
    text = "By J. Smith et al. In 1999 (cf. Ref. 3) it was so.\nNow vs. Then? No. 5 is an issue..."
    assert sentences(text) == [
        "By J. Smith et al. In 1999 (cf. Ref. 3) it was so.",
        "Now vs. Then?",
        "No.",
        "5 is an issue...",
    ]
    assert sentences(" ") == []


def test_sums_have_only_the_sentences_of_their_paper():
    vectors = np.arange(12, dtype=np.float32).reshape(6, 2)
    sums = np.array([vectors[0], vectors[1:4].sum(axis=0), vectors[4:].sum(axis=0)])
    golden = [each / np.hypot(*each) for each in sums]
    np.testing.assert_allclose(sum_of_sentences(vectors, [1, 3, 2]), golden, atol=1e-6)


@pytest.mark.parametrize("name", ["scibert", "sentence-bert"])
def test_missing_weights_are_named_with_the_option_for_them(name, tmp_path):
    with pytest.raises(
        ModelError, match=f"{name} needs the weights {PRETRAINED[name].hub}"
    ) as caught:
        load_pretrained(name, str(tmp_path))
    assert f"baseline run {name} --weights FOLDER" in caught.value.hint
