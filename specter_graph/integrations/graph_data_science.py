"""The client of Neo4j's Graph Data Science library, on the citations that an embedding may see.

    from specter_graph.integrations.graph_data_science import training_graph

    with training_graph(graph, space="base") as (gds, citations):
        frame = gds.wcc.stream(citations)

Results are pandas data frames that name papers by the server's node numbers;
`gds.util.as_nodes(numbers)` returns the nodes.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from specter_graph.core.progress import Progress, silent
from specter_graph.graph.algorithms.projection import Projection, projection
from specter_graph.graph.embeddings.spaces import refuse_leaks
from specter_graph.graph.embeddings.spaces import space as find_space
from specter_graph.graph.split import HOLDOUT, held_out_below
from specter_graph.literature_graph import LiteratureGraph


@contextmanager
def training_graph(
    graph: LiteratureGraph,
    space: str | None = None,
    holdout: float = HOLDOUT,
    progress: Progress = silent,
) -> Iterator[Projection]:
    """Project the papers that have a record and their citations; give the client and the graph.

    Citations are undirected, and those of held-out papers, in either direction, are left out: what
    is learned on the projection may be scored by `evaluate`. `space` comes along as the property
    `features`. The projection is dropped at the end. Raises GraphError without the library or the
    space, and LeakError for a space that has seen citations which `holdout` hides.
    """
    source = find_space(graph.database, space) if space else None
    refuse_leaks([source] if source else [], holdout)
    with projection(
        graph.database,
        "project_training",
        progress,
        space=space,
        held_out=held_out_below(holdout),
    ) as projected:
        yield projected
