"""Export of the graph, or of a part of it, to files for other programs.

The formats are JSON Lines, Parquet, GraphML, tensors for PyTorch Geometric, and BibTeX. There is
one module per format, which documents the exported content.
"""

from specter_graph.graph.export.graph_export import (
    FORMATS,
    ExportSummary,
    check_export,
    export_graph,
)

__all__ = ["FORMATS", "ExportSummary", "check_export", "export_graph"]
