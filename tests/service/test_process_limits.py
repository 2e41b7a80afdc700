"""Small requests with large results end at limits of memory and time; others are not affected."""

import signal
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from specter_graph import uploads
from specter_graph.core.errors import InputError
from specter_graph.core.limited_processes import LimitedProcesses
from specter_graph.service.job_queue import JobQueue
from tests.service.small_service import GLUE, JETS, ask

MIB = 2**20
SECONDS = 3.0


@pytest.fixture(scope="module")
def limited():
    processes = LimitedProcesses()
    yield processes
    processes.close()


@pytest.fixture(scope="module")
def open_to_cypher(small):
    with ask(small, allow_cypher=True, timeout=SECONDS) as client:
        yield client


def test_a_call_beyond_the_limits_ends_and_the_next_one_is_answered(limited):
    with pytest.raises(MemoryError):
        limited.run("builtins:bytes", 1_000 * MIB, timeout=10)
    started = time.monotonic()
    with pytest.raises(TimeoutError):
        limited.run("time:sleep", 60, timeout=0.3)
    assert time.monotonic() - started < 10
    with pytest.raises(RuntimeError, match="builtins:int failed"):
        limited.run("builtins:int", "x", timeout=10)
    with pytest.raises(MemoryError):  # as an allocator that aborts the process
        limited.run("os:abort", timeout=10)
    assert limited.run("builtins:bytes", 3, timeout=10) == b"\0\0\0"


def test_no_part_of_a_result_is_returned(limited):
    complete = 0
    for step in range(1, 200):  # until the time is enough
        with suppress(TimeoutError):
            assert len(limited.run("builtins:bytes", 100 * MIB, timeout=0.01 * step)) == 100 * MIB
            complete += 1
        if complete == 5:
            return


def test_a_killed_fork_server_is_started_again(limited):
    limited.start()
    server = psutil.Process(limited._server.pid)
    server.send_signal(signal.SIGKILL)
    server.wait()
    assert limited.run("builtins:bytes", 1, timeout=10) == b"\0"


def test_limited_processes_have_no_password(limited, monkeypatch):
    monkeypatch.setenv("NEO4J_PASSWORD", "secret")
    monkeypatch.setenv("OPENALEX_API_KEY", "secret")
    limited.close()
    limited.start()
    environment = psutil.Process(limited._server.pid).environ()
    assert "secret" not in environment.values()


def test_an_error_of_a_call_is_raised_in_the_service(limited, tmp_path):
    file = tmp_path / "list.bib"
    file.write_text("@article{a, title={one}}\n@article{b, title={two}}")
    with pytest.raises(InputError, match="more than 1 entries"):
        limited.run("specter_graph.uploads:entries_as_json", str(file), "bibtex", 1, timeout=20)


def of_strings(levels: int) -> bytes:
    """Return a .bib whose abbreviations repeat the previous one ten times; 9 levels give 10^9."""
    texts = ['@string{a1 = "aaaaaaaaaa"}']
    texts += [
        f"@string{{a{level} = {' # '.join(10 * [f'a{level - 1}'])}}}"
        for level in range(2, levels + 1)
    ]
    return "\n".join([*texts, f"@article{{x, title=a{levels}}}\n"]).encode()


def post_bibliography(client, content):
    return client.post("/v1/missing-references/bibliography", files={"file": ("x.bib", content)})


def test_nested_abbreviations_use_no_memory_of_the_service(client):
    before = psutil.Process().memory_info().rss
    for levels in (7, 9):
        started = time.monotonic()
        assert post_bibliography(client, of_strings(levels)).status_code in (400, 404, 422)
        assert time.monotonic() - started < 20
    assert psutil.Process().memory_info().rss - before < 100 * MIB
    entry = b"@article{x, title={the quark and gluon jet}}"
    assert post_bibliography(client, entry).json()["matched"] == [JETS]


def test_a_bibliography_that_needs_too_much_memory_is_refused(client, monkeypatch):
    monkeypatch.setattr(uploads, "MEMORY", 4 * MIB)
    many = b"".join(b"@article{x%d, title={%s}}\n" % (n, 2_000 * b"t") for n in range(900))
    refused = post_bibliography(client, many)
    assert refused.status_code == 422
    assert refused.json()["detail"] == "the file needs more than 4 MiB of memory to be read"
    page = client.post("/missing", files={"file": ("x.bib", many)})
    assert (page.status_code, "more than 4 MiB" in page.text) == (422, True)


def test_a_list_of_a_venue_is_read_within_limits(small, tmp_path, monkeypatch):
    jobs = JobQueue(tmp_path, None)
    lists = {
        "submissions": ("s.csv", b"id,title\ns1,gluon jet\n"),
        "reviewers": ("r.csv", b"id\na/bob\n" + b"".join(b"a/%d\n" % n for n in range(300_000))),
    }
    with ask(small, jobs, data_folder=tmp_path) as client:
        monkeypatch.setattr(uploads, "MEMORY", 0)
        monkeypatch.setattr(uploads, "_LIST_MEMORY", 1)
        refused = client.post("/v1/jobs/match", data={"venue": "V"}, files=lists)
        assert refused.status_code == 422, refused.text
        assert "of memory to be read" in refused.json()["detail"]
        monkeypatch.undo()
        lists["reviewers"] = ("r.csv", b"name\nBob\n")
        wrong = client.post("/v1/jobs/match", data={"venue": "V"}, files=lists)
        assert wrong.status_code == 400
        assert str(Path("/tmp")) not in wrong.json()["detail"]
        assert client.get("/v1/jobs").json() == []


@pytest.mark.parametrize(
    "query",
    [
        "UNWIND range(1, 9) AS i RETURN gds.graph.project('g1', i, i + 1)",
        "MATCH (a:Paper)-[:CITES]->(b) RETURN gds.graph.project('leak', a, b)",
        "MATCH (a:Paper)-[:CITES]->(b) RETURN GDS . /* x */ graph\n.`project`('leak', a, b)",
        "MATCH (a:Paper)-[:CITES]->(b) RETURN `gds`.graph.project('leak', a, b)",
        "MATCH (a:Paper)-[:CITES]->(b) RETURN `gds.graph.project`('leak', a, b)",
        "MATCH (a:Paper) RETURN CASE WHEN rand() < 2 THEN COLLECT { MATCH (a)-[:CITES]->(b)"
        " RETURN gds\u2003.graph.project('leak', a, b) } END AS x",
        "RETURN gds.version()",
        "CALL gds.graph.list() YIELD graphName RETURN graphName",
        "CALL`gds`.graph.list() YIELD graphName RETURN graphName",
    ],
)
def test_custom_cypher_cannot_call_gds(open_to_cypher, small, query):
    refused = open_to_cypher.post("/v1/cypher", json={"query": query})
    assert refused.status_code == 400, refused.text
    listed = small.database.read("CALL gds.graph.list() YIELD graphName RETURN graphName")
    assert listed == []


def test_strings_and_comments_may_contain_gds(open_to_cypher):
    query = "RETURN 'gds.graph.project' AS a, \"gds.x\" AS gds // gds.graph"
    assert open_to_cypher.post("/v1/cypher", json={"query": query}).status_code == 200


def test_custom_cypher_with_deep_brackets_holds_no_slot(open_to_cypher):
    deep = {"query": f"RETURN {700 * '('}1{700 * ')'}"}
    started = time.monotonic()
    with ThreadPoolExecutor(8) as pool:
        answers = [pool.submit(open_to_cypher.post, "/v1/cypher", json=deep) for _ in range(8)]
        assert [each.result().status_code for each in answers] == 8 * [400]
    assert open_to_cypher.get(f"/v1/papers/{GLUE}").status_code == 200
    assert time.monotonic() - started < 10
    shallow = {"query": f"RETURN {50 * '('}'{60 * '('}'{50 * ')'} AS text"}
    assert open_to_cypher.post("/v1/cypher", json=shallow).status_code == 200


def test_custom_cypher_has_a_maximum_length(open_to_cypher):
    long = {"query": f"RETURN 1 // {20_000 * 'x'}"}
    assert open_to_cypher.post("/v1/cypher", json=long).status_code == 400


def test_custom_cypher_without_a_response_of_the_server_ends(open_to_cypher):
    never = {"query": f"RETURN {4_900 * 'NOT '}true AS x"}
    started = time.monotonic()
    answer = open_to_cypher.post("/v1/cypher", json=never)
    assert answer.status_code in (400, 504), answer.text
    assert time.monotonic() - started < SECONDS + 10


@pytest.mark.parametrize(
    ("query", "statuses"),
    [
        ("RETURN range(1, 20000000) AS x", {400, 504}),
        ("UNWIND range(1, 1000) AS x RETURN range(1, 20000) AS y", {200, 504}),
        ("RETURN [i IN range(1, 3000000) | [i, i, i, i, i]] AS x", {400, 504}),
        ("RETURN reduce(s = 'xxxxxxxxxx', i IN range(1, 23) | s + s) AS x", {200, 400, 504}),
    ],
)
def test_custom_cypher_returns_no_large_response(open_to_cypher, query, statuses):
    before = psutil.Process().memory_info().rss
    started = time.monotonic()
    answer = open_to_cypher.post("/v1/cypher", json={"query": query})
    assert answer.status_code in statuses, answer.text[:1_000]
    assert time.monotonic() - started < SECONDS + 10
    assert len(answer.content) < 11 * MIB
    if answer.status_code == 200:
        assert answer.json()["is_truncated"]
    assert psutil.Process().memory_info().rss - before < 100 * MIB
