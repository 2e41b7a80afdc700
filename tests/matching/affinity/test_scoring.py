"""Score a venue, and embed the papers that the scores need."""

import json
from pathlib import Path

import numpy as np
import pytest

from specter_graph import Encoder, LiteratureGraph, ScoreSettings, VenueSettings
from specter_graph.core.errors import GraphError, InputError
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import list_spaces, read_vectors
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.queries.library_queries import run_query
from specter_graph.graph.reviewing.assignments import read_score_summary
from specter_graph.loaders.records import Author, Paper
from specter_graph.matching.assignment.venue_assignment import AssignSettings
from specter_graph.venue import ReviewVenue
from tests.fake_encoders import LetterCounts
from tests.matching.venue_files import write_venue_files


def test_a_venue_of_archives_alone_is_scored_and_assigned(graph: Database, tmp_path: Path):
    model = LetterCounts(base="base")
    venue = ReviewVenue(graph, "V", lambda _: model)
    venue.load(**write_venue_files(tmp_path))
    with pytest.raises(InputError, match="the half-life is 0"):
        venue.score(ScoreSettings(half_life=0))
    scores = venue.score()
    assert [paper for paper, _ in scores.supporting_papers(0, 0)] == [
        "openreview:1",
        "openreview:2",
    ]
    pairs = venue.assign(AssignSettings(per_submission=1))
    assert [(pair.submission, pair.reviewer) for pair in pairs] == [("1", "~Ann1"), ("2", "~Bob1")]
    best = venue.explain("1", "~Ann1").papers[0]
    assert (best.title, best.archived) == ("aaa", True)
    with pytest.raises(GraphError, match="'V' has no assignment 'fair'; its assignments are: rev"):
        venue.report(tmp_path / "report.html", name="fair")
    venue.report(tmp_path / "report.html")
    assert "aaa" in (tmp_path / "report.html").read_text()
    assert read_vectors(graph, "base")[0] == []


def test_the_papers_of_reviewers_are_counted_while_they_are_embedded(
    graph: Database, tmp_path: Path
):
    venue = ReviewVenue(graph, "V", lambda _: Encoder.load("static"))
    venue.load(**write_venue_files(tmp_path))
    counts = []
    venue.score(progress=lambda *count: counts.append(count))
    assert {("submissions", 2, 2), ("papers of reviewers", 4, 4)} <= {*counts}


def test_a_venue_of_archives_alone_is_scored_in_the_space_of_another_model(
    graph: Database, tmp_path: Path
):
    literature = LiteratureGraph(graph.driver, graph.name)
    with pytest.raises(GraphError, match="has no papers"):
        literature.embed(LetterCounts(), "static")
    venue = ReviewVenue(graph, "V", lambda _: LetterCounts())
    venue.load(**write_venue_files(tmp_path))
    assert literature.embed(LetterCounts(), "static").embedded == 0
    pairs = venue.assign(VenueSettings(AssignSettings(1), ScoreSettings(("static",))))
    assert [(pair.submission, pair.reviewer) for pair in pairs] == [("1", "~Ann1"), ("2", "~Bob1")]


def test_a_trained_space_is_used_only_if_the_graph_lacks_base(graph: Database, tmp_path: Path):
    literature = LiteratureGraph(graph.driver, graph.name)
    venue = ReviewVenue(graph, "V", lambda _: LetterCounts())
    venue.load(**write_venue_files(tmp_path))

    def best_reviewer() -> str:
        parameters = {"venue": "V", "submission": "1", "k": 1}
        [row] = run_query(graph, "reviewers_for_submission", parameters).rows
        return str(row["reviewer"])

    for space, used in (("specter", "specter"), ("base", "base")):
        literature.embed(LetterCounts(), space)
        assert venue.score().spaces == (used,)
        assert best_reviewer() == "~Ann1"


def test_stored_affinities_are_current_until_reviewers_or_their_vectors_change(
    graph: Database, tmp_path: Path
):
    model = LetterCounts(base="base")
    venue = ReviewVenue(graph, "V", lambda _: model)
    files = write_venue_files(tmp_path)

    def unscored() -> list[str]:
        parameters = {"venue": "V", "needed": 2}
        rows = run_query(graph, "uncovered_submissions", parameters).rows
        summary = read_score_summary(graph, "V")
        assert summary is not None
        missing = [row["submission"] for row in rows if row["reviewers"] is None]
        assert summary.is_current == (len(missing) < 2)
        return missing

    venue.load(**files)
    venue.score()
    venue.load(**files)
    assert unscored() == []  # the same files are loaded again
    lists = tmp_path / "r.csv"
    lists.write_text("id,role\n~Bob1,area chair\n")
    more = Paper("p", "aab", authors=(Author("openreview:~Ann1", "Ann", True),))
    for change in (
        lambda: load_papers(graph, [more]),
        lambda: graph.write("MATCH (p:ArchivePaper {id: 'openreview:1'}) SET p.base_hash = 'x'"),
        lambda: venue.load(reviewers=lists),
    ):
        change()
        assert unscored() == ["1", "2"]
        venue.score()
        assert unscored() == []
    files["submissions"].write_text("id,title\n1,ab\n2,bb\n")
    venue.load(submissions=files["submissions"])
    assert unscored() == ["1"]


def test_archives_are_embedded_once_and_when_their_text_changes(graph: Database, tmp_path: Path):
    load_papers(graph, [Paper("p", "ab", "ab")])
    model = LetterCounts()
    venue = ReviewVenue(graph, "V", lambda _: model)
    files = write_venue_files(tmp_path)
    venue.load(**files)
    venue.score()
    assert sorted(model.encoded) == ["1", "2", *(f"openreview:{n}" for n in range(1, 5)), "p"]
    assert [each.name for each in list_spaces(graph)] == ["base"]
    model.encoded.clear()
    note = {"id": "1", "content": {"title": "abab"}}
    (files["archives"] / "~Ann1.jsonl").write_text(json.dumps(note))
    venue.load(**files)
    venue.score()
    assert model.encoded == ["openreview:1"]
    _, [vector] = read_vectors(graph, "base", ["openreview:1"], "ArchivePaper")
    np.testing.assert_array_equal(vector, [2, 2])
