"""The importer's files describe the graph that the online load of the same items creates."""

from hypothesis import example, given, settings
from hypothesis import strategies as st

from specter_graph.graph.database import Database
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.maintenance.delete import clear, drop_stubs
from specter_graph.loaders.records import Citation, Item, Paper
from tests.graph.canonical import canonical
from tests.graph.loading.bulk.every_kind import CORPORA
from tests.graph.loading.bulk.files_graph import in_files


@example(
    items=[
        Citation("a", "b"),
        Paper("a", "A", references=("b",), citations=(Citation("a", "b", contexts=("We look.",)),)),
    ],
    parts=1,
    drop_dangling=False,
)
@settings(max_examples=12)
@given(items=CORPORA, parts=st.integers(1, 3), drop_dangling=st.booleans())
def test_the_files_describe_the_graph_of_the_online_load(
    graph: Database, items: list[Item], parts: int, drop_dangling: bool
):
    clear(graph)
    load_papers(graph, items)
    if drop_dangling:
        drop_stubs(graph)
    result, summary = in_files(items, parts, drop_dangling)
    assert result == canonical(graph)
    assert summary.new + summary.duplicates == len(items)
