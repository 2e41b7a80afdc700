"""Test by the tokenizer's vocabulary whether a model covers the script of a text."""

from random import Random

import pytest
import tokenizers
from transformers import PreTrainedTokenizerFast

from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.input_fields import covers, scripts_of

RUSSIAN = "масса нейтрино"


@pytest.fixture(scope="module")
def encoder():
    return Encoder.base()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "neutrino mass",
        "Energy dependence of σ and Δm² in β decay",  # noqa: RUF001
        "μ → e γ",  # noqa: RUF001
        "étude des désintégrations",
        "Neutrinomassen und Müonen",
        "the word 质量 in an English title",
    ],
)
def test_the_offline_model_covers_latin_script_with_symbols(encoder, text):
    assert encoder.covers(text)


@pytest.mark.parametrize(
    "text",
    ["中微子质量", "质量", RUSSIAN, "ニュートリノの質量", "질량", "νετρίνο μάζα", "\N{FIRE}"],
)
def test_the_offline_model_does_not_cover_other_scripts(encoder, text):
    assert not encoder.covers(text)


def test_a_byte_level_vocabulary_covers_the_script_it_was_trained_on():
    random = Random(0)
    letters = [chr(number) for number in range(ord("а"), ord("я"))]  # noqa: RUF001
    words = ["".join(random.choices(letters, k=6)) for _ in range(2_000)]
    tokenizer = tokenizers.ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(words, vocab_size=1_000, show_progress=False)
    fast = PreTrainedTokenizerFast(tokenizer_object=tokenizer._tokenizer)
    scripts = scripts_of(fast)
    assert "CYRILLIC" in scripts
    assert covers(fast, scripts, RUSSIAN)
    assert not covers(fast, scripts, "중성미자")
