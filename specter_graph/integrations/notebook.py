"""What a notebook shows: tables and frames of answers, pictures of a neighbourhood.

%load_ext specter_graph.integrations.notebook
graph.similar("hep-ph/9901001")                    # an HTML table, and so is a query's answer

from specter_graph.integrations.notebook import neighbourhood, table

table(graph.query("missing_references", {"id": "hep-ph/9901001"})).to_polars()
neighbourhood(graph, "hep-ph/9901001").render()
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, is_dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from specter_graph.core.errors import extra
from specter_graph.cypher import statement
from specter_graph.graph.queries.library import Answer, current_ids
from specter_graph.graph.search import Hit
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
_COLOURS = {"paper": "#c0392b", "near": "#2471a3", "citations": "#95a5a6"}


@dataclass(frozen=True, slots=True)
class Table:
    """Rows with named columns, as an HTML table or a frame."""

    columns: Sequence[str]
    rows: Sequence[Mapping[str, Any]]

    def to_pandas(self) -> "pd.DataFrame":
        """Make a pandas frame, one column each."""
        with extra("notebook"):
            import pandas as pd
        return pd.DataFrame([dict(row) for row in self.rows], columns=list(self.columns))

    def to_polars(self) -> "pl.DataFrame":
        """Make a polars frame, one column each, of types that fit all rows."""
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


def table(found: Answer | Sequence[Any]) -> Table:
    """Make a table of the hits of a search, of a query's answer, or of rows as dictionaries."""
    if isinstance(found, Answer):
        return Table([column.name for column in found.query.columns], found.rows)
    rows = [_row(each) for each in found]
    return Table(list(rows[0]) if rows else [], rows)


def _row(each: Any) -> Mapping[str, Any]:  # noqa: ANN401, a hit, another record, or a row
    if isinstance(each, Hit):
        reasons = [reason.text for reason in each.reasons]
        return {name: reasons if name == "reasons" else getattr(each, name) for name in _HIT}
    return asdict(each) if is_dataclass(each) and not isinstance(each, type) else each


def neighbourhood(
    graph: LiteratureGraph, paper_id: str, *, space: str | None = None, k: int = 15
) -> "VisualizationGraph":
    """Draw a paper, the k most cited papers that it cites and that cite it, and their citations.

    With a `space` the k papers nearest to it stand there too, joined to it by their score. Sizes
    are citations. Show it with `.render()`. Raises GraphError for an unknown paper or space.
    """
    with extra("notebook"):
        from neo4j_viz import Node, Relationship, VisualizationGraph

    [paper_id] = current_ids(graph.database, [paper_id])
    hits = graph.similar(paper_id, space=space, k=k) if space else []
    text = statement("integrations/neighbourhood").text
    found = graph.database.read(text, id=paper_id, near=[hit.id for hit in hits], k=k)[0]
    near = {hit.id: hit.score for hit in hits}
    nodes: list[dict[str, Any]] = [
        {
            "id": each["id"],
            "caption": each["title"] or each["id"],
            "color": _colour(each["id"], paper_id, near),
            "properties": {key: value for key, value in each.items() if value is not None},
        }
        for each in found["papers"]
    ]
    lines: list[dict[str, Any]] = [
        {"source": citing, "target": cited, "caption": "CITES"}
        for citing, cited in found["citations"]
    ]
    lines += [
        {"source": paper_id, "target": other, "caption": f"{score:.2f}", "color": _COLOURS["near"]}
        for other, score in near.items()
    ]
    picture = VisualizationGraph(
        [Node(**node) for node in nodes], [Relationship(**line) for line in lines]
    )
    picture.resize_nodes(property="citations", node_radius_min_max=(8, 30))
    return picture


def load_ipython_extension(ipython: Any) -> None:  # noqa: ANN401, IPython gives no type to it
    """Show answers and lists of hits as tables from now on; called by `%load_ext`."""
    formatter = ipython.display_formatter.formatters["text/html"]
    formatter.for_type(Answer, lambda answer: table(answer)._repr_html_())
    formatter.for_type(list, _html_of_hits)


def _html_of_hits(found: list[Any]) -> str | None:
    """The table of a list of hits; None, which leaves it to the plain text, of any other list."""
    ours = found and all(type(each).__module__.startswith("specter_graph.") for each in found)
    return table(found)._repr_html_() if ours and is_dataclass(found[0]) else None


def _colour(paper: str, centre: str, near: Mapping[str, float]) -> str:
    return _COLOURS["paper" if paper == centre else "near" if paper in near else "citations"]


def _cell(value: Any) -> str:  # noqa: ANN401
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list | tuple):
        return "<br>".join(map(_cell, value))
    return escape(str(value))
