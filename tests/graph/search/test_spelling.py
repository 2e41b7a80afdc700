"""Find words that no paper has, and suggest words that papers have."""

import pytest

from specter_graph.cypher import statement
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.search.lucene import tokenize
from specter_graph.graph.search.spelling import MAX_WORDS, edits, suggest, unmatched
from specter_graph.loaders.records import Paper

COMMON, COMMON_PAPERS = "A leptoquark", 60
TITLES = [
    "A leptoquork",
    "Supersymmetric models and the mass of the neutrino",
    "Neutrino oscillations in matter",
    "Supersymmetry and neutrinos",
    "Quark mixing",
    "The renormalization of gauge theories",
    "A quirk",
    "Neutron stars",
]


@pytest.fixture(scope="module")
def spelled(fresh_graph):
    """Load papers with these titles, and one with an abstract only."""
    papers = [Paper(str(number), title) for number, title in enumerate(TITLES)]
    papers += [Paper(f"common{number}", COMMON) for number in range(COMMON_PAPERS)]
    papers += [Paper("abstract", "None", "We compute branching ratios of quark decays.")]
    load_papers(fresh_graph, papers, rejects=None)
    fresh_graph.read(statement("search/await_text").text)
    return fresh_graph


def test_words_of_no_paper_match_by_their_stems_without_stop_words(spelled):
    assert unmatched(spelled, tokenize("The massive neutrino of branching bosons and axions")) == [
        "massive",
        "bosons",
        "axions",
    ]
    assert unmatched(spelled, tokenize("Oscillation, renormalize")) == []
    assert unmatched(spelled, []) == []


def test_the_first_ten_words_are_looked_up(spelled):
    words = [f"unknown{number}" for number in range(MAX_WORDS + 1)]
    assert unmatched(spelled, words) == words[:MAX_WORDS]


@pytest.mark.parametrize(
    ("text", "suggested"),
    [
        ("supersymetric nutrino masss", "supersymmetric neutrino mass"),
        ("supersymetry", "supersymmetry"),
        ("nuetrino osillations in matter", "neutrino oscillations in matter"),
        ("renormalisation", "renormalization"),
        ("Qark mixing", "quark mixing"),
        ("brnaching ratio", "branching ratio"),
        ("leptoquork", "leptoquark"),
        ("quirk mixing", None),
        ("neutrino mass", None),
        ("zzzzzzzz neutrino", None),
        ("qrk 12345 中微子", None),
        ("", None),
    ],
)
def test_misspelled_words_are_replaced_by_the_closest_words_of_papers(spelled, text, suggested):
    assert suggest(spelled, tokenize(text)) == suggested


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("", "abc", 3),
        ("neutrino", "nuetrino", 1),
        ("masss", "mass", 1),
        ("ca", "abc", 3),
        ("a", "a", 0),
    ],
)
def test_letters_are_inserted_deleted_replaced_or_exchanged(one, other, expected):
    assert edits(one, other) == edits(other, one) == expected
