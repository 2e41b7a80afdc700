"""Compare library queries for matching with NumPy scores and with the conflicts."""

from itertools import combinations

import numpy as np
import pytest

from specter_graph.core.errors import GraphError
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, write_space, write_vectors
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.queries.library_queries import run_query
from specter_graph.graph.reviewing.archive_papers import import_archives
from specter_graph.graph.reviewing.assignments import write_assigned, write_score_summary
from specter_graph.graph.reviewing.conflict_detection import find_conflicts
from specter_graph.graph.reviewing.venue_data import write_submission_vectors
from specter_graph.graph.reviewing.venue_import import VenueRecords, import_venue
from specter_graph.loaders.records import Affiliation, Author, Field, Identifier, Paper, PaperText
from specter_graph.loaders.review_records import AssignedPair, Bid, Conflict, Reviewer, Submission
from specter_graph.matching.affinity.recommend_reviewers import recommend_reviewers

DIMENSION, REVIEWERS, SUBMISSIONS = 24, 9, 7
TOPICS = ("graphs", "law", "optics", "trees", "waves")
random = np.random.default_rng(3)


def author(number: int) -> Author:
    """Return a reviewer or an author; two thirds are identified, some have affiliations."""
    at = (Affiliation(f"f{number % 4}", f"Institute {number % 4}"),) if number % 2 else ()
    return Author(f"x:{number}", f"Author {number}", identified=number % 3 > 0, affiliations=at)


def paper(number: int) -> Paper:
    """Return a paper of up to three authors, some of whom write repeatedly."""
    people = random.choice(16, random.integers(1, 4), replace=False).tolist()
    return Paper(
        f"p{number}",
        f"Paper {number}",
        year=int(random.integers(2018, 2027)) if number % 7 else None,
        authors=tuple(author(each) for each in people),
        references=tuple(f"p{each}" for each in random.integers(0, 60, 4)),
        fields=(Field("keyword", TOPICS[number % 5], TOPICS[number % 5].upper()),),
        identifiers=(Identifier("doi", f"10.1/{number}"),) if number % 4 == 0 else (),
    )


PAPERS = [paper(number) for number in range(60)]
ARCHIVED = [
    Paper(
        f"openreview:{number}",
        f"Archived {number}",
        authors=(author(number % REVIEWERS), author(12)),
        fields=(Field("keyword", "waves", "waves"),),
        # Every second paper is also in the literature, under its DOI.
        identifiers=(Identifier("doi", f"10.1/{number if number % 2 else 100 + number}"),),
    )
    for number in range(0, 36, 3)
]
PAPERS_OF_ALL = [*PAPERS, Paper("other", "Other", authors=(author(0),))]
VECTORS = {each.id: random.normal(0.3, 1, DIMENSION).astype(np.float32) for each in PAPERS[:-3]}
ARCHIVE_VECTORS = {
    each.id: random.normal(0.3, 1, DIMENSION).astype(np.float32) for each in ARCHIVED
}
SUBMITTED = [
    Submission(
        f"s{number}",
        f"Submission {number}",
        authors=tuple(f"x:{each}" for each in random.choice(16, number % 3, replace=False)),
        references=tuple(f"p{each}" for each in random.integers(0, 60, 6)),
        topics=tuple(random.choice(TOPICS, 3, replace=False).tolist()),
    )
    for number in range(SUBMISSIONS)
]
TEXTS = random.normal(0.3, 1, (SUBMISSIONS, DIMENSION)).astype(np.float32)
KEYS = [each.id for each in SUBMITTED]


@pytest.fixture(scope="module")
def venue(fresh_graph: Database) -> Database:
    """Load the venue; the tests of this module only read."""
    graph = fresh_graph
    load_papers(graph, PAPERS_OF_ALL)
    import_archives(graph, ARCHIVED)
    known = {row["id"] for row in graph.read("MATCH (a:Author) RETURN a.id AS id")}
    reviewers = [Reviewer(f"x:{each}") for each in range(REVIEWERS) if f"x:{each}" in known]
    conflicts = [Conflict("x:1", "s0", "declared", "we talked")]
    bids = [Bid("x:2", "s1", 0.5)]
    records = VenueRecords(SUBMITTED, reviewers, bids, conflicts, year=2026)
    import_venue(graph, "V", records)
    space = EmbeddingSpace("specter", "base", DIMENSION, "made", "made", "d1")
    write_space(graph, space, [*VECTORS], np.stack([*VECTORS.values()]), ["h"] * len(VECTORS))
    archived = np.stack([*ARCHIVE_VECTORS.values()])
    write_vectors(
        graph, "specter", [*ARCHIVE_VECTORS], archived, ["h"] * len(archived), "ArchivePaper"
    )
    texts = [PaperText(each.id, each.title, None) for each in SUBMITTED]
    write_submission_vectors(graph, "V", "specter", texts, TEXTS, "d1")
    write_assigned(graph, "V", [AssignedPair("x:2", "s1", 0.5), AssignedPair("x:3", "s1", 0.25)])
    return graph


@pytest.fixture(scope="module")
def affinity(venue: Database) -> dict[tuple[str, str], float]:
    """Return the affinity of each submission and reviewer, computed by NumPy."""
    best = recommend_reviewers(venue, "V", TEXTS, "specter", REVIEWERS)
    return {
        (key, each.reviewer): each.affinity
        for key, row in zip(KEYS, best, strict=True)
        for each in row
    }


@pytest.fixture(scope="module")
def conflicted(venue: Database) -> set[tuple[str, str]]:
    """Return the pairs with a conflict."""
    pairs = {(each.submission, each.reviewer) for each in find_conflicts(venue, "V")}
    assert len(pairs) > 10
    assert {each.kind for each in find_conflicts(venue, "V")} >= {
        "author",
        "coauthor",
        "affiliation",
    }
    return pairs


def ask(venue: Database, name: str, **parameters: object) -> list[dict]:
    """Run a query of the library on the venue."""
    return run_query(venue, name, {"venue": "V"} | parameters, embed=lambda *_: TEXTS[0]).rows


@pytest.mark.parametrize("number", range(SUBMISSIONS))
def test_reviewers_for_a_submission_have_the_scores_of_numpy(venue, affinity, conflicted, number):
    key = KEYS[number]
    rows = ask(venue, "reviewers_for_submission", submission=key, k=REVIEWERS)
    result = {row["reviewer"]: row["affinity"] for row in rows}
    pairs = {pair: score for pair, score in affinity.items() if pair[0] == key}
    assert {(key, who) for who in result} == pairs.keys() - conflicted
    assert [*result.values()] == pytest.approx([affinity[key, who] for who in result], abs=1e-5)
    assert [*result.values()] == sorted(result.values(), reverse=True)


def test_papers_and_citation_paths_support_a_reviewer(venue):
    best = recommend_reviewers(venue, "V", TEXTS, "specter", REVIEWERS)
    cited = shared = 0
    for number, submission in enumerate(SUBMITTED):
        titles = {each.reviewer: [paper.title for paper in each.papers] for each in best[number]}
        referred = {*submission.references}
        for row in ask(venue, "reviewers_for_submission", submission=submission.id):
            assert row["papers"] == titles[row["reviewer"]]
            own = [p for p in PAPERS if row["reviewer"] in {each.id for each in p.authors}]
            assert {*row["cited"]} == {*sorted(referred & {p.id for p in own})[:5]}
            both = referred & {reference for p in own for reference in p.references}
            assert row["shared"] == sorted(both)[:5]
            assert row["assigned"] == (submission.id == "s1" and row["reviewer"] in {"x:2", "x:3"})
            cited, shared = cited + len(row["cited"]), shared + len(row["shared"])
    assert cited
    assert shared


def test_reviewers_for_a_text_have_the_scores_of_numpy_and_their_load(venue, affinity):
    rows = ask(venue, "reviewers_for_text", text="anything", k=REVIEWERS)
    expected = {who: score for (key, who), score in affinity.items() if key == KEYS[0]}
    assert {row["reviewer"]: pytest.approx(row["affinity"], abs=1e-5) for row in rows} == expected
    assert {row["reviewer"] for row in rows if row["load"] == 1} == {"x:2", "x:3"}


def test_submissions_for_a_reviewer_have_the_scores_of_numpy(venue, affinity, conflicted):
    for who in sorted({who for _, who in affinity}):
        rows = ask(venue, "submissions_for_reviewer", reviewer=who)
        result = {row["submission"]: row["affinity"] for row in rows}
        assert {(key, who) for key in result} == {p for p in affinity if p[1] == who} - conflicted
        assert [*result.values()] == pytest.approx([affinity[key, who] for key in result], abs=1e-5)
        bids = {row["submission"]: row["bid"] for row in rows if row["bid"] is not None}
        assert bids == ({"s1": 0.5} if who == "x:2" and "s1" in result else {})


def test_the_conflicts_of_each_pair_are_the_ones_of_match_conflicts(venue, affinity):
    expected: dict[tuple[str, str], dict[str, bool]] = {}
    for each in find_conflicts(venue, "V"):
        expected.setdefault((each.submission, each.reviewer), {})[each.kind] = each.certain
    for key, who in affinity:
        rows = ask(venue, "conflicts_of_pair", submission=key, reviewer=who)
        kinds: dict[str, bool] = {}
        for row in rows:
            kinds[row["kind"]] = kinds.get(row["kind"], False) or row["certain"]
            assert row["path"][0] == f"Author {who.removeprefix('x:')}"
        assert kinds == expected.get((key, who), {})


def test_uncovered_submissions_lack_reviewers_by_the_last_scoring(venue, affinity):
    matrix = np.array([[s for (k, _), s in affinity.items() if k == key] for key in KEYS])
    write_score_summary(venue, "V", KEYS, matrix.astype(np.float32))
    bound = float(np.median(matrix))
    counts = dict(zip(KEYS, (matrix >= bound).sum(axis=1), strict=True))
    rows = ask(venue, "uncovered_submissions", min_affinity=bound, needed=5)
    assert {row["submission"]: row["reviewers"] for row in rows} == {
        key: count for key, count in counts.items() if count < 5
    }
    assert [row["reviewers"] for row in rows] == sorted(row["reviewers"] for row in rows)
    for row in rows:
        best = matrix[KEYS.index(row["submission"])].max()
        assert row["best"] == pytest.approx(best, abs=1e-5)


def test_submissions_that_the_last_scoring_lacks_come_first(venue, affinity):
    matrix = np.ones((SUBMISSIONS, len({who for _, who in affinity})), np.float32)
    write_score_summary(venue, "V", KEYS, matrix)
    assert ask(venue, "uncovered_submissions") == []
    try:
        import_venue(venue, "V", VenueRecords(submissions=[Submission("late", "Late")]))
        assert ask(venue, "uncovered_submissions") == [
            {"submission": "late", "title": "Late", "reviewers": None, "best": None, "topics": []}
        ]
        venue.write("MATCH (s:Submission {key: 'late'}) DETACH DELETE s")
        write_score_summary(venue, "V", KEYS, matrix[:, 1:])  # a reviewer was added later
        rows = ask(venue, "uncovered_submissions")
        assert [row["submission"] for row in rows] == KEYS
        assert {row["reviewers"] for row in rows} == {None}
    finally:
        venue.write("MATCH (s:Submission {key: 'late'}) DETACH DELETE s")


def test_a_panel_covers_as_many_topics_as_three_reviewers_can(venue, affinity, conflicted):
    topics: dict[str, set[str]] = {}
    for each in PAPERS:
        for person in each.authors:
            topics.setdefault(person.id, set()).update(f.name.lower() for f in each.fields)
    for each in ARCHIVED:
        for person in each.authors:
            topics.setdefault(person.id, set()).add("waves")
    for submission in SUBMITTED:
        free = {who for key, who in affinity if key == submission.id} - {
            who for key, who in conflicted if key == submission.id
        }
        submission_topics = {*submission.topics}
        panels = [
            (len(submission_topics & set().union(*(topics[who] for who in three))),
             sum(affinity[submission.id, who] for who in three) / 3)
            for three in combinations(sorted(free), 3)
        ]  # fmt: skip
        rows = ask(venue, "panel", submission=submission.id, k=1)
        assert bool(rows) == bool(panels)
        if rows:
            covered, mean = max(panels)
            assert len(rows[0]["covered"]) == covered
            assert {*rows[0]["covered"], *rows[0]["uncovered"]} == submission_topics
            assert rows[0]["affinity"] == pytest.approx(mean, abs=1e-5)


def test_the_load_of_topics_counts_submissions_reviews_and_reviewers(venue):
    rows = {row["topic"]: row for row in ask(venue, "load_by_topic")}
    assert {topic: row["submissions"] for topic, row in rows.items()} == {
        topic: sum(topic in each.topics for each in SUBMITTED)
        for topic in TOPICS
        if any(topic in each.topics for each in SUBMITTED)
    }
    for topic in SUBMITTED[1].topics:
        assert rows[topic]["reviews"] == 2
        assert rows[topic]["affinity"] == pytest.approx(0.375)
    assert all(0 <= row["load"] <= 2 for row in rows.values())
    assert rows["waves"]["reviewers"] >= 3


def test_no_rows_are_an_error_for_an_unknown_venue_only(graph):
    records = VenueRecords(
        [Submission("s", "S")], [Reviewer("dan")], newcomers=[Author("dan", "D")]
    )
    import_venue(graph, "V", records)
    pair = {"submission": "s", "reviewer": "dan"}
    assert run_query(graph, "conflicts_of_pair", {"venue": "V"} | pair).rows == []
    with pytest.raises(GraphError, match="no venue 'W'; its venues are: V"):
        run_query(graph, "conflicts_of_pair", {"venue": "W"} | pair)
