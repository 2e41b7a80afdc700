"""Test who has access, and that other sites and users without keys have none."""

import re
import stat
from base64 import b64encode
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlencode

import pytest
from click.testing import CliRunner
from fastapi import APIRouter
from fastapi.routing import APIRoute

from specter_graph.cli.serving import keys as keys_command
from specter_graph.cli.serving import serve
from specter_graph.core.errors import InputError
from specter_graph.service.auth import add_key, delete_key, hash_key, read_keys
from specter_graph.service.job_queue import JobQueue
from specter_graph.service.service_settings import UsageLogSettings
from tests.service.small_service import BAD, EVIL, JETS, ask

VALUES = {"id": "hep-ph/9901001", "name": "missing_references", "q": "gluon", "venue": "V",
          "a": "alone", "b": "hep-ph/9901001", "from": "hep-ph/9901001", "to": "alone",
          "kind": "rss"}  # fmt: skip
"""Values of parameters while another parameter is tested."""
HOSTILE = [
    "x' OR 1=1 RETURN 1 // specter`) MATCH (n) DETACH DELETE n //<script>alert(1)</script>",
    '") OR title:*%00..%2F..%2F..%2Fetc%2Fpasswd',
    "9" * 400,
    "%F0%9F%92%A9%ED%A0%80",
]


def every_route(service) -> list[tuple[str, str, APIRoute]]:
    """Return the methods and paths of all routes of a service."""
    every = []
    for included in service.routes.routes:
        if isinstance(router := getattr(included, "original_router", None), APIRouter):
            prefix = included.include_context.prefix
            every += [(min(each.methods), prefix + each.path, each) for each in router.routes]
    return every


def own_of(route: APIRoute) -> list[str]:
    """Return the names of a route's query parameters, as a caller writes them."""
    result, left = [], [route.dependant]
    while left:
        dependant = left.pop()
        result += [each.alias for each in dependant.query_params]
        left += dependant.dependencies
    return result


def addresses(service):
    """Return an address for each parameter of every GET route, with {} in place of the value."""
    for method, path, route in every_route(service):
        if method != "GET":
            continue
        parts = re.findall(r"{(\w+)(?::path)?}", path)
        own = own_of(route)
        for tried in [*parts, *own]:
            filled = re.sub(
                r"{(\w+)(?::path)?}",
                lambda part, tried=tried: "{}" if part[1] == tried else VALUES[part[1]],
                path,
            )
            required = {each: VALUES[each] for each in own if each in VALUES and each != tried}
            more = urlencode(required) + (f"&{tried}={{}}" if tried in own else "")
            yield f"{filled}?{more}"


@pytest.fixture(scope="module")
def full(small, surroundings, tmp_path_factory):
    """Return a service with all options."""
    folder = tmp_path_factory.mktemp("data")
    jobs = JobQueue(folder, None, surroundings)
    usage_log = UsageLogSettings(folder / "use.jsonl", swap_rate=0.5, interleave="other")
    with ask(small, jobs, allow_cypher=True, data_folder=folder, usage_log=usage_log) as client:
        yield client


def test_parameters_are_values_and_never_code(full, small):
    before, tried = small.stats(), [*addresses(full.app)]
    assert len(tried) > 60
    for number, address in enumerate(tried):
        for value in (HOSTILE[0], HOSTILE[1 + number % 3]):
            answer = full.get(address.format(value))
            assert answer.status_code in (200, 400, 404, 422), (address, value, answer.text)
            assert "root:" not in answer.text, address
            kind = answer.headers["content-type"]
            assert "<script>alert" not in answer.text or "json" in kind, address
            assert "Traceback" not in answer.text, address
    assert small.stats() == before


def test_no_value_of_a_form_is_an_internal_error(full, small):
    before, tried = small.stats(), 0
    for method, path, route in every_route(full.app):
        for field in route.dependant.body_params if method == "POST" else ():
            model = getattr(field.field_info.annotation, "model_fields", {field.alias: field})
            for name in model:
                tried += 1
                file = {name: ("~Ann_Smith1.jsonl", b"\x00\xff")}
                address = path.format(id="none", venue="none")
                for answer in (
                    full.post(address, files=file),
                    full.post(address, data={name: "\0\ud7ff" * 4_000}),
                    full.post(address, content=b"\x00\xff"),
                ):
                    assert answer.status_code in (200, 400, 404, 422), (address, name, answer.text)
                    is_page = answer.headers["content-type"].startswith("text/html")
                    assert is_page != path.startswith("/v1"), (address, name)
    assert tried > 40
    assert small.stats() == before


READING = {
    "/v1/missing-references",
    "/v1/missing-references/bibliography",
    "/v1/reviewers/match",
    "/v1/cypher",
    "/missing",
    "/explore",
    "/match/text",
}
"""Routes that accept a body and change nothing."""


def test_every_route_that_changes_something_needs_a_writing_key(small, tmp_path):
    keys = {hash_key("reads"): "read", hash_key("writes"): "write"}
    jobs = JobQueue(tmp_path, None)
    with ask(
        small, jobs, allow_cypher=True, data_folder=tmp_path, read_keys=lambda: keys
    ) as client:
        changing = [
            (method, path)
            for method, path, _ in every_route(client.app)
            if method not in ("GET", "HEAD") and path not in READING
        ]
        assert len(changing) == 12
        for method, path in changing:
            for key, statuses in (("reads", {403}), ("writes", {400, 404, 422})):
                headers = {"Authorization": f"Bearer {key}"}
                answer = client.request(
                    method, path.format(id="none", venue="none"), headers=headers
                )
                assert answer.status_code in statuses, (method, path, key, answer.text)
        assert client.get("/v1/jobs", headers={"Authorization": "Bearer reads"}).json() == []


def test_pages_of_other_sites_cannot_send_requests_for_a_user(full):
    ours, theirs = "http://localhost", "https://evil.example"
    sent = [(m, p) for m, p, _ in every_route(full.app) if m not in ("GET", "HEAD")]
    assert len(sent) == 19
    for method, path in sent:
        for headers, is_cross_site in (
            ({"Sec-Fetch-Site": "cross-site", "Origin": theirs}, True),
            ({"Sec-Fetch-Site": "same-site"}, True),  # an origin at another port of this machine
            ({"Origin": theirs}, True),
            ({"Origin": "null"}, True),
            ({"Origin": "http://localhost:9"}, True),
            ({"Origin": ours}, False),
            ({"Sec-Fetch-Site": "same-origin", "Origin": ours}, False),
            ({}, False),  # a client that is no browser
        ):
            answer = full.request(method, path.format(id="none", venue="none"), headers=headers)
            assert (answer.status_code == 403) == is_cross_site, (method, path, headers)
    assert full.get("/v1/jobs").json() == []


def test_pages_of_other_sites_cannot_load_data_in_the_background(client):
    link = {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}
    for site, loaded, status in (
        ("cross-site", {"Sec-Fetch-Mode": "no-cors", "Sec-Fetch-Dest": "image"}, 403),
        ("cross-site", {"Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, 403),
        ("cross-site", {}, 403),
        ("cross-site", link, 200),
        ("same-origin", {"Sec-Fetch-Mode": "cors", "Sec-Fetch-Dest": "empty"}, 200),
    ):
        headers = {"Sec-Fetch-Site": site, **loaded}
        assert client.get("/v1/search?q=gluon", headers=headers).status_code == status, headers


def test_every_route_that_takes_a_body_refuses_a_large_one(small, tmp_path):
    with ask(
        small,
        JobQueue(tmp_path, None),
        allow_cypher=True,
        data_folder=tmp_path,
        max_body=1_000,
        max_lists=1_000,
    ) as client:
        for method, path, _ in every_route(client.app):
            if method in ("POST", "PUT", "PATCH"):
                answer = client.request(
                    method, path.format(id="none", venue="none"), content=b"x" * 1_001
                )
                assert answer.status_code == 413, path


@pytest.mark.parametrize(
    "path", ["/static/../__init__.py", "/static/%2e%2e/auth.py", "/static/..%2fauth.py",
             "/static//etc/passwd", "/static/%2fetc/passwd", "/../../etc/passwd",
     "/v1/jobs/../../../etc/passwd", "/v1/jobs/%2e%2e/files/api_keys.json",
     "/v1/jobs/..%2f..%2fetc/files/passwd", "/v1/jobs/none/files/scores.csv"],
)  # fmt: skip
def test_no_file_but_an_asset_is_served(full, path):
    answer = full.get(path)
    assert answer.status_code in (404, 422)
    assert "root:" not in answer.text


def test_titles_and_abstracts_are_text_on_every_page(client):
    from urllib.parse import quote

    pages = ["/?q=gluon", f"/papers/{quote(BAD)}", f"/papers/{JETS}", "/authors/a/all",
             f"/compare?a={quote(BAD, safe='')}&b={JETS}"]  # fmt: skip
    for page in pages:
        text = client.get(page).text
        assert "&lt;script&gt;" in text, page
        assert "<script>alert" not in text
        assert "<img src=x" not in text


def test_every_response_has_a_policy_without_inline_scripts(client):
    pages = ["/", "/v1/stats", "/nothing", "/v1/nothing", "/static/service.css", "/match"]
    for path in [*pages, "/status", "/report", "/report/latest", "/v1/jobs"]:
        headers = client.get(path).headers
        assert "script-src 'self';" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "private, no-cache"
        assert "access-control-allow-origin" not in headers


def test_other_origins_get_no_cors_headers(client):
    asks = {"Origin": "https://example.org", "Access-Control-Request-Method": "GET"}
    answer = client.options("/v1/stats", headers=asks)
    assert "access-control-allow-origin" not in answer.headers


def test_a_host_name_of_another_machine_is_refused(client):
    refused = client.get("/v1/stats", headers={"Host": "evil.example:8000"})
    assert (refused.status_code, "127.0.0.1" in refused.json()["hint"]) == (421, True)
    for host in ("[::1]evil.example", "[::1]:8000evil", "localhost:80@evil", "localhost:", "::1"):
        assert client.get("/v1/stats", headers={"Host": host}).status_code == 421, host
    for host in ("[::1]:8000", "[::1]", "LOCALHOST", "127.0.0.1:65535"):
        assert client.get("/v1/stats", headers={"Host": host}).status_code == 200, host


def test_the_allowed_methods_of_an_address_are_those_of_all_its_routes(client):
    answer = client.options("/v1/missing-references")
    assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD, POST")
    refused = client.delete("/v1/stats")
    assert (refused.headers["allow"], refused.json()["hint"]) == ("GET, HEAD", "use GET, HEAD")


def test_with_keys_a_request_needs_a_key(small):
    with ask(small, read_keys=lambda: {hash_key("right"): "read"}) as client:
        for header in (None, "Bearer wrong", "Basic !!", "Bearer", hash_key("right")):
            headers = {"Authorization": header} if header else {}
            for path in ("/", "/v1/stats", "/v1/metrics", "/static/service.css"):
                refused = client.get(path, headers=headers)
                assert refused.status_code == 401
                assert "Basic" in refused.headers["www-authenticate"]
        assert client.get("/v1/healthz/live").status_code == 200
        document = client.get("/v1/openapi.json", headers={"Authorization": "Bearer right"}).json()
        [(scheme, described)] = document["components"]["securitySchemes"].items()
        assert (described["type"], described["scheme"]) == ("http", "bearer")
        assert document["paths"]["/v1/stats"]["get"]["security"] == [{scheme: []}]
        assert "401" in document["paths"]["/v1/stats"]["get"]["responses"]
        live = document["paths"]["/v1/healthz/live"]["get"]
        assert not {"security", "401"} & {*live, *live["responses"]}
        basic = "Basic " + b64encode(b"anyone:right").decode()
        for header in ("Bearer right", basic):
            assert client.get("/v1/stats", headers={"Authorization": header}).status_code == 200


def test_a_running_service_sees_changes_of_its_keys(small, tmp_path):
    anna, ben = add_key(tmp_path, "anna"), add_key(tmp_path, "ben")
    with ask(small, read_keys=lambda: read_keys(tmp_path)) as client:

        def status(key):
            return client.get("/v1/stats", headers={"Authorization": f"Bearer {key}"}).status_code

        assert [status(anna), status(ben)] == [200, 200]
        delete_key(tmp_path, "ben")
        new = add_key(tmp_path, "new")
        assert [status(anna), status(ben), status(new)] == [200, 401, 200]
        delete_key(tmp_path, "anna")
        delete_key(tmp_path, "new")
        assert [status(anna), client.get("/v1/stats").status_code] == [401, 401]
        (tmp_path / "api_keys.json").unlink()
        assert client.get("/v1/stats").status_code == 401


def test_a_key_is_stored_as_its_hash_for_the_user_alone(tmp_path):
    key = add_key(tmp_path, "anna")
    file = tmp_path / "api_keys.json"
    assert key not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert read_keys(tmp_path) == {hash_key(key): "read"}


def test_a_new_key_replaces_the_key_of_the_same_name(tmp_path):
    old, new = add_key(tmp_path, "anna"), add_key(tmp_path, "anna", "write")
    assert read_keys(tmp_path) == {hash_key(new): "write"}
    assert old != new


def test_keys_that_are_added_at_the_same_time_are_all_stored(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        keys = [*pool.map(lambda number: add_key(tmp_path, f"key {number}"), range(40))]
    assert {*read_keys(tmp_path)} == {*map(hash_key, keys)}


@pytest.mark.parametrize("text", ["{", '{"anna": "x"}', '{"a": {"scope": "all", "sha256": "x"}}'])
def test_a_damaged_file_of_keys_is_an_error(tmp_path, text):
    (tmp_path / "api_keys.json").write_text(text)
    with pytest.raises(InputError, match=r"api_keys\.json is damaged"):
        read_keys(tmp_path)


def test_a_key_is_required_outside_this_machine(tmp_path, monkeypatch):
    monkeypatch.setenv("SPECTER_GRAPH_DATA", str(tmp_path))
    refused = CliRunner().invoke(serve, ["--host", "0.0.0.0", "--port", "0"])
    assert "there is no API key" in str(refused.exception)
    created = CliRunner().invoke(keys_command, ["add", "anna"])
    assert read_keys(tmp_path) == {hash_key(created.output.strip()): "read"}
    created = CliRunner().invoke(keys_command, ["add", "anna", "--write"])
    assert read_keys(tmp_path) == {hash_key(created.output.strip()): "write"}
    nameless = CliRunner().invoke(keys_command, ["add", ""])
    assert "the name of the key is empty" in str(nameless.exception)
    assert CliRunner().invoke(keys_command, ["delete", "", "--yes"]).exception
    declined = CliRunner().invoke(keys_command, ["delete", "anna"], input="n\n")
    assert (declined.exit_code, "Delete the API key anna?" in declined.stderr) == (1, True)
    deleted = CliRunner().invoke(keys_command, ["delete", "anna", "--yes"])
    assert deleted.stderr == "deleted the API key anna\n"
    assert read_keys(tmp_path) == {}


def test_cypher_is_run_only_if_it_is_allowed_and_only_reads(client, small):
    one = {"query": "MATCH (p:Paper {id: $id}) RETURN p.title AS title", "parameters": {"id": BAD}}
    assert client.post("/v1/cypher", json=one).status_code == 404
    with ask(small, allow_cypher=True, limit=3) as allowed:
        assert allowed.post("/v1/cypher", json=one).json()["rows"] == [[EVIL]]
        many = allowed.post("/v1/cypher", json={"query": "UNWIND range(1, 9) AS n RETURN n"}).json()
        assert (len(many["rows"]), many["is_truncated"]) == (3, True)
        for text in (
            "CREATE (n:Evil) RETURN 1",
            "MATCH (n) DETACH DELETE n",
            "CALL { CREATE (n:Evil) } IN TRANSACTIONS RETURN 1",
            "CREATE INDEX evil FOR (n:Paper) ON (n.title)",
            "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
            "LOAD/**/CSV FROM 'http://127.0.0.1:1/' AS line RETURN line",
            "CALL dbms.listConfig() YIELD name RETURN name",
            "RETURN CASE WHEN rand() < 2 THEN COLLECT { LOAD CSV FROM 'x' AS l RETURN l } END AS x",
            "RETURN [x IN [1] | COLLECT { LOAD/*'*/CSV FROM 'x' AS l RETURN l }] AS x",
            "RETURN CASE WHEN rand() < 2 THEN COLLECT {"
            " CALL dbms.listConfig() YIELD name RETURN name } END AS x",
            "RETURN CASE WHEN rand() < 2 THEN COLLECT {"
            " CALL`dbms`.listConfig() YIELD name RETURN name } END AS x",
            r"RETURN CASE WHEN rand() < 2 THEN COLLECT {"
            r" L\u004fAD CSV FROM 'x' AS l RETURN l } END AS x",
            "RETURN`gds`.version()",
            "RETURN `gds` /* */ . `version` ()",
            "SHOW TRANSACTIONS",
            "SHOW TRANSACTIONS YIELD transactionId AS t TERMINATE TRANSACTIONS t YIELD message"
            " RETURN message",
            "SHOW SETTINGS",
            "SHOW USERS",
            "SHOW DATABASES",
        ):
            refused = allowed.post("/v1/cypher", json={"query": text})
            assert refused.status_code in (400, 404), (text, refused.text)
        hidden = (
            "UNWIND [1, 2] AS i RETURN CASE WHEN i = 1 THEN COLLECT { {{5 /* x nearest to $v"
            " LIMIT 1) SCORE AS score LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line"
            " LIMIT 1 //*/ in $space}}\n } ELSE 0 END AS x"
        )
        values = {"v": [0.0] * 32, "space": "specter"}
        refused = allowed.post("/v1/cypher", json={"query": hidden, "parameters": values})
        assert refused.status_code == 400, refused.text
        assert small.database.read("MATCH (n:Evil) RETURN n") == []
        for text in (
            "RETURN 'LOAD CSV' AS a // load csv",
            "RETURN \"'\" AS a, 'CALL me' AS b",
            "CALL { MATCH (p:Paper) RETURN p LIMIT 1 } RETURN p.id AS id",
            "CALL db.labels() YIELD label RETURN label",
            "SHOW INDEXES YIELD name RETURN name",
            "RETURN date.truncate('year', date()) AS a, point.distance(null, null) AS b",
            "MATCH (p:Paper) WHERE p.year IN [1] AND (p.id = 'x') RETURN vector.similarity.cosine"
            "([1.0], [1.0]) AS a",
        ):
            assert allowed.post("/v1/cypher", json={"query": text}).status_code == 200, text
