"""The graph, or a part of it, as files for other programs.

In: a database and a choice of papers. Out: JSON Lines, Parquet, GraphML, CSV for neo4j-admin,
tensors for PyTorch Geometric, or BibTeX; a module each, with what the format carries.
"""

from specter_graph.graph.export.export import (
    FORMATS,
    ExportSummary,
    check_export,
    export_graph,
    format_of,
)

__all__ = ["FORMATS", "ExportSummary", "check_export", "export_graph", "format_of"]
