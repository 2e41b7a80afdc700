"""Test parallel work on all cores: order, threads and errors."""

import threading
import time

import numpy as np
import pytest
import torch

from specter_graph.encoder.device import map_on_cores
from specter_graph.encoder.model import batch_by_length
from specter_graph.encoder.static_model import load_base


@pytest.fixture
def two_threads():
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.mark.usefixtures("two_threads")
def test_results_come_in_order_from_workers_of_one_thread():
    def work(number):
        return number, torch.get_num_threads(), threading.get_ident()

    numbers, threads, workers = zip(*map_on_cores(work, range(40)), strict=True)
    assert numbers == tuple(range(40))
    assert set(threads) == {1}
    assert threading.get_ident() not in workers
    assert torch.get_num_threads() == 2


@pytest.mark.usefixtures("two_threads")
def test_a_single_item_has_one_thread():
    assert list(map_on_cores(lambda _: torch.get_num_threads(), [0])) == [1]
    assert torch.get_num_threads() == 2


@pytest.mark.usefixtures("two_threads")
def test_an_error_stops_the_rest_and_gives_the_threads_back():
    done = []

    def work(number):
        if number == 3:
            raise ValueError("three")
        done.append(number)
        time.sleep(0.001)  # collecting the results may take long on a busy machine

    with pytest.raises(ValueError, match="three"):
        list(map_on_cores(work, range(20_000)))
    assert len(done) < 20_000 - 1
    assert torch.get_num_threads() == 2
    fresh = []
    thread = threading.Thread(target=lambda: fresh.append(torch.get_num_threads()))
    thread.start()
    thread.join()
    assert fresh == [2]


@pytest.mark.usefixtures("two_threads")
def test_vectors_do_not_depend_on_the_number_of_cores(tiny_bert, papers):
    base = load_base(str(tiny_bert))
    many = papers * 12
    vectors = base.encode(many)
    torch.set_num_threads(1)
    np.testing.assert_allclose(vectors, base.encode(many), atol=1e-5)


def test_batches_hold_each_text_once_and_keep_to_the_budget():
    lengths = [*np.random.default_rng(2).integers(1, 60, 300).tolist(), 500]
    batches = batch_by_length(lengths, 256)
    assert sorted(row for batch in batches for row in batch) == list(range(301))
    widths = [max(lengths[row] for row in batch) for batch in batches]
    assert widths == sorted(widths)
    assert all(
        len(batch) * width <= 256 or len(batch) == 1
        for batch, width in zip(batches, widths, strict=True)
    )
