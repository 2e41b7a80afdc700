"""Run on a real server without Graph Data Science."""

import pytest

from specter_graph.core.errors import GraphError
from specter_graph.graph.algorithms.centrality import communities, pagerank
from specter_graph.graph.algorithms.fastrp import fastrp
from specter_graph.graph.algorithms.similarity import knn, similarity
from specter_graph.graph.database import connect
from specter_graph.graph.schema import apply_schema
from specter_graph.graph.server import Instance, instance_config
from specter_graph.pipelines.sgc import smooth
from specter_graph.settings import Settings
from tests.graph.algorithms.small_graphs import load_references, write_vectors_of

pytestmark = pytest.mark.server

REFERENCES = {"a": "bc", "b": "c", "c": "", "d": "a"}


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """Return a server whose folder of plugins is empty."""
    folder = tmp_path_factory.mktemp("bare")
    (folder / "plugins").mkdir()
    configure = instance_config.write_configuration
    instance = Instance("bare", folder, Settings().specter_graph_cache, idle_minutes=2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            instance_config,
            "write_configuration",
            lambda home, jars, *others: configure(home, folder, *others),
        )
        with (
            instance.lease() as endpoint,
            connect(*endpoint.login) as db,
        ):
            apply_schema(db)
            load_references(db, REFERENCES)
            write_vectors_of(db, "base", {p: (i, 1.0) for i, p in enumerate(REFERENCES)})
            yield db
    instance.delete()


@pytest.mark.parametrize(
    "run",
    [
        pagerank,
        communities,
        lambda db: knn(db, "base"),
        lambda db: similarity(db, "coupling"),
        lambda db: fastrp(db, holdout=0),
    ],
    ids=["pagerank", "communities", "knn", "coupling", "fastrp"],
)
def test_commands_that_need_gds_report_it_and_what_to_do(bare, run):
    with pytest.raises(GraphError, match="no Graph Data Science library") as caught:
        run(bare)
    assert "install the plugin" in caught.value.hint


def test_sgc_and_exact_neighbors_run_without_it(bare):
    record, _ = smooth(bare, "base", "sgc", steps=1, holdout=0)
    assert record.dimension == 2
    assert knn(bare, "base", k=1, exact=True).count == 4
