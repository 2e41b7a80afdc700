"""Batching of the texts of concurrent requests for embedding."""

from collections import defaultdict
from concurrent.futures import Future
from queue import SimpleQueue
from threading import Lock, Thread
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from specter_graph.literature_graph import LiteratureGraph

Vector: TypeAlias = NDArray[np.float32]

MAX_BATCH = 32
"""Maximum texts of a batch; larger batches are not faster per text and delay all requests."""


class _Request(NamedTuple):
    text: str
    space: str
    result: "Future[Vector]"


class EmbeddingBatcher:
    """A thread that embeds the texts of many threads in batches.

    While one batch is being embedded, the next one collects; an idle thread embeds a text
    immediately. `sizes` counts the batches by their size.
    """

    def __init__(self, graph: LiteratureGraph) -> None:
        self._graph = graph
        self._waiting: SimpleQueue[_Request | None] = SimpleQueue()
        self.sizes: defaultdict[int, int] = defaultdict(int)
        self._lock = Lock()
        self._thread = Thread(target=self._work, name="embed", daemon=True)
        self._thread.start()

    def embed(self, text: str, space: str) -> Vector:
        """Embed a text with the model of a space as a vector, (d,) float32.

        Raises the errors of `LiteratureGraph.embed_texts`, and UnicodeError for an incomplete
        character (such as half of an emoji), which would fail all texts of the batch.
        """
        text.encode()
        request = _Request(text, space, Future())
        self._waiting.put(request)
        return request.result.result()

    def covers(self, text: str, space: str) -> bool:
        """Return True if the model of a space supports the script of a text."""
        with self._lock:
            return self._graph.spaces.covers(text, space)

    def prepare(self, space: str) -> None:
        """Load the model of a space in advance, if there is one."""
        self._waiting.put(_Request("", space, Future()))

    def close(self) -> None:
        """Embed the waiting texts and stop the thread."""
        self._waiting.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (request := self._waiting.get()) is not None:
            batch = [request]
            while len(batch) < MAX_BATCH and not self._waiting.empty():
                if (request := self._waiting.get()) is None:
                    self._waiting.put(None)
                    break
                batch.append(request)
            for space in dict.fromkeys(request.space for request in batch):
                self._embed([request for request in batch if request.space == space], space)

    def _embed(self, batch: list[_Request], space: str) -> None:
        self.sizes[len(batch)] += 1
        try:
            with self._lock:  # a tokenizer works for one thread at a time
                texts = [request.text for request in batch]
                vectors = self._graph.spaces.embed_texts(texts, space)
        except BaseException as error:  # raised in each caller; this thread continues
            for request in batch:
                request.result.set_exception(error)
            return
        for request, vector in zip(batch, vectors, strict=True):
            request.result.set_result(vector)
