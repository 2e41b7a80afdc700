"""Compare the rows of the library's queries on the small corpus with hand computation.

A score is 1 / (1 + d^2) for papers at distance d on the line; `rrf` is the score of fused ranks.
"""

import pytest

from specter_graph.graph.queries.library_queries import run_query
from tests.graph.library_corpus import load_library_corpus, place
from tests.graph.library_parameters import PARAMETERS


@pytest.fixture(scope="module")
def corpus(fresh_graph):
    """Load the corpus; the tests of this module only read."""
    load_library_corpus(fresh_graph)
    return fresh_graph


def s(distance):
    return 1 / (1 + distance**2)


def rrf(*ranks):
    return sum(1 / (60 + rank) for rank in ranks)


EXPECTED = {
    "ancestors": (
        ("id", "weight", "generation", "paths"),
        [
            ("n2", s(5), 1, 1),
            ("q2", s(5), 1, 1),
            ("n1", s(5) * s(1), 2, 1),
            ("q1", s(5) * s(1), 2, 1),
        ],
    ),
    "bridging_papers": (
        ("id", "bridge", "from_links", "to_links", "similarity_from", "similarity_to"),
        [
            ("n3", 2**0.5, 1, 2, s(12), s(2)),
            ("q1", 2**0.5, 2, 1, 1, s(10)),
            ("b", 1, 1, 1, s(6), s(4)),
        ],
    ),
    "coauthors_to_ask": (  # Dan wrote q4 and t and cites q2; Bob wrote q2; Hal cites it
        ("id", "weight", "wrote", "cites", "together"),
        [
            ("Dan", s(1) + s(1.1) + s(1) / 2, 2, 1, 1),
            ("Bob", s(1), 1, 0, 1),
            ("Hal", s(1) / 2, 0, 1, 1),
        ],
    ),
    "concurrent_work": (
        ("id", "agreement", "score", "shared"),
        [
            ("t", s(0.1), s(0.1), 2),
            ("q3", s(1) * 2 / 6**0.5, s(1), 2),
            ("n3", s(9) / 6**0.5, s(9), 1),
        ],
    ),
    "duplicates": (  # q1 and q2 are cited by q3, which also cites a stub, and by q4 and t
        ("id", "other", "likeness", "score", "shared", "same_title"),
        [
            ("q4", "t", (s(0.1) + 1) / 2, s(0.1), 2, True),
            ("q3", "q4", (s(1) + 2 / 3) / 2, s(1), 2, False),
            ("q3", "t", (s(1.1) + 2 / 3) / 2, s(1.1), 2, False),
        ],
    ),
    "field_gaps": (
        ("id", "other", "score"),
        [("q4", "n1", s(7)), ("q3", "n1", s(8)), ("q4", "n2", s(8)), ("q2", "n1", s(9))],
    ),
    "field_outliers": (
        ("id", "belonging", "near_share", "cited_share"),
        [("b", 0.25, 0, 0.5), ("n3", (1 + 2 / 3) / 2, 1, 2 / 3)],
    ),
    "predict_field": (
        ("id", "vote", "near_share", "cited_share", "labeled"),
        [("neutrinos", (1 + 2 / 3) / 2, 1, 2 / 3, True), ("quarks", 1 / 6, 0, 1 / 3, False)],
    ),
    "more_like_these": (
        ("id", "fused", "rank", "citation_rank", "links"),
        [("q2", rrf(2, 1), 2, 1, 2), ("t", rrf(1), 1, None, 0), ("q1", rrf(2), None, 2, 2)],
    ),
    "most_cited_stubs": (("id", "citations"), [("s1", 2), ("s2", 1)]),
    "outlier_references": (
        ("id", "neighbors", "score", "citations"),
        [("n1", 1, s(2), 2), ("n2", 1, s(1), 2), ("q1", 4, s(12), 6)],
    ),
    "papers_without_vectors": (("id", "citations", "abstract"), [("bare", 0, False)]),
    "reading_order": (
        ("id", "used_by", "builds_on", "citations", "score"),
        [
            ("q1", 3, 0, 3, s(3)),
            ("q2", 2, 1, 3, s(2)),
            ("q3", 0, 2, 0, s(1)),
            ("t", 0, 2, 0, s(0.1)),
        ],
    ),
    "related_work": (
        ("id", "fused", "rank", "other_rank", "cocitation_rank", "coupling_rank", "cited"),
        [
            ("q1", rrf(1, 3, 1), 1, 3, 1, None, True),
            ("q4", rrf(3, 2), 3, None, None, 2, False),
            ("bare", rrf(1), None, None, None, 1, False),
            ("n3", rrf(1), None, 1, None, None, False),
        ],
    ),
    "rising_papers": (  # q1: one citation in 1998 to 2000, four in 2001 to 2003
        ("id", "rise", "recent", "before", "score"),
        [("q1", 3 / 5**0.5, 4, 1, 1), ("q2", 1 / 3**0.5, 2, 1, s(1))],
    ),
    "shared_rationale": (
        ("id", "agreement", "score", "shared", "contexts"),
        [
            ("q4", s(1) * 2 / 6**0.5, s(1), 2, None),
            ("t", s(1.1) * 2 / 6**0.5, s(1.1), 2, None),
            ("b", s(4) / 6**0.5, s(4), 1, None),
        ],
    ),
    "seminal_papers": (
        ("id", "weight", "near_citations", "citations"),
        [("q1", 4 * 4 / 6, 4, 6), ("q2", 3 * 3 / 4, 3, 4)],
    ),
    "sleeping_beauties": (  # q1: 1, 1, 2 at the ages 5, 10, 11: 66 * 2 / 11 - 1 - 1 - 2
        ("id", "beauty", "peak", "peak_citations", "citations"),
        [("q1", 8, 2001, 2, 6), ("q2", 2, 2000, 1, 4)],
    ),
    "stubs_to_load": (
        ("id", "weight", "near_citations", "citations"),
        [("s1", s(1), 1, 2), ("s2", s(1), 1, 1)],
    ),
    "suspect_vectors": (
        ("id", "near_share", "similarity", "linked"),
        [
            ("b", 0, s(5), 2),
            ("t", 0, (s(3.1) + s(2.1)) / 2, 2),
            ("q4", 0, (s(3) + s(2)) / 2, 2),
            ("q1", 2 / 5, (s(1) + s(2) + s(3) + s(3.1) + s(12)) / 5, 5),
        ],
    ),
    "venue_outliers": (
        ("id", "belonging", "near_share", "cited_share"),
        [
            ("q4", 0.25, 0.5, 0),
            ("t", 0.25, 0.5, 0),
            ("n1", 0.5, 0.5, None),
            ("b", 0.75, 1, 0.5),
            ("n2", 0.75, 0.5, 1),
        ],
    ),
    "venues_for_text": (
        ("id", "weight", "near_share", "cited_share", "papers"),
        [("W", (1 + 1 / 4) / 2, 1, 1 / 4, 2), ("V", 3 / 8, 0, 3 / 4, 0)],
    ),
    "who_works_on": (  # q3 cites papers of Ann and of Bob, q4 one of Bob
        ("id", "weight", "papers", "citing", "nearest"),
        [
            ("Ann", 2 * s(1) + 1, 2, 1, "On q2"),
            ("Bob", s(1) + 1 + s(1), 1, 2, "On q2"),
            ("Cara", 1, 1, 0, "On q3"),
            ("Dan", s(1), 1, 0, "On q4"),
        ],
    ),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_the_rows_agree_with_hand_computation(corpus, name):
    columns, expected = EXPECTED[name]
    rows = run_query(corpus, name, PARAMETERS[name], embed=place).rows
    assert [tuple(row[column] for column in columns) for row in rows] == [
        tuple(pytest.approx(value) if isinstance(value, float) else value for value in row)
        for row in expected
    ]


def test_missing_references_are_near_the_text_or_cited_near_it_or_with_the_references(corpus):
    """The draft b cites q2 and n2, which q3, q4, t and n3 cite, too."""

    def near(distance):
        return pytest.approx((s(distance) - s(6)) / (s(2.9) - s(6)))

    rows = run_query(corpus, "missing_references", {"id": "b"}).rows
    result = sorted(
        (row["id"], row["stub"], row["near"], row["cited_near"], row["cited_with"]) for row in rows
    )
    assert result == [
        ("n1", False, near(4), 2, 1),
        ("n3", False, 0, 0, 0),
        ("q1", False, 0, 5, 4),
        ("q3", False, near(4), 0, 0),
        ("q4", False, near(3), 0, 0),
        ("s1", True, 0, 2, 1),
        ("s2", True, 0, 1, 0),
        ("t", False, 1, 0, 0),
    ]
    assert all(0 < row["score"] < 1 for row in rows)
    assert [row["id"] for row in rows][-2:] == ["s1", "s2"]
    [most_cited] = [row for row in rows if row["id"] == "q1"]
    assert {each["id"] for each in most_cited["citing_near"]} == {"t", "q4"}
    assert {each["id"] for each in most_cited["citing_with"]} == {"t", "q4"}


@pytest.mark.parametrize(
    ("given", "ids"),
    [
        ({"id": "b", "until": 1995}, {"n1", "q1", "s1", "s2"}),
        ({"cites": ["q2", "n2"], "until": 1995}, {"n1", "q1", "s1"}),
        ({"text": "6", "cites": ["q2", "n2"], "until": 1995}, {"n1", "q1", "s1", "s2"}),
        ({"text": "6", "until": 1990}, {"q1", "s1", "s2"}),
        ({"cites": ["none"]}, set()),
    ],
)
def test_missing_references_accept_incomplete_drafts(corpus, given, ids):
    rows = run_query(corpus, "missing_references", given, embed=place).rows
    assert {row["id"] for row in rows} == ids
