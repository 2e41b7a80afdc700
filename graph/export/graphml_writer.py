"""Export to GraphML, for NetworkX, Gephi, igraph and yEd.

Papers are nodes, and citations are directed edges. GraphML has no lists: authors, fields and
intents are strings separated by "; ". Contexts, bodies and vectors are not exported.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any
from xml.sax.saxutils import escape, quoteattr

from specter_graph.core.atomic_files import complete_file, compressed
from specter_graph.graph.export.source import Source, StoredPaper
from specter_graph.graph.loading.record_rows import IDENTIFIERS

_TEXTS = ("title", "abstract", "published", "language", "url", "source")
_PROPERTIES = (*_TEXTS, "year", "retracted", *IDENTIFIERS.values())
_NODE_KEYS = (
    {"stub": "boolean", "authors": "string", "venue": "string", "fields": "string"}
    | dict.fromkeys(_PROPERTIES, "string")
    | {"year": "long", "retracted": "boolean"}
)
_EDGE_KEYS = {"intents": "string", "influential": "boolean"}
NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_HEAD = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
"""


def write_graphml(source: Source, path: Path) -> None:
    """Write all papers, including stubs, then all citations; the graph is read twice."""
    with complete_file(path) as unfinished, compressed(unfinished, path) as file:
        _write(file, _HEAD + _declare_keys("node", _NODE_KEYS) + _declare_keys("edge", _EDGE_KEYS))
        _write(file, '<graph id="citations" edgedefault="directed">\n')
        for paper in source.papers(*_PROPERTIES):
            _write(file, f"<node id={_quote_id(paper.id)}>{_render_data(_node(paper))}</node>\n")
        for paper in source.papers():
            for citation in paper.citations:
                ends = f"source={_quote_id(paper.id)} target={_quote_id(citation['cited'])}"
                _write(file, f"<edge {ends}>{_render_data(_edge(citation))}</edge>\n")
        _write(file, "</graph>\n</graphml>\n")


def _declare_keys(of: str, keys: Mapping[str, str]) -> str:
    return "".join(
        f'<key id="{name}" for="{of}" attr.name="{name}" attr.type="{kind}"/>\n'
        for name, kind in keys.items()
    )


def _node(paper: StoredPaper) -> dict[str, Any]:
    return paper.values | {
        "stub": paper.stub,
        "authors": "; ".join(author["name"] for author in paper.authors),
        "venue": "; ".join(venue["name"] for venue in paper.venues),
        "fields": "; ".join(field["name"] or field["id"] for field in paper.fields),
    }


def _edge(citation: Mapping[str, Any]) -> dict[str, Any]:
    return {"intents": "; ".join(citation["intents"] or ()), "influential": citation["influential"]}


def _render_data(values: Mapping[str, Any]) -> str:
    return "".join(
        f'<data key="{name}">{_render_value(value)}</data>'
        for name, value in values.items()
        if value not in (None, "")
    )


def _render_value(value: Any) -> str:  # noqa: ANN401
    return str(value).lower() if isinstance(value, bool) else escape(NOT_XML.sub("", str(value)))


def _quote_id(paper_id: str) -> str:
    return quoteattr(NOT_XML.sub("\N{REPLACEMENT CHARACTER}", paper_id))


def _write(file: IO[bytes], text: str) -> None:
    file.write(text.encode())
