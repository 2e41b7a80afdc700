"""What is counted of a service, in a registry of its own."""

from collections.abc import Iterator, Mapping

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import CounterMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

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
