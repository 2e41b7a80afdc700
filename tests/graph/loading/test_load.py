"""Loading gives the same graph for the same records, in any order and after any other load."""

import gzip
import json
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from random import Random
from threading import Event, Lock
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from neo4j import ManagedTransaction
from neo4j.exceptions import SessionExpired

from specter_graph.core.errors import InputError
from specter_graph.core.progress import Result, map_ahead
from specter_graph.graph.contents import stats
from specter_graph.graph.database import Database
from specter_graph.graph.loading import write_transactions
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.loading.write_transactions import (
    QUEUED,
    THREADS,
    Exclusive,
    OverlappingTransactions,
    Work,
)
from specter_graph.graph.maintenance.delete import clear
from specter_graph.graph.server import Instance
from specter_graph.loaders import open_corpus
from specter_graph.loaders.records import (
    Author,
    Citation,
    EndOfFile,
    Field,
    Identifier,
    Paper,
    Reject,
    UnknownKey,
    Venue,
    sample_key,
)
from tests.graph.canonical import canonical
from tests.real_data import REAL_DATA, needs_real_data

SAMPLES = Path(__file__).parents[2] / "loaders/formats/samples"

IDS = st.sampled_from("abcdefg")
NAMES = st.sampled_from(["Ann", "Bob", "Cara"])
PAPERS = st.builds(
    Paper,
    id=IDS,
    title=st.sampled_from(["On this", "On that"]),
    abstract=st.none() | st.just("We look."),
    year=st.none() | st.just(1999),
    authors=st.lists(NAMES.map(lambda name: Author(name, name)), max_size=3).map(tuple),
    venue=st.none() | st.sampled_from([Venue("J", "J"), Venue("K", "K")]),
    fields=st.lists(
        st.sampled_from([Field("s", "x", "X"), Field("s", "y", "Y"), Field("t", "x", "Z")]),
        max_size=2,
    ).map(tuple),
    references=st.lists(IDS, max_size=5).map(tuple),
)
CORPORA = st.lists(PAPERS, max_size=10)
some = settings(max_examples=15)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_transactions, "MAX_PAPERS", 3)


def loaded(graph: Database, *loads: list[Paper]) -> dict[str, list[str]]:
    """Return the graph after these loads, one after another, into an empty graph."""
    clear(graph)
    for papers in loads:
        load_papers(graph, papers)
    return canonical(graph)


def distinct(papers: list[Paper]) -> list[Paper]:
    return list({paper.id: paper for paper in papers}.values())


@some
@given(papers=CORPORA, random=st.randoms())
def test_order_and_repetition_do_not_matter(graph: Database, papers: list[Paper], random):
    shuffled = random.sample(papers, len(papers))
    once = loaded(graph, papers)
    assert loaded(graph, shuffled) == once
    assert loaded(graph, papers, shuffled) == once


@some
@given(papers=CORPORA.map(distinct), cut=st.integers(0, 10))
def test_a_corpus_may_be_split_over_loads_in_any_order(
    graph: Database, papers: list[Paper], cut: int
):
    first, second = papers[:cut], papers[cut:]
    expected = loaded(graph, papers)
    assert loaded(graph, first, second) == expected
    assert loaded(graph, second, first) == expected


@some
@given(old=CORPORA.map(distinct), new=CORPORA.map(distinct))
def test_changed_records_replace_all_data_of_the_old_ones(
    graph: Database, old: list[Paper], new: list[Paper]
):
    replaced = {paper.id for paper in new}
    result = new + [paper for paper in old if paper.id not in replaced]
    assert loaded(graph, old, new) == loaded(graph, result)


@some
@given(papers=CORPORA, stop=st.integers(0, 10))
def test_a_failed_load_is_completed_by_running_it_again(
    graph: Database, papers: list[Paper], stop: int
):
    def breaking() -> Iterator[Paper]:
        yield from papers[:stop]
        raise KeyboardInterrupt

    expected = loaded(graph, papers)
    clear(graph)
    with pytest.raises(KeyboardInterrupt):
        load_papers(graph, breaking())
    load_papers(graph, papers)
    assert canonical(graph) == expected


KILLED = """
import sys, time
from specter_graph.graph.loading import loader, write_transactions
from specter_graph.graph.database import connect
from specter_graph.loaders import open_corpus
write_transactions.MAX_PAPERS = 3
def slowly(items):
    for item in items:
        time.sleep(0.02)
        yield item
with connect(*sys.argv[1:4]) as db:
    loader.load_papers(db, slowly(open_corpus("jsonl", sys.argv[4])))
"""


def test_a_killed_load_is_completed_by_running_it_again(
    graph: Database, local_instance: Instance, tmp_path: Path
):
    path = tmp_path / "papers.jsonl"
    references = [[f"p{(7 * n + k) % 450}" for k in range(5)] for n in range(300)]
    rows = [
        {"id": f"p{n}", "title": "T", "authors": [f"a{n % 9}"], "references": references[n]}
        for n in range(300)
    ]
    path.write_text("\n".join(json.dumps(row) for row in rows))
    load_papers(graph, open_corpus("jsonl", path))
    expected = canonical(graph)
    clear(graph)
    with local_instance.lease() as endpoint:
        arguments = [endpoint.uri, endpoint.username, endpoint.password, str(path)]
        process = subprocess.Popen([sys.executable, "-c", KILLED, *arguments])
        deadline = time.monotonic() + 60
        while stats(graph).papers < 20 and time.monotonic() < deadline:
            time.sleep(0.05)
        process.kill()
        process.wait()
    assert 20 <= stats(graph).papers < 300
    load_papers(graph, open_corpus("jsonl", path))
    assert canonical(graph) == expected


def test_overlapping_transactions_do_not_deadlock(
    graph: Database, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr(write_transactions, "MAX_PAPERS", 250)
    rng, ids = Random(0), [f"p{number}" for number in range(3_000)]

    def papers() -> Iterator[Paper]:
        for key in ids:
            cited = {ids[int(len(ids) * rng.random() ** 3)] for _ in range(20)}
            people = {rng.randrange(2_000) for _ in range(4)}
            yield Paper(
                key,
                key,
                authors=tuple(Author(f"a{who}", f"A {who}", True) for who in sorted(people)),
                venue=Venue(f"v{len(people)}", "V"),
                references=tuple(sorted(cited - {key})),
            )

    assert load_papers(graph, papers()).new == len(ids)
    citations = (Citation(rng.choice(ids), rng.choice(ids)) for _ in range(3_000))
    assert load_papers(graph, citations).records == 3_000
    assert [record.message for record in caplog.records if record.name.startswith("neo4j")] == []


def test_overlapping_transactions_give_the_graph_of_one(
    graph: Database, monkeypatch: pytest.MonkeyPatch
):
    random = Random(3)
    papers = [
        Paper(
            id=f"p{n}",
            title="T",
            # Every author has many names, of which the last one must win.
            authors=tuple(
                Author(f"a{a}", f"A {random.randrange(10_000)}", orcid=f"{random.randrange(9_999)}")
                for a in random.sample(range(12), 3)
            ),
            fields=(Field("s", f"f{n % 7}", f"F {random.randrange(10_000)}"),),
            references=tuple(f"p{random.randrange(700)}" for _ in range(8)),
        )
        for n in range(600)
    ]
    expected = loaded(graph, papers)
    monkeypatch.setattr(write_transactions, "MAX_PAPERS", 1_000)
    assert loaded(graph, papers) == expected


def test_two_loads_at_once_give_the_graph_of_one(graph: Database):
    papers = [
        Paper(
            id=f"p{n}",
            title="T",
            authors=(Author(f"a{n % 5}", "A"),),
            venue=Venue(f"v{n % 3}", "V"),
            references=tuple(f"p{(n * k) % 90}" for k in range(2, 8)),
        )
        for n in range(60)
    ]
    once = loaded(graph, papers)
    clear(graph)
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(lambda order: load_papers(graph, papers[::order]), (1, -1)))
    assert canonical(graph) == once


def test_a_cited_paper_is_a_stub_until_its_record_comes(graph: Database):
    load_papers(graph, [Paper("a", "A", references=("b",))])
    [stub] = graph.read("MATCH (p:Stub) RETURN properties(p) AS p, labels(p) AS l")
    assert stub == {"p": {"id": "b", "sample_key": sample_key("b")}, "l": ["Paper", "Stub"]}
    load_papers(graph, [Paper("b", "B", year=1999)])
    [paper] = graph.read(
        "MATCH (p:Paper&!Stub {id: 'b'}) RETURN p.title AS title, p.sample_key AS sample_key"
    )
    assert paper == {"title": "B", "sample_key": sample_key("b")}
    assert stats(graph).stubs == 0


def test_all_fields_of_a_record_are_in_the_graph(graph: Database):
    paper = Paper(
        "a",
        "A",
        abstract="We look.",
        year=1999,
        published="1999-01-02",
        body="All of it.",
        retracted=True,
        identifiers=(Identifier("doi", "10.1234/x"), Identifier("arxiv", "2004.07180")),
        language="en",
        url="u",
        source="s",
        authors=(Author("x", "Xu"), Author("y", "Yi", identified=True), Author("x", "Xu")),
        venue=Venue("j", "J"),
        fields=(Field("mesh", "D1", "Disease"),),
        references=("b", "c", "b", "a"),
    )
    summary = load_papers(graph, [paper])
    [row] = graph.read("MATCH (p:Paper {id: 'a'}) RETURN properties(p) AS p")
    for name in (
        "id",
        "title",
        "abstract",
        "year",
        "published",
        "language",
        "url",
        "source",
        "body",
        "retracted",
    ):
        assert row["p"][name] == getattr(paper, name)
    assert graph.read(
        "MATCH (a:Author)-[w:WROTE]->(:Paper {id: 'a'}) RETURN a.id AS id, a.name AS name,"
        " a.identified AS identified, w.position AS position ORDER BY position"
    ) == [
        {"id": "x", "name": "Xu", "identified": False, "position": 1},
        {"id": "y", "name": "Yi", "identified": True, "position": 2},
    ]
    assert graph.read(
        "MATCH (:Paper {id: 'a'})-[:PUBLISHED_IN]->(v:Venue) RETURN v.id, v.name"
    ) == [{"v.id": "j", "v.name": "J"}]
    assert graph.read("MATCH (:Paper {id: 'a'})-[:ABOUT]->(f:Field) RETURN properties(f) AS f") == [
        {"f": {"scheme": "mesh", "id": "D1", "name": "Disease"}}
    ]
    cited = graph.read("MATCH (:Paper {id: 'a'})-[:CITES]->(q) RETURN q.id AS id ORDER BY id")
    assert [row["id"] for row in cited] == ["b", "c"]
    assert (row["p"]["doi"], row["p"]["arxiv_id"]) == ("10.1234/x", "2004.07180")
    assert graph.read(
        "MATCH (i:Identifier)-[:OF]->(:Paper {id: 'a'})"
        " RETURN i.scheme AS s, i.value AS v ORDER BY s"
    ) == [{"s": "arxiv", "v": "2004.07180"}, {"s": "doi", "v": "10.1234/x"}]
    assert summary.new == 1


def test_a_changed_record_replaces_only_the_data_of_the_old_one(graph: Database):
    load_papers(
        graph,
        [Paper("a", "A", abstract="Old.", authors=(Author("x", "X"),), references=("b", "c"))],
    )
    graph.write("MATCH (p:Paper {id: 'a'}) SET p.specter = [1.0], p:Mine")
    graph.write("MATCH (:Paper {id: 'a'})-[r:CITES]->({id: 'c'}) SET r.note = true")
    summary = load_papers(graph, [Paper("a", "A", references=("c", "d"))])
    assert (summary.new, summary.changed, summary.unchanged) == (0, 1, 0)
    [row] = graph.read("MATCH (p:Mine {id: 'a'}) RETURN p.specter AS v, p.abstract AS abstract")
    assert row == {"v": [1.0], "abstract": None}
    assert graph.read(
        "MATCH (:Paper)-[r:CITES]->(q) RETURN q.id AS id, r.note AS i ORDER BY id"
    ) == [{"id": "c", "i": True}, {"id": "d", "i": None}]
    assert graph.read("MATCH (n:!Schema) RETURN n.id AS id ORDER BY id") == [
        {"id": "a"},
        {"id": "c"},
        {"id": "d"},
    ]


def test_the_longest_of_several_records_in_one_load_wins(graph: Database):
    short, long = Paper("a", "A"), Paper("a", "A", abstract="A longer record.")
    for papers in ([short, long], [long, short], [long, short, long]):
        clear(graph)
        summary = load_papers(graph, papers)
        assert graph.read("MATCH (p:Paper) RETURN p.abstract AS a") == [{"a": "A longer record."}]
        assert summary.records == len(papers)
        assert summary.new + summary.changed + summary.unchanged + summary.duplicates == len(papers)


def test_the_alphabetically_last_name_of_an_author_wins(graph: Database):
    one, other = (
        Paper("a", "A", authors=(Author("1", "Zoe"),)),
        Paper("b", "B", authors=(Author("1", "Ann"),)),
    )
    for papers in ([one, other], [other, one]):
        clear(graph)
        for paper in papers:
            load_papers(graph, [paper])
        assert graph.read("MATCH (a:Author) RETURN a.name AS name") == [{"name": "Zoe"}]


def test_the_alphabetically_last_name_of_a_venue_wins(graph: Database):
    one, other = (
        Paper("a", "A", venue=Venue("issn:1932-6203", "PLOS ONE")),
        Paper("b", "B", venue=Venue("issn:1932-6203", "PLoS ONE")),
    )
    for papers in ([one, other], [other, one]):
        clear(graph)
        for paper in papers:
            load_papers(graph, [paper])
        assert graph.read("MATCH (v:Venue) RETURN v.name AS name") == [{"name": "PLoS ONE"}]


def test_rejects_are_counted_and_written_with_place_and_reason(graph: Database, tmp_path: Path):
    rejects = tmp_path / "rejects.jsonl"
    load_papers(graph, [Paper("a", "A")], rejects=rejects)
    assert not rejects.exists()
    items = [
        Reject("f", 1, None, "the line is not JSON", "x"),
        Paper("a", "A"),
        UnknownKey("f", 2, "pages"),
        Reject("f", 3, "b", "title is empty", "{}"),
    ]
    summary = load_papers(graph, items, rejects=rejects)
    assert (summary.records, summary.unchanged, summary.rejected) == (3, 1, 2)
    assert summary.first_reject == "the line is not JSON"
    assert summary.rejects == str(rejects)
    assert summary.unknown_keys == ["pages"]
    assert [json.loads(line) for line in rejects.read_text().splitlines()] == [
        {
            "file": "f",
            "line": 1,
            "id": None,
            "reason": "the line is not JSON",
            "record": "x",
            "repaired": False,
        },
        {
            "file": "f",
            "line": 3,
            "id": "b",
            "reason": "title is empty",
            "record": "{}",
            "repaired": False,
        },
    ]


def test_a_rejects_file_that_cannot_be_written_is_a_clear_error(graph: Database, tmp_path: Path):
    with pytest.raises(InputError, match="cannot be written"):
        load_papers(
            graph, [Reject("f", 1, None, "no", "")], rejects=tmp_path / "absent" / "rejects.jsonl"
        )


@pytest.mark.parametrize("corpus", [[{"id": "a", "title": "A"}], "papers.jsonl"])
def test_items_that_are_not_records_are_an_error(graph: Database, corpus: Any):
    with pytest.raises(InputError, match=r"the corpus has a (dict|str)") as caught:
        load_papers(graph, corpus)
    assert "open_corpus" in (caught.value.hint or "")


def test_one_record_is_not_a_corpus(graph: Database):
    with pytest.raises(InputError, match="one Paper") as caught:
        load_papers(graph, Paper("a", "A"))  # type: ignore[arg-type]
    assert caught.value.hint == "give a list of records"


@pytest.mark.parametrize(
    ("parts", "name"),
    [
        ({"authors": ["A. Bee"]}, "Author"),
        ({"venue": "JHEP"}, "Venue"),
        ({"fields": ["quarks"]}, "Field"),
        ({"citations": ["b"]}, "Citation"),
        ({"identifiers": ["doi:10.1/x"]}, "Identifier"),
    ],
)
def test_a_part_that_is_a_text_is_an_error_that_names_its_class(
    graph: Database, parts: Any, name: str
):
    with pytest.raises(InputError, match=f"the paper 'a' has .* instead of an object {name}") as e:
        load_papers(graph, [Paper("a", "A", **parts)])
    assert f"import {name}" in (e.value.hint or "")


def test_references_that_are_one_text_are_an_error(graph: Database):
    with pytest.raises(InputError, match="references is the text 'bc', not a list"):
        load_papers(graph, [Paper("a", "A", references="bc")])  # type: ignore[arg-type]
    assert stats(graph).stubs == 0


def test_a_paper_without_an_id_or_a_title_is_an_error(graph: Database):
    with pytest.raises(InputError, match="the paper 'A' has no id"):
        load_papers(graph, [Paper("", "A")])
    with pytest.raises(InputError, match="the paper 'a' has no title"):
        load_papers(graph, [Paper("a", "")])
    assert stats(graph).papers == 0


def test_the_callback_receives_growing_counts(graph: Database):
    records: list[int] = []
    load_papers(
        graph,
        [Paper(f"p{n}", "T") for n in range(7)],
        on_batch=lambda summary: records.append(summary.records),
    )
    assert records == [3, 6, 7, 7]


def test_the_readable_part_of_a_truncated_file_is_loaded(graph: Database, tmp_path: Path):
    path = tmp_path / "papers.jsonl.gz"
    lines = "\n".join(json.dumps({"id": f"p{n}", "title": "T" * 50}) for n in range(20_000))
    path.write_bytes(gzip.compress(lines.encode())[:-2_000])
    summary = load_papers(
        graph, list(open_corpus("jsonl", path))[-5:], rejects=tmp_path / "rejects.jsonl"
    )
    assert (summary.new, summary.rejected) == (3, 1)
    assert "cut off" in (tmp_path / "rejects.jsonl").read_text()


def test_a_corpus_that_is_loaded_again_is_unchanged(graph: Database):
    papers = [Paper(f"p{n}", "T", references=(f"p{n + 1}", f"q{n % 4}")) for n in range(7)]
    assert load_papers(graph, papers).new == 7
    counts = stats(graph)
    assert (counts.papers, counts.stubs) == (7, 5)
    assert (counts.citations, counts.citations_to_stubs) == (6, 8)
    again = load_papers(graph, papers)
    assert (again.new, again.changed, again.unchanged) == (0, 0, 7)
    assert stats(graph) == counts


@needs_real_data
def test_hepph_has_the_counts_of_its_source(graph: Database, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(write_transactions, "MAX_PAPERS", 2_000)
    hepph = REAL_DATA / "hepph.jsonl.gz"
    assert load_papers(graph, open_corpus("jsonl", hepph)).new == 9_300
    counts = stats(graph)
    assert (counts.papers, counts.stubs) == (9_300, 9_704)
    assert (counts.citations, counts.citations_to_stubs) == (67_967, 53_859)
    again = load_papers(graph, open_corpus("jsonl", hepph))
    assert (again.new, again.changed, again.unchanged) == (0, 0, 9_300)
    assert stats(graph) == counts


def test_the_counts_of_a_load_are_those_of_the_files(graph: Database, tmp_path: Path):
    corpus = open_corpus("auto", SAMPLES)
    summary = load_papers(graph, corpus, rejects=tmp_path / "rejects.jsonl")
    assert summary.records == (
        summary.new + summary.changed + summary.unchanged + summary.duplicates + summary.rejected
    )
    items = [item for item in corpus if not isinstance(item, EndOfFile | UnknownKey)]
    repairs = sum(isinstance(item, Reject) and item.repaired for item in items)
    assert summary.records == len(items) - repairs
    assert stats(graph).papers == len({item.id for item in items if isinstance(item, Paper)})


def overlapping(graph: Database, works: Iterable[Work[Result]]) -> Iterator[Result]:
    """Run transactions as `load_papers` does."""
    return map_ahead(OverlappingTransactions(graph).run, works, threads=THREADS, ahead=QUEUED)


def test_the_statements_of_two_transactions_never_run_at_the_same_time(graph: Database):
    running = Lock()

    def write(tx: ManagedTransaction, exclusive: Exclusive) -> bool:
        if not running.acquire(blocking=False):
            return False
        time.sleep(0.05)
        running.release()
        return True

    assert [*overlapping(graph, [write] * 6)] == [True] * 6


def test_one_transaction_runs_its_statements_while_another_commits(
    graph: Database, monkeypatch: pytest.MonkeyPatch
):
    commit, began = ManagedTransaction._commit, Event()

    def commit_late(tx: ManagedTransaction) -> None:
        assert began.wait(10)
        commit(tx)

    def write(tx: ManagedTransaction, exclusive: Exclusive, number: int) -> None:
        if number == 1:
            began.set()

    monkeypatch.setattr(ManagedTransaction, "_commit", commit_late)
    assert [*overlapping(graph, [partial(write, number=number) for number in range(2)])]


def test_a_transaction_that_fails_ends_the_load_after_those_before_it(graph: Database):
    def write(tx: ManagedTransaction, exclusive: Exclusive, number: int) -> int:
        tx.run("CREATE (:Venue {id: $number})", number=number)
        return number

    delivered: list[int] = []

    def write_all() -> None:
        numbers = (1, 2**70, 3, 4, 5, 6, 7)  # Neo4j's integers have 64 bits
        works = [partial(write, number=number) for number in numbers]
        delivered.extend(overlapping(graph, works))

    with pytest.raises(OverflowError):
        write_all()
    assert delivered == [1]
    written = {number for [number] in graph.values("MATCH (v:Venue) RETURN v.id")}
    assert 1 in written <= {1, 3, 4}  # those that were waiting


def test_an_exclusive_transaction_sees_all_that_was_written_before(graph: Database):
    def write(tx: ManagedTransaction, exclusive: Exclusive) -> int:
        exclusive()
        [[before]] = tx.run("MATCH (v:Venue) WITH count(v) AS n CREATE (:Venue {id: n}) RETURN n")
        exclusive()  # calling it again changes nothing
        return before

    assert sorted(overlapping(graph, [write] * 20)) == [*range(20)]


def test_an_exclusive_transaction_waits_for_all_commits(
    graph: Database, monkeypatch: pytest.MonkeyPatch
):
    commit, begun = ManagedTransaction._commit, list[ManagedTransaction]()
    committed: list[ManagedTransaction] = []

    def commit_first_late(tx: ManagedTransaction) -> None:
        time.sleep(0.5 if tx is begun[0] else 0)
        commit(tx)
        committed.append(tx)

    def write(tx: ManagedTransaction, exclusive: Exclusive) -> bool:
        begun.append(tx)
        if len(begun) == 3:  # the second one has committed before the first
            exclusive()
        return begun[0] in committed

    monkeypatch.setattr(ManagedTransaction, "_commit", commit_first_late)
    assert [*overlapping(graph, [write] * 3)] == [False, False, True]


def test_a_commit_is_repeated_while_the_next_transaction_waits_to_be_exclusive(
    graph: Database, monkeypatch: pytest.MonkeyPatch
):
    graph.commit("CREATE (:Venue {id: 'shared'})")
    commit, failures = ManagedTransaction._commit, [SessionExpired("the server restarted")]
    order: list[int] = []

    def commit_or_fail(tx: ManagedTransaction) -> None:
        if not failures:
            return commit(tx)
        time.sleep(1)  # the next transaction waits for the lock
        tx._close()
        raise failures.pop()

    def write(tx: ManagedTransaction, exclusive: Exclusive, number: int) -> None:
        tx.run("MATCH (v:Venue {id: 'shared'}) SET v.number = $number", number=number).consume()
        if order:
            exclusive()
        order.append(number)

    monkeypatch.setattr(ManagedTransaction, "_commit", commit_or_fail)
    assert len([*overlapping(graph, [partial(write, number=number) for number in range(2)])]) == 2
    first, second = dict.fromkeys(order)
    assert order == [first, second, first]
