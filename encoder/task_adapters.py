"""Task adapters of AdapterHub, such as those of SPECTER2, on a Transformer of transformers.

A bottleneck adapter (Pfeiffer et al. 2020) follows the feed-forward part of each layer. With h the
output of this part and x its input, LayerNorm(h + x) becomes LayerNorm(h + x + A(LayerNorm(h + x)))
with A(z) = U f(D z + d) + u. The folder of an adapter has adapter_config.json and the matrices D
(d / reduction factor, d) and U in pytorch_adapter.bin or adapter_model.safetensors.
"""

import json
import re
from pathlib import Path
from typing import Any

import torch
from transformers.activations import ACT2FN, get_activation

from specter_graph.core.errors import ModelError
from specter_graph.encoder.model_files import adapter_weights

_KEY = re.compile(r"layer\.(\d+)\.output\.adapters\..+\.adapter_(down\.0|up)\.(weight|bias)")

_PFEIFFER = {
    "original_ln_before": True,
    "original_ln_after": True,
    "residual_before_ln": True,
    "adapter_residual_before_ln": False,
    "output_adapter": True,
    "mh_adapter": False,
    "ln_before": False,
    "ln_after": False,
    "is_parallel": False,
    "use_gating": False,
    "phm_layer": False,
    "inv_adapter": None,
}
"""The only supported settings of an adapter; a missing one has this value."""


class AdaptedNorm(torch.nn.Module):
    """The LayerNorm of the feed-forward part of a layer, with an adapter."""

    def __init__(
        self,
        norm: torch.nn.Module,
        down: torch.nn.Linear,
        up: torch.nn.Linear,
        activation: torch.nn.Module,
        scaling: float,
    ) -> None:
        super().__init__()
        self.norm, self.down, self.up = norm, down, up
        self.activation, self.scaling = activation, scaling

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        """Apply norm and adapter to the sum of output and input of the feed-forward part."""
        adapted = self.up(self.activation(self.down(self.norm(states))))
        result: torch.Tensor = self.norm(states + self.scaling * adapted)
        return result


def add_task_adapter(network: Any, folder: Path) -> None:  # noqa: ANN401
    """Add an adapter to each layer of a Transformer for which the folder has one.

    Args:
        network: A BERT, or a Transformer with layers of the same structure (RoBERTa, XLM-R).
        folder: The folder of the adapter.

    Raises:
        ModelError: The adapter is of another kind, or does not fit the Transformer.
    """
    config = read_config(folder)
    activation = get_activation(config.get("non_linearity", "relu"))
    layers: dict[int, dict[str, torch.Tensor]] = {}
    for name, tensor in _read_weights(folder).items():
        if match := _KEY.search(name):
            layers.setdefault(int(match[1]), {})[f"{match[2]}.{match[3]}"] = tensor
        elif "adapters." in name:
            raise ModelError(
                f"the adapter {folder} has the weights {name}",
                "use an adapter with a bottleneck after the feed-forward part (pfeiffer, seq_bn)",
            )
    blocks = getattr(getattr(network, "encoder", None), "layer", ())
    if not layers or max(layers) >= len(blocks):
        raise ModelError(
            f"the adapter {folder} has {len(layers)} layers, the base {len(blocks)}",
            "use the base for which the adapter was trained (model_name in adapter_config.json)",
        )
    for number, weights in layers.items():
        output = blocks[number].output
        down, up = _linear(weights, "down.0"), _linear(weights, "up")
        if (down.in_features, up.out_features) != (output.dense.out_features,) * 2:
            raise ModelError(
                f"the adapter {folder} has the dimension {down.in_features}, the base"
                f" {output.dense.out_features}"
            )
        scaling = float(config.get("scaling", 1.0))
        output.LayerNorm = AdaptedNorm(output.LayerNorm, down, up, activation, scaling)


def read_config(folder: Path) -> dict[str, Any]:
    """Read the settings of an adapter; raises ModelError if they are missing or not supported."""
    try:
        config: dict[str, Any] = json.loads((folder / "adapter_config.json").read_bytes())["config"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise ModelError(
            f"{folder} has no readable adapter_config.json of AdapterHub: {error}",
            "use a folder with adapter_config.json and pytorch_adapter.bin",
        ) from error
    if not isinstance(config.get("scaling", 1.0), int | float):
        raise ModelError(f"the adapter {folder} has a scaling that is not a number")
    if config.get("non_linearity", "relu") not in ACT2FN:
        raise ModelError(f"the adapter {folder} has an unknown non_linearity")
    for key, supported in _PFEIFFER.items():
        if config.get(key, supported) != supported:
            raise ModelError(
                f"the adapter {folder} has {key}={config[key]!r}, only {supported!r} is supported",
                "use an adapter of the kind pfeiffer (seq_bn), such as those of SPECTER2",
            )
    return config


def _read_weights(folder: Path) -> dict[str, torch.Tensor]:
    file = adapter_weights(folder)
    try:
        if file.suffix == ".safetensors":
            from safetensors.torch import load_file

            return dict(load_file(file))
        return dict(torch.load(file, map_location="cpu", weights_only=True))
    except Exception as error:
        raise ModelError(
            f"the weights of the adapter {folder} cannot be read: {error}", "download it again"
        ) from error


def _linear(weights: dict[str, torch.Tensor], name: str) -> torch.nn.Linear:
    try:
        weight, bias = weights[f"{name}.weight"], weights[f"{name}.bias"]
    except KeyError as error:
        raise ModelError(f"an adapter lacks the weights {error}", "download it again") from error
    linear = torch.nn.Linear(weight.shape[1], weight.shape[0])
    linear.load_state_dict({"weight": weight.float(), "bias": bias.float()})
    return linear
