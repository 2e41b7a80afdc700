"""Missing data of papers from web services: a real server on loopback, and a real graph."""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from specter_graph import InputError, LiteratureGraph
from specter_graph.cli import cli
from specter_graph.graph.database import Database
from specter_graph.graph.deduplication.merge import merge
from specter_graph.graph.loading.loader import load_papers
from specter_graph.loaders import http_client
from specter_graph.loaders.formats.web_sources import Access
from specter_graph.loaders.http_client import AnswerCache, HttpClient
from specter_graph.loaders.paper_sources import IncompletePaper, PaperSource
from specter_graph.loaders.records import Author, Identifier, Paper
from specter_graph.pipelines.enrich import enrich, is_same_paper, preview
from tests.environment import server_environment
from tests.pipelines.web_sources import SHA, WebSources
from tests.servers import running

NAMES = ("openalex", "crossref", "s2", "arxiv", "opencitations")
SECRETS = {name: f"secret-of-{name}" for name in NAMES}


def paper(id: str, title: str, *ids: str, **values: Any) -> Paper:
    pairs = [each.partition(":") for each in ids]
    known = tuple(Identifier(scheme, value) for scheme, _, value in pairs)
    return Paper(id, title, source="bibtex", identifiers=known, **values)


def by(name: str) -> tuple[Author, ...]:
    return (Author(f"bibtex:{name}", name),)


LIBRARY = [
    paper("doi:10.5555/graphs", "On Graphs", "doi:10.5555/graphs", year=2021, authors=by("Jones")),
    paper("smith19", "Trees: their leaves, and roots", year=2020, authors=by("Smith, A.")),
    paper("crossed", "My own title", "doi:10.5555/crossed"),
    paper("doi:10.5555/only-s2", "At S2", "doi:10.5555/only-s2", abstract="My own words."),
    paper("arxiv:x", "A preprint", "arxiv:2202.00002"),
    paper("doi:10.5555/open", "Only citations are known", "doi:10.5555/open"),
    paper("unknown", "Nobody knows this one", "doi:10.5555/unknown"),
]


@pytest.fixture
def server() -> Iterator[WebSources]:
    with running(WebSources()) as server:
        yield server


@pytest.fixture
def slept() -> list[float]:
    return []


@pytest.fixture
def sources(server: WebSources, slept: list[float], tmp_path: Path) -> list[PaperSource]:
    return open_sources(server, slept, tmp_path)


def open_sources(
    server: WebSources, slept: list[float], folder: Path, *names: str, max_age: float = 1e6
) -> list[PaperSource]:
    access = Access(
        {name: f"{server.address}/{name}" for name in NAMES},
        mailto="me@example.org",
        keys=SECRETS,
        sleep=slept.append,
    )
    cache = AnswerCache(folder / "answers.sqlite", max_age)
    return [access.open(name, cache) for name in names or NAMES]


@pytest.fixture
def library(graph: Database) -> Database:
    load_papers(graph, LIBRARY)
    return graph


def state(db: Database) -> list[dict[str, Any]]:
    return db.read(
        "MATCH (p:Paper) OPTIONAL MATCH (s:SourceRecord)-[:DESCRIBES]->(p)"
        " WITH p, s ORDER BY s.id RETURN p.id AS id, p.title AS title, p.abstract AS abstract,"
        " p.doi AS doi, collect(s.id) AS records,"
        " COLLECT { MATCH (p)-[:CITES]->(q) RETURN q.id ORDER BY q.id } AS cites,"
        " COLLECT { MATCH (p)<-[:OF]-(i) RETURN i.scheme + ':' + i.value"
        " ORDER BY i.scheme, i.value } AS identifiers ORDER BY id"
    )


def values(db: Database, id: str) -> dict[str, Any]:
    return next(row for row in state(db) if row["id"] == id)


def test_papers_get_what_the_first_source_has(library: Database, sources: list[PaperSource]):
    summary = enrich(library, sources)
    parts = {part.part: part for part in summary.parts}
    assert parts["abstract"].by_source == {"openalex": 2, "crossref": 1, "arxiv": 1}
    assert (parts["abstract"].missing, parts["abstract"].remaining) == (6, 2)
    assert parts["references"].by_source == {
        "openalex": 1, "crossref": 1, "s2": 1, "opencitations": 1,
    }  # fmt: skip
    assert (parts["doi"].missing, parts["doi"].by_source, parts["doi"].remaining) == (
        2, {"arxiv": 1}, 1
    )  # fmt: skip
    assert summary.failures == {}
    assert summary.merge.conflicts == 0

    graphs = values(library, "doi:10.5555/graphs")
    assert (graphs["title"], graphs["abstract"]) == ("On Graphs", "We walk.")
    assert graphs["records"] == ["doi:10.5555/graphs", "openalex:W1"]
    assert {"openalex:W1", "pmid:111", "arxiv:2101.00001"} <= {*graphs["identifiers"]}
    # W2 was found by its title, so this citation is one between two papers of the library.
    assert graphs["cites"] == ["openalex:W7", "smith19"]
    assert values(library, "smith19")["abstract"] == "We climb."

    crossed = values(library, "crossed")
    assert crossed["title"] == "My own title"
    assert crossed["abstract"] == "Deposited by the publisher."
    assert crossed["cites"] == ["doi:10.5555/graphs"]
    only_s2 = values(library, "doi:10.5555/only-s2")
    assert (only_s2["abstract"], only_s2["cites"]) == ("My own words.", [f"s2:{SHA['cited']}"])
    preprint = values(library, "arxiv:x")
    assert (preprint["abstract"], preprint["doi"]) == ("Posted early.", "10.5555/preprint")
    assert values(library, "doi:10.5555/open")["cites"] == ["doi:10.5555/graphs"]
    assert values(library, "unknown")["records"] == []
    assert not any("enriches" in name for row in state(library) for name in row["identifiers"])


def test_each_value_names_its_source(library: Database, sources: list[PaperSource], tmp_path: Path):
    enrich(library, sources, report=tmp_path / "report.jsonl")
    lines = map(json.loads, (tmp_path / "report.jsonl").read_text().splitlines())
    origins = {line["paper"]: line["origins"] for line in lines}
    assert origins["doi:10.5555/graphs"]["abstract"] == "openalex:W1"
    assert origins["doi:10.5555/graphs"]["title"] == "doi:10.5555/graphs"
    assert origins["crossed"]["abstract"] == "crossref:10.5555/crossed"
    assert origins["arxiv:x"]["abstract"] == "arxiv:2202.00002"
    [row] = library.read(
        "MATCH (s:SourceRecord {id: 'opencitations:doi:10.5555/open'}) RETURN s.json AS json"
    )
    assert json.loads(row["json"])["paper"]["references"] == ["doi:10.5555/graphs"]


def test_your_values_also_win_in_a_later_merge(library: Database, sources: list[PaperSource]):
    enrich(library, sources)
    before = state(library)
    merge(library, prefer=["crossref", "openalex"])
    assert state(library) == before
    merge(library, by_title=True)
    assert state(library) == before
    load_papers(library, LIBRARY)
    merge(library)
    assert state(library) == before


def test_only_the_chosen_parts_are_loaded(library: Database, sources: list[PaperSource]):
    enrich(library, sources, ["abstracts"])
    assert values(library, "doi:10.5555/graphs")["abstract"] == "We walk."
    assert not any(row["cites"] for row in state(library))
    enrich(library, sources, ["references"])
    assert values(library, "doi:10.5555/graphs")["abstract"] == "We walk."
    assert values(library, "doi:10.5555/graphs")["cites"] == ["openalex:W7", "smith19"]


def test_the_order_of_the_sources_decides(
    library: Database, server: WebSources, slept: list[float], tmp_path: Path
):
    chosen = open_sources(server, slept, tmp_path, "opencitations", "crossref")
    summary = enrich(library, chosen)
    counts = {part.part: part.by_source for part in summary.parts}
    assert counts["references"] == {"opencitations": 1, "crossref": 1}
    assert counts["abstract"] == {"crossref": 1}
    assert {sent_before.partition("/")[0] for sent_before, _ in server.received} == {
        "opencitations",
        "crossref",
    }


def test_citing_papers_come_with_their_records(library: Database, sources: list[PaperSource]):
    summary = enrich(library, sources, ["citing"])
    [citing] = summary.parts
    assert citing.by_source == {"openalex": 2, "s2": 1}  # W1 cites W2: both are in the library
    later = values(library, "openalex:W5")
    assert (later["title"], later["abstract"]) == ("Later work on walks", "Later.")
    assert later["cites"] == ["doi:10.5555/graphs"]  # and not its other references
    assert values(library, "doi:10.5555/graphs")["cites"] == ["smith19"]
    [row] = library.read(
        "MATCH (p:Paper {id: $id})-[c:CITES]->(q) RETURN q.id AS id, c.contexts AS contexts",
        id=f"s2:{SHA['citing']}",
    )
    assert row == {"id": "doi:10.5555/only-s2", "contexts": ["As in [1]."]}
    before = state(library)
    again = enrich(library, sources, ["citing", "abstracts", "references"])
    assert again.papers == len(LIBRARY)  # citing papers are not looked up
    assert {row["id"] for row in before} <= {row["id"] for row in state(library)}


def test_opencitations_has_citing_papers_without_records(
    library: Database, server: WebSources, slept: list[float], tmp_path: Path
):
    enrich(library, open_sources(server, slept, tmp_path, "opencitations"), ["citing"])
    assert values(library, "doi:10.5555/open")["cites"] == ["doi:10.5555/graphs"]
    assert values(library, "doi:10.5555/graphs")["records"] == [
        "doi:10.5555/graphs",
        "opencitations:doi:10.5555/graphs",
    ]


def test_a_second_run_asks_nothing_and_changes_nothing(
    library: Database, server: WebSources, sources: list[PaperSource]
):
    enrich(library, sources)
    before, sent_before = state(library), len(server.received)
    again = enrich(library, sources)
    # Identifiers that were found are new, so that other sources may be asked by them.
    requests = [request for request, _ in server.received]
    assert {*requests[:sent_before]}.isdisjoint(requests[sent_before:])
    assert again.parts
    assert state(library) == before
    sent_before = len(server.received)
    enrich(library, sources)
    assert len(server.received) == sent_before


def test_old_answers_are_requested_again(
    library: Database, server: WebSources, slept: list[float], tmp_path: Path
):
    for _ in range(2):
        enrich(library, open_sources(server, slept, tmp_path, "crossref", max_age=0))
    sent_before = [request for request, _ in server.received]
    assert sum("10.5555/unknown" in request for request in sent_before) == 2


def test_an_interrupted_run_continues(
    library: Database, server: WebSources, sources: list[PaperSource], monkeypatch
):
    monkeypatch.setattr("specter_graph.pipelines.enrich._PAPERS", 2)

    def stop(what: str, done: float, total: float | None) -> None:
        if what == "papers" and done == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        enrich(library, sources, progress=stop)
    before = [request for request, _ in server.received]
    enrich(library, sources)
    after = [request for request, _ in server.received[len(before) :]]
    assert after
    assert not {*before} & {*after}
    interrupted = state(library)
    library.commit("MATCH (n:!Schema) DETACH DELETE n")
    load_papers(library, LIBRARY)
    enrich(library, sources)
    assert state(library) == interrupted


QUESTIONS = {
    "openalex": "doi:10.5555/graphs",
    "crossref": "doi:10.5555/crossed",
    "s2": "doi:10.5555/only-s2",
    "arxiv": "arxiv:2202.00002",
    "opencitations": "references:doi:10.5555/open",
}


@pytest.mark.parametrize(
    ("fault", "headers"),
    [("429", {"Retry-After": "7"}), ("500", {}), ("503", {}), ("drop", {}), ("slow", {})],
)
@pytest.mark.parametrize("name", NAMES)
def test_a_fault_is_retried(
    server: WebSources, slept: list[float], tmp_path: Path, monkeypatch,
    name: str, fault: str, headers: dict[str, str],
):  # fmt: skip
    monkeypatch.setattr(http_client, "_TIMEOUT", (1.0, 0.2))
    server.faults = [(fault, headers)] * 2
    [source] = open_sources(server, slept, tmp_path, name)
    assert source.ask([QUESTIONS[name]])[QUESTIONS[name]]
    assert len(server.received) == 3
    assert sum(seconds >= (7 if headers else 1) for seconds in slept) >= 2


@pytest.mark.parametrize("name", NAMES)
def test_an_unknown_paper_has_a_stored_answer_too(
    server: WebSources, slept: list[float], tmp_path: Path, name: str
):
    unknown = QUESTIONS[name].replace("10.5555", "10.5556").replace("2202.", "2203.")
    [source] = open_sources(server, slept, tmp_path, name)
    for _ in range(2):
        assert source.ask([unknown]) == {unknown: []}
    assert len(server.received) == 1


def test_a_source_that_is_down_does_not_stop_the_others(
    library: Database, server: WebSources, sources: list[PaperSource]
):
    server.down = {"openalex", "s2"}
    summary = enrich(library, sources)
    assert summary.failures.keys() == {"openalex", "s2"}
    assert "run the same command again" in summary.failures["openalex"]
    assert values(library, "crossed")["abstract"] == "Deposited by the publisher."
    server.down = set()
    assert enrich(library, sources).failures == {}
    assert values(library, "doi:10.5555/graphs")["abstract"] == "We walk."


def test_a_budget_that_is_used_up_is_not_waited_for(
    library: Database, server: WebSources, slept: list[float], tmp_path: Path
):
    server.faults = [("429", {"Retry-After": "40000"})]
    summary = enrich(library, open_sources(server, slept, tmp_path, "openalex"))
    assert "daily budget" in summary.failures["openalex"]
    assert max(slept, default=0) < 10


def test_requests_carry_the_address_and_the_key_and_messages_do_not(
    library: Database, server: WebSources, sources: list[PaperSource], slept: list[float], caplog
):
    caplog.set_level("DEBUG")
    server.down = {"s2", "opencitations"}
    summary = enrich(library, sources)
    sent = {sent_before.partition("/")[0]: headers for sent_before, headers in server.received}
    assert "me@example.org" in str(sent["crossref"])
    assert "me@example.org" in str(sent["arxiv"])
    for name in ("openalex", "s2", "opencitations"):
        assert SECRETS[name] in str(sent[name])
        assert SECRETS[name] not in f"{summary}{caplog.text}"
    assert not any("secret" in sent_before for sent_before, _ in server.received)


def test_requests_are_not_sent_faster_than_a_source_allows(
    server: WebSources, slept: list[float], tmp_path: Path
):
    [arxiv] = open_sources(server, slept, tmp_path, "arxiv")
    arxiv.ask([f"arxiv:2202.{number:05}" for number in range(101)])
    assert len(server.received) == 3
    assert [round(seconds) for seconds in slept] == [3, 3]


def test_papers_that_cannot_be_looked_up_are_counted(library: Database, sources: list[PaperSource]):
    load_papers(library, [paper("lost", "Neither identifiers, nor a year, nor authors")])
    assert preview(library, sources).unidentified == 1
    summary = enrich(library, sources)
    assert (summary.papers, summary.unidentified) == (len(LIBRARY), 1)


def test_a_preview_sends_nothing(library: Database, server: WebSources, sources: list[PaperSource]):
    plan = preview(library, sources)
    assert server.received == []
    assert plan.papers == len(LIBRARY)
    assert plan.missing["abstract"] == 6
    assert plan.requests["openalex"] == 3  # DOIs, an arXiv id and a title
    assert plan.requests["crossref"] == 2
    before = state(library)
    enrich(library, sources)
    assert before != state(library)
    assert preview(library, sources, ["citing"]).requests["arxiv"] == 0


def test_papers_can_be_limited(library: Database, server: WebSources, sources: list[PaperSource]):
    assert enrich(library, sources, max_papers=2).papers == 2
    literature = LiteratureGraph(library.driver)
    literature.lists.create("thesis")
    literature.lists.add("thesis", ["crossed"])
    summary = enrich(library, sources, list="thesis")
    assert summary.papers == 1
    assert values(library, "crossed")["abstract"]
    assert enrich(library, sources, ["citing"], list="thesis").papers == 1


def test_requests_for_citing_papers_are_limited(
    library: Database, server: WebSources, sources: list[PaperSource]
):
    enrich(library, sources)
    sent_before = len(server.received)
    enrich(library, sources, ["citing"], max_papers=1)
    citing = [request for request, _ in server.received[sent_before:] if "cit" in request]
    assert len(citing) <= 3  # openalex, s2 and opencitations, for one paper
    first = len(server.received)
    enrich(library, sources, ["citing"], max_papers=1)
    assert len(server.received) > first  # another paper
    enrich(library, sources, ["citing"])
    first = len(server.received)
    assert {*preview(library, [sources[0]], ["citing"]).requests.values()} == {0}
    assert enrich(library, sources, ["citing"], max_papers=1).papers == len(LIBRARY)
    assert len(server.received) == first


def test_records_that_you_loaded_are_not_replaced(library: Database, sources: list[PaperSource]):
    own = Paper(
        "openalex:W1", "On graphs and their walks", body="Full text", source="openalex",
        identifiers=(Identifier("openalex", "W1"), Identifier("doi", "10.5555/graphs")),
    )  # fmt: skip
    load_papers(library, [own])
    enrich(library, sources)
    [row] = library.read(
        "MATCH (:SourceRecord {id: 'openalex:W1'})-[:DESCRIBES]->(p) RETURN properties(p) AS p"
    )
    assert row["p"]["body"] == "Full text"
    assert row["p"]["abstract"] == "We walk."


def test_two_papers_of_a_library_are_not_combined(graph: Database, sources: list[PaperSource]):
    load_papers(
        graph,
        [
            LIBRARY[0],
            paper("preprint", "Graphs", "arxiv:2101.00001", "doi:10.48550/arxiv.2101.00001"),
        ],
    )
    summary = enrich(graph, sources)
    assert summary.merge.conflicts == 0
    assert values(graph, "doi:10.5555/graphs")["abstract"] == "We walk."
    assert values(graph, "preprint")["records"] == []


def test_a_record_completes_one_paper(graph: Database, sources: list[PaperSource]):
    load_papers(
        graph, [paper("article", "At S2", "doi:10.5555/only-s2"), paper("early", "Early", "s2:x")]
    )
    load_papers(graph, [paper("preprint", "At S2, early", "arxiv:2303.00003")])
    for parts in (["abstracts", "references", "citing"], ["identifiers"], ["citing"]):
        summary = enrich(graph, sources, parts)
        assert summary.merge.conflicts == 0
        assert values(graph, "preprint")["records"] == []
        assert values(graph, "preprint")["identifiers"] == ["arxiv:2303.00003"]
        article = values(graph, "article")
        assert article["records"] == ["article", f"s2:{SHA['graphs']}"]
        assert article["abstract"] == "Extracted from the PDF."
    [citing] = summary.parts
    assert citing.by_source == {"s2": 1}


def test_all_pages_of_s2_are_read_within_its_limit(
    server: WebSources, slept: list[float], tmp_path: Path
):
    [s2] = open_sources(server, slept, tmp_path, "s2")
    question = f"citing:{SHA['cited']}"
    assert len(s2.ask([question])[question]) == 9_999


@pytest.mark.parametrize(
    ("title", "year", "author", "same"),
    [
        ("Trees: Their leaves", 2019, "Ann Smith", True),
        ("Trees: Their leaves", 2021, "Smith, A.", True),
        ("Trees: Their leaves", 2022, "Ann Smith", False),
        ("Trees: Their leaves", None, "Ann Smith", False),
        ("Trees: Their leaves", 2020, "Ann Jones", False),
        ("Trees: Their leaves II", 2020, "Ann Smith", False),
    ],
)
def test_a_title_needs_the_year_and_the_author(title, year, author, same):
    wanted = IncompletePaper("x", "Trees - their LEAVES", 2020, "A. Smith")
    other = Paper("y", title, year=year, authors=(Author("a", author),))
    assert is_same_paper(wanted, other) is same
    assert not is_same_paper(
        IncompletePaper("x", "Trees", 2020, "Smith"), Paper("y", "Trees", year=2020)
    )


def test_a_cache_that_cannot_be_read_is_an_error(tmp_path: Path):
    path = tmp_path / "answers.sqlite"
    path.write_bytes(b"This is not a database, but a text of some length." * 100)
    with pytest.raises(InputError, match="cannot be read"):
        AnswerCache(path, 1)


@pytest.fixture
def environment(
    library: Database, local_instance, server: WebSources, tmp_path: Path, monkeypatch
) -> Iterator[None]:
    for name in ("OPENALEX", "CROSSREF", "SEMANTIC_SCHOLAR", "ARXIV", "OPENCITATIONS"):
        source = "s2" if name == "SEMANTIC_SCHOLAR" else name.lower()
        monkeypatch.setenv(f"{name}_URL", f"{server.address}/{source}")
    monkeypatch.setenv("SPECTER_GRAPH_CACHE", str(tmp_path))
    with server_environment(local_instance):
        yield


@pytest.mark.usefixtures("environment")
def test_the_command_prints_a_table(server: WebSources):
    options = ["enrich", "--abstracts", "--from", "openalex", "--from", "crossref"]
    runner = CliRunner()
    planned = runner.invoke(cli, [*options, "--dry-run"])
    assert planned.exit_code == 0, planned.output
    assert "missing abstract   6" in planned.stdout
    assert server.received == []
    shown = runner.invoke(cli, [*options, "--mailto", "me@example.org"])
    assert shown.exit_code == 0, shown.output
    header, row, *_ = shown.stdout.splitlines()
    assert header.split() == ["part", "missing", "openalex", "crossref", "remaining"]
    assert row.split() == ["abstract", "6", "2", "1", "3"]
    assert any("me@example.org" in str(headers) for _, headers in server.received)
    as_json = runner.invoke(cli, [*options, "--format", "json"])
    [part] = json.loads(as_json.stdout)["parts"]
    assert part == {"part": "abstract", "missing": 3, "by_source": {}, "remaining": 3}


@pytest.mark.usefixtures("environment")
def test_the_command_fails_after_the_other_sources(server: WebSources, monkeypatch):
    monkeypatch.setattr(http_client, "_ATTEMPTS", 1)
    server.down = {"openalex"}
    ran = CliRunner().invoke(
        cli, ["enrich", "--abstracts", "--from", "openalex", "--from", "crossref"]
    )
    assert ran.exit_code == 1
    assert "openalex: OpenAlex answers 500" in ran.stderr
    assert "crossref" in ran.stdout


def test_an_unknown_source_or_part_is_an_error(library: Database):
    maintenance = LiteratureGraph(library.driver).maintenance
    with pytest.raises(InputError, match="unknown source 'scholar'"):
        maintenance.enrich(sources=["scholar"])
    with pytest.raises(InputError, match="unknown part 'abstract'") as caught:
        maintenance.enrich(["abstract"])
    assert "abstracts" in caught.value.hint
    with pytest.raises(InputError, match="parts is the text 'abstracts'"):
        maintenance.preview_enrich("abstracts")


def test_all_requests_are_counted(server: WebSources, slept: list[float], tmp_path: Path):
    server.faults = [("500", {})] * 2
    openalex, s2 = open_sources(server, slept, tmp_path, "openalex", "s2")
    openalex.ask([QUESTIONS["openalex"]])
    s2.ask([f"citing:{SHA['cited']}"])
    assert (openalex.http.requests, s2.http.requests) == (3, 10)


def test_values_of_a_refused_merge_are_not_counted(graph: Database, sources: list[PaperSource]):
    load_papers(graph, [paper("mine", "Of Another Age", "doi:10.5555/only-s2", year=1900)])
    summary = enrich(graph, sources, ["references"])
    [references] = summary.parts
    assert summary.merge.conflicts == 1  # the source has another title and year
    assert (references.by_source, references.remaining) == ({}, 1)
    assert values(graph, "mine")["cites"] == []


def test_a_redirect_to_another_server_has_no_key():
    received: list[str] = []

    class Answer(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            received.append(str(self.headers))
            address = other if self.path == "/moved" else f"{own}/here"
            self.send_response(200 if self.path == "/here" else 302)
            self.send_header("Location", address)
            self.end_headers()
            self.wfile.write(b"{}")

    with (
        HTTPServer(("127.0.0.1", 0), Answer) as first,
        HTTPServer(("127.0.0.1", 0), Answer) as last,
    ):
        own, other = (f"http://127.0.0.1:{each.server_port}" for each in (first, last))
        other += "/here"
        for each in (first, last):
            threading.Thread(target=each.serve_forever, daemon=True).start()
        client = HttpClient("s2", headers={"x-api-key": "SECRET"}, interval=0)
        assert client.get_json(f"{own}/moved") == client.get_json(f"{own}/there") == {}
        first.shutdown()
        last.shutdown()
    assert ["SECRET" in headers for headers in received] == [True, False, True, True]
