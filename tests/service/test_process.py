"""`specter-graph serve` as a process: it answers, takes its time to stop, and then ends."""

import os
import signal
import subprocess
import sys
import threading
import time

import httpx
import pytest

from specter_graph.errors import InputError
from specter_graph.service.serving import listen
from tests.service.conftest import JETS


@pytest.fixture
def served(small, local_instance, tmp_path):
    with local_instance.lease() as endpoint:
        environment = os.environ | {
            "NEO4J_URI": endpoint.uri,
            "NEO4J_USERNAME": endpoint.username,
            "NEO4J_PASSWORD": endpoint.password,
            "SPECTER_GRAPH_DATA": str(tmp_path),
        }
        command = [sys.executable, "-m", "specter_graph", "serve", "--port", "0", "--allow-cypher"]
        process = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)
        address = process.stdout.readline().strip()
        while True:
            try:
                httpx.get(f"{address}/v1/healthz/live")
                break
            except httpx.ConnectError:
                time.sleep(0.1)
        yield process, address
        process.kill()


def test_what_is_being_answered_when_it_is_told_to_stop_is_answered(served):
    process, address = served
    assert httpx.get(f"{address}/v1/papers/{JETS}", timeout=30).json()["id"] == JETS
    answers = []
    slow = {"query": "UNWIND range(1, 5000) AS a UNWIND range(1, 5000) AS b RETURN sum(a * b) AS s"}

    def wait():
        answers.append(httpx.post(f"{address}/v1/cypher", json=slow, timeout=30).status_code)

    asking = threading.Thread(target=wait)
    asking.start()
    time.sleep(0.3)
    process.send_signal(signal.SIGTERM)
    asking.join()
    assert answers[0] in (200, 504)  # the answer of the database, or that it took too long
    assert process.wait(20) == 0


def test_a_port_that_is_taken_is_said_to_be():
    with listen("127.0.0.1", 0) as taken, pytest.raises(InputError, match="cannot be listened on"):
        listen("127.0.0.1", taken.getsockname()[1])
