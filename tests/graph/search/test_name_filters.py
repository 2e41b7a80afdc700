"""Filters by venue and field resolve names first, and read only the papers of a small venue."""

import numpy as np
import pytest

from specter_graph.core.errors import GraphError
from specter_graph.cypher import statement
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, write_space
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.search import fulltext
from specter_graph.graph.search.fulltext import fulltext_search
from specter_graph.graph.search.search_filters import Filters, resolve
from specter_graph.graph.search.vector_search import nearest, similar
from specter_graph.loaders.records import Field, Paper, Venue
from tests.graph.plans import Counted

OTHERS = 3_000
SMALL = {  # id: title and abstract; only the paper on neutrinos has no quark
    "s1": ("Quark", None),
    "s2": (
        "To be or not to be",
        "Whether there are quarks, and what a long abstract says of them.",
    ),
    "s3": ('A "quark\\" (in: brackets) ~ and AND OR ^2', "Short."),
    "s4": ("夸克与轻子的质量", "The mass of the quark and of the lepton in one long sentence."),
    "s5": ("!!! ???", "Jets of quarks, with a good many other words after them, to rank last."),
    "s6": ("Jets of 1,024 words: " + "jet " * 1_024, "A quark at the end."),
    "s7": ("On the neutrino and on nothing else that anybody has heard of", "It has a mass."),
}
QUARKS = sorted(set(SMALL) - {"s7"})


@pytest.fixture(scope="module")
def corpus(fresh_graph):
    """Load thousands of short papers on quarks, which rank first, and some of a small venue."""
    papers = [
        Paper(
            f"p{number}",
            f"Quark {number}",
            "Quark, quark.",
            year=2000 + number % 20,
            venue=Venue(f"v{number % 3}", f"Big Venue {number % 3}"),
            fields=(Field("keyword", "physics", "Physics"),),
        )
        for number in range(OTHERS)
    ]
    papers += [
        Paper(
            id_,
            title,
            abstract,
            year=2010,
            venue=Venue("small/1", "Small Workshop"),
            fields=(Field("keyword", "physics", "Physics"), Field("arxiv", "ph", "Small field")),
        )
        for id_, (title, abstract) in SMALL.items()
    ]
    papers += [
        Paper("x1", "Other", venue=Venue("W", "Workshop on Small Things and Small Workshop Rooms")),
        Paper("x2", "Other", fields=(Field("keyword", "small field", "small field"),)),
    ]
    load_papers(fresh_graph, papers, rejects=None)
    ids = [each.id for each in papers]
    vectors = np.random.default_rng(0).normal(size=(len(ids), 4)).astype(np.float32)
    record = EmbeddingSpace("four", "base", 4, "m", "m", digest="d", sees_edges=False)
    write_space(fresh_graph, record, ids, vectors)
    fresh_graph.read(statement("search/await_text").text)
    return fresh_graph


@pytest.mark.parametrize("name", ["small/1", "SMALL/1", "Small Workshop", "small WORKSHOP"])
def test_a_venue_matches_by_id_or_full_name_in_any_case(corpus, name):
    assert resolve(corpus, Filters(venue=name)).size == len(SMALL)


def test_all_fields_of_a_name_match(corpus):
    result = resolve(corpus, Filters(field="Small Field"))
    assert (len(result.nodes["field"]), result.size) == (2, len(SMALL) + 1)
    assert resolve(corpus, Filters(field="physics", venue="small/1")).smaller == "venue"


@pytest.mark.parametrize(
    ("filters", "message"),
    [
        (Filters(venue="Smal Workshp"), "no venue 'Smal Workshp'; try: use Small Workshop"),
        (Filters(venue="Big Ven"), "no venue 'Big Ven'; try: use Big Venue"),
        (Filters(field="phys"), "no field 'phys'; try: use Physics"),
        (Filters(venue="rooms"), "use Workshop on Small Things and Small Workshop Rooms"),
        (Filters(venue="physics"), "no venue 'physics'"),
        (Filters(venue='"\\ AND (:'), r"""no venue '"\\ AND (:'"""),
        (Filters(venue="★"), "no venue '★'"),
        (Filters(venue=""), "no venue ''"),
    ],
)
def test_an_unknown_name_is_an_error_with_similar_names(corpus, filters, message):
    for search in (
        lambda: nearest(corpus, np.zeros(4, dtype=np.float32), "four", 3, filters),
        lambda: similar(corpus, "s1", "four", 3, filters),
        lambda: fulltext_search(corpus, "quark", 3, filters),
    ):
        with pytest.raises(GraphError) as error:
            search()
        assert message in error.value.one_line


@pytest.mark.parametrize("some", [1_000, 0], ids=["of the venue's papers", "of the index"])
@pytest.mark.parametrize("extra", [{}, {"field": "small field"}, {"since": 2010, "until": 2010}])
def test_all_papers_of_a_small_venue_that_have_an_ordinary_word_are_returned(
    corpus, monkeypatch, some, extra
):
    monkeypatch.setattr(fulltext, "_MAX_OWN_TEXTS", some)
    filters = Filters(venue="small workshop", **extra)
    result = fulltext_search(corpus, "quark", len(QUARKS), filters)
    assert sorted(row["id"] for row in result) == QUARKS
    best = fulltext_search(corpus, "quark lepton", 2, filters)
    assert best[0]["id"] == "s4"
    assert len(best) == 2


def test_a_small_venue_is_ranked_as_the_index_ranks_it(corpus, monkeypatch):
    filters = Filters(venue="small workshop")
    text = "quark mass jets sentence"
    result = fulltext_search(corpus, text, 10, filters)
    monkeypatch.setattr(fulltext, "_MAX_OWN_TEXTS", 0)
    assert fulltext_search(corpus, text, 10, filters) == result


def test_the_cost_of_a_filter_by_a_small_venue_depends_on_its_papers(corpus):
    counted = Counted(corpus.driver)
    filters, place = Filters(venue="Small Workshop"), np.zeros(4, dtype=np.float32)
    for search in (
        lambda: nearest(counted, place, "four", 5, filters),
        lambda: similar(counted, "p7", "four", 5, filters),
        lambda: fulltext_search(counted, "quark", 5, filters),
    ):
        counted.hits.clear()
        assert len(search()) == 5
        assert sum(counted.hits) < 30 * len(SMALL)


def test_a_filter_by_a_large_venue_reads_a_fraction_of_its_papers(corpus, monkeypatch):
    monkeypatch.setattr("specter_graph.graph.search.vector_search.EXACT_PER_CANDIDATE", 0)
    counted = Counted(corpus.driver)
    filters, place = Filters(venue="Big Venue 1", until=2030), np.zeros(4, dtype=np.float32)
    hits = nearest(counted, place, "four", 5, filters)
    assert len(hits) == 5
    assert sum(counted.hits) < OTHERS
    assert len(fulltext_search(counted, "quark", 5, filters)) == 5
