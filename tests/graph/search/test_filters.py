"""A filtered search returns k papers if k papers match, with any server and index."""

import numpy as np
import pytest

from specter_graph.core.errors import GraphError, InputError
from specter_graph.graph.embeddings.index import (
    Dialect,
    await_index,
    create_index,
    drop_index,
    indexed_properties,
    render_placeholders,
)
from specter_graph.graph.maintenance.reading_lists import create_list, delete_list
from specter_graph.graph.search.hits import most_cited
from specter_graph.graph.search.search_filters import Filters
from specter_graph.graph.search.vector_search import nearest, similar
from specter_graph.search import SearchOptions, search
from tests.graph.search.corpus import SIZE, paper

MODULE = "specter_graph.graph.search.vector_search"
FILTERS = {
    "none": Filters(),
    "years": Filters(since=2000, until=2001),
    "language": Filters(language="de"),
    "field": Filters(field="QUARK"),
    "venue": Filters(venue="rare"),
    "author": Filters(author="Rare, R."),
    "author and field": Filters(author="Rare", field="neutrino"),
    "together": Filters(since=1995, language="en", field="neutrino"),
    "nothing": Filters(venue="rare", language="de"),
    "exclude": Filters(exclude=("p7", "p9")),
}
OLD = Dialect(search=False, vector_values=False)


def passing(filters):
    """Return the papers that match the filter, computed from the records."""
    for number in range(SIZE):
        each = paper(number)
        names = {each.venue.id, each.venue.name.lower()}
        if (
            (filters.since is None or each.year >= filters.since)
            and (filters.until is None or each.year <= filters.until)
            and (filters.language in (None, each.language))
            and (filters.field is None or filters.field.lower() == each.fields[0].id)
            and (filters.venue is None or filters.venue.lower() in names)
            and (filters.author is None or each.authors)
            and each.id not in filters.exclude
        ):
            yield number


def expected(place, k, filters):
    near = sorted(passing(filters), key=lambda number: (abs(number - place), f"p{number}"))
    return [f"p{number}" for number in near[:k]]


@pytest.fixture(params=["SEARCH", "queryNodes"])
def dialect(request, monkeypatch):
    if request.param == "queryNodes":
        monkeypatch.setattr("specter_graph.graph.embeddings.index.read_dialect", lambda _: OLD)
        monkeypatch.setattr(f"{MODULE}.read_dialect", lambda _: OLD)


@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("compared", [0, 4], ids=["index first", "few papers first"])
@pytest.mark.usefixtures("dialect")
def test_the_k_nearest_papers_that_pass_the_filter_are_returned(line, name, compared, monkeypatch):
    monkeypatch.setattr(f"{MODULE}.MIN_CANDIDATES", 10)
    monkeypatch.setattr(f"{MODULE}.EXACT_PER_CANDIDATE", compared)
    filters = FILTERS[name]
    hits = nearest(line, np.array([150.4, 0], dtype=np.float32), "line", 12, filters)
    assert [hit.id for hit in hits] == expected(150.4, 12, filters)
    hits = similar(line, "p150", "line", 5, filters)
    assert [hit.id for hit in hits] == expected(150, 6, filters)[
        (1 if 150 in passing(filters) else 0) :
    ][:5]


def test_years_and_language_are_filtered_within_the_index(line, monkeypatch):
    conditions = []
    monkeypatch.setattr(
        f"{MODULE}.render_placeholders",
        lambda *arguments: conditions.append(arguments[3]) or render_placeholders(*arguments),
    )
    nearest(line, np.zeros(2, dtype=np.float32), "line", 2, FILTERS["together"])
    assert conditions == ["near.year >= $since AND near.language = $language"]


def test_an_index_without_the_properties_is_used_until_it_is_rebuilt(line):
    drop_index(line, "line")
    line.write(
        "CREATE VECTOR INDEX paper_line FOR (p:Paper) ON (p.line) OPTIONS {indexConfig:"
        " {`vector.dimensions`: 2, `vector.similarity_function`: 'euclidean'}}"
    )
    await_index(line, "line")
    assert indexed_properties(line, "line") == []
    hits = nearest(line, np.zeros(2, dtype=np.float32), "line", 3, FILTERS["years"])
    assert [hit.id for hit in hits] == expected(0, 3, FILTERS["years"])
    create_index(line, "line", 2)
    await_index(line, "line")
    assert indexed_properties(line, "line") == ["year", "language"]
    hits = nearest(line, np.zeros(2, dtype=np.float32), "line", 3, FILTERS["years"])
    assert [hit.id for hit in hits] == expected(0, 3, FILTERS["years"])


def test_with_enough_results_the_index_is_not_queried_again(line, monkeypatch):
    monkeypatch.setattr(f"{MODULE}.MIN_CANDIDATES", 10)
    monkeypatch.setattr(f"{MODULE}.CANDIDATES_PER_HIT", 1)
    monkeypatch.setattr(f"{MODULE}.EXACT_PER_CANDIDATE", 0)
    place = np.zeros(2, dtype=np.float32)
    field = Filters(field="quark")
    assert len(nearest(line, place, "line", 30, field, enough=5)) == 10
    assert len(nearest(line, place, "line", 30, field)) == 30


def test_papers_without_a_year_match_no_filter_by_year(line):
    line.write("MATCH (p:Paper {id: 'p3'}) SET p.year = null")
    try:
        hits = similar(line, "p3", "line", 1)
        assert [hit.year for hit in hits] == [1992]
        hits = nearest(line, np.array([3, 0], dtype=np.float32), "line", 1, Filters(since=1000))
        assert hits[0].id == "p2"
    finally:
        line.write("MATCH (p:Paper {id: 'p3'}) SET p.year = 1993")


def test_a_language_that_no_paper_has_is_an_error(line):
    filters = Filters(language="fr")
    for find_papers in (
        lambda: similar(line, "p3", "line", 1, filters),
        lambda: most_cited(line, filters, 1, "passes the filters"),
        lambda: search(
            line, lambda *_: np.zeros(2), "quark", SearchOptions(mode="text", filters=filters)
        ),
    ):
        with pytest.raises(
            GraphError, match="the graph has no paper in the language 'fr'"
        ) as error:
            find_papers()
        assert error.value.hint == "use de, en"
    rare = Filters(language="de", until=1980)  # a language of some papers, but of none before 1981
    assert similar(line, "p3", "line", 1, rare) == []


@pytest.mark.usefixtures("dialect")
def test_an_empty_reading_list_has_no_papers(line):
    create_list(line, "empty")
    try:
        filters = Filters(list="empty")
        assert nearest(line, np.zeros(2, dtype=np.float32), "line", 3, filters) == []
        assert similar(line, "p3", "line", 3, filters) == []
        for mode in ("hybrid", "vector", "text"):
            options = SearchOptions(mode=mode, space="line", filters=filters)
            assert list(search(line, lambda *_: np.zeros(2), "quark", options)) == []
    finally:
        delete_list(line, "empty")


def test_an_invalid_request_is_rejected(line):
    with pytest.raises(InputError, match="no year is both 2001 or later and 2000"):
        Filters(since=2001, until=2000)
    with pytest.raises(InputError, match="the year is '2001'"):
        Filters(since="2001")  # type: ignore[arg-type]
    for year in (26, 0, -1, 20_260):
        with pytest.raises(InputError, match=f"the year is {year}") as error:
            Filters(since=year)
        assert error.value.hint == "give four digits, such as 2001"
    with pytest.raises(GraphError, match="2 dimensions"):
        nearest(line, np.zeros(3, dtype=np.float32), "line")
    with pytest.raises(GraphError, match="no paper 'q150'"):
        similar(line, "q150", "line")
