"""Mining does not read all links of a paper or reader with links to much of the corpus."""

from typing import Any

import pytest

from specter_graph.core.triplet_settings import CitationTriplets, CooccurrenceTriplets
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.triplets.sources.candidates import MAX_LINKS, SeededOrder
from specter_graph.graph.triplets.sources.path_sources import (
    CitationSource,
    CooccurrenceSource,
    batch_text,
    cooccurrence_text,
)
from specter_graph.loaders.records import Paper, Reading
from tests.graph.plans import sum_hits

SIZE = MAX_LINKS + 200
NAMES = [f"p{number}" for number in range(SIZE)]
QUERIES = NAMES[:20]


@pytest.fixture(scope="module")
def corpus(fresh_graph: Database) -> Database:
    """Load papers that cite a hub and a neighbor, a survey that cites all, a robot that reads all.

    Pairs of papers are also cited by a small paper, and read by a reader.
    """
    hub = [Paper("hub", "hub"), Paper("survey", "survey", references=tuple(NAMES))]
    papers = [
        Paper(name, name, references=("hub", f"near {number // 2}"))
        for number, name in enumerate(NAMES)
    ]
    near = [Paper(f"near {number}", f"near {number}") for number in range(SIZE // 2)]
    small = [
        Paper(f"small {number}", f"small {number}", references=(name, NAMES[number + 1]))
        for number, name in enumerate(NAMES[:-1])
    ]
    readings = [
        Reading(reader, name, "SAVED")
        for number, name in enumerate(NAMES)
        for reader in ("robot", f"reader {number // 2}")
    ]
    load_papers(fresh_graph, [*hub, *papers, *near, *small, *readings])
    return fresh_graph


def db_hits(graph: Database, text: str, **parameters: object) -> int:
    """Return the db hits of a statement."""
    result = graph.driver.execute_query(f"PROFILE {text}", parameters)
    assert result.summary.profile is not None
    return sum_hits(result.summary.profile)


@pytest.mark.parametrize(
    "text",
    [
        *map(cooccurrence_text, ("co_citation", "coupling", "co_read")),
        batch_text(cited_by=True),
        batch_text(cited_by=False),
    ],
)
def test_the_work_for_a_query_does_not_grow_with_the_hubs_around_it(corpus: Database, text: str):
    hits = db_hits(
        corpus,
        text,
        ids=QUERIES,
        fanout=2,
        links=MAX_LINKS,
        hard=2,
        exclude_cocited=True,
        held_out=0,
        **SeededOrder(0).parameters,
    )
    assert hits < 200 * len(QUERIES)  # through a hub, a query has more than 1,000 papers


@pytest.mark.parametrize("links", [1, 2])
def test_a_paper_with_the_maximum_number_of_links_is_followed(corpus: Database, links: int):
    """Each reference of the survey, and each small paper, cites two papers."""
    given = {"links": links, "held_out": 0, **SeededOrder(0).parameters}
    [[_, _, cited, hard]] = corpus.value(
        batch_text(cited_by=False),
        ids=["survey"],
        fanout=2,
        hard=2,
        exclude_cocited=False,
        **given,
    )
    assert (len(cited), len(hard)) == (SIZE, 2 if links == 2 else 0)
    [row] = corpus.read(cooccurrence_text("co_citation"), ids=["p0"], **given)
    assert row["papers"] == (["p1"] if links == 2 else [])


def test_candidates_are_related_to_a_hub_without_reading_its_citations(corpus: Database):
    rows = [{"id": "hub", "candidates": QUERIES}, {"id": "p0", "candidates": ["hub", *QUERIES]}]
    text = statement("triplets/related").text
    assert corpus.value(text, rows=rows, held_out=0)[0] == QUERIES
    assert db_hits(corpus, text, rows=rows, held_out=0) < 2_000


@pytest.mark.parametrize(
    ("source", "related"),
    [
        ("coupling", {"p1", "hub", "near 0", "survey", "small 0"}),
        ("co_citation", {"p1", "hub", "near 0", "survey", "small 0"}),
        ("co_read", {"p1", "hub", "near 0", "survey", "small 0"}),
    ],
)
def test_papers_that_share_only_a_hub_with_the_query_are_not_related_to_it(
    corpus: Database, source: Any, related: set[str]
):
    [results] = CooccurrenceSource(corpus, CooccurrenceTriplets(source=source), 0, 0).find(["p0"])
    assert results.positives == ["p1"]
    assert {*results.related} == related


def test_a_hub_has_triplets_of_a_sample_of_its_links(corpus: Database):
    [results] = CooccurrenceSource(corpus, CooccurrenceTriplets(source="co_citation"), 0, 0).find(
        ["hub"]
    )
    assert len(results.positives) > 300
    [both] = CitationSource(corpus, CitationTriplets(cited_by=True), 0, 0).find(["hub"])
    assert {*both.positives} == {*NAMES}
    assert len(both.hard) == 2
