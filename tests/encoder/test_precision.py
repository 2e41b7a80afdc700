"""Test the vectors in float32, bfloat16 and int8, and the selection of a precision."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch

from specter_graph.encoder import device
from specter_graph.encoder.device import (
    MIN_TEXTS,
    Benchmark,
    PrecisionChoice,
    benchmark,
    mean_cosine,
)
from specter_graph.encoder.static_model import load_base
from specter_graph.loaders.records import PaperText

TOKENS = [[5] * (3 + row % 20) for row in range(MIN_TEXTS)]


TEXTS = [
    PaperText("1", "Neutrino masses", "We study a seesaw."),
    PaperText("2", "Sleep and memory in 1,204 adults", "Recall fell by 8% after a short night."),
]


@pytest.mark.parametrize("precision", ["bfloat16", "int8"])
@pytest.mark.parametrize("name", [None, "tiny"])
def test_vectors_in_lower_precision_are_close_to_those_in_float32(
    name, precision, tiny_bert, papers, openvino
):
    base = load_base(name and str(tiny_bert))
    texts = papers[:12] if name else TEXTS
    base.precision = "float32"
    exact = base.encode(texts)
    base.precision = precision
    near = base.encode(texts)
    assert 0.999 <= mean_cosine(near, exact) < 1
    assert not np.array_equal(near, exact)
    base.precision = "float32"
    np.testing.assert_array_equal(base.encode(texts), exact)


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        ((), ()),
        (("avx512_f",), ()),
        (("avx512_vnni",), ("int8",)),
        (("avx512_bf16", "avx512_vnni"), ("bfloat16", "int8")),
        (("amx_bf16", "amx_int8"), ("bfloat16", "int8")),
    ],
)
def test_a_cpu_offers_the_precisions_that_it_supports(features, expected, monkeypatch):
    monkeypatch.setattr(torch.cpu, "get_capabilities", lambda: dict.fromkeys(features, True))
    assert device.fast_precisions(torch.device("cpu")) == expected
    assert device.fast_precisions(torch.device("mps")) == ()


def test_int8_is_not_benchmarked_without_openvino(monkeypatch):
    monkeypatch.setattr(device, "_has", lambda *probes: True)
    monkeypatch.setattr(device, "find_spec", lambda name: None)
    assert device.fast_precisions(torch.device("cpu")) == ("bfloat16",)


@pytest.mark.parametrize(
    ("trials", "taken"),
    [
        ([("bfloat16", 2.0, 0.9991)], "bfloat16"),
        ([("bfloat16", 9.0, 0.9989)], "float32"),
        ([("bfloat16", 1.05, 0.9999)], "float32"),
        ([("bfloat16", 0.1, 1.0)], "float32"),
        ([("bfloat16", 2.0, 0.9999), ("int8", 2.4, 0.9992)], "int8"),
        ([("bfloat16", 2.0, 0.9999), ("int8", 2.4, 0.9985)], "bfloat16"),
        ([("bfloat16", 2.4, 0.9999), ("int8", 2.0, 0.9992)], "bfloat16"),
    ],
)
def test_a_precision_is_selected_if_it_is_faster_and_as_accurate(trials, taken):
    choice = PrecisionChoice(tuple(Benchmark(*trial) for trial in trials))
    assert choice.precision == taken
    for name, gain, cosine in trials:
        assert f"{name}: {gain:.1f} x as fast as float32, mean cosine {cosine:.4f};" in str(choice)
    assert str(choice).endswith(f"using {taken}")


@pytest.mark.parametrize(("spoilt", "taken"), [(0.0, "bfloat16"), (0.2, "float32")])
def test_the_probe_measures_time_and_quality(spoilt, taken, monkeypatch):
    """The encoder is three times as fast in bfloat16, and may be inaccurate there."""
    now = 0.0
    monkeypatch.setattr(device, "time", SimpleNamespace(perf_counter=lambda: now))
    rng = np.random.default_rng(1)
    exact = rng.normal(size=(len(TOKENS), 32)).astype(np.float32)

    def encode(tokens, precision):
        nonlocal now
        now += len(tokens) * (0.001 if precision == "bfloat16" else 0.003)
        error = spoilt * (precision == "bfloat16")
        noise = rng.normal(size=(len(tokens), 32)).astype(np.float32)
        return exact[: len(tokens)] + error * noise

    choice = benchmark(encode, TOKENS, ["bfloat16"])
    assert choice.precision == taken
    [trial] = choice.benchmarks
    assert trial.speedup == pytest.approx(3)
    assert (trial.cosine >= 0.999) == (spoilt == 0)


def test_other_work_does_not_change_the_precision_of_queries(monkeypatch):
    """bfloat16 is three times as fast; in five of six rounds of 48 texts it waits."""
    now, calls = 0.0, -4  # the first calls are not timed
    monkeypatch.setattr(device, "time", SimpleNamespace(perf_counter=lambda: now))

    def encode(tokens, precision):
        nonlocal now, calls
        if precision == "bfloat16":
            now += 0.001 if calls // 48 == 3 else 0.01
            calls += 1
        else:
            now += 0.003
        return np.ones((len(tokens), 8), np.float32)

    choice = benchmark(encode, TOKENS, ["bfloat16"], one_at_a_time=True)
    assert choice.benchmarks[0].speedup == pytest.approx(3)


def test_precision_is_measured_once_and_only_for_many_texts(
    tiny_bert, papers, openvino, monkeypatch
):
    monkeypatch.setattr(device, "fast_precisions", lambda _: ("bfloat16", "int8"))
    base = load_base(str(tiny_bert))
    many = [papers[row % len(papers)] for row in range(MIN_TEXTS)]
    base.encode(many[:-1])
    assert base.choice is None
    vectors = base.encode(many)
    choice = base.choice
    assert [trial.precision for trial in choice.benchmarks] == ["bfloat16", "int8"]
    assert all(trial.cosine >= 0.999 for trial in choice.benchmarks)
    base.encode(many)
    assert base.choice is choice
    other = load_base(str(tiny_bert))
    other.precision = choice.precision
    np.testing.assert_allclose(vectors, other.encode(many), atol=1e-5)


def test_precisions_are_compared_on_queries_one_at_a_time(tiny_bert, openvino, monkeypatch):
    monkeypatch.setattr(device, "fast_precisions", lambda _: ("bfloat16", "int8"))
    base = load_base(str(tiny_bert))
    sizes = []
    forward = base._forward
    monkeypatch.setattr(
        base, "_forward", lambda *args: sizes.append(len(args[1])) or forward(*args)
    )
    base.benchmark([f"neutrino masses {row}" for row in range(12)])
    assert set(sizes) == {1}
    assert base.fixed_precision == base.choice.precision


def test_nothing_is_measured_if_only_float32_is_available(tiny_bert, papers, monkeypatch):
    monkeypatch.setattr(device, "fast_precisions", lambda _: ())
    base = load_base(str(tiny_bert))
    result = base.encode([papers[row % len(papers)] for row in range(MIN_TEXTS)])
    assert base.choice is None
    base.precision = "float32"
    np.testing.assert_allclose(result[:80], base.encode(papers), atol=1e-5)
