"""Who may ask, and what a stranger may not do."""

import stat
from base64 import b64encode

import pytest
from click.testing import CliRunner

from specter_graph.cli.serving import serve
from specter_graph.service.access import hashed, keys, make_key
from tests.service.conftest import BAD, EVIL, JETS, ask

PARAMETERS = [
    "/v1/search?q={}",
    "/v1/search?q=gluon&field={}",
    "/v1/search?q=gluon&venue={}",
    "/v1/search?q=gluon&language={}",
    "/v1/search?q=gluon&space={}",
    "/v1/search?q=gluon&signal={}",
    "/v1/papers/{}",
    "/v1/papers/{}/similar",
    "/v1/papers/hep-ph/9901001/similar?space={}",
    "/v1/papers/{}/references",
    "/v1/path?from={0}&to={0}",
    "/v1/path?from=hep-ph/9901001&to=hep-ph/9901002&space={}",
    "/v1/compare?a={0}&b=alone",
    "/v1/authors/{}",
    "/v1/queries/{}",
    "/v1/queries/missing_references?id={}",
    "/v1/queries/missing_references?id=alone&space={}",
    "/v1/queries/missing_references?id=alone&k={}",
    "/v1/missing-references?id={}",
    "/?q={}",
    "/papers/{}",
    "/authors/{}",
    "/compare?a={0}&b={0}",
    "/map?space={}",
]
HOSTILE = [
    "x' OR 1=1 RETURN 1 //",
    "specter`) MATCH (n) DETACH DELETE n //",
    '") OR title:*',
    "..%2F..%2F..%2Fetc%2Fpasswd",
    "%00",
    "<script>alert(1)</script>",
    "9" * 400,
    "%F0%9F%92%A9%ED%A0%80",
]


@pytest.mark.parametrize("address", PARAMETERS)
def test_what_is_put_into_a_parameter_is_a_value(client, small, address):
    before = small.stats()
    for value in HOSTILE:
        answer = client.get(address.format(value))
        assert answer.status_code in (200, 303, 400, 404, 422), (value, answer.text)
        assert "root:" not in answer.text
        assert "<script>alert" not in answer.text or "json" in answer.headers["content-type"]
        assert "Traceback" not in answer.text
    assert small.stats() == before


@pytest.mark.parametrize(
    "path", ["/static/../__init__.py", "/static/%2e%2e/terms.py", "/static/..%2fterms.py",
             "/static//etc/passwd", "/static/%2fetc/passwd", "/../../etc/passwd"],
)  # fmt: skip
def test_no_file_but_an_asset_is_served(client, path):
    answer = client.get(path)
    assert answer.status_code == 404
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


def test_every_answer_carries_the_policy_without_inline_scripts(client):
    for path in ("/", "/v1/stats", "/nothing", "/v1/nothing", "/static/service.css"):
        headers = client.get(path).headers
        assert "script-src 'self';" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert "access-control-allow-origin" not in headers


def test_another_origin_is_not_invited(client):
    asks = {"Origin": "https://example.org", "Access-Control-Request-Method": "GET"}
    answer = client.options("/v1/stats", headers=asks)
    assert "access-control-allow-origin" not in answer.headers


def test_a_name_that_is_not_of_this_machine_is_refused(client):
    assert client.get("/v1/stats", headers={"Host": "evil.example:8000"}).status_code == 421
    assert client.get("/v1/stats", headers={"Host": "[::1]:8000"}).status_code == 200


def test_with_keys_only_who_has_one_is_answered(small):
    with ask(small, keys=frozenset({hashed("right")})) as client:
        for header in (None, "Bearer wrong", "Basic !!", "Bearer", hashed("right")):
            headers = {"Authorization": header} if header else {}
            for path in ("/", "/v1/stats", "/v1/metrics", "/static/service.css"):
                refused = client.get(path, headers=headers)
                assert refused.status_code == 401
                assert "Basic" in refused.headers["www-authenticate"]
        assert client.get("/v1/healthz/live").status_code == 200
        basic = "Basic " + b64encode(b"anyone:right").decode()
        for header in ("Bearer right", basic):
            assert client.get("/v1/stats", headers={"Authorization": header}).status_code == 200


def test_a_key_is_kept_as_its_hash_for_the_user_alone(tmp_path):
    key = make_key(tmp_path, "anna")
    [file] = tmp_path.iterdir()
    assert key not in file.read_text()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert keys(tmp_path) == {hashed(key)}


def test_elsewhere_than_on_this_machine_a_key_is_needed(tmp_path, monkeypatch):
    monkeypatch.setenv("SPECTER_GRAPH_DATA", str(tmp_path))
    refused = CliRunner().invoke(serve, ["--host", "0.0.0.0", "--port", "0"])
    assert "without an API key nobody could ask" in str(refused.exception)
    made = CliRunner().invoke(serve, ["--make-key", "anna"])
    assert keys(tmp_path) == {hashed(made.output.strip())}
    CliRunner().invoke(serve, ["--drop-key", "anna"])
    assert keys(tmp_path) == frozenset()


def test_cypher_is_answered_only_where_it_is_allowed_and_only_reads(client, small):
    one = {"query": "MATCH (p:Paper {id: $id}) RETURN p.title AS title", "parameters": {"id": BAD}}
    assert client.post("/v1/cypher", json=one).status_code == 404
    with ask(small, cypher=True, rows=3) as allowed:
        assert allowed.post("/v1/cypher", json=one).json()["rows"] == [[EVIL]]
        many = allowed.post("/v1/cypher", json={"query": "UNWIND range(1, 9) AS n RETURN n"}).json()
        assert (len(many["rows"]), many["cut"]) == (3, True)
        for text in (
            "CREATE (n:Evil) RETURN 1",
            "MATCH (n) DETACH DELETE n",
            "CALL { CREATE (n:Evil) } IN TRANSACTIONS RETURN 1",
            "CREATE INDEX evil FOR (n:Paper) ON (n.title)",
            "LOAD CSV FROM 'file:///etc/passwd' AS line RETURN line",
            "LOAD/**/CSV FROM 'http://127.0.0.1:1/' AS line RETURN line",
            "CALL dbms.listConfig() YIELD name RETURN name",
        ):
            refused = allowed.post("/v1/cypher", json={"query": text})
            assert refused.status_code in (400, 404), (text, refused.text)
        assert small.database.read("MATCH (n:Evil) RETURN n") == []
