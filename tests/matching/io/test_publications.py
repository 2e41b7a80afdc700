"""Fetch the papers of reviewers from a server that answers as the services do."""

import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner

from specter_graph.cli import cli
from specter_graph.core.errors import InputError
from specter_graph.graph.database import Database
from specter_graph.graph.reviewing.venue_data import read_reviewer_papers
from specter_graph.loaders import http_client
from specter_graph.loaders.formats.web_sources import Access
from specter_graph.matching.io.publications import PaperServices, fetch_archives
from specter_graph.venue import ReviewVenue
from tests.matching.io.services import Services
from tests.servers import WebService, running

LIST = """id,orcid,openalex,semantic_scholar,dblp,email
,https://orcid.org/0000-0002-1825-0097,,https://www.semanticscholar.org/author/Ann-Smith/7,,a@x.org
wei,,,,https://dblp.org/pid/65/1.html,w@x.org
A77,,,,,n@x.org
"""
FILES = {"0000-0002-1825-0097.jsonl", "wei.jsonl", "A77.jsonl"}


@pytest.fixture
def server() -> Iterator[WebService]:
    with running(WebService(Services)) as server:
        yield server


@pytest.fixture
def slept() -> list[float]:
    return []


@pytest.fixture
def services(server: WebService, slept: list[float]) -> PaperServices:
    access = Access(
        dict.fromkeys(("openalex", "s2", "dblp"), server.address),
        mailto="chair@example.org",
        keys={"s2": "secret"},
        sleep=slept.append,
    )
    return PaperServices(access)


@pytest.fixture
def reviewers(tmp_path: Path) -> Path:
    path = tmp_path / "reviewers.csv"
    path.write_text(LIST)
    return path


def notes(path: Path) -> list[tuple[str, dict[str, object]]]:
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    return [(line["id"], line["content"]) for line in lines]


def test_each_paper_of_a_reviewer_is_written_once(
    services: PaperServices, reviewers: Path, tmp_path: Path
):
    summary = fetch_archives(reviewers, tmp_path / "archives", services)
    assert {path.name for path in (tmp_path / "archives").iterdir()} == FILES
    assert (summary.fetched, summary.present, summary.papers) == (3, 0, 3)
    assert (summary.without_abstract, summary.without_papers) == (1, ("A77",))
    # OpenAlex and Semantic Scholar have the same paper under the same DOI.
    assert notes(tmp_path / "archives/0000-0002-1825-0097.jsonl") == [
        (
            "openalex:W1",
            {
                "title": "On graphs",
                "abstract": "We walk.",
                "year": 2021,
                "venue": "Journal of Graphs",
                "authors": ["Bob Jones", "Ann Smith"],
                "authorids": ["", "0000-0002-1825-0097"],
                "doi": "10.5555/graphs",
            },
        ),
        (
            f"s2:{'b' * 40}",
            {
                "title": "On trees",
                "abstract": "We climb.",
                "year": 2023,
                "authors": ["Ann Smith", "Cara Lee"],
                "authorids": ["0000-0002-1825-0097", ""],
                "html": "https://arxiv.org/abs/2301.00001",
            },
        ),
    ]
    assert notes(tmp_path / "archives/wei.jsonl") == [
        (
            "dblp:journals/jg/LiM20",
            {
                "title": "Forests grow",
                "year": 2020,
                "venue": "J. Graphs",
                "authors": ["Wei Li", "Jörg Müller"],
                "authorids": ["wei", ""],
                "doi": "10.5555/forest",
            },
        )
    ]


def test_archives_belong_to_the_authors_of_the_graph(
    services: PaperServices, reviewers: Path, tmp_path: Path, graph: Database
):
    graph.write("CREATE (:Author {id: 'a', name: 'A. Smith', orcid: '0000-0002-1825-0097'})")
    archives = tmp_path / "archives"
    fetch_archives(reviewers, archives, services)
    venue = ReviewVenue(graph, "V", lambda _: None)
    for _ in range(2):  # the second run finds the owners of the first
        venue.load(reviewers=reviewers, archives=archives)
    assert [(each.id, each.author, each.name) for each in venue.reviewers()] == [
        ("0000-0002-1825-0097", "a", "A. Smith"),
        ("A77", "openalex:A77", "A77"),
        ("wei", "openreview:wei", "Wei Li"),
    ]
    papers = [
        (each.reviewer, each.paper, each.position, each.authors)
        for each in read_reviewer_papers(graph, "V")
    ]
    assert papers == [
        ("0000-0002-1825-0097", "openalex:W1", 2, 2),
        ("0000-0002-1825-0097", f"s2:{'b' * 40}", 1, 2),
        ("wei", "dblp:journals/jg/LiM20", 1, 2),
    ]


def test_requests_are_repeated_after_faults_and_requested_waits(
    server: WebService,
    services: PaperServices,
    reviewers: Path,
    tmp_path: Path,
    slept: list[float],
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(http_client, "_TIMEOUT", (5.0, 0.2))
    server.slow = 0.5
    server.faults = [("429", {"Retry-After": "17"}), ("500", {}), ("drop", {}), ("slow", {})]
    summary = fetch_archives(reviewers, tmp_path / "archives", services)
    assert summary.papers == 3
    waits = [wait for wait in slept if wait > 2]
    assert waits[0] >= 17
    assert not server.faults
    # Consecutive requests to Semantic Scholar have a minimum interval.
    assert any(0.5 < wait <= 1 for wait in slept)


def test_an_interrupted_run_continues_with_the_next_reviewer(
    server: WebService, services: PaperServices, reviewers: Path, tmp_path: Path
):
    archives = tmp_path / "archives"
    reviewers.write_text(LIST.replace("65/1.html", "65/404.html"))
    with pytest.raises(InputError, match=r"r.*csv, line 3, 'wei': dblp has no person 65/404"):
        fetch_archives(reviewers, archives, services)
    assert [path.name for path in archives.iterdir()] == ["0000-0002-1825-0097.jsonl"]
    reviewers.write_text(LIST)
    server.faults = [("503", {})] * 8
    with pytest.raises(InputError, match="dblp answers 503") as refused:
        fetch_archives(reviewers, archives, services)
    assert "again" in (refused.value.hint or "")
    before = len(server.received)
    summary = fetch_archives(reviewers, archives, services)
    assert (summary.fetched, summary.present) == (2, 1)
    assert len(server.received) == before + 2
    assert {path.name for path in archives.iterdir()} == FILES


@pytest.mark.parametrize(
    ("contents", "message"),
    [
        ("id,orcid\na,0000\n", "line 2, '0000': orcid 0000 is not an id of this kind"),
        ("id,email\na,a@x.org\n", "line 2, 'a': none of orcid, openalex"),
        ("id,openalex\na,A1\na,A2\n", "line 3, 'a': the id occurs twice"),
        ("name,email\na,a@x.org\n", "line 1: the header has no column id"),
        ("id,semantic_scholar\na,8\n", "line 2, 'a': Semantic Scholar has no author 8"),
    ],
)
def test_an_invalid_row_is_named_with_its_line(
    services: PaperServices, tmp_path: Path, contents: str, message: str
):
    (tmp_path / "r.csv").write_text(contents)
    with pytest.raises(InputError, match=message):
        fetch_archives(tmp_path / "r.csv", tmp_path / "archives", services)


def test_users_of_cmt_have_addresses_of_pages(services: PaperServices, tmp_path: Path):
    (tmp_path / "Users.txt").write_text(
        "# First Name\tMiddle Initial (optional)\tLast Name\tE-mail\tOrganization\tCountry\t"
        "Google Scholar URL\tSemantic Scholar URL\tDBLP URL\tDomain Conflicts\n"
        "Ann\t\tSmith\tAnn@x.org\tX\tPeru\t\thttps://www.semanticscholar.org/author/7\t\tx.org\n"
    )
    summary = fetch_archives(tmp_path / "Users.txt", tmp_path / "archives", services)
    assert summary.papers == 2
    assert (tmp_path / "archives/ann@x.org.jsonl").exists()


def test_the_command_uses_the_settings_and_shows_no_key(
    server: WebService,
    reviewers: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
):
    caplog.set_level(logging.DEBUG)
    for name in ("OPENALEX_URL", "SEMANTIC_SCHOLAR_URL", "DBLP_URL"):
        monkeypatch.setenv(name, server.address)
    monkeypatch.setenv("SEMANTIC_SCHOLAR_API_KEY", "secret")
    monkeypatch.setenv("OPENALEX_EMAIL", "chair@example.org")
    command = ["match", "fetch", str(reviewers), "-o", str(tmp_path / "archives")]
    done = CliRunner().invoke(cli, command)
    assert done.exit_code == 0, done.output
    output = " ".join(done.output.split())
    assert "fetched 3 present 0 papers 3" in output
    assert "without papers 1: A77" in output
    assert "secret" not in done.output + caplog.text
    sent = [headers for path, headers in server.received if path.startswith("/graph")]
    assert {headers["x-api-key"] for headers in sent} == {"secret"}
    assert all("chair@example.org" in str(headers) for _, headers in server.received)
