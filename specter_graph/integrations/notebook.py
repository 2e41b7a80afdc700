"""Notebook display: tables and frames of results, drawings of citation neighborhoods.

%load_ext specter_graph.integrations.notebook
graph.similar("hep-ph/9901001")                    # an HTML table, like the result of a query

from specter_graph.integrations.notebook import neighborhood, table

table(graph.query("missing_references", id="hep-ph/9901001")).to_polars()
neighborhood(graph, "hep-ph/9901001").render()
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from specter_graph.core.errors import extra
from specter_graph.graph.queries.library_queries import QueryResult, current_ids
from specter_graph.graph.search.hits import SearchHit
from specter_graph.literature_graph import LiteratureGraph

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from neo4j_viz import VisualizationGraph

_HIT = (
    "title", "authors", "year", "venue", "citations", "score", "distance", "reasons", "id", "doi",
    "arxiv_id",
)  # fmt: skip
"""Columns of hits."""
_COLORS = {"paper": "#c0392b", "near": "#2471a3", "citations": "#95a5a6"}


@dataclass(frozen=True, slots=True)
class NotebookTable:
    """Rows with named columns, shown as an HTML table and convertible to a frame."""

    columns: Sequence[str]
    rows: Sequence[Mapping[str, Any]]

    def to_pandas(self) -> "pd.DataFrame":
        """Return a pandas frame with the same columns."""
        with extra("notebook"):
            import pandas as pd
        return pd.DataFrame([dict(row) for row in self.rows], columns=list(self.columns))

    def to_polars(self) -> "pl.DataFrame":
        """Return a polars frame with the same columns; types fit all rows."""
        with extra("notebook"):
            import polars as pl
        columns = {name: [row[name] for row in self.rows] for name in self.columns}
        return pl.DataFrame(columns, strict=False)

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        body = "".join(
            "<tr>" + "".join(f"<td>{_cell(row[name])}</td>" for name in self.columns) + "</tr>"
            for row in self.rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def table(results: QueryResult | Sequence[Any]) -> NotebookTable:
    """Return a table of search hits, of a query result, or of rows as dictionaries."""
    if isinstance(results, QueryResult):
        return NotebookTable(results.columns, results.rows)
    rows = [_to_row(result) for result in results]
    return NotebookTable(list(rows[0]) if rows else [], rows)


def _to_row(each: Any) -> Mapping[str, Any]:  # noqa: ANN401, a hit, another record, or a row
    if isinstance(each, SearchHit):
        reasons = [reason.text for reason in each.reasons]
        return {name: reasons if name == "reasons" else getattr(each, name) for name in _HIT}
    return asdict(each) if is_dataclass(each) and not isinstance(each, type) else each


def neighborhood(
    graph: LiteratureGraph, id: str, *, space: str | None = None, k: int = 15
) -> "VisualizationGraph":
    """Draw a paper, its k most cited references and citing papers, and the citations among them.

    Node size is the number of citations. `.render()` shows the graph.

    Args:
        graph: The graph.
        id: The paper.
        space: If given, also draw the k nearest papers in this space, with their scores.
        k: Number of papers of each kind.

    Raises:
        GraphError: The paper or the space is unknown.
    """
    with extra("notebook"):
        from neo4j_viz import Node, Relationship, VisualizationGraph

    [id] = current_ids(graph.database, [id])
    hits = graph.similar(id, space=space, k=k) if space else []
    graph_around = graph.database.read(
        "integrations/neighborhood", id=id, near=[hit.id for hit in hits], k=k
    )[0]
    near = {hit.id: hit.score for hit in hits}
    nodes: list[dict[str, Any]] = [
        {
            "id": each["id"],
            "caption": each["title"] or each["id"],
            "color": _color(each["id"], id, near),
            "properties": {key: value for key, value in each.items() if value is not None},
        }
        for each in graph_around["papers"]
    ]
    lines: list[dict[str, Any]] = [
        {"source": citing, "target": cited, "caption": "CITES"}
        for citing, cited in graph_around["citations"]
    ]
    lines += [
        {"source": id, "target": other, "caption": f"{score:.2f}", "color": _COLORS["near"]}
        for other, score in near.items()
    ]
    picture = VisualizationGraph(
        [Node(**node) for node in nodes], [Relationship(**line) for line in lines]
    )
    picture.resize_nodes(property="citations", node_radius_min_max=(8, 30))
    return picture


def load_ipython_extension(ipython: Any) -> None:  # noqa: ANN401, IPython gives no type to it
    """Show query results and lists of hits as tables; called by `%load_ext`."""
    formatter = ipython.display_formatter.formatters["text/html"]
    formatter.for_type(QueryResult, lambda answer: table(answer)._repr_html_())
    formatter.for_type(list, _html_of_hits)


def _html_of_hits(results: list[Any]) -> str | None:
    """Return the HTML table of a list of hits, or None for any other list."""
    ours = results and all(
        type(result).__module__.startswith("specter_graph.") for result in results
    )
    return table(results)._repr_html_() if ours and is_dataclass(results[0]) else None


def _color(paper: str, center: str, near: Mapping[str, float]) -> str:
    return _COLORS["paper" if paper == center else "near" if paper in near else "citations"]


def _cell(value: Any) -> str:  # noqa: ANN401
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list | tuple):
        return "<br>".join(map(_cell, value))
    return escape(str(value))
