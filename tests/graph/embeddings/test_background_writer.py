"""Writes in a thread of their own: order, errors, and what a stopped block leaves."""

import threading
import time
from functools import partial

import pytest

from specter_graph.graph.embeddings.embed import BackgroundWriter


def run(*steps):
    """Hand over writes; a step that is an error is what stops the block there."""
    with BackgroundWriter() as writer:
        for step in steps:
            if isinstance(step, BaseException):
                raise step
            writer.put(step)


def fail():
    raise ValueError("the disk is full")


def test_writes_come_in_order_and_all_are_done_at_the_end():
    written = []
    run(*(partial(written.append, number) for number in range(20)))
    assert written == list(range(20))


def test_one_write_is_on_its_way_while_the_next_work_is_done():
    begun, go = threading.Event(), threading.Event()
    written = []

    def write():
        begun.set()
        assert go.wait(10)
        written.append("first")

    with BackgroundWriter() as writer:
        writer.put(write)
        assert begun.wait(10)
        assert written == []  # the block goes on meanwhile
        go.set()
        writer.put(lambda: written.append("second"))
        assert written[0] == "first"  # and no more than one waits
    assert written == ["first", "second"]


def test_an_error_of_a_write_is_raised_by_the_next_put():
    written = []
    with pytest.raises(ValueError, match="the disk is full"):
        run(fail, lambda: written.append("after"))
    assert written == []


def test_an_error_of_the_last_write_is_raised_by_the_end_of_the_block():
    with pytest.raises(ValueError, match="the disk is full"):
        run(fail)


def test_a_block_that_is_stopped_still_ends_its_write():
    written = []

    def write_slowly():
        time.sleep(0.1)
        written.append("kept")

    with pytest.raises(KeyboardInterrupt):
        run(write_slowly, KeyboardInterrupt())
    assert written == ["kept"]
