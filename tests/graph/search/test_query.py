"""Parse queries: phrases, AND, OR, exclusions and fields; any other text is only text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from specter_graph.core.errors import InputError
from specter_graph.cypher import statement
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.search.fulltext import fulltext_search
from specter_graph.graph.search.lucene import tokenize
from specter_graph.graph.search.query_syntax import parse
from specter_graph.loaders.records import Paper

TITLES = {
    "mass": "The mass of the neutrino",
    "neutrino mass": "Neutrino mass and axions",
    "sterile": "Sterile neutrinos have mass",
    "axion": "The axion",
    "dark": "Dark matter",
}


@pytest.fixture(scope="module")
def titled(fresh_graph):
    """Load papers with short titles; the ids are keys of TITLES."""
    load_papers(fresh_graph, [Paper(id_, title) for id_, title in TITLES.items()], rejects=None)
    fresh_graph.read(statement("search/await_text").text)
    return fresh_graph


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("neutrino", {"mass", "neutrino mass", "sterile"}),
        ('"neutrino mass"', {"neutrino mass"}),
        (
            "\N{LEFT DOUBLE QUOTATION MARK}neutrino mass\N{RIGHT DOUBLE QUOTATION MARK}",
            {"neutrino mass"},
        ),
        ("neutrino -sterile", {"mass", "neutrino mass"}),
        ('mass -"neutrino mass"', {"mass", "sterile"}),
        ("-mass", {"axion", "dark"}),
        ("neutrino AND axion", {"neutrino mass"}),
        ("neutrino AND -axion", {"mass", "sterile"}),
        ("sterile OR axion", {"sterile", "axion", "neutrino mass"}),
        ("(sterile OR axion) AND mass", {"sterile", "neutrino mass"}),
        ('"dark matter" OR "sterile neutrinos"', {"dark", "sterile"}),
        ('"of the" axion', {"axion", "neutrino mass"}),
    ],
)
def test_phrases_operators_and_exclusions_limit_which_papers_match(titled, text, result):
    query = parse(text)
    assert {row["id"] for row in fulltext_search(titled, query.lucene, 10)} == result
    assert query.restricts is (text not in ("neutrino", "sterile OR axion", '"of the" axion'))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("author:Weinberg gauge", {"author": "Weinberg"}),
        ('author:"S. Weinberg", gauge', {"author": "S. Weinberg"}),
        ("author:S. Weinberg AND gauge", {"author": "S. Weinberg"}),
        ("Author:Weinberg, S. gauge", {"author": "Weinberg, S."}),
        ("gauge venue:PRD", {"venue": "PRD"}),
        ('venue:"Phys. Rev. D" gauge', {"venue": "Phys. Rev. D"}),
        ("gauge year:1998", {"since": 1998, "until": 1998}),
        ("year:1998-2001 gauge", {"since": 1998, "until": 2001}),
        ("year:2001\N{EN DASH}1998 gauge", {"since": 1998, "until": 2001}),
        ("year:1998- gauge", {"since": 1998}),
        ("year:-2001, gauge", {"until": 2001}),
        (
            "author:Weinberg AND gauge AND year:1967",
            {"author": "Weinberg", "since": 1967, "until": 1967},
        ),
    ],
)
def test_fields_are_removed_from_the_text(text, expected):
    query = parse(text)
    names = ("author", "venue", "since", "until")
    assert {n: getattr(query, n) for n in names if getattr(query, n) is not None} == expected
    assert (query.text, query.words, query.lucene) == ("gauge", ("gauge",), "gauge")
    assert not query.restricts


@pytest.mark.parametrize("text", ["author:Ellis author:Gaillard", "year:1998 year:2001-"])
def test_a_repeated_field_is_an_error(text):
    with pytest.raises(InputError, match="occurs twice"):
        parse(text)


def test_the_text_of_a_query_has_neither_operators_nor_excluded_words():
    query = parse('(Neutrino OR "Dark Matter") AND mass -sterile year:1998')
    assert query.text == "Neutrino Dark Matter mass"
    assert query.words == ("neutrino", "dark", "matter", "mass")


@pytest.mark.parametrize(
    "text",
    [
        "B -> K* gamma decay branching ratio",
        "e+e- -> mu+mu- at LEP: a review",
        "Colour connections in e+e- -annihilation",
        "Properties of vector mesons -effective lagrangian approach-",
        "quark - gluon plasma",
        "NEUTRINO MASS AND MIXING",
        "HADRONIC PENGUINS IN B DECAYS AND EXTRACTION OF $\\alpha$ in QCD",
        "neutrino AND",
        "OR neutrino",
        'an "unclosed quote and more',
        'a 5" pipe',
        'K"uhn and B"auer',
        "title:neutrino source: none",
        "year:soon author: Weinberg venue:",
        'We study the "soft" interactions of hadrons at high energies AND we find -much to our'
        " surprise- that they are hard.",
    ],
)
def test_titles_and_abstracts_restrict_nothing(text):
    query = parse(text)
    assert (query.text, query.words, query.restricts) == (text, tuple(tokenize(text)), False)
    assert query.lucene.startswith(" ".join(tokenize(text)))


SYNTAX = '+-!(){}[]^"~*?:\\/&| ANDORT0bé中'
PIECES = st.sampled_from(
    [
        "AND",
        "OR",
        "NOT",
        "TO",
        '"',
        '-"',
        "-a",
        "author:",
        "year:",
        "1998-",
        "(",
        ")",
        "the",
        " ",
        "*:*",
        "\u200b",
        "x" * 200,
    ]
)


@settings(max_examples=300)
@given(
    text=st.text(max_size=300)
    | st.text(alphabet=SYNTAX, max_size=60)
    | st.lists(PIECES, max_size=40).map(" ".join)
    | st.lists(PIECES, max_size=40).map("".join)
)
def test_any_text_is_a_valid_query_of_the_index(titled, text):
    try:
        query = parse(text)
    except InputError:
        return
    assert len(fulltext_search(titled, query.lucene, 3)) <= 3
    assert query.words == tuple(tokenize(query.text))


@pytest.mark.parametrize(
    ("text", "is_short"),
    [
        ("".join(f" w{number}" for number in range(5_000)), False),
        (' "' + "word " * 5_000 + '"', True),
        (" a-" * 400, True),
        (' "' + "中" * 5_000 + '" -b', False),
        ("\N{FIRE}" * 5_000, True),
    ],
    ids=["words", "phrase", "dashes", "Chinese", "no words"],
)
def test_long_queries_are_searched_by_their_first_different_words(titled, text, is_short):
    first, last = (
        {row["id"] for row in fulltext_search(titled, parse(query).lucene, 10)}
        for query in (f"axion{text}", f"{text} axion")
    )
    assert first == {"axion", "neutrino mass"}
    assert last == (first if is_short else set())
