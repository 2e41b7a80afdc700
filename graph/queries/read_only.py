"""Cypher of a stranger's own: reads nodes and relationships of the graph, nothing else.

A read transaction keeps a query from writing. But the query may still read files and addresses,
call any procedure, project a graph into the server's memory (`gds.graph.project` is a function),
and see and end the queries of others. The plan shows all of these but those inside an expression
(`CASE ... COLLECT { LOAD CSV ... }`) and functions, so the text is checked, too.
"""

import re
from typing import Any

import orjson

from specter_graph.core.errors import InputError
from specter_graph.graph.database import connect
from specter_graph.graph.driver_errors import DRIVER_ERRORS, translate_driver_error
from specter_graph.graph.queries.cypher import explain, run_cypher

MAX_CHARACTERS = 20_000
MAX_DEPTH = 50
"""Of brackets; deeper ones overflow the stack of Neo4j's parser, which then never answers."""
MAX_BYTES = 10 * 2**20
"""Of the rows of an answer as JSON."""

_PROCEDURES = ("db.index.", "db.labels", "db.relationshipTypes", "db.propertyKeys")
_SHOWN = ("ShowIndexes", "ShowConstraints")
_ELSEWHERE = ("LoadCSV", "Show", "Terminate", "AdministrationCommand")

_QUOTED_OR_COMMENT = re.compile(
    r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`(?:[^`]|``)*`|/\*.*?\*/|//[^\r\n]*""", re.DOTALL
)
_SPACE = r"[\s\u180e]"
_LOAD_CSV = re.compile(rf"\bLOAD{_SPACE}+CSV\b", re.IGNORECASE)
_CALLED = re.compile(rf"\bCALL(?:{_SPACE}+(?=\w)|{_SPACE}*(?=`))([\w.]*)", re.IGNORECASE)
_GDS = re.compile(rf"\bgds{_SPACE}*\.", re.IGNORECASE)


def answer(
    login: tuple[str, str, str | None],
    database: str | None,
    text: str,
    parameters: dict[str, Any],
    seconds: float,
    rows: int,
) -> bytes:
    """Run a query, and return its columns and rows as JSON; `cut` says that there were more rows.

    For a limited process (see `specter_graph.core.limited_processes`), which a query that takes too
    much ends. Raises InputError for a query that does more than read the graph, and what
    `run_cypher` raises.
    """
    require_small(text)
    require_no_other_call(text)
    try:
        with connect(*login, database, patience=seconds) as db:
            require_reading_plan(explain(db, text, parameters, seconds=seconds))
            found = run_cypher(
                db, text, parameters, seconds=seconds, rows=rows, max_bytes=MAX_BYTES
            )
    except DRIVER_ERRORS as error:
        raise translate_driver_error(error) or error from error
    except (OverflowError, UnicodeError) as error:
        raise InputError(f"a value cannot be used: {error}") from error
    return orjson.dumps({"columns": found.columns, "rows": found.rows, "cut": found.cut})


def require_small(text: str) -> None:
    """Raise InputError for a text that the server should not even plan."""
    if len(text) > MAX_CHARACTERS:
        raise InputError(f"the query has more than {MAX_CHARACTERS:,} characters", "parameters")
    depth = deepest = 0
    for character in _QUOTED_OR_COMMENT.sub("", text):
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    if deepest > MAX_DEPTH:
        raise InputError(f"the brackets of the query are nested deeper than {MAX_DEPTH}")


def require_no_other_call(text: str) -> None:
    """Raise InputError for a text that reads files or addresses, or calls what it may not."""
    if "\\u" in text:
        raise InputError("a query here has no \\u escapes", "write the letter, or a parameter")
    bare = _QUOTED_OR_COMMENT.sub(_without_contents, text)
    called = (found[1].startswith(_PROCEDURES) for found in _CALLED.finditer(bare))
    if _LOAD_CSV.search(bare) or not all(called):
        raise _not_reading()
    if _GDS.search(_QUOTED_OR_COMMENT.sub(_without_quotes, text)):
        raise InputError("a query here calls nothing of gds", "specter-graph query FILE")


def require_reading_plan(plan: dict[str, Any]) -> None:
    """Raise InputError for a plan that reads files, addresses or the server's own state."""
    if not _is_harmless(plan):
        raise _not_reading()


def _not_reading() -> InputError:
    return InputError("a query here reads nodes and relationships of the graph, nothing else")


def _without_contents(found: re.Match[str]) -> str:
    return " " if found[0].startswith("/") else found[0][0] * 2


def _without_quotes(found: re.Match[str]) -> str:
    """Return a name without its backticks, and nothing of a string or a comment."""
    return found[0][1:-1] if found[0].startswith("`") else _without_contents(found)


def _is_harmless(plan: dict[str, Any]) -> bool:
    operator = str(plan.get("operatorType", ""))
    called = str(plan.get("args", {}).get("Details", ""))
    if operator.startswith(_ELSEWHERE) and not operator.startswith(_SHOWN):
        return False
    if operator.startswith("ProcedureCall") and not called.startswith(_PROCEDURES):
        return False
    return all(map(_is_harmless, plan.get("children", ())))
