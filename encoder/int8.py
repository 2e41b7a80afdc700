"""A Transformer with int8 arithmetic on a CPU, computed by OpenVINO (the extra `int8`).

The weights W (outputs, inputs) of each linear layer are stored as uint8 with a scale and a zero
point for each output. OpenVINO quantizes the inputs of these layers as it computes ("dynamic
quantization"): a scale for each group of 32 values of a token. All other operations are in float32.
"""

import sys
import warnings
from queue import SimpleQueue
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import torch

from specter_graph.core.errors import extra

if TYPE_CHECKING:
    from openvino import InferRequest, Model

_GROUP = 32


class Int8Network:
    """A network that is called like the one that it was made of, also from several threads."""

    def __init__(self, network: torch.nn.Module) -> None:
        # OpenVINO sends usage data when it is imported, unless this package is missing.
        sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]
        with extra("int8"):
            from openvino import Core

        model = _convert(network)
        _quantize_weights(model)
        threads = torch.get_num_threads()
        options = {
            "PERFORMANCE_HINT": "THROUGHPUT",
            "NUM_STREAMS": str(threads),
            "INFERENCE_NUM_THREADS": threads,
            "INFERENCE_PRECISION_HINT": "f32",
            "DYNAMIC_QUANTIZATION_GROUP_SIZE": str(_GROUP),
        }
        compiled = Core().compile_model(model, "CPU", options)
        self._requests: SimpleQueue[InferRequest] = SimpleQueue()
        for _ in range(threads):
            self._requests.put(compiled.create_infer_request())

    def __call__(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> SimpleNamespace:
        """Return `last_hidden_state`, (n, width, d) float32, of ids and mask, (n, width) int64."""
        request = self._requests.get()  # waits while all requests are in use
        try:
            states = request.infer([input_ids.numpy(), attention_mask.numpy()])[0]
        finally:
            self._requests.put(request)
        return SimpleNamespace(last_hidden_state=torch.from_numpy(states))


class _HiddenStates(torch.nn.Module):
    """The last hidden states of a network."""

    def __init__(self, network: torch.nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, input_ids: torch.Tensor, attention_mask: torch.Tensor) -> torch.Tensor:
        states: torch.Tensor = self.network(
            input_ids=input_ids, attention_mask=attention_mask
        ).last_hidden_state
        return states


def _convert(network: torch.nn.Module) -> "Model":
    """Convert a network to OpenVINO, for inputs of any shape (n, width)."""
    from openvino import PartialShape, convert_model

    ids, shape = torch.ones((2, 8), dtype=torch.long), PartialShape([-1, -1])
    with torch.no_grad(), warnings.catch_warnings(action="ignore"):  # of the tracer
        return convert_model(
            _HiddenStates(network).eval(), example_input=(ids, ids), input=[shape, shape]
        )


def _quantize_weights(model: "Model") -> None:
    """Replace the weights w of linear layers by uint8 q, with w = (q - zero point) * scale."""
    from openvino import opset13 as ops

    for layer in model.get_ops():
        weights = layer.input_value(1).get_node() if layer.get_type_name() == "MatMul" else None
        if weights is None or weights.get_type_name() != "Constant":
            continue
        values = weights.data
        low = np.minimum(values.min(axis=1, keepdims=True), 0)
        high = np.maximum(values.max(axis=1, keepdims=True), 0)
        scale = np.maximum(high - low, 1e-9) / 255
        zero_point = np.round(-low / scale)
        rounded = np.clip(np.round(values / scale) + zero_point, 0, 255)
        integers = (
            ops.convert(ops.constant(array.astype(np.uint8)), "f32")
            for array in (rounded, zero_point)
        )
        scaled = ops.multiply(ops.subtract(*integers), ops.constant(scale.astype(np.float32)))
        layer.input(1).replace_source_output(scaled.output(0))
