import pytest

from specter_graph.graph.database import Database
from tests.graph.search.corpus import load_line


@pytest.fixture(scope="module")
def line(fresh_graph: Database) -> Database:
    """The papers on a line, loaded once a module: its tests only read, or put back."""
    load_line(fresh_graph)
    return fresh_graph
