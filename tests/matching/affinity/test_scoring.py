"""Scores of a venue, with the vectors that they are made from."""

import json
from pathlib import Path

import numpy as np

from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import read_vectors, spaces
from specter_graph.graph.loading.loader import load_papers
from specter_graph.loaders.records import Paper
from specter_graph.matching.assignment.venue_assignment import AssignSettings
from specter_graph.venue import ReviewVenue
from tests.graph.embeddings.test_embed import LetterCounts

NOTES = {"~Ann1": {"1": "aaa", "2": "aaaa b"}, "~Bob1": {"3": "bbb", "4": "bbbb a"}}


def written(folder: Path) -> dict[str, Path]:
    """Archives of a reviewer who writes of a, and of one of b; a submission on each."""
    archives = folder / "archives"
    archives.mkdir(exist_ok=True)
    for owner, titles in NOTES.items():
        notes = [{"id": key, "content": {"title": title}} for key, title in titles.items()]
        (archives / f"{owner}.jsonl").write_text("\n".join(map(json.dumps, notes)))
    (folder / "s.csv").write_text("id,title\n1,aa\n2,bb\n")
    return {"archives": archives, "submissions": folder / "s.csv"}


def test_a_venue_of_archives_alone_is_scored_and_assigned(graph: Database, tmp_path: Path):
    model = LetterCounts(base_name="base")
    venue = ReviewVenue(graph, "V", lambda _: model)
    venue.load(**written(tmp_path))
    scores = venue.scores()
    assert [paper for paper, _ in scores.supporting_papers(0, 0)] == [
        "openreview:1",
        "openreview:2",
    ]
    pairs = venue.assign(AssignSettings(per_submission=1))
    assert [(pair.submission, pair.reviewer) for pair in pairs] == [("1", "~Ann1"), ("2", "~Bob1")]
    assert venue.explain("1", "~Ann1").papers[0].title == "aaa"
    venue.report(tmp_path / "report.html")
    assert "aaa" in (tmp_path / "report.html").read_text()
    assert read_vectors(graph, "base")[0] == []


def test_archives_are_embedded_once_and_when_their_text_changes(graph: Database, tmp_path: Path):
    load_papers(graph, [Paper("p", "ab", "ab")])
    model = LetterCounts()
    venue = ReviewVenue(graph, "V", lambda _: model)
    files = written(tmp_path)
    venue.load(**files)
    venue.scores()
    assert sorted(model.encoded) == ["1", "2", *(f"openreview:{n}" for n in range(1, 5)), "p"]
    assert [each.property for each in spaces(graph)] == ["base"]
    model.encoded.clear()
    note = {"id": "1", "content": {"title": "abab"}}
    (files["archives"] / "~Ann1.jsonl").write_text(json.dumps(note))
    venue.load(**files)
    venue.scores()
    assert model.encoded == ["openreview:1"]
    _, [vector] = read_vectors(graph, "base", ["openreview:1"], "ArchivePaper")
    np.testing.assert_array_equal(vector, [2, 2])
