from inspect import isfunction
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from accelerate.data_loader import BatchSamplerShard, DataLoaderShard, skip_first_batches
from sentence_transformers import SentenceTransformerTrainer
from sentence_transformers.base import losses
from torch.utils.data import BatchSampler

from specter_graph.core.progress import silent
from specter_graph.encoder.finetune import _Callback, _Trainer
from specter_graph.encoder.finetune_batches import (
    BatchLoss,
    TripletOrder,
    UniqueTextCollator,
    batch_loss,
)
from specter_graph.encoder.losses import contrastive_loss, triplet_margin_loss
from specter_graph.encoder.recipe import FullSettings
from specter_graph.encoder.sentence_modules import build_sentence_transformer
from specter_graph.encoder.triplets import PaperRows, store_triplets


@pytest.fixture(scope="module")
def rows(papers, triplets, tmp_path_factory):
    return store_triplets(tmp_path_factory.mktemp("rows"), triplets, PaperRows.of(papers))


def test_orders_are_random_and_differ_by_seed_and_epoch():
    orders = []
    for seed, epoch in ((0, 0), (0, 1), (1, 0)):
        order = TripletOrder(5000, 5000, seed)
        order.set_epoch(epoch)
        orders.append(list(order))
        assert list(order) == orders[-1]
        assert sorted(orders[-1]) == list(range(5000))
    assert abs(np.corrcoef(orders)[np.triu_indices(3, 1)]).max() < 0.05


def test_the_last_step_of_an_epoch_is_filled_with_its_first_rows():
    order = TripletOrder(triplets=21, step=8, seed=3)
    numbers = list(order)
    assert (len(order), order.steps) == (24, 3)
    assert sorted(numbers[:21]) == list(range(21))
    assert numbers[21:] == numbers[:3]


@pytest.mark.parametrize("processes", [1, 2])
def test_a_resumed_epoch_continues_in_its_own_order(processes):
    """As in the trainer, each process skips the completed steps of the epoch."""
    # An epoch has three steps: one step of the second epoch is completed.
    state = SimpleNamespace(global_step=4)
    skip = 2 // processes
    for process in range(processes):
        uninterrupted, resumed = (TripletOrder(triplets=21, step=8, seed=3) for _ in range(2))
        uninterrupted.set_epoch(1)
        _Callback(resumed, "train", 10, silent).on_epoch_begin(None, state, None)
        shards = [
            BatchSamplerShard(BatchSampler(order, 4, drop_last=True), processes, process)
            for order in (uninterrupted, resumed)
        ]
        loader = skip_first_batches(DataLoaderShard(range(21), batch_sampler=shards[1]), skip)
        loader.set_epoch(1)
        assert [batch.tolist() for batch in loader] == list(shards[0])[skip:]


def test_a_paper_of_a_batch_is_tokenized_once_and_short_ones_come_first(base, papers, rows):
    numbers = list(range(20))
    drawn = np.stack([rows.query, rows.positive, rows.negative], axis=1)[numbers]
    batch = UniqueTextCollator(base, papers, rows)(numbers)
    ids, (place, row) = batch["text_input_ids"], batch["label"]
    assert len(ids) == len(np.unique(drawn))
    lengths = batch["text_attention_mask"].sum(dim=1).tolist()
    assert lengths == sorted(lengths)
    assert row.tolist() == drawn.tolist()
    for triplet, places in zip(drawn, place.tolist(), strict=True):
        for paper, where in zip(triplet, places, strict=True):
            own = base.tokenizer(base.text(papers[paper]))["input_ids"]
            assert ids[where, : len(own)].tolist() == own


@pytest.mark.parametrize(
    "chosen",
    [
        {"loss": "triplet"},
        {"loss": "triplet", "matryoshka": [8, 16]},
        {"loss": "contrastive", "symmetric": True, "matryoshka": [8]},
    ],
    ids=str,
)
def test_loss_and_gradients_are_those_of_encoding_every_text_by_itself(base, papers, rows, chosen):
    """Encoding distinct texts in parts, with cached gradients, does not change the result."""
    settings = FullSettings(**chosen, batch=16, micro_batch=4)
    numbers = list(TripletOrder(len(rows), 16, seed=1))[:16]
    batch = UniqueTextCollator(base, papers, rows)(numbers)
    label, (place, row) = batch["label"], batch["label"]
    model = build_sentence_transformer(base, normalize=settings.normalized).eval().cpu()
    features = {name.removeprefix("text_"): v for name, v in batch.items() if name != "label"}
    loss = BatchLoss(model, settings)([dict(features)], label)
    loss.backward()
    result = {name: p.grad.clone() for name, p in model.named_parameters() if p.grad is not None}
    model.zero_grad()

    def read(column):
        texts = [base.text(papers[paper]) for paper in row[:, column]]
        tokens = base.tokenizer(texts, padding=True, return_tensors="pt")
        return model(dict(tokens))["sentence_embedding"]

    direct = batch_loss(torch.stack([read(c) for c in range(3)], dim=1), row, settings)
    direct.backward()
    assert loss.item() == pytest.approx(direct.item(), rel=1e-5)
    assert result
    for name, parameter in model.named_parameters():
        if parameter.grad is not None:
            torch.testing.assert_close(result[name], parameter.grad, rtol=1e-3, atol=1e-5)
    assert place.max() < len(features["input_ids"])


def test_citations_within_the_batch_are_excluded_from_the_contrastive_loss():
    """Row 0: 7 cites 3; row 1: 7 cites 4. So 4 is no negative in row 0, and 3 is none in row 1."""
    generator = torch.Generator().manual_seed(0)
    vectors = torch.nn.functional.normalize(torch.randn(2, 3, 5, generator=generator), dim=-1)
    row = torch.tensor([[7, 3, 1], [7, 4, 2]])
    settings = FullSettings(loss="contrastive")
    excluded = torch.tensor([[True, True, False, False], [True, True, False, False]])
    expected = contrastive_loss(*vectors.unbind(1), excluded)
    assert batch_loss(vectors, row, settings) == expected != contrastive_loss(*vectors.unbind(1))


def test_the_triplet_loss_of_a_batch_is_the_papers():
    vectors = torch.randn(4, 3, 5, generator=torch.Generator().manual_seed(1))
    row = torch.zeros(4, 3, dtype=torch.long)
    assert batch_loss(vectors, row, FullSettings()) == triplet_margin_loss(*vectors.unbind(1))


def test_the_trainer_overrides_only_methods_that_are_meant_for_it():
    """If a version of sentence-transformers changes these methods, change the trainer."""
    own = {name for name, value in vars(_Trainer).items() if isfunction(value)}
    assert own == {"__init__", "get_train_dataloader", "add_model_card_callback"}
    for name in own - {"__init__"}:
        assert "overrid" in getattr(SentenceTransformerTrainer, name).__doc__


def test_the_gradient_cache_is_a_public_one_with_the_methods_that_the_loss_calls():
    assert "CachedLossMixin" in losses.__all__
    for name in ("forward_cached", "embed_minibatch_iter", "calculate_loss"):
        assert callable(getattr(losses.CachedLossMixin, name))
