"""specter-graph: citation-informed document embeddings on a Neo4j literature graph.

    from specter_graph import Encoder, LiteratureGraph, loaders

The rooms behind these names are the sub-packages `loaders`, `graph`, `cypher`, `encoder` and
`evaluation`. A name is loaded when it is first used: importing the package is instant.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from specter_graph import loaders
    from specter_graph.encoder import Encoder
    from specter_graph.literature_graph import LiteratureGraph

__all__ = ["Encoder", "LiteratureGraph", "loaders"]

_HOMES = {
    "Encoder": "specter_graph.encoder",
    "LiteratureGraph": "specter_graph.literature_graph",
}


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name == "loaders":
        return import_module("specter_graph.loaders")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
