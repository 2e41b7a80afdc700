"""Cypher of the user's own: read unless writing is asked for, with limits of time and rows."""

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import neo4j
import orjson
from neo4j.exceptions import ClientError, Neo4jError, TransientError
from neo4j.graph import Node, Path, Relationship
from neo4j.spatial import Point
from neo4j.vector import Vector

from specter_graph.core.errors import GraphError, InputError
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.driver_errors import TooLongError
from specter_graph.graph.embeddings.index import dialect, splice

SECONDS = 60.0
ROWS = 1_000
_FETCHED = 50
"""Rows that the driver asks for at a time: it holds them all."""


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows with their columns in the query's order; `cut` says that there were more.

    Values are what JSON knows: a node is its labels and properties, a relationship its type and
    properties, a path a list of both by turns, a time ISO text. `changes` counts what was written,
    such as {"nodes_created": 1}.
    """

    columns: list[str]
    rows: list[list[Any]]
    cut: bool
    changes: dict[str, int]


def run_cypher(
    db: Database,
    text: str,
    parameters: Mapping[str, object] | None = None,
    *,
    write: bool = False,
    seconds: float = SECONDS,
    rows: int = ROWS,
    max_bytes: int | None = None,
) -> Rows:
    """Run a query; at most `rows` rows are read, which as JSON have at most `max_bytes`.

    `{{10 nearest to $vector in $space}}` asks an index as in the library's queries. Without `write`
    the server refuses to change anything. Raises InputError for a query that the server cannot
    make sense of, GraphError for one that would write or takes longer than `seconds`.
    """
    values = dict(parameters or {})
    access = neo4j.WRITE_ACCESS if write else neo4j.READ_ACCESS
    mark = uuid4().hex
    query = neo4j.Query(_in_words_of(db, text, values), metadata={"run": mark}, timeout=seconds)
    try:
        with db.driver.session(
            database=db.name, default_access_mode=access, fetch_size=_FETCHED
        ) as session:
            try:
                result = session.run(query, values)
                found, cut = _first(result, rows, max_bytes)
                counters = vars(result.consume().counters)
            except KeyboardInterrupt:  # else the session would wait until the query ends
                db.read(statement("integrations/terminate").text, run=mark)
                raise
    except (ClientError, TransientError) as error:
        raise _told(error, seconds) from error
    changes = {key: n for key, n in counters.items() if n and type(n) is int and key[0] != "_"}
    return Rows(list(result.keys()), found, cut, changes)


def _first(
    result: Iterable[neo4j.Record], rows: int, max_bytes: int | None
) -> tuple[list[list[Any]], bool]:
    """Read the first rows, and whether there are more than fit."""
    found: list[list[Any]] = []
    size = 0
    for record in result:
        row = [plain(value) for value in record]
        if max_bytes is not None:
            size += len(orjson.dumps(row))
        if len(found) == rows or (max_bytes is not None and size > max_bytes):
            return found, True
        found.append(row)
    return found, False


def explain(
    db: Database,
    text: str,
    parameters: Mapping[str, object] | None = None,
    *,
    seconds: float = SECONDS,
) -> dict[str, Any]:
    """Plan a query without running it: the driver's nested operators, the last one outermost."""
    values = dict(parameters or {})
    query = neo4j.Query(f"EXPLAIN {_in_words_of(db, text, values)}", timeout=seconds)
    try:
        with db.driver.session(database=db.name, default_access_mode=neo4j.READ_ACCESS) as session:
            return session.run(query, values).consume().plan or {}
    except (ClientError, TransientError) as error:
        raise _told(error, seconds) from error


def plain(value: Any) -> Any:  # noqa: ANN401
    """Make of a value of the driver one that JSON knows; no number and infinity become null."""
    match value:
        case float():
            return value if math.isfinite(value) else None
        case Node():
            return {"labels": sorted(value.labels), "properties": plain(dict(value))}
        case Relationship():
            return {"type": value.type, "properties": plain(dict(value))}
        case Path():
            steps: list[Any] = [value.start_node]
            for relationship, node in zip(value.relationships, value.nodes[1:], strict=True):
                steps += [relationship, node]
            return plain(steps)
        case dict():
            return {key: plain(each) for key, each in value.items()}
        case Vector():
            return plain(value.to_native())
        case Point():
            return {"srid": value.srid, "coordinates": list(value)}
        case list():
            return [plain(each) for each in value]
        case bytes() | bytearray():
            return value.hex()
        case None | bool() | int() | str():
            return value
        case _:
            return value.iso_format() if hasattr(value, "iso_format") else str(value)


def values_of(parameters: Mapping[str, str], query: str = "") -> dict[str, Any]:
    """Make of texts, as typed, the JSON that they are, or else themselves.

    A number that `query` compares with a property of _TEXTS stays a text.
    """
    compared = {name for pattern in _COMPARED for name in pattern.findall(query)}

    def value(name: str, text: str) -> Any:  # noqa: ANN401
        try:
            found = json.loads(text, parse_constant=_refuse)
        except ValueError:
            return text
        return text if name in compared and isinstance(found, int | float) else found

    return {name: value(name, text) for name, text in parameters.items()}


_TEXTS = "id|key|name|title|scheme|value|source|doi|arxiv_id|pubmed_id|orcid"
"""Properties that identify something: texts, also where they look like numbers."""
_COMPARED = (
    re.compile(rf"\b(?:{_TEXTS})\s*(?::|=|<>)\s*\$(\w+)"),
    re.compile(rf"\$(\w+)\s*(?:=|<>)\s*\w+\.(?:{_TEXTS})\b"),
)


def _refuse(constant: str) -> None:
    """Python reads NaN and Infinity, which are no JSON."""
    raise ValueError(constant)


def _in_words_of(db: Database, text: str, values: Mapping[str, object]) -> str:
    """Put questions to an index, if there are any, into the server's words."""
    names = {key: value for key, value in values.items() if isinstance(value, str)}
    try:
        return splice(text, names, dialect(db))
    except KeyError as error:
        raise InputError(
            f"the query asks the index of a space that is not given: ${error.args[0]}",
            f"-p {error.args[0]}=specter",
        ) from error


def _told(error: Neo4jError, seconds: float) -> GraphError | InputError:
    code, message = error.code or "", error.message or str(error)
    if "TransactionTimedOut" in code:
        return TooLongError(
            f"the query took longer than {seconds:g} seconds", "a LIMIT, or more --seconds"
        )
    if "AccessMode" in code or "read access mode" in message:
        return GraphError(
            "the query would change the graph, and may only read",
            "write with cypher-shell or Neo4j Browser; `specter-graph up` prints the address",
        )
    if "ParameterMissing" in code:
        return InputError(message, "-p KEY=VALUE")
    return InputError(message)
