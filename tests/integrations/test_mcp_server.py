"""Test the MCP server with the client of the SDK."""

import asyncio
import json
import os
import signal
import subprocess
import sys
import time
from importlib.metadata import version

import httpx
import pytest
from mcp import Client, StdioServerParameters, stdio_client

from specter_graph.graph.search.search_filters import FilterOptions
from specter_graph.integrations import mcp_server
from specter_graph.integrations.mcp_server import MAX_ROWS, build_server
from tests.integrations.small_graph import holds_no_vector
from tests.servers import TcpProxy

PROGRAM = "from specter_graph.cli.serving import mcp; mcp()"
CALLS = {
    "similar": ("similar", {"id": "jets", "k": 3}),
    "paper": ("paper", {"id": "jets"}),
    "path": ("path", {"start": "halo", "end": "glue"}),
    "missing": ("missing_references", {"id": "flavor", "k": 3}),
    "missing of references": ("missing_references", {"cites": ["glue"], "until": 2002}),
    "nothing given": ("missing_references", {}),
    "unknown paper": ("paper", {"id": "jet"}),
    "nothing similar": ("paper", {"id": "zzzzzzzz"}),
    "no parameter": ("cypher", {"text": "RETURN $id"}),
    "no index": (
        "cypher",
        {
            "text": "{{3 nearest to $vector in $space}} RETURN near",
            "parameters": {"vector": [1], "space": "unknown"},
        },
    ),
    "unknown space": ("similar", {"id": "jets", "space": "base"}),
    "schema": ("schema", {}),
    "cypher": (
        "cypher",
        {"text": "MATCH (p:Paper {id: $id}) RETURN p", "parameters": {"id": "jets"}},
    ),
    "write": ("cypher", {"text": "CREATE (:Paper)"}),
    "file": ("cypher", {"text": "LOAD CSV FROM 'file:///etc/passwd' AS row RETURN row"}),
    "since": ("similar", {"id": "jets", "since": 2003}),
    "author": ("similar", {"id": "jets", "author": "Author of flavor"}),
    "next page": ("similar", {"id": "jets", "k": 2, "offset": 2}),
    "unknown argument": ("similar", {"id": "jets", "limit": 3}),
    "too many": ("search", {"text": "jet", "k": MAX_ROWS + 1}),
}
TEXTS = {
    "search an unknown space": ("search", {"text": "jet", "space": "base"}),
    "search": ("search", {"text": "gluon jet", "k": 2}),
    "match": ("match", {"text": "gluon jet", "k": 3}),
}


async def ask(server, calls):
    async with Client(server) as client:
        tools = (await client.list_tools()).tools
        responses = {
            name: await client.call_tool(tool, arguments)
            for name, (tool, arguments) in calls.items()
        }
        return client.instructions, tools, responses


@pytest.fixture(scope="module")
def served(small, server_variables):
    """Call one server over stdio; calls that load a model use a server in this process."""
    command = StdioServerParameters(
        command=sys.executable,
        args=["-c", PROGRAM],
        env=server_variables | {"PYTHONPATH": os.pathsep.join(sys.path)},
    )
    instructions, tools, responses = asyncio.run(ask(stdio_client(command), CALLS))
    _, _, of_texts = asyncio.run(ask(build_server(small), TEXTS))
    return instructions, tools, responses | of_texts


def rows(served, name):
    answer = served[2][name]
    assert not answer.is_error, answer.content
    return answer.structured_content["result"]


def test_the_tools_have_names_and_descriptions_and_only_read(served):
    instructions, tools, _ = served
    assert "other, specter" in instructions
    assert "specter-graph spaces list" in instructions
    assert {tool.name for tool in tools} == {tool for tool, _ in (CALLS | TEXTS).values()}
    assert all(tool.description and tool.annotations.read_only_hint for tool in tools)
    assert not any(tool.input_schema["additionalProperties"] for tool in tools)


def test_search_and_similar_give_what_the_graph_gives(served, small):
    answer = served[2]["search"].structured_content
    hits = small.search("gluon jet", k=2)
    assert [row["id"] for row in answer["hits"]] == [hit.id for hit in hits]
    assert answer["hits"][0]["reasons"] == [reason.text for reason in hits[0].reasons]
    assert answer["hits"][0]["authors"] == [*hits[0].authors]
    assert (answer["authors"], answer["did_you_mean"], answer["notes"]) == ([], None, [])
    near = served[2]["similar"].structured_content
    assert [row["id"] for row in near["hits"]] == [hit.id for hit in small.similar("jets", k=3)]
    assert near["hits"][0]["authors"]
    assert near["next_offset"] == 3


def test_hits_are_filtered_and_come_in_pages(served, small):
    since = served[2]["since"].structured_content
    assert {row["id"] for row in since["hits"]} == {"flavor", "evil"}
    assert since["next_offset"] is None
    by_author = served[2]["author"].structured_content
    assert [row["id"] for row in by_author["hits"]] == ["flavor"]
    page = served[2]["next page"].structured_content
    assert [row["id"] for row in page["hits"]] == [hit.id for hit in small.similar("jets")][2:4]


def test_search_and_similar_have_all_filters_of_the_library_except_excluded_papers(served):
    names = {*FilterOptions.__annotations__} - {"exclude"}
    tools = {tool.name: {*tool.input_schema["properties"]} for tool in served[1]}
    assert tools["search"] - {"text", "k", "offset", "space"} == names
    assert tools["similar"] - {"id", "k", "offset", "space"} == names


def test_a_response_has_a_budget_of_tokens(small, monkeypatch):
    calls = {"similar": CALLS["similar"], "missing": ("missing_references", {"id": "flavor"})}
    _, _, complete = asyncio.run(ask(build_server(small), calls))
    size = {name: len(answer.content[0].text) // 4 for name, answer in complete.items()}
    assert len(complete["similar"].structured_content["hits"]) == 3
    assert "null" not in complete["similar"].content[0].text
    assert not complete["missing"].structured_content["is_truncated"]
    monkeypatch.setattr(mcp_server, "MAX_TOKENS", min(size.values()) - 40)
    _, _, responses = asyncio.run(ask(build_server(small), calls))
    page = responses["similar"].structured_content
    assert (len(page["hits"]), page["next_offset"]) == (2, 2)
    assert responses["missing"].structured_content["is_truncated"]


def test_a_paper_has_no_path_to_itself(small):
    calls = {"path": ("path", {"start": "jets", "end": "jets"})}
    _, _, responses = asyncio.run(ask(build_server(small), calls))
    assert json.loads(responses["path"].content[0].text) == {"result": []}


def test_a_tool_reports_a_database_that_does_not_answer_and_works_again_afterwards(
    server_variables,
):
    proxy = TcpProxy(server_variables["NEO4J_URI"])

    async def ask_through_proxy():
        command = StdioServerParameters(
            command=sys.executable,
            args=["-c", PROGRAM],
            env=server_variables
            | {"PYTHONPATH": os.pathsep.join(sys.path), "NEO4J_URI": proxy.uri},
        )
        async with Client(stdio_client(command)) as client:
            before = await client.call_tool("schema", {})
            proxy.close()
            began = time.monotonic()
            without = await client.call_tool("schema", {})
            seconds = time.monotonic() - began
            proxy.open(proxy.port)
            return before, without, seconds, await client.call_tool("schema", {})

    before, without, seconds, after = asyncio.run(ask_through_proxy())
    assert without.is_error
    assert "the database does not answer" in without.content[0].text
    assert seconds < 10  # the driver itself would try for 30 seconds
    assert after.structured_content == before.structured_content
    proxy.close()


def test_ctrl_c_stops_the_server_while_it_waits_for_a_message(server_variables):
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env=server_variables | {"PYTHONPATH": os.pathsep.join(sys.path)},
    ) as process:
        given = {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "a client", "version": "1"},
        }
        message = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": given}
        try:
            process.stdin.write(json.dumps(message) + "\n")
            process.stdin.flush()
            process.stdout.readline()
            process.send_signal(signal.SIGINT)
            assert process.wait(10) == -signal.SIGINT
        finally:
            process.kill()


def test_cypher_reads_without_vectors_and_changes_nothing(served):
    [row] = served[2]["cypher"].structured_content["rows"]
    assert row["p"]["properties"]["title"] == "the quark and gluon jet"
    assert row["p"]["properties"]["specter"] == "32 numbers"
    for name in ("write", "file"):
        assert served[2][name].is_error


def test_the_schema_names_labels_and_relationships(served):
    answer = served[2]["schema"].structured_content
    rows = {row["name"]: row for row in answer["schema"]}
    assert {"id", "title", "specter"} <= {*rows["Paper"]["properties"]}
    assert "(Paper)->(Paper)" in rows["CITES"]["between"]
    assert answer["spaces"] == ["other", "specter"]


def test_http_needs_a_key(small, server_variables, tmp_path):
    from specter_graph.service.auth import add_key

    key = add_key(tmp_path, "model")
    own = {"PYTHONPATH": os.pathsep.join(sys.path), "SPECTER_GRAPH_DATA": str(tmp_path)}
    command = [sys.executable, "-c", PROGRAM, "--http", "--port", "0", "--require-key"]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, text=True, env=os.environ | server_variables | own
    ) as process:
        try:
            address = process.stdout.readline().strip()
            call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
            headers = {"Accept": "application/json, text/event-stream"}
            assert httpx.post(address, json=call, headers=headers).status_code == 401
            headers["Authorization"] = f"Bearer {key}"
            answer = httpx.post(address, json=call, headers=headers)
            assert answer.status_code == 200, answer.text
            assert "missing_references" in answer.text
        finally:
            process.terminate()


def test_the_server_names_its_version(small):
    async def version_of(server):
        async with Client(server) as client:
            return client.server_info.version

    assert asyncio.run(version_of(build_server(small))) == version("specter-graph")


def test_a_paper_comes_with_its_authors_and_citations(served):
    paper = served[2]["paper"].structured_content
    assert (paper["title"], paper["authors"]) == ("the quark and gluon jet", ["Author of jets"])
    assert [each["id"] for each in paper["cited_by"]] == ["evil", "flavor", "halo"]
    assert (paper["references"], paper["citations"]) == (1, 3)


def test_a_path_follows_citations(served):
    assert rows(served, "path")[0]["ids"] == ["halo", "jets", "glue"]


def test_missing_references_are_those_of_the_graph_with_reasons(served, small):
    answer = served[2]["missing"].structured_content
    result = small.missing_references(id="flavor", k=3)
    assert [row["id"] for row in answer["hits"]] == [hit.id for hit in result.hits] != []
    assert "jets" not in {row["id"] for row in answer["hits"]}  # the draft cites it
    assert all(isinstance(each, str) for row in answer["hits"] for each in row["reasons"])
    of_references = served[2]["missing of references"].structured_content
    assert "jets" in {row["id"] for row in of_references["hits"]}


def test_match_finds_authors(served):
    assert {row["id"] for row in rows(served, "match")} <= {
        f"a-{each}" for each in ("jets", "glue", "halo", "flavor", "evil")
    }
    assert len(rows(served, "match")) == 3


def test_no_response_has_a_vector(served):
    for name, answer in served[2].items():
        if not answer.is_error and name not in ("schema", "cypher"):
            assert holds_no_vector(json.dumps(answer.structured_content)), name


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("unknown paper", "there is no paper 'jet'; try: use one of the similar ids: jets"),
        ("nothing similar", "try: find its id: specter-graph search TITLE"),
        ("no parameter", "Expected parameter(s): id; try: give it in `parameters`"),
        ("no index", "list the embedding spaces: specter-graph spaces list; if"),
        ("unknown space", "there is no embedding space 'base'; there are other, specter; try: "),
        (
            "search an unknown space",
            "there is no embedding space 'base'; there are other, specter; try: ",
        ),
        ("unknown argument", "limit\n  Extra inputs are not permitted"),
        ("too many", "less than or equal to 100"),
        ("nothing given", "the draft has no text, paper id or references; try: give a text"),
    ],
)
def test_an_invalid_request_is_an_error_that_states_what_to_do(served, name, message):
    answer = served[2][name]
    assert answer.is_error
    assert message in answer.content[0].text


def test_a_tool_that_takes_too_long_is_stopped(small, monkeypatch):
    monkeypatch.setattr(type(small), "similar", lambda *_, **__: time.sleep(1))
    server = build_server(small, timeout=0.1)
    _, _, responses = asyncio.run(ask(server, {"similar": CALLS["similar"]}))
    assert "no answer within 0.1 seconds" in responses["similar"].content[0].text


def test_rows_are_limited(small, monkeypatch):
    monkeypatch.setattr(mcp_server, "MAX_ROWS", 1)
    server = build_server(small)
    _, _, responses = asyncio.run(ask(server, {"match": TEXTS["match"]}))
    assert len(responses["match"].structured_content["result"]) == 1
