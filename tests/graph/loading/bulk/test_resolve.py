"""The importer's files describe the graph that the online load of the same items creates."""

from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import example, given, settings
from hypothesis import strategies as st

from specter_graph.graph.database import Database
from specter_graph.graph.loading.bulk.importer import count_items, resolved, write_files
from specter_graph.graph.loading.bulk.parse import Task, write_tables
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.loading.summary import LoadSummary
from specter_graph.graph.maintenance.delete import clear, drop_stubs
from specter_graph.loaders.records import Citation, Item, Paper
from tests.graph.canonical import canonical
from tests.graph.loading.bulk.every_kind import CORPORA
from tests.graph.loading.bulk.files_graph import graph_of


def in_files(
    items: list[Item], parts: int, drop_dangling: bool
) -> tuple[dict[str, list[str]], LoadSummary]:
    """Return the graph of the files for these items, read in a number of parts."""
    summary = LoadSummary()
    with TemporaryDirectory() as name:
        folder = Path(name)
        tasks = [Task(None, number, folder / f"part {number}") for number in range(parts)]
        for task in tasks:
            write_tables(items[task.number :: parts], task, lambda summary: None)
        with resolved(
            [task.folder for task in tasks],
            folder,
            load=1,
            times=(datetime(2026, 1, 2, tzinfo=UTC), datetime(2026, 1, 3, tzinfo=UTC)),
            drop_dangling=drop_dangling,
        ) as tables:
            count_items(tables, summary)
            return graph_of(*write_files(tables, folder)), summary


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
