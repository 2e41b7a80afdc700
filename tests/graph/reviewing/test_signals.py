"""Compare citation signals and topics with hand computation."""

from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specter_graph.graph.database import Database
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.maintenance.delete import clear
from specter_graph.graph.reviewing import venue_data
from specter_graph.graph.reviewing.assignments import PairPaths, find_paths
from specter_graph.graph.reviewing.venue_data import (
    ReviewerPaper,
    read_reviewer_papers,
    read_submissions,
)
from specter_graph.graph.reviewing.venue_import import VenueRecords, import_venue
from specter_graph.loaders.records import Author, Paper
from specter_graph.loaders.review_records import Reviewer, Submission
from tests.graph.reviewing.small_venue import citation_counts, load_small_venue


def test_citations_are_signals_for_pairs(graph: Database):
    load_small_venue(graph)
    # s1 -> p6 by Bob; both cite c1; s1 -> m -> p6, p3 by Bob; p6 -> p3 is a self-citation.
    # p1 by Ann cites c1 as s1 does, and c2 as s2 does.
    assert citation_counts(graph) == {
        ("A1", "s1"): (0, 1, 0),
        ("A1", "s2"): (0, 1, 0),
        ("~Bob_B1", "s1"): (1, 1, 1),
        ("~Bob_B1", "s2"): (1, 1, 0),
    }


def test_the_papers_behind_a_signal_are_returned(graph: Database):
    load_small_venue(graph)
    pairs = [("~Bob_B1", "s1"), ("A1", "s3"), ("~Bob_B1", "s9"), ("~Nobody1", "s1")]
    assert list(find_paths(graph, "V", pairs)) == [
        PairPaths(
            "~Bob_B1",
            "s1",
            cited=("p6",),
            shared=(("c1", "p6"),),
            two_hops=(("m", "p3"),),
            topics=("graph learning",),
        ),
        PairPaths("A1", "s3"),
    ]


def test_papers_of_reviewers_come_with_years_and_places(
    graph: Database, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(venue_data, "_REVIEWERS_PER_READ", 1)
    load_small_venue(graph)
    assert list(read_reviewer_papers(graph, "V")) == [
        ReviewerPaper("A1", "p1", 2023, 2, 2),
        ReviewerPaper("A1", "p2", 2015, 2, 2),
        ReviewerPaper("~Bob_B1", "p3", 2020, 2, 2),
        ReviewerPaper("~Bob_B1", "p4", 2021, 2, 2),
        ReviewerPaper("~Bob_B1", "p5", None, 2, 2),
        ReviewerPaper("~Bob_B1", "p6", 2022, 1, 1),
    ]
    assert len(list(read_reviewer_papers(graph, "V", only=["A1"]))) == 2


def test_who_reads_submissions_does_not_see_their_authors(graph: Database):
    load_small_venue(graph)
    assert read_submissions(graph, "V") == [
        Submission("s1", "On s1", "Its abstract.", topics=("graph learning", "Ethics")),
        Submission("s2", "On s2"),
        Submission("s3", "On s3"),
    ]


IDS = st.sampled_from("abcdef")
RECORDS = st.lists(
    st.builds(
        Paper,
        id=IDS,
        title=st.just("T"),
        authors=st.sampled_from(
            [(), (Author("R", "R"),), (Author("R", "R"), Author("Q", "Q")), (Author("Q", "Q"),)]
        ),
        references=st.lists(IDS, max_size=4, unique=True).map(tuple),
    ),
    unique_by=lambda paper: paper.id,
    max_size=6,
)


@settings(max_examples=10)
@given(papers=RECORDS, references=st.sets(IDS))
def test_signals_agree_with_sets_of_citations(
    graph: Database, papers: list[Paper], references: set[str]
):
    clear(graph)
    people = [Author("R", "R"), Author("Q", "Q")]
    load_papers(graph, papers)
    named = {key for paper in papers for key in (paper.id, *paper.references)}
    import_venue(
        graph,
        "V",
        VenueRecords(
            submissions=[Submission("s", "S", references=tuple(sorted(references)))],
            reviewers=[Reviewer("R"), Reviewer("Q")],
            newcomers=people,
        ),
    )
    cites = defaultdict(set, {p.id: {*p.references} - {p.id} for p in papers})
    expected = {}
    for key in ("Q", "R"):
        own = {p.id for p in papers if any(a.id == key for a in p.authors)}
        cited = references & own & named
        shared = references & {q for p in own for q in cites[p]}
        two = {q for q in (references & named) - own if cites[q] & own}
        if cited or shared or two:
            expected[key, "s"] = (len(cited), len(shared), len(two))
    assert citation_counts(graph) == expected
