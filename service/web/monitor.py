"""Metrics, and a monitor of the database that restarts a local server."""

import logging
import time
from collections.abc import Iterator, Mapping
from threading import Event, Thread

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from specter_graph.core.errors import ServerError, SpecterGraphError
from specter_graph.cypher import statement
from specter_graph.graph.driver_errors import DRIVER_ERRORS
from specter_graph.literature_graph import LiteratureGraph

SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 1.0, 2.5, 5.0, 10.0)


class Metrics:
    """Requests by route, method and status; their seconds; who is worked on, who waits."""

    media_type = CONTENT_TYPE_PLAIN_0_0_4

    def __init__(self, batches: Mapping[int, int]) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "specter_graph_requests",
            "Requests answered.",
            ["route", "method", "status"],
            registry=self._registry,
        )
        self.seconds = Histogram(
            "specter_graph_request_seconds",
            "From the first byte of a request to the last of its answer.",
            ["route"],
            buckets=SECONDS,
            registry=self._registry,
        )
        self.working = Gauge(
            "specter_graph_working", "Requests that are worked on.", registry=self._registry
        )
        self.waiting = Gauge(
            "specter_graph_waiting", "Requests that wait.", registry=self._registry
        )
        self._registry.register(_Batches(batches))

    def text(self) -> bytes:
        """All of it, as Prometheus reads it."""
        return generate_latest(self._registry)


class _Batches(Collector):
    """How many texts were embedded, and in how many batches."""

    def __init__(self, sizes: Mapping[int, int]) -> None:
        self._sizes = sizes

    def collect(self) -> Iterator[Metric]:
        sizes = dict(self._sizes)
        texts = sum(size * times for size, times in sizes.items())
        yield CounterMetricFamily("specter_graph_texts", "Texts embedded.", texts)
        yield CounterMetricFamily(
            "specter_graph_text_batches", "Batches that they were embedded in.", sum(sizes.values())
        )


PING_SECONDS = 1.0
SILENT_SECONDS = 15.0
"""A database that has answered no ping for so long is down."""
RESTART_SECONDS = 30.0
"""Between two starts of a local server."""
RECOVERY_SECONDS = 20.0
"""After its return the database is slow: Neo4j reads its files, and Java compiles."""

_log = logging.getLogger(__name__)


class DatabaseMonitor:
    """Pings the database in a thread, and knows whether it is up; `start` and `close` it.

    A request that finds the database gone reports that, and until a ping is answered again all
    others are refused without waiting (a circuit breaker).
    """

    def __init__(self, graph: LiteratureGraph) -> None:
        self._graph = graph
        self._is_down = False
        self._answered: float | None = None
        self._returned = self._restarted = float("-inf")
        self._changed, self._closing = Event(), Event()
        self._thread = Thread(target=self._watch, name="monitor", daemon=True)

    def start(self) -> None:
        """Begin to ping."""
        self._thread.start()

    def close(self) -> None:
        """End; a start of the server that is under way is not waited for."""
        self._closing.set()
        self._changed.set()
        self._thread.join(PING_SECONDS)

    @property
    def is_up(self) -> bool:
        """Whether the database has answered lately, and no request has found it gone since."""
        if self._answered is None:
            return not self._is_down
        return not self._is_down and time.monotonic() - self._answered < SILENT_SECONDS

    @property
    def is_recovering(self) -> bool:
        """Whether the database has just come back."""
        return time.monotonic() - self._returned < RECOVERY_SECONDS

    def require(self) -> None:
        """Raise ServerError while the database is down."""
        if not self.is_up:
            raise ServerError("the database does not answer", "again in a few seconds")

    def report_failure(self) -> None:
        """Take the database for gone until it answers a ping, which is sent at once."""
        self._is_down = True
        self._changed.set()

    def _watch(self) -> None:
        ping = statement("service/ping").text
        failed = False
        while not self._closing.is_set():
            self._changed.clear()
            try:
                self._graph.database.read(ping)
            except DRIVER_ERRORS:
                failed = self._is_down = True
                self._restart()
            else:
                now = time.monotonic()
                if failed or now - (self._answered or now) > SILENT_SECONDS:
                    self._returned = now
                self._answered = now
                failed = self._is_down = False
            self._changed.wait(PING_SECONDS)

    def _restart(self) -> None:
        """Start a local server that has ended, unless that has just been tried."""
        if self._closing.is_set() or time.monotonic() - self._restarted < RESTART_SECONDS:
            return
        self._restarted = time.monotonic()
        try:
            if self._graph.restart_server():
                _log.warning("Neo4j had ended and was started again")
        except SpecterGraphError as error:
            _log.warning("Neo4j does not start: %s", error.one_line)
