"""The client of Neo4j's Graph Data Science library, on the citations that an embedding may see.

    from specter_graph.integrations.graph_data_science import training_graph

    with training_graph(graph, space="base") as (gds, citations):
        frame = gds.wcc.stream(citations)

Answers are pandas frames, and nodes have the server's own ids in them.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

from graphdatascience import GraphDataScience
from graphdatascience.graph.graph_api import Graph

from specter_graph.graph.gds.running import projection
from specter_graph.graph.holdout import hold_out, require_hold_out, require_made_under
from specter_graph.graph.spaces import space as find_space
from specter_graph.literature import LiteratureGraph


@contextmanager
def training_graph(
    graph: LiteratureGraph, space: str | None = None, holdout: float = 0.1
) -> Iterator[tuple[GraphDataScience, Graph]]:
    """Project the papers that have a record and their citations; give the client and the graph.

    Citations are undirected, and those of held-out papers, in either direction, are left out: what
    is learnt on the projection may be scored by `evaluate`. `space` comes along as the property
    `features`. The projection is dropped at the end. Raises GraphError without the library, the
    memory, or the space, and LeakError for a space that was made under another hold-out.
    """
    source = find_space(graph.database, space) if space else None
    check = partial(require_made_under, space=source)
    held_out = hold_out(graph.database, holdout, check)
    dimension = source.dimension if source else 0
    with projection(graph.database, "project_training", dimension=dimension, space=space) as name:
        require_hold_out(graph.database, held_out)
        gds = GraphDataScience(
            graph.database.driver, database=graph.database.name, arrow=False, show_progress=False
        )
        yield gds, gds.graph.get(name)
