"""The user's own Cypher: read-only by default, with limits of time and rows.

A read transaction prevents writing. A query of an untrusted user could still read files and URLs,
call any procedure, project a graph into the server's memory (`gds.graph.project` is a function),
and list or terminate other queries. The plan shows these, except functions and what is inside an
expression (`CASE ... COLLECT { LOAD CSV ... }`); therefore the text is checked too.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import accumulate
from typing import Any
from uuid import uuid4

import neo4j
import orjson
from neo4j.exceptions import ClientError, Neo4jError, TransientError
from neo4j.graph import Node, Path, Relationship
from neo4j.spatial import Point
from neo4j.vector import Vector

from specter_graph.core.errors import (
    InputError,
    QueryTimeoutError,
    require_counts,
    require_seconds,
    require_texts,
)
from specter_graph.graph.database import (
    LIMIT,
    TIMEOUT,
    Database,
    ResultItems,
    connect,
    timeout_error,
)
from specter_graph.graph.embeddings.index import read_dialect, render_placeholders

_FETCH_SIZE = 50
"""Rows that the driver fetches at a time and holds in memory."""

_TEXTS = "id|key|name|title|scheme|value|source|doi|arxiv_id|pubmed_id|orcid"
"""Identifying properties, which are text even if they look like numbers."""
_COMPARED = (
    re.compile(rf"\b(?:{_TEXTS})\s*(?::|=|<>)\s*\$(\w+)"),
    re.compile(rf"\$(\w+)\s*(?:=|<>)\s*\w+\.(?:{_TEXTS})\b"),
)

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
_POSITION = re.compile(r"\(line (\d+), column (\d+) \(offset: \d+\)\)")
_FUNCTION = re.compile(rf"\b(\w+(?:{_SPACE}*\.{_SPACE}*\w+)+){_SPACE}*\(")
_FUNCTIONS = (
    "date",
    "datetime",
    "duration",
    "localdatetime",
    "localtime",
    "point",
    "time",
    "vector",
)
"""Namespaces of the server's own functions; those of plugins may read files and URLs."""


@dataclass(frozen=True, slots=True)
class CypherResult(ResultItems[dict[str, Any]]):
    """The rows of a query, and its items: dicts of JSON values.

    A node is given by its labels and properties, a relationship by its type and properties, a path
    by an alternating list of both, and a time as ISO text.

    Attributes:
        columns: Names of the columns in the query's order.
        rows: The rows, with the values by the names of their columns.
        is_truncated: True if there were more rows.
        changes: Counts of changes, such as {"nodes_created": 1}.
        warnings: The server's, such as that a label or property of the query does not exist.
    """

    columns: list[str]
    rows: list[dict[str, Any]]
    is_truncated: bool
    changes: dict[str, int]
    warnings: list[str]

    def _items(self) -> list[dict[str, Any]]:
        return self.rows


def run_cypher(
    db: Database,
    text: str,
    parameters: Mapping[str, object] | None = None,
    *,
    write: bool = False,
    timeout: float = TIMEOUT,
    limit: int = LIMIT,
    max_bytes: int | None = None,
) -> CypherResult:
    """Run a query and return its rows.

    Args:
        db: The graph.
        text: Cypher. `{{10 nearest to $vector in $space}}` queries a vector index, as in the
            query library.
        parameters: Parameters of the query.
        write: Allow changes; otherwise the server rejects them.
        timeout: Seconds after which the server stops the query.
        limit: Maximum number of rows.
        max_bytes: Maximum size of the rows as JSON.

    Raises:
        InputError: The query is invalid.
        QueryTimeoutError: The query exceeds the time limit.
    """
    require_counts(limit=limit)
    require_seconds(timeout=timeout)
    values = dict(parameters or {})
    access = neo4j.WRITE_ACCESS if write else neo4j.READ_ACCESS
    mark = uuid4().hex
    query = neo4j.Query(_render_query(db, text, values), metadata={"run": mark}, timeout=timeout)
    with (
        db.session(
            default_access_mode=access,
            fetch_size=_FETCH_SIZE,
            notifications_min_severity="WARNING",
        ) as session,
        _query_errors(timeout),
    ):
        try:
            result = session.run(query, values)
            columns = list(result.keys())
            rows_read, is_truncated = _read_first(result, columns, limit, max_bytes)
            summary = result.consume()
        except KeyboardInterrupt:  # else the session would wait until the query ends
            db.read("integrations/terminate", run=mark)
            raise
    counts = vars(summary.counters).items()
    changes = {key: n for key, n in counts if n and type(n) is int and key[0] != "_"}
    warnings = [
        status.status_description.removeprefix("warn: ")
        for status in summary.gql_status_objects
        if status.is_notification
    ]
    return CypherResult(columns, rows_read, is_truncated, changes, warnings)


def _read_first(
    result: Iterable[neo4j.Record], columns: list[str], limit: int, max_bytes: int | None
) -> tuple[list[dict[str, Any]], bool]:
    """Read the rows that fit the limits, and return whether there are more."""
    rows_read: list[dict[str, Any]] = []
    size = 0
    for record in result:
        row = dict(zip(columns, map(to_json_value, record), strict=True))
        if max_bytes is not None:
            size += len(orjson.dumps([*row.values()]))
        if len(rows_read) == limit or (max_bytes is not None and size > max_bytes):
            return rows_read, True
        rows_read.append(row)
    return rows_read, False


def explain(
    db: Database,
    text: str,
    parameters: Mapping[str, object] | None = None,
    *,
    timeout: float = TIMEOUT,
) -> dict[str, Any]:
    """Plan a query without running it; return its nested operators, the last one outermost.

    Raises:
        InputError: The query is not valid.
    """
    values = dict(parameters or {})
    query = neo4j.Query(f"EXPLAIN\n{_render_query(db, text, values)}", timeout=timeout)
    with (
        db.session(default_access_mode=neo4j.READ_ACCESS) as session,
        _query_errors(timeout, lines_before=1),
    ):
        return session.run(query, values).consume().plan or {}


def to_json_value(value: Any) -> Any:  # noqa: ANN401
    """Convert a value of the driver to a JSON value; NaN and infinity become null."""
    match value:
        case float():
            return value if math.isfinite(value) else None
        case Node():
            return {"labels": sorted(value.labels), "properties": to_json_value(dict(value))}
        case Relationship():
            return {"type": value.type, "properties": to_json_value(dict(value))}
        case Path():
            steps: list[Any] = [value.start_node]
            for relationship, node in zip(value.relationships, value.nodes[1:], strict=True):
                steps += [relationship, node]
            return to_json_value(steps)
        case dict():
            return {key: to_json_value(each) for key, each in value.items()}
        case Vector():
            return to_json_value(value.to_native())
        case Point():
            return {"srid": value.srid, "coordinates": list(value)}
        case list():
            return [to_json_value(element) for element in value]
        case bytes() | bytearray():
            return value.hex()
        case None | bool() | int() | str():
            return value
        case _:
            return value.iso_format() if hasattr(value, "iso_format") else str(value)


def values_of(parameters: Mapping[str, str], query: str = "") -> dict[str, Any]:
    """Parse parameters as JSON; text that is not JSON is returned unchanged.

    A number that `query` compares with a property of _TEXTS remains text.
    """
    compared = {name for pattern in _COMPARED for name in pattern.findall(query)}

    def value(name: str, text: str) -> Any:  # noqa: ANN401
        try:
            parsed = json.loads(text, parse_constant=_reject_constant)
        except ValueError:
            return text
        return text if name in compared and isinstance(parsed, int | float) else parsed

    return {name: value(name, text) for name, text in parameters.items()}


def _reject_constant(constant: str) -> None:
    """Reject NaN and Infinity, which Python accepts but JSON does not."""
    raise ValueError(constant)


def _render_query(db: Database, text: str, values: Mapping[str, object]) -> str:
    """Replace index placeholders by the syntax of this server."""
    require_texts(text=text)
    if not text.strip():
        raise InputError("the query is empty")
    names = {key: value for key, value in values.items() if isinstance(value, str)}
    try:
        return render_placeholders(text, names, read_dialect(db))
    except KeyError as error:
        raise InputError(
            f"the query uses the index of a space that is not given: ${error.args[0]}",
            f"give it in `parameters`, or in a command as -p {error.args[0]}=specter",
        ) from error


@contextmanager
def _query_errors(timeout: float, lines_before: int = 0) -> Iterator[None]:
    """Raise the errors for the user instead of those of the driver.

    Their positions do not count the lines before the user's query.
    """
    try:
        yield
    except (ClientError, TransientError) as error:
        raise _translate_error(error, timeout, lines_before) from error
    except (OverflowError, TypeError, ValueError) as error:
        raise InputError(
            f"a value cannot be used: {error}",
            "give texts, numbers, booleans, times, arrays, or lists and dicts of these; [*value]"
            " makes a list",
        ) from error


def _translate_error(
    error: Neo4jError, timeout: float, lines_before: int
) -> QueryTimeoutError | InputError:
    code, message = error.code or "", error.message or str(error)
    message = _POSITION.sub(
        lambda match: f"(line {int(match[1]) - lines_before}, column {match[2]})", message
    )
    if exceeded := timeout_error(error, timeout):
        return exceeded
    if "AccessMode" in code or "read access mode" in message:
        return InputError(
            "the query would change the graph, but only reads are allowed",
            "write in Python with write_=True, with cypher-shell or in Neo4j Browser (address:"
            " specter-graph server up)",
        )
    if "ParameterMissing" in code:
        return InputError(
            message,
            "give it in `parameters`, in Python as KEY=VALUE, or in a command as -p KEY=VALUE (or"
            " $vector as --embed TEXT)",
        )
    if "SyntaxError" in code and "{{" in message:
        return InputError(message, "write a search as {{10 nearest to $vector in $space}}")
    of_space = "specter-graph spaces list; graph.spaces.embed_text(TEXT, SPACE) returns a vector"
    if "dimensionality" in message:
        return InputError("the vector has another dimension than the space of the index", of_space)
    if "only contain finite" in message:
        return InputError("the vector has a NaN or an infinite value", of_space)
    if "paper_" in message and "index" in message:
        return InputError(
            message,
            "list the embedding spaces: specter-graph spaces list; if the space is one of them,"
            " wait until its index is complete",
        )
    return InputError(message)


def run_untrusted_as_json(
    login: tuple[str, str, str | None],
    database: str | None,
    text: str,
    parameters: dict[str, Any],
    timeout: float,
    limit: int,
) -> bytes:
    """Run an untrusted query; return its columns, rows, is_truncated and warnings as JSON.

    Call it in a limited process (see `specter_graph.core.limited_processes`), because a query may
    exceed the memory.

    Raises:
        InputError: The query is invalid, or would do more than read the graph.
        QueryTimeoutError: As `run_cypher` raises it.
    """
    check_untrusted_text(text)
    with connect(*login, database, connect_timeout=timeout) as db:
        result = run_untrusted(db, text, parameters, timeout=timeout, limit=limit)
    answer = {
        "columns": result.columns,
        "rows": [[*row.values()] for row in result],
        "is_truncated": result.is_truncated,
        "warnings": result.warnings,
    }
    return orjson.dumps(answer)


def check_untrusted_text(text: str) -> None:
    """Check that an untrusted query is small, and calls only procedures that read the graph.

    Raises:
        InputError: `run_untrusted` does not accept the text; it must not even be planned.
    """
    if len(text) > MAX_CHARACTERS:
        raise InputError(
            f"the query has more than {MAX_CHARACTERS:,} characters", "use parameters for values"
        )
    brackets = _QUOTED_OR_COMMENT.sub("", text)
    depths = accumulate((each in "([{") - (each in ")]}") for each in brackets)
    if max(depths, default=0) > MAX_DEPTH:
        raise InputError(f"the brackets of the query are nested deeper than {MAX_DEPTH}")
    if "\\u" in text:
        raise InputError(
            "\\u escapes are not allowed in this query", "write the character, or use a parameter"
        )
    bare = _QUOTED_OR_COMMENT.sub(_without_contents, text)
    called = (match[1].startswith(_PROCEDURES) for match in _CALLED.finditer(bare))
    if _LOAD_CSV.search(bare) or not all(called):
        raise _not_only_reading()
    for function in _FUNCTION.finditer(_QUOTED_OR_COMMENT.sub(_without_quotes, text)):
        name = "".join(function[1].split())
        namespace = name.partition(".")[0]
        if namespace.lower() not in _FUNCTIONS and not name.startswith(_PROCEDURES):
            message = f"{namespace} is not allowed in this query"
            raise InputError(message, "specter-graph query cypher FILE")


def run_untrusted(
    db: Database, text: str, parameters: dict[str, Any] | None, *, timeout: float, limit: int
) -> CypherResult:
    """Run a query that `check_untrusted_text` accepts, with at most MAX_BYTES of rows.

    Raises:
        InputError: It reads files, URLs or the state of the server.
        QueryTimeoutError: As `run_cypher` raises it.
    """
    check_untrusted_text(_render_query(db, text, parameters or {}))
    if not _is_harmless(explain(db, text, parameters, timeout=timeout)):
        raise _not_only_reading()
    return run_cypher(db, text, parameters, timeout=timeout, limit=limit, max_bytes=MAX_BYTES)


def _not_only_reading() -> InputError:
    return InputError("this query may only read nodes and relationships of the graph")


def _without_contents(match: re.Match[str]) -> str:
    return " " if match[0].startswith("/") else match[0][0] * 2


def _without_quotes(match: re.Match[str]) -> str:
    """Return a name without its backticks; remove the content of strings and comments."""
    return f" {match[0][1:-1]} " if match[0].startswith("`") else _without_contents(match)


def _is_harmless(plan: dict[str, Any]) -> bool:
    operator = str(plan.get("operatorType", ""))
    called = str(plan.get("args", {}).get("Details", ""))
    if operator.startswith(_ELSEWHERE) and not operator.startswith(_SHOWN):
        return False
    if operator.startswith("ProcedureCall") and not called.startswith(_PROCEDURES):
        return False
    return all(map(_is_harmless, plan.get("children", ())))
