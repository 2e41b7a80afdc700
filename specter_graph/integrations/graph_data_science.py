"""Neo4j's Graph Data Science client on the training citations.

    from specter_graph.integrations.graph_data_science import training_graph

    with training_graph(graph, space="base") as (gds, citations):
        frame = gds.wcc.stream(citations)

Results are pandas data frames that name papers by the server's node numbers;
`gds.util.as_nodes(numbers)` returns the nodes.
"""

from contextlib import AbstractContextManager

from specter_graph.core.progress import Progress, silent
from specter_graph.graph.algorithms.projection import Projection, projection
from specter_graph.graph.embeddings.spaces import check_no_leakage, get_space
from specter_graph.graph.split import HOLDOUT, held_out_below
from specter_graph.literature_graph import LiteratureGraph


def training_graph(
    graph: LiteratureGraph,
    space: str | None = None,
    *,
    holdout: float = HOLDOUT,
    progress: Progress = silent,
) -> AbstractContextManager[Projection]:
    """Project papers with a record and their citations, in a `with` block.

    Citations are undirected. Citations from and to held-out papers are excluded, so that `evaluate`
    can score what is trained on the projection. The projection is dropped at the end of the block.

    Args:
        graph: The graph.
        space: A space whose vectors become the node property `features`.
        holdout: Share of papers whose citations are excluded.
        progress: Called with the progress of the projection.

    Returns:
        A context manager of the GDS client and the projection.

    Raises:
        GraphError: GDS or the space is missing.
        LeakError: The space has seen citations that `holdout` hides.
    """
    source = get_space(graph.database, space) if space else None
    check_no_leakage([source] if source else [], holdout)
    return projection(
        graph.database, "project_training", progress, space=space, held_out=held_out_below(holdout)
    )
