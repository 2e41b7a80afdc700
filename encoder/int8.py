"""A Transformer whose linear layers multiply bytes, for CPUs that do so fast.

A layer's weights W of shape (outputs, inputs) are stored as int8 with a step for each output; what
comes in is rounded to 256 steps between the least and the greatest number of each token, as in
"vector-wise" quantisation (LLM.int8(), Dettmers et al. 2022, section 2.1). A few input channels of
a Transformer are far larger than the others, and would leave them few of these steps. So channel j
is first divided, and its weights multiplied, by the square root of max |X_j| / max |W_j|
(SmoothQuant, Xiao et al. 2023, equation 4, alpha 0.5). Which channels these are is up to the model,
not to what it reads: max |X_j| is taken from a few texts, always the same, so that vectors do not
depend on the corpus.
"""

import copy
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NamedTuple

import torch
from torch import nn
from transformers.activations import GELUActivation

from specter_graph.encoder.int8_kernels import (
    LEAST,
    gelu_of_products,
    round_tokens,
    scale_products,
)
from specter_graph.loaders.records import PaperText

SAMPLE = (
    PaperText(
        "1",
        "Document-level representations of scientific papers",
        "Citations tell which papers belong together. We train a Transformer on titles and"
        " abstracts, so that papers close in the citation graph are close in vector space; the"
        " model needs no citations of a new paper.",
    ),
    PaperText(
        "2",
        "Statins and stroke: a randomised, double-blind trial",
        "BACKGROUND: In 2,140 patients (mean age 61.5 years) we compared 20 mg a day with placebo."
        " RESULTS: The risk fell by 12% (95% CI 0.81-0.96, p < 0.01). No death was attributed to"
        " the drug.",
    ),
    PaperText(
        "3",
        "Soft terms in N=1 supergravity and the Higgs mass",
        "We compute the one-loop corrections to $m_h$ at $\\sqrt{s} = 14$ TeV, with $\\tan\\beta >"
        " 10$ and a gluino heavier than 1.8 TeV. The $\\mu$ problem is discussed.",
    ),
    PaperText(
        "4",
        "Trade, wages and migration, 1870-1913",
        "Did open borders make wages converge? Using new data of 17 countries, we find that they"
        " did; land rents fell in the Old World and rose in the New.",
    ),
)
"""Papers, made up, that show the largest inputs of each layer."""

_ALIKE = 1.5
"""Times the error that int8 makes anyway: a GELU in another pass moves roundings, no more."""
_QUIET = 0.1  # of the mean channel: what the sample leaves at zero may be loud in another text


class Int8Linear(nn.Module):
    """`linear` in int8; `largest`, (inputs,), are the absolute maxima of what comes in."""

    shrink: torch.Tensor
    step: torch.Tensor
    weight: torch.Tensor
    sum: torch.Tensor
    bias: torch.Tensor

    def __init__(self, linear: nn.Linear, largest: torch.Tensor) -> None:
        super().__init__()
        weight = linear.weight.detach()
        largest = largest.clamp(min=float(_QUIET * largest.mean())).clamp(min=LEAST)
        spread = (largest / weight.abs().amax(0).clamp(min=LEAST)).sqrt()
        weight = weight * spread
        step = weight.abs().amax(1).clamp(min=LEAST) / 127
        rounded = (weight / step[:, None]).round().to(torch.int8)
        bias = torch.zeros_like(step) if linear.bias is None else linear.bias.detach()
        self.register_buffer("shrink", 1 / spread)
        self.register_buffer("step", step)
        self.register_buffer("weight", rounded.t())
        self.register_buffer("sum", step * rounded.sum(1))
        self.register_buffer("bias", bias)

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Float32 (..., inputs) to float32 (..., outputs).

        A number x of a token is zero + step * q, with q from -128 to 127, so that the product with
        the weights is the token's step times that of the q, plus its zero times the weights' sum.
        """
        return self.outputs(self.rounded(inputs)).reshape(*inputs.shape[:-1], -1)

    def rounded(self, inputs: torch.Tensor) -> "Rounded":
        """The numbers of each token of float32 (..., inputs), rounded."""
        tokens = inputs.reshape(-1, inputs.shape[-1]).contiguous()
        found = Rounded.room(*tokens.shape)
        _run(round_tokens, tokens, self.shrink, *found)
        return found

    def products(self, inputs: "Rounded") -> tuple[torch.Tensor, ...]:
        """The products of bytes, (tokens, outputs) int32, and what makes numbers of them."""
        products = torch._int_mm(inputs.bytes, self.weight)
        return products, inputs.step, inputs.zero, self.step, self.sum, self.bias

    def outputs(self, inputs: "Rounded") -> torch.Tensor:
        """What the layer gives, (tokens, outputs) float32."""
        outputs = torch.empty(len(inputs.bytes), len(self.step))
        _run(scale_products, *self.products(inputs), outputs)
        return outputs


class Rounded(NamedTuple):
    """Tokens whose numbers are bytes: zero + step * byte."""

    bytes: torch.Tensor
    """(tokens, inputs), int8."""
    step: torch.Tensor
    """(tokens,), float32."""
    zero: torch.Tensor
    """(tokens,), float32."""

    @classmethod
    def room(cls, tokens: int, inputs: int) -> "Rounded":
        """Memory for them, in which nothing has been written yet."""
        return cls(torch.empty(tokens, inputs, dtype=torch.int8), *torch.empty(2, tokens))


class Int8FeedForward(nn.Module):
    """Two layers with a GELU between them, whose numbers are bytes again when they are written."""

    def __init__(self, first: Int8Linear, second: Int8Linear) -> None:
        super().__init__()
        self.first, self.second = first, second

    def forward(self, inputs: torch.Tensor) -> torch.Tensor:
        """Float32 (..., inputs) to float32 (..., outputs)."""
        products = self.first.products(self.first.rounded(inputs))
        between = Rounded.room(*products[0].shape)
        _run(gelu_of_products, *products, self.second.shrink, *between)
        return self.second.outputs(between).reshape(*inputs.shape[:-1], -1)


def _run(compiled: Callable[..., None], *tensors: torch.Tensor) -> None:
    compiled(*(tensor.detach().numpy() for tensor in tensors))


def quantize(network: nn.Module, sample: dict[str, torch.Tensor]) -> Any:  # noqa: ANN401
    """The network with its linear layers in int8; all else it shares with the given one.

    `sample` are the network's inputs for `SAMPLE`. A layer that does not see it stays as it is. Two
    layers with a GELU between them become one, unless that brings the sample's states further from
    what they are in float32: the network does something else there, too.
    """
    changed = _twin(network)
    seen = _Seen(changed)
    exact = _states(changed, sample)
    seen.end()
    layers = {name: Int8Linear(seen.linear[name], each) for name, each in seen.largest.items()}
    for name, layer in layers.items():
        changed.set_submodule(name, layer)
    fused = _twin(changed)
    for first, gelu, second in seen.feed_forward():
        fused.set_submodule(first, Int8FeedForward(layers[first], layers[second]))
        fused.set_submodule(gelu, nn.Identity())
        fused.set_submodule(second, nn.Identity())
    with suppress(Exception):  # of code that asks a layer for what `Identity` has not
        plain = (_states(changed, sample) - exact).abs().mean()
        if (_states(fused, sample) - exact).abs().mean() <= _ALIKE * plain:
            return fused
    return changed


def _twin(network: nn.Module) -> nn.Module:
    """A copy with the same numbers, not copies of them."""
    shared = {id(each): each for each in (*network.parameters(), *network.buffers())}
    return copy.deepcopy(network, shared)


def _states(network: nn.Module, sample: dict[str, torch.Tensor]) -> torch.Tensor:
    with torch.inference_mode():
        found = network(**sample)
    states: torch.Tensor = getattr(found, "last_hidden_state", found)
    return states


class _Seen:
    """What the linear layers of a network read while it is called.

    Attribute `largest`: by layer, of those that were called, the absolute maxima, (inputs,).
    """

    def __init__(self, network: nn.Module) -> None:
        self.largest: dict[str, torch.Tensor] = {}
        self._calls: Counter[tuple[str, ...]] = Counter()
        self._last: tuple[tuple[str, ...], torch.Tensor | None] = ((), None)
        modules = dict(network.named_modules())
        self.linear = {key: each for key, each in modules.items() if isinstance(each, nn.Linear)}
        gelus = {key: each for key, each in modules.items() if isinstance(each, GELUActivation)}
        self._gelus = gelus.keys()
        self._hooks = [
            each.register_forward_hook(
                lambda _, inputs, output, name=name: self._note(name, inputs[0], output)
            )
            for name, each in (self.linear | gelus).items()
        ]

    def _note(self, name: str, inputs: torch.Tensor, output: torch.Tensor) -> None:
        is_gelu = name in self._gelus
        if not is_gelu:
            found = inputs.reshape(-1, inputs.shape[-1]).abs().amax(0)
            before = self.largest.get(name, found)  # it may be called again
            self.largest[name] = torch.maximum(found, before)
        begun, last = self._last
        follows = inputs is last and len(begun) == (1 if is_gelu else 2)
        chain = (*begun, name) if follows else () if is_gelu else (name,)
        self._calls.update({(name,), chain})
        self._last = chain if len(chain) < 3 else (), output

    def end(self) -> None:
        """Look no longer."""
        for hook in self._hooks:
            hook.remove()

    def feed_forward(self) -> list[tuple[str, str, str]]:
        """The layers that always follow each other with a GELU between: (layer, GELU, layer)."""
        return [
            (first, gelu, second)
            for first, gelu, second in (chain for chain in self._calls if len(chain) == 3)
            if {self._calls[each,] for each in (first, gelu, second)}
            == {self._calls[first, gelu, second]}
        ]
