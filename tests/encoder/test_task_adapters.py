"""Test task adapters in the layout of AdapterHub, on a tiny BERT."""

import json
import shutil

import numpy as np
import pytest
import torch
from transformers import BertModel

from specter_graph.core.errors import ModelError
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.static_model import load_base
from specter_graph.encoder.task_adapters import add_task_adapter
from specter_graph.loaders.records import PaperText
from specter_graph.pipelines.export_model import export_model

CONFIG = {
    "adapter_residual_before_ln": False,
    "cross_adapter": False,
    "inv_adapter": None,
    "is_parallel": False,
    "leave_out": [],
    "ln_after": False,
    "ln_before": False,
    "mh_adapter": False,
    "non_linearity": "relu",
    "original_ln_after": True,
    "original_ln_before": True,
    "output_adapter": True,
    "reduction_factor": 4,
    "residual_before_ln": True,
    "scaling": 1.0,
}
PAPERS = [PaperText("1", "neutrino mass", "in the halo"), PaperText("2", "quark jet", None)]


def write_adapter(folder, seed, width=32, layers=(0, 1), **changes):
    """Write an adapter as the library `adapters` does for a BERT."""
    folder.mkdir()
    generator = torch.Generator().manual_seed(seed)
    weights = {}
    for layer in layers:
        name = f"bert.encoder.layer.{layer}.output.adapters.[PRX].adapter_"
        for part, shape in (("down.0", (width // 4, width)), ("up", (width, width // 4))):
            weights[f"{name}{part}.weight"] = torch.randn(shape, generator=generator)
            weights[f"{name}{part}.bias"] = torch.randn(shape[0], generator=generator)
    torch.save(weights, folder / "pytorch_adapter.bin")
    about = {"config": CONFIG | changes, "name": "[PRX]", "model_name": "tiny", "version": "3.2.1"}
    (folder / "adapter_config.json").write_text(json.dumps(about))
    return folder


@pytest.fixture(scope="module")
def adapters(tmp_path_factory):
    """Return the folders of an adapter for papers and of one for queries."""
    folder = tmp_path_factory.mktemp("adapters")
    return write_adapter(folder / "proximity", 1), write_adapter(folder / "adhoc_query", 2)


def reference(folder, adapter, tokens):
    """Compute the states of the last layer by the formulas of Pfeiffer et al., layer by layer."""
    network = BertModel.from_pretrained(folder).eval()
    weights = torch.load(adapter / "pytorch_adapter.bin", weights_only=True)
    states = network.embeddings(tokens)
    for number, layer in enumerate(network.encoder.layer):
        attended = layer.attention(states)[0]
        forward = layer.output.dense(layer.intermediate(attended))
        norm = layer.output.LayerNorm
        name = f"bert.encoder.layer.{number}.output.adapters.[PRX].adapter_"
        down = norm(forward + attended) @ weights[f"{name}down.0.weight"].T
        hidden = torch.relu(down + weights[f"{name}down.0.bias"])
        up = hidden @ weights[f"{name}up.weight"].T + weights[f"{name}up.bias"]
        states = norm(up + forward + attended)
    return states


def test_an_adapter_computes_the_formulas_of_its_paper(tiny_bert, adapters):
    tokens = torch.tensor([[2, 7, 9, 3]])
    with torch.no_grad():
        expected = reference(tiny_bert, adapters[0], tokens)
        network = BertModel.from_pretrained(tiny_bert).eval()
        plain = network(input_ids=tokens).last_hidden_state
        add_task_adapter(network, adapters[0])
        states = network(input_ids=tokens).last_hidden_state
    assert states.numpy() == pytest.approx(expected.numpy(), abs=1e-5)
    assert not np.allclose(states, plain, atol=0.1)


def test_papers_and_queries_have_adapters_of_their_own(tiny_bert, adapters, float32):
    proximity, query = (Encoder.load(f"{tiny_bert}+{adapter}") for adapter in adapters)
    both = Encoder.load("+".join(map(str, [tiny_bert, *adapters])))
    assert np.array_equal(both.encode(PAPERS), proximity.encode(PAPERS))
    assert np.array_equal(both.encode_query(["jet"]), query.model.encode(["jet"]))
    assert both.digest == proximity.digest != query.digest != Encoder.load(tiny_bert).digest
    assert both.card.name == "+".join(map(str, [tiny_bert, *adapters]))
    assert np.array_equal(Encoder.load(both.name).encode(PAPERS), both.encode(PAPERS))


def test_a_changed_adapter_changes_the_digest(tiny_bert, adapters, tmp_path):
    changed = tmp_path / "changed"
    shutil.copytree(adapters[0], changed)
    digest = load_base(f"{tiny_bert}+{changed}").folder.digest
    assert digest == load_base(f"{tiny_bert}+{adapters[0]}").folder.digest
    shutil.copy(adapters[1] / "pytorch_adapter.bin", changed)
    assert load_base(f"{tiny_bert}+{changed}").folder.digest != digest


def test_an_adapter_that_does_not_fit_is_refused(tiny_bert, adapters, tmp_path):
    for name, options, message in (
        ("wide", {"width": 64}, "dimension 64, the base 32"),
        ("deep", {"layers": (0, 5)}, "the base 2"),
        ("houlsby", {"mh_adapter": True}, "mh_adapter=True"),
        ("learned", {"scaling": "learned"}, "scaling that is not a number"),
        ("odd", {"non_linearity": "odd"}, "unknown non_linearity"),
    ):
        folder = write_adapter(tmp_path / name, 1, **options)
        with pytest.raises(ModelError, match=message):
            Encoder.load(f"{tiny_bert}+{folder}").encode(PAPERS)
    with pytest.raises(ModelError, match=r"adapter_config\.json or pytorch_adapter\.bin"):
        Encoder.load(f"{tiny_bert}+{tmp_path}")
    with pytest.raises(ModelError, match="not a base with adapters"):
        Encoder.load(f"{tiny_bert}+a+b+c")
    (tmp_path / "wide" / "pytorch_adapter.bin").write_bytes(b"no weights")
    with pytest.raises(ModelError, match="cannot be read"):
        Encoder.load(f"{tiny_bert}+{tmp_path / 'wide'}").encode(PAPERS)


def test_a_model_with_an_adapter_is_not_exported(tiny_bert, adapters, tmp_path):
    with pytest.raises(ModelError, match="task adapter"):
        export_model(f"{tiny_bert}+{adapters[0]}", tmp_path / "out")
