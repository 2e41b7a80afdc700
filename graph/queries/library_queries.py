"""Run the queries of the library with parameters of the types in their headers; read one paper."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from itertools import chain, islice
from typing import Annotated, Any, TypeAlias, TypedDict

import numpy as np
import orjson
from neo4j.exceptions import ClientError
from numpy.typing import NDArray
from pydantic import BeforeValidator, Field, StrictStr, TypeAdapter

from specter_graph.core.errors import (
    GraphError,
    InputError,
    require_counts,
    require_seconds,
    require_texts,
)
from specter_graph.cypher import Parameter, Statement, library
from specter_graph.graph.contents import require_papers, unknown_paper
from specter_graph.graph.database import LIMIT, TIMEOUT, Database, ResultItems
from specter_graph.graph.embeddings.index import read_dialect, render_placeholders, require_index
from specter_graph.graph.embeddings.spaces import AFFINITY_SPACES, DEFAULT_SPACES, get_space
from specter_graph.graph.identifier_lookup import find_papers
from specter_graph.graph.reviewing.venue_data import require_venue

_NO_DEFAULT = object()
_INT32 = np.iinfo(np.int32)

Embed: TypeAlias = Callable[[str, str], NDArray[np.float32]]
"""A function that embeds a text with the model of a space: (text, space) -> (d,) float32."""
NEIGHBORS = 20
"""Cited papers, and citing papers, of a paper."""


def query_values(query: Statement, given: Mapping[str, object]) -> dict[str, Any]:
    """Convert values to the query's parameters; missing ones get their defaults.

    A type is STRING, INTEGER, FLOAT, BOOLEAN, LIST<one of these>, PAPER (the id of a paper with a
    vector), SPACE (the name of an embedding space) or TEXT (free text, not empty, whose vector the
    query gets as `$vector`). Text is converted to the type, and a list is given as JSON. Other
    values must have the type already or equal the default, such as null.

    Raises:
        InputError: A parameter is unknown, missing or has an invalid value.
    """
    name = query.name.removeprefix("library/")
    names = [parameter.name for parameter in query.parameters]
    unknown = [given_name for given_name in given if given_name not in names]
    if unknown:
        raise InputError(
            f"the query {name} has no parameter {unknown[0]!r}", f"use {', '.join(names)}"
        )
    missing = [
        parameter
        for parameter in query.parameters
        if parameter.name not in given and not parameter.default
    ]
    if missing:
        raise InputError(
            f"the query {name} needs {', '.join(parameter.name for parameter in missing)}",
            f"give {missing[0].name}=..., {missing[0].text}",
        )
    return {parameter.name: _value(name, parameter, given) for parameter in query.parameters}


def _value(query: str, parameter: Parameter, values: Mapping[str, object]) -> Any:  # noqa: ANN401
    default = orjson.loads(parameter.default) if parameter.default else _NO_DEFAULT
    given = values.get(parameter.name, default)
    if given is default or (type(given) is type(default) and given == default):
        return default
    try:
        return _TYPES[parameter.type].validate_python(given)
    except ValueError as error:
        raise InputError(
            f"{parameter.name} of the query {query} is {parameter.type}, not {given!r:.100}",
            parameter.text,
        ) from error


def _reject_boolean(given: object) -> object:
    """Raise ValueError for a boolean, which pydantic would convert to a number."""
    if isinstance(given, bool):
        raise ValueError
    return given


def _parse_list(given: object) -> object:
    """Parse JSON; raise ValueError for a frame, whose column names would be the elements."""
    if hasattr(given, "columns"):
        raise ValueError
    return orjson.loads(given) if isinstance(given, str) else given


_SCALARS: dict[str, Any] = {
    "STRING": StrictStr,
    # A sum that overflows may block the server.
    "INTEGER": Annotated[
        int, BeforeValidator(_reject_boolean), Field(ge=_INT32.min, le=_INT32.max)
    ],
    "FLOAT": Annotated[float, BeforeValidator(_reject_boolean)],
    "BOOLEAN": bool,
    "PAPER": StrictStr,
    "SPACE": StrictStr,
    "TEXT": Annotated[StrictStr, Field(pattern=r"\S")],
}
_LISTS = {
    f"LIST<{name}>": Annotated[list[kind], BeforeValidator(_parse_list)]  # type: ignore[valid-type]
    for name, kind in _SCALARS.items()
}
_TYPES: dict[str, TypeAdapter[Any]] = {
    name: TypeAdapter(kind) for name, kind in (_SCALARS | _LISTS).items()
}


@dataclass(frozen=True, slots=True)
class QueryResult(ResultItems[dict[str, Any]]):
    """The rows of a library query and the query; `is_truncated` is true if there were more rows."""

    query: Statement = field(repr=False)
    rows: list[dict[str, Any]]
    is_truncated: bool

    @property
    def columns(self) -> list[str]:
        """The names of the columns in the order of the query."""
        return [column.name for column in self.query.columns]

    def _items(self) -> list[dict[str, Any]]:
        return self.rows


def library_query(name: str) -> Statement:
    """Return a query of the library.

    Raises:
        GraphError: The query is unknown; the hint lists similar names.
    """
    queries = {query.name.removeprefix("library/"): query for query in library()}
    if len(name.split()) > 1:
        raise GraphError(
            f"{name:.100} is not the name of a query",
            "run your own Cypher: specter-graph query cypher, or graph.cypher in Python",
        )
    if name not in queries:
        close = get_close_matches(name, queries, n=3) or list(queries)
        raise GraphError(
            f"there is no query named {name!r}",
            f"use {', '.join(close)}, or list all queries: specter-graph query list",
        )
    return queries[name]


def run_query(
    db: Database,
    name: str,
    parameters: Mapping[str, object] | None = None,
    *,
    embed: Embed | None = None,
    timeout: float = TIMEOUT,
    limit: int = LIMIT,
) -> QueryResult:
    """Run a query of the library in a read-only transaction.

    Args:
        db: The graph.
        name: Name of the query.
        parameters: Its parameters; text is converted to the type in the query's header. Missing
            parameters get the defaults in the header.
        embed: Embeds text parameters in the first space of the header; the vector of an empty text
            is null.
        timeout: Seconds after which the server stops the query.
        limit: Maximum number of rows.

    Raises:
        InputError: A parameter is unknown, missing or invalid.
        GraphError: A paper, vector, space or venue is missing.
        QueryTimeoutError: The query exceeds the time limit.
    """
    require_texts(name=name)
    require_counts(limit=limit)
    require_seconds(timeout=timeout)
    query = library_query(name)
    values = query_values(query, parameters or {})
    names: tuple[str, ...] = DEFAULT_SPACES
    if query.purpose == "match":
        names = (*AFFINITY_SPACES, *DEFAULT_SPACES)
    spaces = {
        parameter: get_space(db, each, names).name
        for parameter, each in _of_type(query, values, "SPACE").items()
    }
    values |= spaces
    one, several = (_of_type(query, values, kind) for kind in ("PAPER", "LIST<PAPER>"))
    one = {name: paper for name, paper in one.items() if paper is not None}
    papers = [*one.values(), *chain(*several.values())]
    current = dict(zip(papers, require_vectors(db, papers, list(spaces.values())), strict=True))
    values |= {each: current[paper] for each, paper in one.items()}
    values |= {each: [current[paper] for paper in some] for each, some in several.items()}
    for given_text in _of_type(query, values, "TEXT").values():
        space_of_text = next(iter(spaces.values()))
        values["vector"] = _vector(name, given_text, space_of_text, embed) if given_text else None
    text = render_placeholders(query.text, spaces, read_dialect(db))
    try:
        read = replace(db, timeout=timeout).stream(text, **values)
        rows = [dict(record) for record in islice(read, limit + 1)]
    except ClientError as error:
        if (error.code or "").endswith("ArgumentError"):  # such as a negative LIMIT
            hint = "give its INTEGER parameters other values"
            raise InputError(error.message or str(error), hint) from error
        for space in spaces.values():
            require_index(db, space)
        raise
    if not rows and query.purpose == "match":
        require_venue(db, values["venue"])
    elif not rows:
        require_papers(db)
    return QueryResult(query, rows[:limit], is_truncated=len(rows) > limit)


def _of_type(query: Statement, values: Mapping[str, Any], kind: str) -> dict[str, Any]:
    return {
        parameter.name: values[parameter.name]
        for parameter in query.parameters
        if parameter.type == kind
    }


def _vector(query: str, text: str, space: str, embed: Embed | None) -> list[float]:
    if embed is None:
        raise InputError(
            f"the query {query} has a text parameter, but there is no encoder for it",
            "use LiteratureGraph.query, or pass a function `embed` to run_query",
        )
    vector: list[float] = embed(text, space).tolist()
    return vector


def current_ids(db: Database, ids: Sequence[str]) -> list[str]:
    """Return the current ids of papers, which may be given by a DOI or another identifier, too.

    An id of a merged record gives the canonical id.

    Raises:
        GraphError: An id is unknown; the hint lists similar ids.
    """
    return [row["paper"] for row in paper_rows(db, ids, ())]


def paper_rows(db: Database, ids: Sequence[str], spaces: Sequence[str]) -> list[dict[str, Any]]:
    """Return the rows of embeddings/has_vectors for papers, given as in `current_ids`.

    Raises:
        GraphError: An id is unknown; the hint lists similar ids.
    """
    if not ids:
        return []
    rows: list[dict[str, Any]] = db.value("embeddings/has_vectors", ids=ids, spaces=spaces)
    if unknown := [row["id"] for row in rows if row["paper"] is None]:
        named = find_papers(db, unknown)
        for paper in unknown:
            if paper not in named:
                raise unknown_paper(db, paper)
        return paper_rows(db, [named.get(id, id) for id in ids], spaces)
    return rows


def require_vectors(db: Database, papers: Sequence[str], spaces: Sequence[str]) -> list[str]:
    """Return the current ids of papers after checking that they have vectors in all spaces.

    Raises:
        GraphError: A paper is unknown, is a stub, or has no vector in a space.
    """
    rows = paper_rows(db, papers, spaces)
    for row in rows:
        if row["stub"]:
            raise GraphError(
                f"the paper {row['id']!r} is a stub: only its id is known, from citing papers",
                "load its record, then run: specter-graph embed",
            )
        if row["without"]:
            raise GraphError(
                f"the paper {row['id']!r} has no vector in {row['without'][0]!r}",
                f"specter-graph embed --space {row['without'][0]}",
            )
    return [row["paper"] for row in rows]


class Neighbor(TypedDict):
    """A paper that cites another, or is cited by it."""

    id: str
    title: str | None
    year: int | None


@dataclass(frozen=True, slots=True)
class PaperDetails:
    """A paper with its text, its authors and the most cited papers around it.

    Attributes:
        title: None for a stub, a paper of which only the id is known.
        retracted: True if a source says that the paper was retracted.
        authors: Names, in order.
        references: The number of papers that it cites.
        citations: The number of papers that cite it.
        cites: The most cited papers that it cites, `NEIGHBORS` at most.
        cited_by: The most cited papers that cite it, `NEIGHBORS` at most.
    """

    id: str
    title: str | None
    abstract: str | None
    year: int | None
    venue: str | None
    doi: str | None
    url: str | None
    retracted: bool
    authors: list[str]
    references: int
    citations: int
    cites: list[Neighbor]
    cited_by: list[Neighbor]


def read_paper(db: Database, id: str) -> PaperDetails:
    """Read a paper: its text, its authors, and the most cited papers around it.

    A merged paper is found by the ids of its parts, too.

    Raises:
        GraphError: There is no such paper; the hint names similar ids.
        InputError: The id is not a text.
    """
    require_texts(id=id)
    [current] = current_ids(db, [id])
    [row] = db.read("integrations/paper", id=current, k=NEIGHBORS)
    return PaperDetails(**row)
