"""Load supplementary files, and record fields beyond papers and citations."""

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specter_graph.graph.contents import stats
from specter_graph.graph.database import Database
from specter_graph.graph.loading import write_transactions
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.maintenance.delete import clear
from specter_graph.literature_graph import LiteratureGraph
from specter_graph.loaders.records import (
    Abstract,
    Affiliation,
    Author,
    Citation,
    Field,
    Filtered,
    Identifier,
    Item,
    Labels,
    Paper,
    Reading,
    Reject,
)
from tests.graph.canonical import canonical

ACME, BELL = Affiliation("ror:1", "Acme"), Affiliation("ror:2", "Bell")
IDS = st.sampled_from("abcd")
FIELDS = st.sampled_from(
    [Field("s", "x", "X"), Field("s", "y", "Y", ("x",)), Field("t", "x", "Z"), Field("s", "x", "W")]
)
AUTHORS = st.builds(
    replace,
    st.sampled_from([Author("u", "U"), Author("v", "V", orcid="0000-0001")]),
    affiliations=st.sampled_from([(), (ACME,), (BELL, ACME)]),
)
CITATIONS = st.builds(
    Citation,
    citing=IDS,
    cited=st.sampled_from("wxyz"),
    intents=st.sampled_from([(), ("method",), ("result",)]),
    influential=st.sampled_from([None, True, False]),
    contexts=st.sampled_from([(), ("as in [1]",)]),
)
SEPARATE = st.lists(
    CITATIONS
    | st.builds(Abstract, id=IDS, text=st.sampled_from(["Short.", "Other.", "Longer text."]))
    | st.builds(Labels, id=IDS, fields=st.lists(FIELDS, min_size=1, max_size=2).map(tuple))
    | FIELDS
    | st.builds(
        Reading,
        reader=st.sampled_from(["r", "s"]),
        paper=IDS,
        kind=st.sampled_from(["VIEWED", "SAVED"]),
        at=st.none() | st.just("2020-01-01"),
        session=st.none() | st.just("1"),
    ),
    max_size=8,
)
RECORDS = st.lists(
    st.builds(
        Paper,
        id=IDS,
        title=st.just("T"),
        year=st.sampled_from([None, 1999, 2004]),
        identifiers=st.sampled_from([(), (Identifier("doi", "10.1234/x"),)]),
        authors=st.lists(AUTHORS, max_size=2).map(tuple),
        fields=st.lists(FIELDS, max_size=2).map(tuple),
        references=st.lists(st.sampled_from("wxyz"), max_size=3).map(tuple),
        abstract=st.sampled_from([None, "Its own.", "A text of its own that is long."]),
    ),
    max_size=4,
    unique_by=lambda paper: paper.id,
)
some = settings(max_examples=10)


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_transactions, "MAX_PAPERS", 2)


def loaded(graph: Database, *loads: list[Item]) -> dict[str, list[str]]:
    clear(graph)
    for items in loads:
        load_papers(graph, items)
    return canonical(graph)


@some
@given(papers=RECORDS, separate=SEPARATE, random=st.randoms())
def test_the_order_of_records_and_supplements_does_not_matter(
    graph: Database, papers: list[Paper], separate: list[Item], random
):
    items = [*papers, *separate]
    shuffled = random.sample(items, len(items))
    once = loaded(graph, items)
    assert loaded(graph, shuffled) == once
    assert loaded(graph, separate, papers) == once
    assert loaded(graph, items, shuffled) == once


@some
@given(old=RECORDS, new=RECORDS, separate=SEPARATE)
def test_a_changed_record_leaves_supplements_unchanged(
    graph: Database, old: list[Paper], new: list[Paper], separate: list[Item]
):
    replaced = {paper.id for paper in new}
    result = [*new, *(paper for paper in old if paper.id not in replaced)]
    # Labels remain in the vocabulary, with their old names.
    labels = [field for paper in old for field in paper.fields]
    assert loaded(graph, [*separate, *labels], old, new) == loaded(
        graph, [*separate, *labels], result
    )


def test_citations_of_a_supplement_create_stubs_and_have_contexts(graph: Database):
    citation = Citation("a", "b", ("method",), True, ("as in [1]",))
    summary = load_papers(graph, [citation, Citation("b", "c"), citation])
    assert (summary.records, summary.new, summary.duplicates) == (3, 2, 1)
    assert stats(graph).stubs == 3
    assert graph.read(
        "MATCH (:Paper {id: 'a'})-[c:CITES]->(:Paper {id: 'b'})"
        " RETURN c.intents AS i, c.influential AS f, c.contexts AS x"
    ) == [{"i": ["method"], "f": True, "x": ["as in [1]"]}]
    again = load_papers(graph, [citation])
    assert (again.new, again.changed, again.unchanged) == (0, 0, 1)


def test_a_record_has_the_contexts_of_its_citations(graph: Database):
    paper = Paper(
        "a", "A", references=("b", "c"), citations=(Citation("a", "b", contexts=("see [1]",)),)
    )
    load_papers(graph, [paper])
    read = "MATCH (:Paper)-[c:CITES]->(q) RETURN q.id AS id, c.contexts AS x ORDER BY id"
    assert graph.read(read) == [{"id": "b", "x": ["see [1]"]}, {"id": "c", "x": None}]
    load_papers(graph, [Paper("a", "A", references=("b", "c"))])
    assert graph.read(read) == [{"id": "b", "x": None}, {"id": "c", "x": None}]


def test_abstracts_and_labels_may_be_loaded_before_their_paper(graph: Database):
    label = Field("mesh", "D1", "Disease", ("D0",))
    load_papers(graph, [Abstract("a", "We look."), Labels("a", (label,))])
    assert stats(graph).papers == 0
    load_papers(graph, [Paper("a", "A", fields=(label,), elsewhere=("abstract",))])
    assert graph.read(
        "MATCH (p:Paper&!Stub)-[:ABOUT]->(f:Field)-[:BROADER]->(b)"
        " RETURN p.abstract AS text, f.name AS name, b.id AS broader"
    ) == [{"text": "We look.", "name": "Disease", "broader": "D0"}]


def test_affiliations_have_a_first_and_a_last_year(graph: Database):
    def paper(key: str, year: int, *affiliations: Affiliation) -> Paper:
        return Paper(key, "T", year=year, authors=(Author("u", "U", affiliations=affiliations),))

    read = (
        "MATCH (:Author {id: 'u'})-[w:AFFILIATED_WITH]->(f) RETURN f.name AS f, w.first AS first,"
        " w.last AS last ORDER BY f"
    )
    load_papers(graph, [paper("a", 2004, ACME), paper("b", 1999, ACME, BELL)])
    acme = {"f": "Acme", "first": 1999, "last": 2004}
    assert graph.read(read) == [acme, {"f": "Bell", "first": 1999, "last": 1999}]
    load_papers(graph, [paper("b", 2001, ACME)])
    assert graph.read(read) == [acme | {"first": 2001}]


def test_readings_are_stored_once_per_time(graph: Database):
    view = Reading("r", "a", "VIEWED", "2020-01-01", "s1")
    other = Reading("r", "a", "VIEWED", "2020-01-02")
    summary = load_papers(graph, [view, other, view, Reading("r", "a", "SAVED")])
    assert (summary.new, summary.duplicates) == (3, 1)
    assert load_papers(graph, [view]).unchanged == 1
    [row] = graph.read(
        "MATCH (:Reader {id: 'r'})-[v]->(:Paper {id: 'a'}) RETURN count(v) AS n,"
        " count(CASE type(v) WHEN 'SAVED' THEN 1 END) AS kept"
    )
    assert row == {"n": 3, "kept": 1}


def test_filtered_and_repaired_items_are_counted(graph: Database, tmp_path: Path):
    repaired = Reject("f", 1, "a", "left out: the paper cites itself", repaired=True)
    summary = load_papers(
        graph, [repaired, Paper("a", "A"), Filtered("b")], rejects=tmp_path / "rejects.jsonl"
    )
    assert (summary.records, summary.new, summary.filtered) == (2, 1, 1)
    assert (summary.rejected, summary.repaired) == (0, 1)
    assert "cites itself" in (tmp_path / "rejects.jsonl").read_text()


def test_dangling_references_are_dropped_on_request(graph: Database):
    LiteratureGraph(graph.driver, graph.name).load(
        [Paper("a", "A", references=("b", "x")), Paper("b", "B")], drop_dangling=True
    )
    assert (stats(graph).stubs, stats(graph).citations) == (0, 1)
