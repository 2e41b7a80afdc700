"""Cypher from untrusted users: it may only read nodes and relationships of the graph.

A read transaction prevents writing. A query could still read files and URLs, call any procedure,
project a graph into the server's memory (`gds.graph.project` is a function), and list or terminate
other queries. The plan shows these, except functions and what is inside an expression
(`CASE ... COLLECT { LOAD CSV ... }`); therefore the text is checked too.
"""

import re
from typing import Any

import orjson

from specter_graph.core.errors import InputError
from specter_graph.graph.database import (
    DRIVER_ERRORS,
    Database,
    connect,
    translate_driver_error,
)
from specter_graph.graph.queries.cypher import CypherResult, explain, run_cypher

MAX_CHARACTERS = 20_000
MAX_DEPTH = 50
"""Maximum depth of brackets; deeper ones overflow the stack of Neo4j's parser, which then hangs."""
MAX_BYTES = 10 * 2**20
"""Maximum size of the rows as JSON."""

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


def run_read_only(
    login: tuple[str, str, str | None],
    database: str | None,
    text: str,
    parameters: dict[str, Any],
    timeout: float,
    limit: int,
) -> bytes:
    """Run a query and return JSON: `columns`, `rows` and `is_truncated` (there were more rows).

    Call it in a limited process (see `specter_graph.core.limited_processes`), because a query may
    exceed the memory.

    Raises:
        InputError: The query is invalid, or would do more than read the graph.
        GraphError: As `run_cypher` raises it.
    """
    require_reading_text(text)
    try:
        with connect(*login, database, connect_timeout=timeout) as db:
            result = run_reading(db, text, parameters, timeout=timeout, limit=limit)
    except DRIVER_ERRORS as error:
        raise translate_driver_error(error) or error from error
    except (OverflowError, UnicodeError) as error:
        raise InputError(f"a value cannot be used: {error}") from error
    return orjson.dumps(
        {"columns": result.columns, "rows": result.rows, "is_truncated": result.is_truncated}
    )


def require_reading_text(text: str) -> None:
    """Raise InputError for a text that `run_reading` does not accept, before it is planned."""
    _require_small(text)
    _require_no_other_call(text)


def run_reading(
    db: Database, text: str, parameters: dict[str, Any] | None, *, timeout: float, limit: int
) -> CypherResult:
    """Run a query that `require_reading_text` accepts, with at most MAX_BYTES of rows.

    Raises:
        InputError: Its plan reads files, URLs or the state of the server.
        GraphError: As `run_cypher` raises it.
    """
    if not _is_harmless(explain(db, text, parameters, timeout=timeout)):
        raise _not_reading()
    return run_cypher(db, text, parameters, timeout=timeout, limit=limit, max_bytes=MAX_BYTES)


def _require_small(text: str) -> None:
    """Raise InputError for a text that is too long or too deeply nested to be planned."""
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"the query has more than {MAX_CHARACTERS:,} characters", "use parameters for values"
        )
    depth = deepest = 0
    for character in _QUOTED_OR_COMMENT.sub("", text):
        depth += (character in "([{") - (character in ")]}")
        deepest = max(deepest, depth)
    if deepest > MAX_DEPTH:
        raise InputError(f"the brackets of the query are nested deeper than {MAX_DEPTH}")


def _require_no_other_call(text: str) -> None:
    """Raise InputError for a text that reads files or URLs, or calls a forbidden procedure."""
    if "\\u" in text:
        raise InputError(
            "\\u escapes are not allowed in this query", "write the character, or use a parameter"
        )
    bare = _QUOTED_OR_COMMENT.sub(_without_contents, text)
    called = (match[1].startswith(_PROCEDURES) for match in _CALLED.finditer(bare))
    if _LOAD_CSV.search(bare) or not all(called):
        raise _not_reading()
    if _GDS.search(_QUOTED_OR_COMMENT.sub(_without_quotes, text)):
        raise InputError("gds is not allowed in this query", "specter-graph query cypher FILE")


def _not_reading() -> InputError:
    return InputError("this query may only read nodes and relationships of the graph")


def _without_contents(match: re.Match[str]) -> str:
    return " " if match[0].startswith("/") else match[0][0] * 2


def _without_quotes(match: re.Match[str]) -> str:
    """Return a name without its backticks; remove the content of strings and comments."""
    return match[0][1:-1] if match[0].startswith("`") else _without_contents(match)


def _is_harmless(plan: dict[str, Any]) -> bool:
    operator = str(plan.get("operatorType", ""))
    called = str(plan.get("args", {}).get("Details", ""))
    if operator.startswith(_ELSEWHERE) and not operator.startswith(_SHOWN):
        return False
    if operator.startswith("ProcedureCall") and not called.startswith(_PROCEDURES):
        return False
    return all(map(_is_harmless, plan.get("children", ())))
