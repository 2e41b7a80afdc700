"""Linear layers in int8, against the formulas and against what they are to replace."""

import numpy as np
import pytest
import torch
from torch import nn

from specter_graph.encoder.int8 import Int8Linear, multiply, quantize

pytestmark = pytest.mark.usefixtures("cpu_of_bytes")


@pytest.fixture(autouse=True)
def _seed():
    torch.manual_seed(4)


@pytest.mark.parametrize("bias", [True, False])
def test_a_layer_is_its_formula_computed_directly(bias):
    """Weights and inputs are rounded as SmoothQuant and vector-wise quantisation say."""
    layer = nn.Linear(24, 10, bias=bias)
    inputs = 3 * torch.randn(2, 5, 24) + 1
    largest = inputs.reshape(-1, 24).abs().amax(0)
    found = Int8Linear(layer, largest)(inputs)

    x, weight = (each.detach().double().numpy() for each in (inputs.reshape(10, 24), layer.weight))
    spread = np.sqrt(largest.double().numpy() / np.abs(weight).max(axis=0))
    smooth = weight * spread
    step = np.abs(smooth).max(axis=1, keepdims=True) / 127
    smooth = np.round(smooth / step) * step
    x = x / spread
    least, most = x.min(axis=1, keepdims=True), x.max(axis=1, keepdims=True)
    near = least + np.round((x - least) / (most - least) * 255) * (most - least) / 255
    expected = near @ smooth.T + (layer.bias.detach().numpy() if bias else 0)
    np.testing.assert_allclose(found.detach().reshape(10, 10), expected, atol=1e-4)
    assert (found - layer(inputs)).abs().max() > 1e-3
    assert found.shape == (2, 5, 10)


def test_a_channel_that_is_far_larger_than_the_others_takes_no_steps_from_them():
    layer = nn.Linear(32, 16)
    inputs = torch.randn(40, 32)
    inputs[:, 3] *= 300
    layer.weight.data[:, 3] /= 300
    exact = layer(inputs)
    largest = inputs.abs().amax(0)
    smooth, plain = (
        (Int8Linear(layer, each)(inputs) - exact).abs().mean()
        for each in (largest, layer.weight.detach().abs().amax(0))
    )
    assert smooth < 0.01
    assert 5 * smooth < plain


def test_a_channel_that_the_sample_leaves_at_zero_takes_no_steps_from_the_others():
    layer = nn.Linear(512, 16)
    inputs = torch.randn(40, 512)
    inputs[:, 3] = 0
    largest = inputs.abs().amax(0)
    inputs[:, 3] = 1
    int8 = Int8Linear(layer, largest)
    assert (int8(inputs) - layer(inputs)).abs().mean() < 0.01


def test_weights_of_zero_are_no_division_by_zero():
    layer = nn.Linear(8, 4)
    layer.weight.data[1] = 0
    layer.weight.data[:, 2] = 0
    inputs = torch.randn(6, 8)
    int8 = Int8Linear(layer, torch.zeros(8))
    torch.testing.assert_close(int8(inputs), layer(inputs), atol=0.02, rtol=0)


def test_tokens_of_one_number_are_no_division_by_zero():
    layer = nn.Linear(8, 4)
    layer.weight.data.fill_(0.25)  # all channels are evened out alike
    inputs = torch.tensor([0, 0.5, -3])[:, None].expand(3, 8)
    torch.testing.assert_close(Int8Linear(layer, torch.ones(8))(inputs), layer(inputs))


def test_a_layer_that_is_called_twice_is_evened_out_by_both():
    class Twice(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.layer = nn.Linear(8, 8)

        def forward(self, inputs: torch.Tensor) -> torch.Tensor:
            return self.layer(self.layer(inputs))

    twice, inputs = Twice(), torch.randn(5, 8)
    largest = torch.cat([inputs, twice.layer(inputs).detach()]).abs().amax(0)
    expected = Int8Linear(twice.layer, largest)
    torch.testing.assert_close(
        quantize(twice, {"inputs": inputs}).layer.state_dict(), dict(expected.state_dict())
    )


def test_a_network_shares_what_is_not_linear_and_is_itself_unchanged():
    class Network(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed, self.read, self.aside = nn.Embedding(9, 8), nn.Linear(8, 4), nn.Linear(8, 2)

        def forward(self, ids: torch.Tensor) -> torch.Tensor:
            return self.read(self.embed(ids))

    network = Network().eval()
    sample = {"ids": torch.arange(9)}
    before = network(**sample)
    int8 = quantize(network, sample)
    assert isinstance(int8.read, Int8Linear)
    assert isinstance(int8.aside, nn.Linear)  # it saw nothing
    assert int8.embed.weight is network.embed.weight
    torch.testing.assert_close(int8(**sample), before, atol=0.03, rtol=0)
    torch.testing.assert_close(network(**sample), before, atol=0, rtol=0)
    assert not any(each._forward_hooks for each in (*network.modules(), *int8.modules()))


def test_a_product_of_int8_is_that_of_integers():
    """Fails if PyTorch changes its private product, the only private function used here."""
    left = torch.randint(-128, 128, (40, 24), dtype=torch.int8)
    right = torch.randint(-127, 128, (16, 24), dtype=torch.int8).t()
    expected = left.long().numpy() @ right.long().numpy()
    products = multiply(left, right)
    assert products.dtype == torch.int32
    np.testing.assert_array_equal(products.numpy(), expected)


def test_what_is_compiled_need_not_be_kept(monkeypatch):
    from specter_graph.encoder import int8

    def njit(*, cache=False, **_: object):
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return lambda function: function

    monkeypatch.setattr(int8, "njit", njit)
    assert int8._compiled(print) is print


def test_all_linear_layers_of_the_offline_base_are_in_int8():
    from specter_graph.encoder import Encoder

    network = Encoder.base().model.int8_network
    kinds = [type(each).__name__ for each in network.modules()]
    layers = network.config.num_hidden_layers
    assert kinds.count("Int8Linear") == 6 * layers + 1  # query, key, value, output; two; the pooler
    assert kinds.count("Linear") == 0
