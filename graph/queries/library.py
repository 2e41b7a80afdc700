"""Questions to the graph: papers near a paper or a vector, and the library's queries."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import chain, islice
from typing import Any, TypeAlias

import neo4j
import numpy as np
from neo4j.exceptions import ClientError
from numpy.typing import NDArray

from specter_graph.core.errors import GraphError, InputError
from specter_graph.cypher import Statement, library, statement
from specter_graph.graph.checks import require_papers, unknown_paper
from specter_graph.graph.database import Database
from specter_graph.graph.driver_errors import TooLongError
from specter_graph.graph.embeddings.index import dialect, splice
from specter_graph.graph.embeddings.spaces import space as find_space
from specter_graph.graph.queries.parameters import query_values

SECONDS = 60.0
ROWS = 1_000

Embed: TypeAlias = Callable[[str, str], NDArray[np.float32]]
"""Embeds a text with the model of a space: text and space to a vector, (d,) float32."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The rows that a library query returned, and the query; `cut` says that there were more."""

    query: Statement
    rows: list[dict[str, Any]]
    cut: bool


def library_query(name: str) -> Statement:
    """Find a query of the library; raises GraphError, with the nearest names, when it is not."""
    queries = {query.name.removeprefix("library/"): query for query in library()}
    if name not in queries:
        close = get_close_matches(name, queries, n=3) or list(queries)
        raise GraphError(
            f"there is no query named {name!r}",
            f"{', '.join(close)}; `specter-graph query --list` tells of them all",
        )
    return queries[name]


def run_query(
    db: Database,
    name: str,
    parameters: Mapping[str, object] | None = None,
    space: str | None = None,
    *,
    embed: Embed | None = None,
    seconds: float = SECONDS,
    rows: int = ROWS,
) -> Answer:
    """Run a query of the library in a transaction that can only read.

    Parameters may be text, as from a command line; they become what the query's header says, and
    those left out get the header's defaults. `space` is the parameter of that name. A text is
    embedded by `embed` in the first space that the header names; the vector of an empty text is
    null. At most `rows` rows are read.
    Raises InputError for parameters that do not fit, GraphError for a paper, a vector or a space
    that is not there, or when the query takes longer than `seconds`.
    """
    query = library_query(name)
    given = dict(parameters or {})
    if space is not None:
        given["space"] = space
    values = query_values(query, given)
    spaces = _of_type(query, values, "SPACE")
    one, several = (_of_type(query, values, kind) for kind in ("PAPER", "LIST<PAPER>"))
    one = {name: paper for name, paper in one.items() if paper is not None}
    papers = [*one.values(), *chain(*several.values())]
    for each in spaces.values():
        find_space(db, each)
    now = dict(zip(papers, require_vectors(db, papers, list(spaces.values())), strict=True))
    values |= {each: now[paper] for each, paper in one.items()}
    values |= {each: [now[paper] for paper in some] for each, some in several.items()}
    for given_text in _of_type(query, values, "TEXT").values():
        space_of_text = next(iter(spaces.values()))
        values["vector"] = _vector(name, given_text, space_of_text, embed) if given_text else None
    text = splice(query.text, spaces, dialect(db))
    found = _read_some(db, name, neo4j.Query(text, timeout=seconds), values, rows + 1)
    if not found:
        require_papers(db)
    return Answer(query, found[:rows], cut=len(found) > rows)


def _of_type(query: Statement, values: Mapping[str, Any], kind: str) -> dict[str, Any]:
    return {each.name: values[each.name] for each in query.parameters if each.type == kind}


def _vector(query: str, text: str, space: str, embed: Embed | None) -> list[float]:
    if embed is None:
        raise InputError(
            f"the query {query} takes a text, and nothing here embeds it",
            "ask through LiteratureGraph.query, or give run_query a function `embed`",
        )
    vector: list[float] = embed(text, space).tolist()
    return vector


def _read_some(
    db: Database, name: str, query: neo4j.Query, values: dict[str, Any], rows: int
) -> list[dict[str, Any]]:
    try:
        with db.driver.session(database=db.name, default_access_mode=neo4j.READ_ACCESS) as session:
            return [record.data() for record in islice(session.run(query, values), rows)]
    except ClientError as error:
        if error.code is None or "TransactionTimedOut" not in error.code:
            raise
        raise TooLongError(
            f"{name} took longer than {query.timeout:g} seconds",
            "fewer candidates, papers or hops",
        ) from error


def current_ids(db: Database, ids: Sequence[str]) -> list[str]:
    """Return the ids that papers have now; a merged paper is known by the ids of its parts too.

    Raises GraphError, with ids like it, for an id of no paper.
    """
    return [row["paper"] for row in _known(db, ids, ())]


def _known(db: Database, ids: Sequence[str], spaces: Sequence[str]) -> list[dict[str, Any]]:
    if not ids:
        return []
    rows = db.read(statement("embeddings/has_vectors").text, ids=ids, spaces=spaces)
    for row in rows:
        if row["paper"] is None:
            raise unknown_paper(db, row["id"])
    return rows


def require_vectors(db: Database, papers: Sequence[str], spaces: Sequence[str]) -> list[str]:
    """Return the current ids of papers that have vectors in all of these spaces.

    Raises GraphError for a paper that is not there, is a stub, or has no vector in a space.
    """
    rows = _known(db, papers, spaces)
    for row in rows:
        if row["stub"]:
            raise GraphError(
                f"of the paper {row['id']!r} only the id is known, from the papers that cite it",
                "load its record, then embed",
            )
        if row["without"]:
            raise GraphError(
                f"the paper {row['id']!r} has no vector in {row['without'][0]!r}",
                f"specter-graph embed --space {row['without'][0]}",
            )
    return [row["paper"] for row in rows]
