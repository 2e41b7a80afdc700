"""Requests beyond the limits are refused in order; the service recovers with its database."""

import asyncio
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
from fastapi import FastAPI, Request

from specter_graph.core.errors import QueryTimeoutError
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.service import paper_queries
from specter_graph.service.auth import hash_key
from specter_graph.service.dependencies import Backend, EmbeddingBatcher
from specter_graph.service.middleware import BodyLimitMiddleware, ConcurrencyMiddleware
from specter_graph.service.monitor import DatabaseMonitor, Metrics
from specter_graph.service.service_settings import ServiceSettings
from tests.servers import TcpProxy
from tests.service.small_service import JETS, ask

LONG = "UNWIND range(1, 100000) AS a UNWIND range(1, 100000) AS b RETURN sum(a * b)"


def test_the_service_recovers_after_an_outage_of_the_database(small, local_instance):
    with local_instance.lease() as endpoint:
        proxy = TcpProxy(endpoint.uri)
        auth = (endpoint.username, endpoint.password)
        with (
            LiteratureGraph.open(proxy.uri, auth=auth, timeout=5) as graph,
            ask(graph) as client,
        ):
            assert client.get(f"/v1/papers/{JETS}").status_code == 200
            port = proxy.port
            proxy.close()
            gone = client.get(f"/v1/papers/{JETS}")
            assert gone.status_code == 503
            assert gone.headers["retry-after"] == "2"
            assert "does not answer" in gone.json()["detail"]
            page = client.get(f"/papers/{JETS}")
            assert page.status_code == 503
            assert "Try: wait a few seconds, and repeat it" in page.text
            ready = client.get("/v1/healthz/ready")
            assert (ready.status_code, ready.json()["ready"]) == (503, False)
            assert client.get("/v1/healthz/live").status_code == 200
            started = time.monotonic()
            for _ in range(100):
                assert client.get(f"/v1/papers/{JETS}").status_code == 503
            assert time.monotonic() - started < 2  # no request waits for the database
            assert client.get("/v1/openapi.json").status_code == 200
            proxy.open(port)
            returned = {"ready": False}
            while not returned["ready"] and time.monotonic() - started < 20:
                time.sleep(0.1)
                returned = client.get("/v1/healthz/ready").json()
            assert client.get(f"/v1/papers/{JETS}").status_code == 200
            proxy.close()


def test_no_request_waits_for_a_slot_while_the_database_recovers(small, monkeypatch):
    async def two():
        slots = slots_of(answer, max_concurrency=1)
        monkeypatch.setattr(DatabaseMonitor, "is_recovering", True)
        return await asyncio.gather(through(slots, takes=0.1), through(slots))

    assert [each[0]["status"] for each in asyncio.run(two())] == [200, 503]


def test_a_read_is_stopped_after_its_time_limit(local_instance, small):
    with (
        local_instance.lease() as endpoint,
        LiteratureGraph.open(
            endpoint.uri, auth=(endpoint.username, endpoint.password), timeout=2
        ) as graph,
        ask(graph, allow_cypher=True, timeout=2) as client,
    ):
        started = time.monotonic()  # the connection must also open within the limit
        answer = client.post("/v1/cypher", json={"query": LONG})
        assert answer.status_code == 504
        with pytest.raises(QueryTimeoutError):
            graph.database.read(LONG)
        assert time.monotonic() - started < 20


def test_a_request_that_is_too_large_is_refused_before_it_is_read(client, small):
    with ask(small, max_body=1_000, max_lists=2_000) as narrow:
        assert narrow.post("/v1/missing-references", content=b"x" * 1_001).status_code == 413

        # Jobs are not allowed.
        assert narrow.post("/v1/jobs/match", content=b"x" * 2_000).status_code == 404
        large = narrow.post("/v1/jobs/match", content=b"x" * 2_001)
        assert large.status_code == 413
        assert large.json()["hint"] == "specter-graph match load VENUE"

        def parts():
            yield from [b"x" * 600] * 2

        assert narrow.post("/v1/missing-references", content=parts()).status_code == 413
        some = {"text": "gluon"}
        assert narrow.post("/v1/missing-references", json=some).status_code == 200


def test_large_lists_need_a_writing_key(small):
    keys = {hash_key("r"): "read", hash_key("w"): "write"}
    with ask(small, max_body=1_000, read_keys=lambda: keys) as client:
        for key, status in (("r", 413), ("w", 404)):
            request = {"headers": {"Authorization": f"Bearer {key}"}, "content": b"x" * 1_001}
            assert client.post("/v1/jobs/match", **request).status_code == status


def test_a_body_that_does_not_arrive_is_not_awaited():
    async def never():
        await asyncio.sleep(60)

    app = FastAPI()

    @app.post("/v1/search")
    async def read(request: Request):
        await request.body()

    limited = BodyLimitMiddleware(app, ServiceSettings(body_timeout=0.05))
    assert asyncio.run(through(limited, "POST", never))[0]["status"] == 408


async def answer(scope, receive, send):
    await asyncio.sleep(scope.get("takes", 0))
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": b""})


async def through(app, method="GET", receive=None, takes=0.0, path="/v1/search"):
    sent = []

    async def send(message):
        sent.append(message)

    scope = {"type": "http", "method": method, "path": path, "headers": [], "takes": takes}
    scope["query_string"] = b""
    await app(scope, receive, send)
    return sent


def slots_of(app, **settings):
    monitor, metrics = DatabaseMonitor(None), Metrics()
    backend = Backend(None, None, ServiceSettings(**settings), None, monitor, metrics)
    return ConcurrencyMiddleware(app, backend)


def test_requests_beyond_the_queue_get_503_and_health_does_not_wait():
    async def many():
        slots = slots_of(answer, max_concurrency=2, max_waiting=3, max_wait=5)
        every = await asyncio.gather(
            *(through(slots, takes=0.1) for _ in range(9)), through(slots, path="/v1/healthz/live")
        )
        again = await through(slots)
        return [each[0]["status"] for each in every], every, again[0]["status"]

    statuses, every, again = asyncio.run(many())
    assert statuses == [200] * 5 + [429] * 4 + [200]
    assert (b"retry-after", b"2") in every[5][0]["headers"]
    assert again == 200


def test_a_request_that_waits_too_long_gets_503():
    async def two():
        slots = slots_of(answer, max_concurrency=1, max_wait=0.05)
        return await asyncio.gather(through(slots, takes=0.3), through(slots))

    assert [each[0]["status"] for each in asyncio.run(two())] == [200, 429]


def test_texts_of_many_requests_are_embedded_together(small):
    texts = [f"gluon jet {number}" for number in range(24)]
    metrics = Metrics()
    batches = EmbeddingBatcher(small, metrics)
    with ThreadPoolExecutor(24) as pool:
        results = list(pool.map(lambda text: batches.embed(text, "specter"), texts))
    counted = metrics.text().decode().splitlines()
    assert "specter_graph_texts_total 24.0" in counted
    assert "specter_graph_text_batches_total 24.0" not in counted
    for text, vector in zip(texts, results, strict=True):
        assert vector == pytest.approx(small.spaces.embed_text(text, "specter"), abs=1e-5)


@pytest.mark.parametrize(
    ("text", "space", "reason"),
    [("gluon", "nowhere", "no embedding space 'nowhere'"), ("jets \ud800", "specter", "surrogate")],
)
def test_an_error_of_a_batch_affects_only_its_requests(small, text, space, reason):
    batches = EmbeddingBatcher(small, Metrics())
    with pytest.raises(Exception, match=reason):
        batches.embed(text, space)
    assert batches.embed("gluon", "specter").shape


def test_a_client_that_does_not_read_the_response_holds_no_slot():
    released = asyncio.Event()

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def never(message):
        await asyncio.Event().wait()

    async def send_requests():
        slots = slots_of(app, max_concurrency=1, send_timeout=0.05)
        for _ in range(3):
            await slots({"type": "http", "method": "GET", "path": "/"}, None, never)
        released.set()

    asyncio.run(asyncio.wait_for(send_requests(), 10))
    assert released.is_set()


@pytest.mark.parametrize(
    "body",
    [{"text": "a" * 20_001}, {"text": "a", "k": -1}, {"text": "a", "k": 10**6}, {"id": "x" * 501}],
)
def test_a_draft_has_limits(client, body):
    assert client.post("/v1/missing-references", json=body).status_code == 422


def test_half_a_surrogate_pair_and_deep_lists_are_client_errors(client):
    cut = b'{"text": "jets \\ud83d", "k": 3}'
    headers = {"Content-Type": "application/json"}
    assert client.post("/v1/missing-references", content=cut, headers=headers).status_code == 422
    broken = client.post("/v1/missing-references", content=b"{'text': 1}", headers=headers)
    assert broken.json()["detail"].startswith("the body is not JSON: Expecting property name")
    deep = "/v1/queries/missing_references?text=a&cites=" + "[" * 3_000
    assert client.get(deep).status_code == 400


def test_only_the_tab_that_takes_too_long_fails(client, monkeypatch):
    def too_long(*_):
        raise QueryTimeoutError("no answer within 10 seconds", "another paper")

    monkeypatch.setattr(paper_queries, "missing", too_long)
    assert client.get(f"/papers/{JETS}").status_code == 200
    assert client.get(f"/papers/{JETS}?tab=missing").status_code == 504


def test_a_long_id_is_looked_up_once(client):
    assert client.get(f"/papers/{'x' * 3_000}").status_code == 422
    assert client.get(f"/papers/{'x' * 400}").status_code == 404


def test_unknown_methods_share_one_label_in_the_metrics(client):
    for method in ("BREW", "WHEN"):
        client.request(method, "/v1/stats")
    metrics = client.get("/v1/metrics").text
    assert 'method="other"' in metrics
    assert "BREW" not in metrics
