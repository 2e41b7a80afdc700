"""What a query of one's own may do: read nodes and relationships of the graph, nothing else.

That it writes nothing the database sees to, in a transaction that only reads. But such a one may
still read files and addresses, call any procedure, and look at the server and end what runs there.
The plan tells of these but for those inside of an expression (`CASE ... COLLECT { LOAD CSV ... }`),
which no plan shows: so the text is read, too.
"""

import re
from typing import Any

from specter_graph.errors import InputError

_PROCEDURES = ("db.index.", "db.labels", "db.relationshipTypes", "db.propertyKeys")
_SHOWN = ("ShowIndexes", "ShowConstraints")
_ELSEWHERE = ("LoadCSV", "Show", "Terminate", "AdministrationCommand")

_QUOTED_OR_COMMENT = re.compile(
    r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`]|``)*`|/\*.*?\*/|//[^\r\n]*""", re.DOTALL
)
_SPACE = r"[\s\u180e]"
_LOAD_CSV = re.compile(rf"\bLOAD{_SPACE}+CSV\b", re.IGNORECASE)
_CALLED = re.compile(rf"\bCALL(?:{_SPACE}+(?=\w)|{_SPACE}*(?=`))([\w.]*)", re.IGNORECASE)


def require_reading_the_graph_alone(text: str, plan: dict[str, Any]) -> None:
    """Raise InputError for a query that reads files, addresses or the server's own state."""
    if not (_is_harmless(text) and _is_harmless_plan(plan)):
        raise InputError("a query here reads nodes and relationships of the graph, nothing else")


def _is_harmless(text: str) -> bool:
    if "\\u" in text:
        raise InputError("a query here has no \\u escapes", "write the letter, or a parameter")
    bare = _QUOTED_OR_COMMENT.sub(_without_contents, text)
    called = (found[1].startswith(_PROCEDURES) for found in _CALLED.finditer(bare))
    return not _LOAD_CSV.search(bare) and all(called)


def _without_contents(found: re.Match[str]) -> str:
    return " " if found[0].startswith("/") else found[0][0] * 2


def _is_harmless_plan(plan: dict[str, Any]) -> bool:
    operator = str(plan.get("operatorType", ""))
    called = str(plan.get("args", {}).get("Details", ""))
    if operator.startswith(_ELSEWHERE) and not operator.startswith(_SHOWN):
        return False
    if operator.startswith("ProcedureCall") and not called.startswith(_PROCEDURES):
        return False
    return all(map(_is_harmless_plan, plan.get("children", ())))
