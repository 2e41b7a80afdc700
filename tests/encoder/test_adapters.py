import numpy as np
import pytest
import torch
from safetensors.torch import load_file

from specter_graph.core.errors import ModelError
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.finetune import (
    add_adapters,
    merge_adapters,
    train_full,
)
from specter_graph.encoder.model_dir import TrainingJob
from specter_graph.encoder.recipe import FullSettings, LoraSettings
from specter_graph.encoder.sentence_modules import build_sentence_transformer
from specter_graph.encoder.static_model import load_base
from tests.encoder.small_corpus import KilledError, kill_at

pytestmark = pytest.mark.slow

SETTINGS = FullSettings(
    epochs=2, batch=16, micro_batch=16, learning_rate=1e-2, lora=LoraSettings(rank=2, dropout=0.1)
)


@pytest.fixture
def train(tiny_bert, papers, triplets, validation):
    def run(output, settings=SETTINGS, **options):
        job = TrainingJob(output, triplets, validation, **options)
        return train_full(job, papers, load_base(str(tiny_bert)), settings)

    return run


def test_only_adapters_are_trained_and_resumed_and_the_model_loads_like_others(
    train, tmp_path, tiny_bert, papers
):
    expected = train(tmp_path / "whole")
    assert expected.epochs[2].training_loss < expected.epochs[1].training_loss
    before = load_file(tiny_bert / "model.safetensors")
    after = load_file(tmp_path / "whole" / "transformer" / "model.safetensors")
    assert before.keys() == after.keys()
    for name, weight in before.items():
        change = after[name] - weight
        if name.endswith(("query.weight", "value.weight")):
            assert torch.linalg.matrix_rank(change, atol=1e-5) == 2
        else:
            assert not change.any()
    with pytest.raises(KilledError):
        train(tmp_path / "model", progress=kill_at(25))
    assert train(tmp_path / "model", resume=True).digest == expected.digest
    assert Encoder.load(tmp_path / "model").encode(papers).shape == (80, 32)


def test_merging_adapters_does_not_change_vectors(tiny_bert, papers):
    base = load_base(str(tiny_bert))
    model, plain = build_sentence_transformer(base).eval(), build_sentence_transformer(base).eval()
    add_adapters(model[0].auto_model, LoraSettings(rank=4), seed=1)
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            if "lora_B" in name:
                parameter.normal_(generator=torch.Generator().manual_seed(2))
    texts = [base.text(paper) for paper in papers]
    untrained, adapted = plain.encode(texts), model.encode(texts)
    merge_adapters(model, plain)
    np.testing.assert_allclose(plain.encode(texts), adapted, atol=1e-4)
    assert np.abs(untrained - adapted).max() > 0.1


def test_a_missing_layer_is_named(train, tmp_path):
    lora = LoraSettings(targets=["query", "q_lin"])
    with pytest.raises(ModelError, match="no linear layer q_lin") as caught:
        train(tmp_path / "model", SETTINGS.model_copy(update={"lora": lora}))
    assert "value" in caught.value.hint
