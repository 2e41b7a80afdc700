"""Curated lists of authors are applied to present and future papers."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specter_graph.core.errors import InputError
from specter_graph.graph.database import Database
from specter_graph.graph.deduplication.merge import merge
from specter_graph.graph.deduplication.merge_authors import AuthorMergeSummary, merge_authors
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.maintenance.delete import clear
from specter_graph.loaders.records import Affiliation, Author, Identifier, Paper
from tests.graph.canonical import canonical

ACME, BELL = Affiliation("ror:1", "Acme"), Affiliation("ror:2", "Bell")
ANN = Author("openalex:A1", "Ann Smith", True, "0000-1", (ACME,))
A_SMITH = Author("dblp:A. Smith", "A. Smith", affiliations=(BELL, ACME))
BOB = Author("dblp:Bob", "Bob")
AUTHORS = st.builds(
    Author,
    id=st.sampled_from("abcd"),
    name=st.just("N"),
    affiliations=st.sampled_from([(), (ACME,)]),
)
RECORDS = st.lists(
    st.builds(
        Paper,
        id=st.sampled_from(["p", "q", "r"]),
        title=st.just("T"),
        year=st.sampled_from([None, 1999, 2004]),
        identifiers=st.sampled_from([(), (Identifier("doi", "10.1/x"),)]),
        authors=st.lists(AUTHORS, max_size=4).map(tuple),
    ),
    max_size=3,
    unique_by=lambda paper: paper.id,
)


def authors(graph: Database, paper: str) -> list[tuple[object, ...]]:
    return [
        tuple(row.values())
        for row in graph.read(
            "MATCH (a:Author)-[w:WROTE]->(:Paper {id: $paper})"
            " RETURN a.id, a.name, a.identified, w.position ORDER BY w.position",
            paper=paper,
        )
    ]


def test_an_author_under_two_ids_becomes_one(graph: Database):
    load_papers(
        graph, [Paper("p", "P", authors=(ANN,)), Paper("q", "Q", authors=(A_SMITH, BOB, ANN))]
    )
    summary = merge_authors(graph, [[A_SMITH.id, ANN.id]])
    assert summary == AuthorMergeSummary(authors=1, ids=1, moved=1)
    assert authors(graph, "p") == [(A_SMITH.id, "Ann Smith", True, 1)]
    assert authors(graph, "q") == [
        (A_SMITH.id, "Ann Smith", True, 1),
        (BOB.id, "Bob", False, 2),
    ]
    assert graph.read("RETURN COUNT { (:Author) } AS n") == [{"n": 2}]
    assert graph.read(
        "MATCH (a:Author {id: $id})-[w:WROTE]->(:Paper {id: 'q'}) RETURN a.orcid AS orcid,"
        " w.affiliations AS at, COUNT { (a)-[:AFFILIATED_WITH]->() } AS n",
        id=A_SMITH.id,
    ) == [{"orcid": "0000-1", "at": ["ror:2", "ror:1"], "n": 2}]


def test_papers_loaded_later_or_again_are_by_the_canonical_author(graph: Database):
    papers = [Paper("p", "P", authors=(ANN,)), Paper("q", "Q", authors=(A_SMITH,))]
    load_papers(graph, papers[:1])
    merge_authors(graph, [[ANN.id, A_SMITH.id]])
    load_papers(graph, papers)
    load_papers(graph, [Paper("p", "P changed", authors=(BOB, A_SMITH))])
    assert authors(graph, "q") == [(ANN.id, "Ann Smith", True, 1)]
    assert authors(graph, "p")[1] == (ANN.id, "Ann Smith", True, 2)


def test_lists_add_up_and_the_canonical_author_may_change_later(graph: Database):
    load_papers(graph, [Paper("p", "P", authors=(ANN, A_SMITH, BOB))])
    merge_authors(graph, [[ANN.id, A_SMITH.id]])
    summary = merge_authors(graph, [[BOB.id, ANN.id]])
    assert (summary.authors, summary.ids) == (1, 2)
    assert authors(graph, "p") == [(BOB.id, "Bob", True, 1)]
    again = merge_authors(graph, [[BOB.id, ANN.id, A_SMITH.id]])
    assert again == AuthorMergeSummary(1, 2, 0)


@pytest.mark.parametrize(
    "same",
    [[["a", "b"], ["b", "a"]], [["a", "b"], ["c", "b"]], [["a", "b"], ["b", "c"], ["d", "c"]]],
)
def test_the_canonical_author_must_be_unambiguous(graph: Database, same: list[list[str]]):
    with pytest.raises(InputError, match="do not say which"):
        merge_authors(graph, same)
    assert graph.read("RETURN COUNT { (:MergedAuthor) } AS n") == [{"n": 0}]


def test_other_relationships_of_an_author_are_never_lost(graph: Database):
    load_papers(graph, [Paper("p", "P", authors=(ANN, A_SMITH))])
    graph.write("MATCH (a:Author {id: $id}) CREATE (a)-[:KNOWS]->(:Person)", id=A_SMITH.id)
    for _ in range(2):
        merge_authors(graph, [[ANN.id, A_SMITH.id]])
    assert graph.read("MATCH (a:Author)-[:KNOWS]->() RETURN a.id AS id") == [{"id": A_SMITH.id}]
    assert len(authors(graph, "p")) == 1


@settings(max_examples=10)
@given(papers=RECORDS, more=RECORDS)
def test_the_order_of_loads_and_lists_does_not_matter(
    graph: Database, papers: list[Paper], more: list[Paper]
):
    def load(graph: Database) -> None:
        load_papers(graph, papers)

    def load_more(graph: Database) -> None:
        load_papers(graph, more)

    def curate(graph: Database) -> None:
        merge_authors(graph, [["a", "b"], ["c", "a"]])

    def visible(*steps) -> list[str]:
        clear(graph)
        for step in steps:
            step(graph)
        # SourceRecords have the authors at the time when the papers were merged.
        return [text for part in canonical(graph).values() for text in part if "'json'" not in text]

    first = visible(curate, load, load_more, merge)
    assert visible(load, load_more, curate, merge) == first
    assert visible(load, load_more, merge, curate) == first
    assert visible(load, curate, load_more, merge, curate) == first
