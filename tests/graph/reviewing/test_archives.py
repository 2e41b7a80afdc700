"""Reviewers' archives are used for matching, but are no part of the literature."""

from dataclasses import replace
from pathlib import Path
from typing import Any

from specter_graph.graph.contents import corpus_fingerprint, stats
from specter_graph.graph.database import Database
from specter_graph.graph.deduplication.merge_authors import merge_authors
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.export import export_graph
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.maintenance.delete import clear, delete_papers, delete_venue
from specter_graph.graph.reviewing.archive_papers import import_archives, read_titles
from specter_graph.graph.reviewing.assignments import find_paths
from specter_graph.graph.reviewing.conflict_detection import find_conflicts
from specter_graph.graph.reviewing.profiles import archive_owners
from specter_graph.graph.reviewing.venue_data import ReviewerPaper, read_reviewer_papers
from specter_graph.graph.reviewing.venue_import import VenueRecords, import_venue
from specter_graph.loaders.records import Author, Field, Identifier, Paper, Venue
from specter_graph.loaders.review_records import Reviewer, Submission
from tests.graph.canonical import canonical
from tests.graph.reviewing.small_venue import PAPERS, bob, citation_counts, load_small_venue

ANN = Author("openreview:~Ann1", "Ann", identified=True)
BEN = Author("openreview:~Ben1", "Ben", identified=True)
ONE = Paper(
    "openreview:1",
    "On zebras",
    "Stripes.",
    year=2023,
    source="openreview",
    authors=(ANN, BEN),
    identifiers=(Identifier("doi", "10.1234/zebra"),),
    venue=Venue("openreview:ICLR", "ICLR"),
    fields=(Field("keyword", "zebras", "zebras"),),
)
TWO = Paper("openreview:2", "More zebras", year=2022, source="openreview", authors=(BEN, ANN))


def load_archives(graph: Database, venue: str = "V", *archive_owners: Author) -> None:
    import_archives(graph, [TWO, ONE])
    people = archive_owners or (ANN,)
    reviewers = [Reviewer(person.id.removeprefix("openreview:")) for person in people]
    import_venue(graph, venue, VenueRecords(reviewers=reviewers, newcomers=people, year=2024))


def literature(graph: Database, folder: Path) -> dict[str, Any]:
    folder.mkdir()
    export_graph(graph, folder / "corpus.jsonl")
    result = "CALL db.index.fulltext.queryNodes('fulltext_papers', $word) YIELD node RETURN node.id"
    graph.read("CALL db.index.fulltext.awaitEventuallyConsistentIndexRefresh()")
    counts = stats(graph)
    return {
        "fingerprint": corpus_fingerprint(graph),
        "counts": (counts.papers, counts.stubs, counts.citations, counts.venues, counts.fields),
        "texts": list(paper_texts(graph)),
        "export": (folder / "corpus.jsonl").read_text(),
        "zebras": graph.read(result, word="zebras"),
        "written": graph.read("MATCH (a)-[w:WROTE]->(p) RETURN count(w)"),
        "identifiers": graph.read("MATCH (i:Identifier) RETURN count(i)"),
    }


def test_an_archive_is_no_part_of_the_literature(graph: Database, tmp_path: Path):
    load_papers(graph, PAPERS)
    before = literature(graph, tmp_path / "before")
    load_archives(graph)
    assert literature(graph, tmp_path / "after") == before
    assert read_titles(graph, ["openreview:1", "p1"]) == {"openreview:1": "On zebras", "p1": "One"}


def test_a_reviewer_has_the_papers_of_the_literature_and_of_the_archive(graph: Database):
    load_papers(
        graph, [Paper("a", "A", year=2020, authors=(ANN,)), Paper("b", "B", authors=(BEN,))]
    )
    load_archives(graph)
    assert list(read_reviewer_papers(graph, "V")) == [
        ReviewerPaper("~Ann1", "a", 2020, 1, 1),
        ReviewerPaper("~Ann1", "openreview:1", 2023, 1, 2, archived=True),
        ReviewerPaper("~Ann1", "openreview:2", 2022, 2, 2, archived=True),
    ]
    assert archive_owners(graph, ["openreview:1", "a"]) == {"openreview:1": [ANN, BEN]}


def test_a_paper_that_is_loaded_later_is_read_from_the_literature(graph: Database):
    load_archives(graph, "V", ANN, BEN)
    load_papers(graph, [Paper("openreview:1", "On zebras, published", year=2024, authors=(ANN,))])
    result = [each for each in read_reviewer_papers(graph, "V") if each.paper == "openreview:1"]
    assert result == [
        ReviewerPaper("~Ann1", "openreview:1", 2024, 1, 1),
        ReviewerPaper("~Ben1", "openreview:1", 2023, 2, 2),  # the record does not have this author
    ]
    assert read_titles(graph, ["openreview:1"]) == {"openreview:1": "On zebras, published"}
    load_archives(graph, "V", ANN, BEN)
    assert stats(graph).papers == 1
    delete_papers(graph, ["openreview:1"])
    result = [each for each in read_reviewer_papers(graph, "V") if each.paper == "openreview:1"]
    assert [each.archived for each in result] == [True, True]


def test_a_paper_with_a_known_doi_is_read_from_the_literature(graph: Database):
    """Therefore, its citations in the literature count for the reviewer."""
    zebra = Identifier("doi", "10.1234/zebra")
    known = Paper(
        "w1", "Zebras", year=2024, authors=(BEN,), identifiers=(zebra,), references=("c",)
    )
    load_papers(graph, [known])
    copy = replace(ONE, id="openreview:1copy")
    load_archives(graph, "V", ANN, BEN)
    import_archives(graph, [copy])
    assert list(read_reviewer_papers(graph, "V")) == [
        ReviewerPaper("~Ann1", "openreview:2", 2022, 2, 2, archived=True),
        ReviewerPaper("~Ann1", "w1", 2023, 1, 2),
        ReviewerPaper("~Ben1", "openreview:2", 2022, 1, 2, archived=True),
        ReviewerPaper("~Ben1", "w1", 2024, 1, 1),
    ]
    import_venue(graph, "V", VenueRecords(submissions=[Submission("9", "S", references=("w1",))]))
    assert {who: cited for (who, _), (cited, *_) in citation_counts(graph).items()} == {
        "~Ann1": 1,
        "~Ben1": 1,
    }


def test_the_same_archives_change_nothing_and_new_texts_replace_old_ones(graph: Database):
    load_archives(graph)
    once = canonical(graph)
    load_archives(graph)
    assert canonical(graph) == once
    import_archives(graph, [Paper("openreview:1", "New", source="openreview", authors=(ANN,))])
    [paper] = graph.read("MATCH (p {id: 'openreview:1'}) RETURN p.title AS t, p.abstract AS a")
    assert paper == {"t": "New", "a": None}


def test_archives_are_deleted_with_the_last_venue_of_their_authors(graph: Database):
    load_papers(graph, PAPERS)
    before = canonical(graph)
    load_archives(graph, "V", ANN)
    load_archives(graph, "W", BEN)
    delete_venue(graph, "V")
    assert [each.paper for each in read_reviewer_papers(graph, "W")] == [
        "openreview:1",
        "openreview:2",
    ]
    delete_venue(graph, "W")
    assert canonical(graph) == before
    load_archives(graph)
    clear(graph)
    assert graph.read("MATCH (n:!Schema) RETURN n") == []


def test_archives_give_conflicts_and_topics(graph: Database):
    load_small_venue(graph)
    load_archives(graph)
    submission = Submission("9", "S", None, (BEN.id,), (), ("Zebras", "lions"))
    import_venue(graph, "V", VenueRecords(submissions=[submission]))
    result = {each.kind: each for each in find_conflicts(graph, "V", submissions=["9"])}
    assert (
        result["coauthor"].evidence == 'wrote "On zebras" (openreview:1, 2023) with Ben, and 1 more'
    )
    [between] = find_paths(graph, "V", [("~Ann1", "9")])
    assert between.topics == ("Zebras",)
    # A paper in the archive and in the literature counts once.
    assert "advisor" not in result
    load_papers(graph, [Paper("openreview:1", "On zebras", year=2023, authors=(ANN, BEN))])
    again = {each.kind: each for each in find_conflicts(graph, "V", submissions=["9"])}
    assert again["coauthor"].evidence == result["coauthor"].evidence
    assert "advisor" not in again


def test_merged_authors_keep_their_archives(graph: Database):
    load_small_venue(graph)
    load_archives(graph)
    merge_authors(graph, [[bob().id, ANN.id]])
    papers = [each.paper for each in read_reviewer_papers(graph, "V") if each.archived]
    assert papers == ["openreview:1", "openreview:2"]
    import_archives(graph, [ONE])
    assert graph.read("MATCH (a:Author {id: $id}) RETURN a", id=ANN.id) == []
