"""Deletion removes all data of a paper, a corpus or a reader, and no other data."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from specter_graph.core.errors import GraphError
from specter_graph.graph.database import Database
from specter_graph.graph.deduplication.merge import merge, merge_lock
from specter_graph.graph.loading.loader import begin_load, file_done, load_papers
from specter_graph.graph.maintenance import delete
from specter_graph.graph.maintenance.delete import (
    CorpusCounts,
    DeleteCounts,
    clear,
    count_corpus,
    delete_corpus,
    delete_papers,
    delete_readers,
)
from specter_graph.loaders.records import (
    Abstract,
    Affiliation,
    Author,
    Citation,
    Field,
    Identifier,
    Labels,
    Paper,
    Reading,
    Venue,
)
from tests.graph.canonical import canonical
from tests.graph.export.rich_corpus import ITEMS, READING, load_rich_corpus, write_places

IDS = st.sampled_from("abcdef")
NAMES = st.sampled_from(["Ann", "Bob", "Cara"])
PAPERS = st.builds(
    Paper,
    id=IDS,
    title=st.just("T"),
    year=st.none() | st.sampled_from([1999, 2001]),
    authors=st.lists(
        st.builds(
            Author,
            id=NAMES,
            name=st.just("N"),
            affiliations=st.sampled_from([(), (Affiliation("x", "X"),), (Affiliation("y", "Y"),)]),
        ),
        max_size=2,
        unique_by=lambda author: author.id,
    ).map(tuple),
    venue=st.none() | st.sampled_from([Venue("J", "J"), Venue("K", "K")]),
    fields=st.sampled_from([(), (Field("s", "f", "F"),), (Field("s", "g", "G"),)]),
    identifiers=st.sampled_from([(), (Identifier("doi", "10.1/x"),)]),
    references=st.lists(IDS, max_size=3).map(tuple),
)
READINGS = st.builds(
    Reading, reader=NAMES, paper=IDS, kind=st.sampled_from(["VIEWED", "SAVED"]), at=st.just("1")
)
some = settings(max_examples=12)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delete, "_PAPERS", 2)
    monkeypatch.setattr(delete, "_READINGS", 2)


def loaded(graph: Database, items: list) -> dict[str, list[str]]:
    clear(graph)
    load_papers(graph, items)
    return canonical(graph)


@some
@example([Paper("a", "T", references=("b",))], [], [Abstract("b", "We look.")], [], {"a"})
@given(
    papers=st.lists(PAPERS, unique_by=lambda paper: paper.id),
    readings=st.lists(READINGS, max_size=4, unique=True),
    abstracts=st.lists(st.builds(Abstract, id=IDS, text=st.just("We look.")), max_size=2),
    vocabulary=st.lists(st.just(Field("s", "f", "F")), max_size=1),
    gone=st.sets(IDS),
)
def test_after_a_deletion_the_graph_is_as_if_the_papers_had_never_been_loaded(
    graph: Database,
    papers: list[Paper],
    readings: list[Reading],
    abstracts: list[Abstract],
    vocabulary: list[Field],
    gone: set[str],
):
    gone &= {paper.id for paper in papers}
    separate = [*readings, *vocabulary]
    remaining = [each for each in (*papers, *abstracts) if each.id not in gone]
    without = loaded(graph, [*remaining, *separate])
    loaded(graph, [*papers, *abstracts, *separate])
    delete_papers(graph, sorted(gone))
    assert canonical(graph) == without


@some
@given(
    papers=st.lists(PAPERS, unique_by=lambda paper: paper.id),
    readings=st.lists(READINGS, max_size=8, unique=True),
)
def test_a_deleted_reader_leaves_nothing(
    graph: Database, papers: list[Paper], readings: list[Reading]
):
    without = loaded(graph, [*papers, *(r for r in readings if r.reader != "Ann")])
    loaded(graph, [*papers, *readings])
    if any(reading.reader == "Ann" for reading in readings):
        assert delete_readers(graph, ["Ann"]) == DeleteCounts(readers=1)
    assert canonical(graph) == without


def test_supplements_and_vectors_are_deleted_with_the_paper(graph: Database):
    load_rich_corpus(graph)
    load_papers(graph, [Abstract("unread", "Told apart."), Labels("b", (Field("s", "x", "X"),))])
    write_places(graph)
    graph.write("MATCH (a {id: 'a'}), (b {id: 'b'}) CREATE (a)-[:SIMILAR {score: 1.0}]->(b)")
    assert delete_papers(graph, ["b", "unread"]) == DeleteCounts(papers=1)
    rows = graph.read(
        "MATCH (p:Paper) WHERE p.id IN ['b', 'unread']"
        " RETURN labels(p) AS labels, keys(p) AS keys, [(p)-[r]-(q) | [type(r), q.id]] AS links"
    )
    assert [(row["labels"], sorted(row["keys"]), row["links"]) for row in rows] == [
        (["Paper", "Stub"], ["id", "sample_key"], [["CITES", "a"]])
    ] * 2
    assert graph.read("MATCH (f:Field {id: 'x'}) RETURN f") == []
    assert delete_papers(graph, ["a"]) == DeleteCounts(papers=1)
    assert graph.read("MATCH (p:Paper) RETURN p.id AS id ORDER BY id") == [
        {"id": "c"},
        {"id": "d e/f"},
    ]
    # Labels of a vocabulary remain.
    assert graph.read("MATCH (f:Field) RETURN f.id AS id ORDER BY id") == [
        {"id": "D0"},
        {"id": "D1"},
    ]


def test_an_unknown_id_is_an_error_before_anything_is_deleted(graph: Database):
    load_papers(graph, [Paper("paper1", "T"), Paper("paper2", "T")])
    before = canonical(graph)
    with pytest.raises(GraphError, match="no paper 'paper3'") as unknown:
        delete_papers(graph, ["paper1", "paper3"])
    assert "paper1" in unknown.value.hint
    with pytest.raises(GraphError, match="no reader 'paper1'"):
        delete_readers(graph, ["paper1"])
    with pytest.raises(GraphError, match="has the source 'pubmed'"):
        delete_corpus(graph, "pubmed")
    assert canonical(graph) == before


def corpora() -> tuple[list, list]:
    """Load two corpora that cite each other; the prefix separates the second from the first."""
    one = [
        Paper("x:1", "T", source="one", references=("two:1", "x:2"), authors=(Author("n", "N"),)),
        Paper("x:2", "T", source="one", venue=Venue("J", "J")),
        Reading("r", "two:1", "SAVED"),
    ]
    other = [
        Paper("two:1", "T", source="two", references=("x:2", "two:9"), authors=(Author("n", "N"),)),
        Paper("y:3", "T", source="two", references=("two:1",), venue=Venue("K", "K")),
        Citation("two:8", "x:1"),
        Reading("two:reader", "x:1", "VIEWED"),
    ]
    return one, other


def test_a_corpus_is_selected_by_source_or_prefix(graph: Database):
    one, other = corpora()
    without = loaded(graph, one)
    loaded(graph, [*one, *other])
    assert count_corpus(graph, "two") == CorpusCounts(papers=2, stubs=2, readers=1)
    # two:1 is still cited and read
    assert delete_corpus(graph, "two") == DeleteCounts(papers=2, readers=1)
    assert canonical(graph) == without


def test_records_of_other_sources_of_a_merged_paper_remain(graph: Database):
    doi = (Identifier("doi", "10.1/x"),)
    one = [
        Paper("one:1", "T", source="one", identifiers=doi, references=("one:2",)),
        Paper("one:2", "T", source="one", references=("doi:10.1/x",)),
    ]
    other = [Paper("two:1", "Title", source="two", identifiers=doi, abstract="More.")]
    without = loaded(graph, one)
    for delete_records in (
        lambda: delete_corpus(graph, "two"),
        lambda: delete_papers(graph, ["two:1"]),
    ):
        loaded(graph, [*one, *other])
        merge(graph)
        [merged] = graph.read("MATCH (:SourceRecord)-[:DESCRIBES]->(p) RETURN DISTINCT p.id AS id")
        assert merged == {"id": "one:1"}
        deleted = delete_records()
        assert (deleted.papers, deleted.restored) == (1, 1)
        graph.write("MATCH (r:MergeRules) DELETE r")
        assert canonical(graph) == without


@pytest.mark.parametrize(
    ("key", "source", "later"),
    [("two:1", None, None), ("x", "two", None), ("x", "three", "two")],
)
def test_a_record_of_a_merged_paper_is_selected_by_prefix_or_by_its_latest_source(
    graph: Database, key: str, source: str | None, later: str | None
):
    doi = (Identifier("doi", "10.1/x"),)
    other = Paper("one:1", "T", source="one", identifiers=doi)
    record = Paper(key, "Title", source=source, identifiers=doi)
    without = loaded(graph, [other])
    loaded(graph, [other, record])
    merge(graph)
    load_papers(graph, [replace(record, source=later or source)])
    assert delete_corpus(graph, "two") == DeleteCounts(papers=1, restored=1)
    graph.write("MATCH (r:MergeRules) DELETE r")
    assert canonical(graph) == without


def test_a_merged_stub_that_only_a_deleted_paper_cited_is_deleted_by_the_next_merge(
    graph: Database,
):
    cited = Paper("a", "A", identifiers=(Identifier("doi", "10.1234/x"),))
    loaded(graph, [cited])
    merge(graph)
    without = canonical(graph)
    loaded(graph, [cited, Paper("b", "B", references=("doi:10.1234/x",))])
    assert merge(graph).merged == 1
    delete_papers(graph, ["b"])
    merge(graph)
    assert canonical(graph) == without


def test_the_id_of_a_merged_paper_deletes_all_its_records(graph: Database):
    doi = (Identifier("doi", "10.1/x"),)
    citing = Paper("three:1", "T", source="three", references=("two:1",))
    without = loaded(graph, [citing])
    loaded(
        graph,
        [
            citing,
            Paper("one:1", "T", source="one", identifiers=doi),
            Paper("two:1", "T", source="two", identifiers=doi),
        ],
    )
    merge(graph)
    assert delete_papers(graph, ["one:1"]) == DeleteCounts(papers=2, restored=1)
    graph.write("MATCH (r:MergeRules) DELETE r")
    assert canonical(graph) == without


def test_continuing_an_interrupted_load_restores_deleted_papers(graph: Database):
    load_papers(graph, ITEMS)
    begin_load(graph, 7, is_mutable=False)
    file_done(graph, 7, "the file of a")
    delete_papers(graph, ["a"])
    assert begin_load(graph, 7, is_mutable=False).done == frozenset()


def test_a_killed_deletion_is_completed_by_a_second_run(
    graph: Database, monkeypatch: pytest.MonkeyPatch
):
    one, other = corpora()
    without = loaded(graph, one)
    loaded(graph, [*one, *other])
    batches = iter([True, False])

    def killed(*_arguments: object) -> None:
        if not next(batches):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        delete_corpus(graph, "two", progress=killed)
    delete_corpus(graph, "two")
    assert canonical(graph) == without


def test_readings_are_deleted_in_batches(graph: Database, tmp_path: Path):
    papers = [Paper(f"p{n}", "T") for n in range(5)]
    without = loaded(graph, papers)
    load_papers(graph, [Reading("r", f"p{n % 7}", "VIEWED", str(n)) for n in range(20)])
    load_papers(graph, [READING])
    assert delete_readers(graph, ["r", READING.reader]) == DeleteCounts(readers=2)
    assert canonical(graph) == without


def test_a_deletion_waits_for_a_merge(graph: Database) -> None:
    load_papers(graph, [Paper("a", "A"), Paper("b", "B")])
    with ThreadPoolExecutor(1) as threads:
        with merge_lock(graph):
            deleting = threads.submit(delete_papers, graph, ["a"])
            with pytest.raises(TimeoutError):
                deleting.result(timeout=1)
            assert graph.value("MATCH (p:Paper) RETURN count(p)") == 2
        assert deleting.result() == DeleteCounts(papers=1)
