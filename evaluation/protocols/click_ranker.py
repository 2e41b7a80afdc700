"""The ranker of recommendations: a network that scores clicked papers above the others."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from specter_graph.evaluation.metrics.ranking import Floats

if TYPE_CHECKING:
    import torch

HIDDEN = 50
DROPOUT = 0.4
MARGIN = 0.1
EPOCHS = 5
BATCH = 128
MAX_GRADIENT = 5.0


@dataclass(frozen=True, slots=True)
class Ranker:
    """A trained network: weights (50, f), (1, 50) and biases (50,), (1,) of its two layers."""

    hidden_weight: Floats
    hidden_bias: Floats
    output_weight: Floats
    output_bias: Floats

    def __call__(self, features: Floats) -> Floats:
        """Map features (candidates, f) to scores (candidates,) in 0..1."""
        hidden = np.maximum(features @ self.hidden_weight.T + self.hidden_bias, 0)
        scores: Floats = 1 / (1 + np.exp(-(hidden @ self.output_weight.T + self.output_bias)))
        return scores[:, 0]


@dataclass(frozen=True, slots=True)
class ClickPairs:
    """Features (pairs, f) of clicked papers and of others on the list, and weights (pairs,)."""

    clicked: Floats
    passed: Floats
    weights: Floats


def train_ranker(train: ClickPairs, validation: ClickPairs, seed: int) -> Ranker:
    """Train a network with one hidden layer that scores clicked papers above the others.

    The network is Linear(f, 50), ReLU, dropout 0.4, Linear(50, 1), sigmoid. Adadelta (rho 0.95)
    minimizes mean(w max(0, m - s(clicked) + s(passed))) with m = 0.1, in batches of 128, with
    gradients clipped to a norm of 5. Of five epochs, the one with the lowest loss on `validation`
    is taken, without such pairs the last one. The same seed gives the same ranker on one machine.
    """
    import torch
    from torch import nn

    with torch.random.fork_rng(devices=[]), _use_one_thread():
        torch.manual_seed(seed)
        layers = [nn.Linear(train.clicked.shape[1], HIDDEN), nn.ReLU(), nn.Dropout(DROPOUT)]
        network = nn.Sequential(*layers, nn.Linear(HIDDEN, 1), nn.Sigmoid())
        optimizer = torch.optim.Adadelta(network.parameters(), rho=0.95)
        learned, held = _tensors(train), _tensors(validation)
        best, lowest = network.state_dict(), float("inf")
        for _ in range(EPOCHS):
            network.train()
            for chosen in torch.split(torch.randperm(len(learned[2])), BATCH):
                optimizer.zero_grad()
                loss = _loss(network, *(part[chosen] for part in learned))
                torch.autograd.backward(loss)
                nn.utils.clip_grad_norm_(network.parameters(), MAX_GRADIENT)
                optimizer.step()
            network.eval()
            with torch.no_grad():
                current = float(_loss(network, *held)) if len(held[2]) else 0.0
            if current < lowest or not len(held[2]):
                lowest = current
                best = {name: value.clone() for name, value in network.state_dict().items()}
    return Ranker(*(value.double().numpy() for value in best.values()))


@contextmanager
def _use_one_thread() -> Iterator[None]:
    """Use one thread: several are slower for so small a network, and change the order of sums."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(threads)


def _tensors(pairs: ClickPairs) -> "tuple[torch.Tensor, torch.Tensor, torch.Tensor]":
    import torch

    parts = (pairs.clicked, pairs.passed, pairs.weights)
    clicked, passed, weights = (torch.from_numpy(part).float() for part in parts)
    return clicked, passed, weights


def _loss(
    network: "torch.nn.Module",
    clicked: "torch.Tensor",
    passed: "torch.Tensor",
    weights: "torch.Tensor",
) -> "torch.Tensor":
    from torch.nn import functional

    margin = network(clicked)[:, 0] - network(passed)[:, 0]
    return (weights * functional.relu(MARGIN - margin)).mean()
