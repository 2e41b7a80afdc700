"""Work on all cores, an item a core."""

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import torch

Item = TypeVar("Item")
Result = TypeVar("Result")


def on_each_core(work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """Map in order, on as many workers as PyTorch has threads, each with one thread of its own.

    Several threads within an operation wait for the slowest of them at its end, hundreds of times
    a batch, which costs most where other programs are at work too: on two cores that a server
    shares, two threads took longer than one for a single text, of 8 words as of 500. A thread that
    another part of the program starts meanwhile keeps one thread of PyTorch.
    """
    cores = torch.get_num_threads()
    if cores == 1:
        yield from map(work, items)
        return
    try:
        with ThreadPoolExecutor(
            cores, "encode", initializer=torch.set_num_threads, initargs=(1,)
        ) as workers:
            yield from workers.map(work, items)
    finally:
        torch.set_num_threads(cores)  # the workers' 1 would hold for all new threads
