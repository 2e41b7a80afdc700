"""specter-graph: citation-informed document embeddings on a Neo4j literature graph.

    from specter_graph import Encoder, LiteratureGraph, open_corpus

The stub `__init__.pyi` lists the public names: entry points, settings, results and exceptions. Each
name is imported when it is first used, so importing the package takes no time.
"""

import ast
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

_STUB = ast.parse(Path(__file__).with_suffix(".pyi").read_text("utf-8"))
_MODULES = {
    name.name: statement.module or ""
    for statement in _STUB.body
    if isinstance(statement, ast.ImportFrom)
    for name in statement.names
}
__all__ = sorted([*_MODULES, "__version__"])


def __getattr__(name: str) -> Any:  # noqa: ANN401
    if name == "__version__":
        return version("specter-graph")
    if name == "loaders":
        return import_module("specter_graph.loaders")
    if name in _MODULES:
        return getattr(import_module(_MODULES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
