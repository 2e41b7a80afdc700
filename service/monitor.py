"""Metrics, and a monitor of the database that restarts a local server."""

import logging
import time
from threading import Event, Thread

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4

from specter_graph.core.errors import SpecterGraphError
from specter_graph.graph.database import DRIVER_ERRORS
from specter_graph.literature_graph import LiteratureGraph

BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 1.0, 2.5, 5.0, 10.0)

PING_INTERVAL = 1.0
MAX_SILENCE = 15.0
"""Seconds without an answered ping after which the database is down."""
MIN_RESTART_INTERVAL = 30.0
"""Minimum seconds between two starts of a local server."""
RECOVERY_TIME = 20.0
"""Seconds after a restart in which the database is slow: Neo4j reads files, and Java compiles."""

_log = logging.getLogger(__name__)


class Metrics:
    """Prometheus metrics: requests by route, their durations, and texts that were embedded."""

    media_type = CONTENT_TYPE_PLAIN_0_0_4

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self.requests = Counter(
            "specter_graph_requests",
            "Answered requests.",
            ["route", "method", "status"],
            registry=self._registry,
        )
        self.seconds = Histogram(
            "specter_graph_request_seconds",
            "Seconds from the first byte of a request to the last byte of its response.",
            ["route"],
            buckets=BUCKETS,
            registry=self._registry,
        )
        self.working = Gauge(
            "specter_graph_working", "Requests in progress.", registry=self._registry
        )
        self.waiting = Gauge("specter_graph_waiting", "Waiting requests.", registry=self._registry)
        self.texts = Counter("specter_graph_texts", "Embedded texts.", registry=self._registry)
        self.text_batches = Counter(
            "specter_graph_text_batches", "Batches of embedded texts.", registry=self._registry
        )

    def text(self) -> bytes:
        """Return all metrics in the Prometheus text format."""
        return generate_latest(self._registry)


class DatabaseMonitor:
    """A thread that pings the database and restarts a local server.

    It is a circuit breaker: after a request reports that the database is down, all requests are
    rejected immediately until a ping is answered again.
    """

    def __init__(self, graph: LiteratureGraph) -> None:
        self._graph = graph
        self._is_down = False
        self._answered = float("inf")
        self._returned = self._restarted = float("-inf")
        self._changed, self._closing = Event(), Event()
        self._thread = Thread(target=self._watch, name="monitor", daemon=True)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def close(self) -> None:
        """Stop the thread, without waiting for a start of the server in progress."""
        self._closing.set()
        self._changed.set()
        self._thread.join(PING_INTERVAL)

    @property
    def is_up(self) -> bool:
        """True if the database has answered recently, and no request has failed since."""
        return not self._is_down and time.monotonic() - self._answered < MAX_SILENCE

    @property
    def is_recovering(self) -> bool:
        """True if the database has just restarted."""
        return time.monotonic() - self._returned < RECOVERY_TIME

    def report_failure(self) -> None:
        """Treat the database as down until it answers a ping, which is sent immediately."""
        self._is_down = True
        self._changed.set()

    def _watch(self) -> None:
        failed = False
        while not self._closing.is_set():
            self._changed.clear()
            try:
                self._graph.database.value("RETURN true")
            except (SpecterGraphError, *DRIVER_ERRORS):
                failed = self._is_down = True
                self._restart()
            else:
                now = time.monotonic()
                if failed or now - self._answered > MAX_SILENCE:
                    self._returned = now
                self._answered = now
                failed = self._is_down = False
            self._changed.wait(PING_INTERVAL)

    def _restart(self) -> None:
        """Start a local server that has stopped, unless this was tried recently."""
        if self._closing.is_set() or time.monotonic() - self._restarted < MIN_RESTART_INTERVAL:
            return
        self._restarted = time.monotonic()
        try:
            if self._graph.restart_server():
                _log.warning("Neo4j had stopped and was restarted")
        except SpecterGraphError as error:
            _log.warning("Neo4j does not start: %s", error.one_line)
