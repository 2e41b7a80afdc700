"""Store vectors of submissions in the same space as those of papers."""

from dataclasses import replace

import numpy as np

from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import (
    EmbeddingSpace,
    delete_space,
    read_vectors,
    write_space,
)
from specter_graph.graph.reviewing.venue_data import (
    outdated_submissions,
    read_submission_vectors,
    write_submission_vectors,
)
from specter_graph.graph.reviewing.venue_import import VenueRecords, import_venue
from tests.graph.reviewing.small_venue import SUBMISSIONS, load_small_venue

SPACE = EmbeddingSpace("specter", "base", 2, "minilm", "minilm", "d1")


def test_vectors_are_reused_until_the_text_or_the_model_changes(graph: Database):
    load_small_venue(graph)
    write_space(graph, SPACE, ["p1"], np.array([[0, 1]], dtype=np.float32), ["h"])
    texts = outdated_submissions(graph, "V", "specter", "d1")
    assert [text.id for text in texts] == ["s1", "s2", "s3"]
    vectors = np.array([[1, 2], [3, 4], [5, 6]], dtype=np.float32)
    write_submission_vectors(graph, "V", "specter", texts, vectors, "d1")
    assert outdated_submissions(graph, "V", "specter", "d1") == []
    assert len(outdated_submissions(graph, "V", "specter", "d2")) == 3
    import_venue(
        graph,
        "V",
        VenueRecords(submissions=[replace(SUBMISSIONS[1], abstract="New."), SUBMISSIONS[2]]),
    )
    assert [text.abstract for text in outdated_submissions(graph, "V", "specter", "d1")] == ["New."]
    keys, result = read_submission_vectors(graph, "V", "specter", ["s3", "s9", "s1"])
    assert keys == ["s3", "s1"]
    np.testing.assert_array_equal(result, vectors[[2, 0]])
    assert read_vectors(graph, "specter")[0] == ["p1"]


def test_vectors_of_submissions_are_dropped_with_the_space(graph: Database):
    load_small_venue(graph)
    write_space(graph, SPACE, ["p1"], np.ones((1, 2), dtype=np.float32), ["h"])
    texts = outdated_submissions(graph, "V", "specter", "d1")
    write_submission_vectors(graph, "V", "specter", texts, np.ones((3, 2), dtype=np.float32), "d1")
    delete_space(graph, "specter")
    assert graph.read("MATCH (s:Submission) WHERE s.specter IS NOT NULL RETURN s") == []
    assert len(outdated_submissions(graph, "V", "specter", "d1")) == 3
