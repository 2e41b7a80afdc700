"""Texts of several requests, embedded together: while one batch is made, the next one gathers."""

from collections import defaultdict
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Lock, Thread
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from specter_graph.literature_graph import LiteratureGraph

Vector: TypeAlias = NDArray[np.float32]

MOST = 32
"""Texts of a batch: more are no quicker each, and all wait for the last."""


class _Asked(NamedTuple):
    text: str
    space: str
    answer: "Future[Vector]"


class TextBatches:
    """Embeds texts for many threads with one.

    A text that comes while nothing is being embedded is embedded at once, alone: nobody waits for
    a batch to fill. `sizes` counts the batches by their size.
    """

    def __init__(self, graph: LiteratureGraph) -> None:
        self._graph = graph
        self._waiting: SimpleQueue[_Asked | None] = SimpleQueue()
        self.sizes: defaultdict[int, int] = defaultdict(int)
        self._lock = Lock()
        self._thread = Thread(target=self._work, name="embed", daemon=True)
        self._thread.start()

    def embed(self, text: str, space: str) -> Vector:
        """Embed a text with the model of a space into a vector, (d,) float32.

        Raises what `LiteratureGraph.embed_texts` raises, and UnicodeError for half a letter, as of
        an emoji that was cut: it would fail the texts that are embedded with it.
        """
        text.encode()
        asked = _Asked(text, space, Future())
        self._waiting.put(asked)
        return asked.answer.result()

    def covers(self, text: str, space: str) -> bool:
        """Say whether the model of a space knows the script of a text."""
        with self._lock:
            return self._graph.covers(text, space)

    def prepare(self, space: str) -> None:
        """Load the model of a space, if there is one, while nobody waits for it yet."""
        self._waiting.put(_Asked("", space, Future()))

    def close(self) -> None:
        """Embed what still waits, and end."""
        self._waiting.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (first := self._waiting.get()) is not None:
            batch = [first]
            while len(batch) < MOST and not self._waiting.empty():
                if (another := self._waiting.get()) is None:
                    self._waiting.put(None)
                    break
                batch.append(another)
            for space in dict.fromkeys(each.space for each in batch):
                self._embed([each for each in batch if each.space == space], space)

    def _embed(self, batch: list[_Asked], space: str) -> None:
        self.sizes[len(batch)] += 1
        try:
            with self._lock:  # a tokenizer works for one thread at a time
                vectors = self._graph.embed_texts([each.text for each in batch], space)
        except BaseException as error:  # each caller raises it, this thread goes on
            for each in batch:
                each.answer.set_exception(error)
            return
        for each, vector in zip(batch, vectors, strict=True):
            each.answer.set_result(vector)
