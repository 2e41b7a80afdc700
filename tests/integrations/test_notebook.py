"""Show results in a notebook, with the real pandas, polars, IPython and neo4j-viz."""

import json
import re
from types import SimpleNamespace

import pytest
from IPython.core.formatters import DisplayFormatter

from specter_graph.core.errors import GraphError
from specter_graph.integrations.notebook import load_ipython_extension, neighborhood, table
from tests.integrations.small_graph import SCRIPT, holds_no_vector


@pytest.fixture(scope="module")
def answer(small):
    return small.query("citation_path", {"from": "halo", "to": "glue"})


def test_hits_and_results_become_frames_of_both_libraries(small, answer):
    hits = small.similar("jets", k=3)
    for frame in (table(hits).to_pandas(), table(hits).to_polars()):
        assert list(frame["id"]) == [hit.id for hit in hits]
        assert frame["score"][0] == hits[0].score
    names = answer.columns
    assert list(table(answer).to_pandas().columns) == names
    polars = table(answer).to_polars()
    assert polars.columns == names
    assert polars["ids"].to_list() == [["halo", "jets", "glue"]]


def test_a_table_of_hits_has_the_authors_and_the_reasons_as_sentences(small):
    hits = small.search("gluon jet", k=2)
    frame = table(hits).to_pandas()
    assert list(frame["authors"][0]) == [*hits[0].authors]
    assert frame["reasons"][0] == [reason.text for reason in hits[0].reasons]
    assert hits[0].reasons[0].text in table(hits)._repr_html_()


def test_a_result_without_rows_is_a_frame_with_its_columns(small):
    empty = small.query("citation_path", {"from": "halo", "to": "glue", "hops": 1})
    assert table(empty).to_pandas().shape == table(empty).to_polars().shape == (0, 7)
    assert table([])._repr_html_() == ("<table><thead><tr></tr></thead><tbody></tbody></table>")


def test_a_frame_accepts_columns_of_mixed_numbers_and_none():
    rows = [{"x": 1, "y": None}, {"x": 2.5, "y": "a"}]
    assert table(rows).to_polars()["x"].to_list() == [1, 2.5]
    assert table(rows).to_pandas()["x"].to_list() == [1, 2.5]


def test_html_is_escaped(small):
    html = table(small.similar("jets", k=5))._repr_html_()
    assert SCRIPT not in html
    assert "&lt;script&gt;" in html
    assert html.count("<tr>") == 5


def test_ipython_shows_answers_and_hits_as_tables_and_leaves_other_lists_alone(small, answer):
    formatter = DisplayFormatter()
    load_ipython_extension(SimpleNamespace(display_formatter=formatter))
    shown = [
        formatter.format(each)[0].get("text/html")
        for each in (small.similar("jets", k=2), answer, [1, 2], [])
    ]
    assert shown[0] == table(small.similar("jets", k=2))._repr_html_()
    assert shown[1] == table(answer)._repr_html_()
    assert shown[2:] == [None, None]


def test_a_neighborhood_shows_citing_and_similar_papers(small):
    picture = neighborhood(small, "flavor", space="specter", k=2)
    near = [hit.id for hit in small.similar("flavor", k=2)]
    assert {node.id for node in picture.nodes} == {"flavor", "jets", *near}
    lines = {(line.source, line.target, line.caption) for line in picture.relationships}
    assert ("flavor", "jets", "CITES") in lines
    assert {target for _, target, caption in lines if caption != "CITES"} == set(near)
    captions = {node.id: node.caption for node in picture.nodes}
    assert captions["jets"] == "the quark and gluon jet"
    sizes = {node.id: node.size for node in picture.nodes}
    assert sizes["jets"] == max(sizes.values())


def test_a_neighborhood_of_citations_has_the_highly_cited_papers(small):
    picture = neighborhood(small, "jets", k=1)
    assert {node.id for node in picture.nodes} == {"jets", "glue", "evil"}
    assert {(line.source, line.target) for line in picture.relationships} == {
        ("jets", "glue"),
        ("evil", "jets"),
        ("evil", "glue"),
    }


def test_the_picture_renders_with_no_vector_and_no_script_of_a_title(small):
    html = neighborhood(small, "jets").render().data
    data = re.search(r'<script [^>]*id="neo4j-viz-data">(.*?)</script>', html)[1]
    assert "<" not in data
    drawn = json.loads(data)
    assert SCRIPT in {node["caption"] for node in drawn["nodes"]}
    assert holds_no_vector(drawn)


def test_a_neighborhood_of_an_unknown_paper_is_an_error(small):
    with pytest.raises(GraphError, match="no paper 'jet'"):
        neighborhood(small, "jet")
