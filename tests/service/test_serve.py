"""Run `specter-graph serve` as a process: it answers, stops without losing requests, and ends."""

import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from http.client import HTTPConnection
from urllib.parse import quote

import httpx
import numpy
import psutil
import pytest

from specter_graph.core.errors import GraphError, InputError, ServerError
from specter_graph.service.app import listen
from specter_graph.service.client import Client
from specter_graph.service.job_records import MapJob
from tests.service.small_service import BAD, FLAVOR, GLUE, HALO, JETS, STUB


def serve(environment, *options):
    """Start a service; yield the process, and its address when it answers."""
    command = [sys.executable, "-m", "specter_graph", "serve", "--port", "0", *options]
    piped = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    hung_up = partial(signal.signal, signal.SIGHUP, signal.SIG_DFL)  # nohup may ignore it
    process = subprocess.Popen(command, env=environment, text=True, preexec_fn=hung_up, **piped)
    address = process.stdout.readline().strip()
    while True:
        try:
            httpx.get(f"{address}/v1/healthz/live")
            return process, address
        except httpx.TransportError:
            assert process.poll() is None, process.stderr.read()
            time.sleep(0.1)


def await_metric(address, pattern):
    """Wait until a line of the metrics of a service matches a pattern."""
    give_up = time.monotonic() + 120
    while not re.search(pattern, httpx.get(f"{address}/v1/metrics").text, re.MULTILINE):
        assert time.monotonic() < give_up
        time.sleep(0.1)


@pytest.fixture(scope="module")
def served(small, surroundings, tmp_path_factory):
    """Start one process for all tests; the last test stops it."""
    environment = surroundings | {"SPECTER_GRAPH_DATA": str(tmp_path_factory.mktemp("data"))}
    process, address = serve(environment, "--allow-cypher", "--allow-jobs")
    yield process, address
    process.kill()


def test_the_service_searches_once_before_its_first_user(served):
    await_metric(served[1], r"^specter_graph_texts_total 1\.0$")


def test_the_client_gives_models_and_raises_our_errors(served, small):
    with Client(served[1], timeout=120) as papers:
        assert not papers.search("gluon jet", mode="text", k=1).hits[0].distance
        result = papers.search("gluon jet", k=3, until=2003)
        expected = small.search("gluon jet", k=3, until=2003)
        assert [each.id for each in result] == [each.id for each in expected]
        page = papers.search("gluon jet", k=1, offset=1, until=2003)
        assert [each.id for each in page] == [expected[1].id]
        [best] = papers.search("gluon jet", k=3, min_score=expected[0].score)
        assert best.id == expected[0].id
        assert papers.paper(BAD).id == BAD
        assert [each.id for each in papers.similar(JETS)][:5] == [
            each.id for each in small.similar(JETS)
        ]
        assert {each.id for each in papers.citations(JETS)} == {HALO, FLAVOR, BAD}
        assert papers.paths(HALO, GLUE)[0].ids == [HALO, JETS, GLUE]
        assert papers.compare(FLAVOR, JETS).a_cites_b
        assert len(papers.neighborhood(HALO).papers) == 2
        assert papers.author("a/bob").papers == 2
        missing = papers.missing_references("gluon jet", cites=[GLUE], until=2001)
        expected = small.missing_references("gluon jet", cites=[GLUE], until=2001)
        assert [each.id for each in missing] == [each.id for each in expected.hits] != []
        assert papers.stats() == small.stats()
        assert [space.name for space in papers.spaces()] == [
            space.name for space in small.spaces.list()
        ]
        assert papers.explore([HALO, JETS], k=3).seeds == [HALO, JETS]
        query = "MATCH (:Paper {id: $id})<-[:CITES]-(p) RETURN count(p) AS n"
        counted = papers.cypher(query, {"id": JETS})
        assert (counted.columns, counted.rows) == (["n"], [[3]])
        assert papers.query("missing_references", id=FLAVOR).columns[0] == "id"
        assert [each.id for each in papers.references(GLUE)] == [STUB]
        with pytest.raises(GraphError, match="there is no paper 'nobody'"):
            papers.paper("nobody")
        with pytest.raises(GraphError, match="there is no paper 'nobody'"):
            list(papers.citations("nobody"))
        with pytest.raises(GraphError, match="there is no paper 'a/similar'"):
            papers.paper("a/similar")
        with pytest.raises(InputError, match="the same"):
            papers.compare(JETS, JETS)
        with pytest.raises(InputError, match="k: Input should be less than or equal to 200"):
            papers.missing_references("gluon jet", k=1_000)
        with pytest.raises(InputError, match="give either a text or submissions"):
            papers.reviewers("V")
        query = {"ids": [HALO, FLAVOR], "k": 2}
        rows = small.query("more_like_these", query)
        assert papers.query("more_like_these", **query).rows == [[*row.values()] for row in rows]
        for ids in (iter(query["ids"]), numpy.array(query["ids"])):
            assert len(papers.query("more_like_these", ids=ids, k=2).rows) == len(rows)
        for call in (papers.paper, papers.similar, papers.author, papers.job, papers.query):
            with pytest.raises(InputError, match="id is a CitedPaper, not a text") as caught:
                call(next(papers.references(GLUE)))
            assert caught.value.hint == "give its attribute id"
        with pytest.raises(InputError, match="text is a list, not a text"):
            papers.search(["gluon", "jet"])


def test_a_search_may_have_ten_thousand_characters_of_any_script(served):
    words = "\U0002070e" * 10_000
    for path in ("/v1/search?q=", "/?q="):
        connection = HTTPConnection(served[1].removeprefix("http://"), timeout=60)
        connection.request("GET", path + quote(words))
        assert connection.getresponse().status == 200
        connection.close()
    with Client(served[1]) as papers, pytest.raises(InputError, match="too long"):
        papers.search(words)


@pytest.mark.parametrize("end", ["/", "/v1", "/v1/"])
def test_the_address_of_a_client_may_end_in_a_slash_or_the_version(served, end):
    papers = Client(served[1] + end)
    assert papers.paper(BAD).id == BAD
    papers.close()


def test_an_address_without_a_scheme_is_an_error():
    with pytest.raises(InputError, match="'localhost:8000' is not the address of a service"):
        Client("localhost:8000")


def test_the_client_starts_and_cancels_jobs(served):
    with Client(served[1]) as papers:
        started = papers.start(MapJob(kind="map", space="specter"))
        waiting = papers.start(MapJob(kind="map", space="other"))
        assert [each.id for each in papers.jobs()] == [waiting.id, started.id]
        assert papers.cancel(waiting.id).state == "cancelled"
        papers.cancel(started.id)
        assert papers.job(started.id).state == "cancelled"
        with pytest.raises(GraphError, match="there is no job"):
            papers.job("none")
        with pytest.raises(GraphError, match="the graph has no venue"):
            papers.reviewers("V", "gluon jet")


def test_a_taken_port_is_an_error():
    with listen("127.0.0.1", 0) as taken, pytest.raises(InputError, match="cannot listen on"):
        listen("127.0.0.1", taken.getsockname()[1])


def test_answers_are_sent_without_delay():
    with listen("127.0.0.1", 0) as at, socket.create_connection(at.getsockname()):
        accepted, _ = at.accept()
        with accepted:
            # On this condition, asyncio sets TCP_NODELAY.
            assert accepted.proto == socket.IPPROTO_TCP


def test_an_incomplete_upload_starts_no_job(served):
    port = int(served[1].rpartition(":")[2])
    body = b'{"kind": "map", "space": "specter"}'
    head = (
        f"POST /v1/jobs HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {len(body) + 1}\r\n"
    )
    with Client(served[1], timeout=120) as papers:
        before = [job.id for job in papers.jobs()]
        with socket.create_connection(("127.0.0.1", port)) as asking:
            asking.sendall(f"{head}Content-Type: application/json\r\n\r\n".encode() + body)
        await_metric(served[1], r'^specter_graph_requests.*"POST",route="/v1/jobs",status="400"')
        assert [job.id for job in papers.jobs()] == before
        papers.cancel(papers.start(MapJob(kind="map", space="specter")).id)
        assert len(papers.jobs()) == len(before) + 1  # a complete upload would start a job


@pytest.mark.parametrize(
    "path", ["/", "/v1/healthz/live", f"/v1/papers/{JETS}", "/static/icon.svg"]
)
def test_head_returns_the_headers_of_get(served, path):
    with httpx.Client(base_url=served[1]) as client:
        head, get = client.head(path), client.get(path)
    assert (head.status_code, head.content) == (200, b"")
    assert {**head.headers, "date": ""} == {**get.headers, "date": ""}


@pytest.mark.parametrize(("origin", "status"), [("", 413), ("Origin: http://evil\r\n", 403)])
def test_a_rejected_upload_gets_its_response_as_behind_nginx(served, origin, status):
    """By default, nginx closes each connection after one request, and sends the body at once."""
    size = 5_000_000
    head = "POST /v1/missing-references HTTP/1.0\r\nHost: localhost\r\nConnection: close\r\n"
    with socket.create_connection(("127.0.0.1", int(served[1].rpartition(":")[2]))) as asking:
        asking.sendall(f"{head}{origin}Content-Length: {size}\r\n\r\n".encode())
        time.sleep(0.3)
        asking.sendall(b"x" * size)
        assert asking.recv(100).split()[1] == str(status).encode()


def test_a_client_without_a_service_raises_our_error():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
    with Client(address) as papers, pytest.raises(ServerError, match="does not answer"):
        papers.jobs()


def test_an_address_of_another_machine_is_an_error_that_names_the_option():
    with pytest.raises(InputError, match=r"cannot listen on 192\.0\.2\.1:0") as refused:
        listen("192.0.2.1", 0)
    assert "another host" in refused.value.hint


def test_running_requests_are_answered_before_the_service_stops(served):
    process, address = served
    client = httpx.Client(base_url=address, timeout=120)
    assert client.get(f"/v1/papers/{JETS}").json()["id"] == JETS  # the connection remains open
    responses = []
    slow = {"query": "UNWIND range(1, 5000) AS a UNWIND range(1, 5000) AS b RETURN sum(a * b) AS s"}

    def wait():
        responses.append(client.post("/v1/cypher", json=slow).status_code)

    asking = threading.Thread(target=wait)
    asking.start()
    await_metric(address, r"^specter_graph_working 1\.0$")
    process.send_signal(signal.SIGHUP)  # which raises SIGTERM
    asking.join()
    assert responses[0] in (200, 504)  # the result of the database, or a timeout
    assert process.wait(20) == 0
    assert process.stderr.read() == ""


def test_a_killed_local_server_is_started_again_and_no_request_waits_for_it(small, local_instance):
    """10 s at 10 requests per second; Neo4j is killed after 2 s: see bench/service_kill.py."""
    folders = {
        "SPECTER_GRAPH_DATA": str(local_instance.data_dir),
        "SPECTER_GRAPH_CACHE": str(local_instance.cache_dir),
    }
    process, address = serve(os.environ | folders, "--instance", local_instance.name)
    responses, seconds = [], []

    def ask_one():
        began_at = time.monotonic()
        responses.append(client.get(f"/v1/papers/{JETS}/similar"))
        seconds.append(time.monotonic() - began_at)

    try:
        with httpx.Client(base_url=address, timeout=60) as client, ThreadPoolExecutor(50) as pool:
            for _ in range(20):  # warms the service
                ask_one()
            server = psutil.Process(local_instance.status().pid)
            for number in range(100):
                pool.submit(ask_one)
                if number == 20:
                    server.kill()
                if number == 40:
                    ready = client.get("/v1/healthz/ready")
                    assert (ready.status_code, ready.json()["ready"]) == (503, False)
                time.sleep(0.1)
            give_up = time.monotonic() + 240
            while client.get("/v1/healthz/ready").status_code == 503:
                assert time.monotonic() < give_up
                time.sleep(0.5)
            for _ in range(10):
                ask_one()
    finally:
        process.kill()
        local_instance.up(keep=False)
    refused = [each for each in responses if each.status_code != 200]
    assert {each.status_code for each in refused} == {503}
    assert all(each.headers["retry-after"] for each in refused)
    assert {each.status_code for each in responses[-10:]} == {200}
    assert sorted(seconds)[len(seconds) * 9 // 10] < 3
