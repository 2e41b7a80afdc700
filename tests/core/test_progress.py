"""Results that threads compute ahead of the caller."""

import threading
import time
from collections.abc import Iterator

import pytest

from specter_graph.core.progress import map_ahead


@pytest.mark.parametrize(("threads", "ahead"), [(1, 1), (1, 3), (3, 3), (2, 10)])
def test_results_have_the_order_of_the_items(threads: int, ahead: int):
    def double(number: int) -> int:
        time.sleep(0.02 if number == 0 else 0)
        return 2 * number

    results = map_ahead(double, range(7), threads=threads, ahead=ahead)
    assert list(results) == [0, 2, 4, 6, 8, 10, 12]


def test_a_result_is_computed_while_the_caller_works():
    second = threading.Event()

    def compute(number: int) -> int:
        if number == 1:
            second.set()
        return number

    results = map_ahead(compute, range(3), ahead=2)
    assert next(results) == 0
    assert second.wait(10)
    assert [*results] == [1, 2]


def test_no_item_is_begun_after_an_error():
    begun: list[int] = []

    def fail(number: int) -> None:
        begun.append(number)
        if number == 1:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(map_ahead(fail, range(100), ahead=2))
    assert len(begun) < 10


def test_the_results_before_an_error_of_the_items_are_yielded():
    def items() -> Iterator[int]:
        yield from (0, 1, 2)
        raise KeyboardInterrupt

    results: list[int] = []
    with pytest.raises(KeyboardInterrupt):
        results.extend(map_ahead(lambda number: number, items(), ahead=5))
    assert results == [0, 1, 2]
