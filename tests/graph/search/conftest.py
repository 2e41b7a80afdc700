import pytest

from specter_graph.graph.database import Database
from tests.graph.search.corpus import load_line


@pytest.fixture(scope="module")
def line(fresh_graph: Database) -> Database:
    """Load the papers on a line once per module; its tests only read, or restore changes."""
    load_line(fresh_graph)
    return fresh_graph
