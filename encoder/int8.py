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
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from specter_graph.encoder.int8_passes import LEAST, round_tokens, scale_products
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
        tokens = inputs.reshape(-1, inputs.shape[-1]).contiguous()
        rounded = torch.empty(tokens.shape, dtype=torch.int8)
        step, zero = tokens.new_empty(2, len(tokens))
        _run(round_tokens, tokens, self.shrink, rounded, step, zero)
        products = torch._int_mm(rounded, self.weight)
        outputs = tokens.new_empty(products.shape)
        _run(scale_products, products, step, zero, self.step, self.sum, self.bias, outputs)
        return outputs.reshape(*inputs.shape[:-1], -1)


def _run(compiled: Callable[..., None], *tensors: torch.Tensor) -> None:
    compiled(*(tensor.detach().numpy() for tensor in tensors))


def quantised(network: nn.Module, sample: dict[str, torch.Tensor]) -> Any:  # noqa: ANN401
    """The network with its linear layers in int8; all else it shares with the given one.

    `sample` are the network's inputs for `SAMPLE`. A layer that does not see it stays as it is.
    """
    shared = {id(each): each for each in (*network.parameters(), *network.buffers())}
    changed = copy.deepcopy(network, shared)
    largest: dict[str, torch.Tensor] = {}

    def note(name: str, inputs: torch.Tensor) -> None:
        found = inputs.reshape(-1, inputs.shape[-1]).abs().amax(0)
        largest[name] = torch.maximum(found, largest.get(name, found))  # it may be called again

    layers = {name: each for name, each in changed.named_modules() if isinstance(each, nn.Linear)}
    hooks = [
        layer.register_forward_pre_hook(lambda _, inputs, name=name: note(name, inputs[0]))
        for name, layer in layers.items()
    ]
    with torch.inference_mode():
        changed(**sample)
    for hook in hooks:
        hook.remove()
    for name, inputs in largest.items():
        changed.set_submodule(name, Int8Linear(layers[name], inputs))
    return changed
