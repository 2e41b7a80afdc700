"""Test int8 arithmetic by OpenVINO: rounding of weights, threads, and no telemetry."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch

from specter_graph.core.errors import InputError
from specter_graph.encoder import int8

pytestmark = pytest.mark.usefixtures("openvino")


def test_weights_are_rounded_to_256_steps_of_each_output(base):
    """Linear layers have weights (q - zero point) * scale within half a step of the original."""
    model = int8._convert(base.network)
    layers = [op for op in model.get_ops() if op.get_type_name() == "MatMul"]
    exact = {
        op.get_friendly_name(): op.input_value(1).get_node().data.copy()
        for op in layers
        if op.input_value(1).get_node().get_type_name() == "Constant"
    }
    assert len(exact) == 2 * 6  # query, key, value, output and two feed-forward layers
    int8._quantize_weights(model)
    for op in model.get_ops():
        if (weights := exact.get(op.get_friendly_name())) is not None:
            product = op.input_value(1).get_node()
            difference, scale = (product.input_value(i).get_node() for i in range(2))
            q, zero = (difference.input_value(i).get_node().input_value(0) for i in range(2))
            q, zero = (value.get_node().data for value in (q, zero))
            assert q.dtype == zero.dtype == np.uint8
            step = scale.data
            np.testing.assert_allclose(
                (q.astype(float) - zero) * step, weights, atol=float(step.max()) * 1.01
            )
            errors = np.abs((q.astype(float) - zero) * step - weights)
            assert (errors <= 1.01 * step).all()
            assert np.median(errors / step) < 0.3


def test_vectors_do_not_depend_on_the_number_of_threads(base, papers):
    base.precision = "int8"
    alone = base.encode(papers)
    with ThreadPoolExecutor(4) as workers:
        for vectors in workers.map(lambda _: base.encode(papers), range(8)):
            np.testing.assert_allclose(vectors, alone, atol=1e-5)
    base.precision = "auto"


def test_without_openvino_the_error_names_the_extra(base, monkeypatch):
    monkeypatch.setitem(sys.modules, "openvino", None)
    with pytest.raises(InputError, match="openvino") as error:
        int8.Int8Network(base.network)
    assert "specter-graph[int8]" in error.value.hint


def test_the_network_itself_is_unchanged(base):
    ids = torch.tensor([[1, 2, 3, 4]])
    before = base.network(ids, torch.ones_like(ids)).last_hidden_state
    int8.Int8Network(base.network)
    torch.testing.assert_close(base.network(ids, torch.ones_like(ids)).last_hidden_state, before)


def test_openvino_sends_no_telemetry(tiny_bert, tmp_path):
    """Its telemetry would write a client id into the home folder and open connections."""
    script = f"""
import socket, sys
def refuse(*args, **kwargs):
    raise AssertionError("a connection")
socket.socket.connect = socket.create_connection = refuse
from specter_graph import Encoder
encoder = Encoder.load({str(tiny_bert)!r}, precision="int8")
assert encoder.encode(["quark gluon"]).shape == (1, 32)
assert sys.modules["openvino_telemetry"] is None
"""
    environment = {"HOME": str(tmp_path), "PATH": "", "HF_HUB_OFFLINE": "1"}
    subprocess.run([sys.executable, "-c", script], env=environment, check=True, timeout=120)
    assert not (tmp_path / "intel").exists()
