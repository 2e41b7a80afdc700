import pytest

from specter_graph.graph.connection import Database
from specter_graph.graph.schema import apply_schema
from tests.conftest import _wipe
from tests.graph.search.corpus import load_line


@pytest.fixture(scope="module")
def line(database: Database) -> Database:
    """The papers on a line, loaded once a module: its tests only read, or put back."""
    _wipe(database)
    apply_schema(database)
    load_line(database)
    return database
