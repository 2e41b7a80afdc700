"""Vector indexes over embedding spaces, and the one place that knows how a server is asked for one.

Neo4j 2026 asks a vector index with the SEARCH clause, older servers with the procedure
`db.index.vector.queryNodes`. A statement of the cypher room says what it wants instead, as in ::

    MATCH (paper:Paper {id: $id})
    {{$candidates nearest to paper[$space] in $space}}
    WHERE NOT (paper)-[:CITES]->(near)
    RETURN near.id, score

and is sent with that line in the server's own words. It adds the columns `near`, a paper, and
`score`, 1 / (1 + the squared Euclidean distance); a WHERE may follow. The index is approximate: a
statement that wants k papers asks for several times as many and keeps the best (100 for 10 give a
recall of 0.99).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from weakref import WeakKeyDictionary

import neo4j
from neo4j.exceptions import Neo4jError

from specter_graph.cypher import statement
from specter_graph.errors import GraphError
from specter_graph.graph.connection import Database
from specter_graph.graph.names import index_name, property_name

SEARCH_SINCE = (2026, 1)
VECTOR_TYPE_SINCE = (6, 0)

_PLACEHOLDER = re.compile(
    r"\{\{(?P<count>[^{}]+?) nearest to (?P<vector>[^{}]+?) in \$(?P<space>\w+)\}\}"
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """What a server understands: the SEARCH clause, and vectors as values of Bolt's own type."""

    search: bool
    vector_values: bool


_dialects: WeakKeyDictionary[neo4j.Driver, Dialect] = WeakKeyDictionary()


def dialect(db: Database) -> Dialect:
    """Ask the server for its version, once a driver."""
    if db.driver not in _dialects:
        info = db.driver.get_server_info()
        version = tuple(int(part) for part in re.findall(r"\d+", info.agent.partition("/")[2])[:2])
        _dialects[db.driver] = Dialect(
            search=version >= SEARCH_SINCE,
            vector_values=tuple(info.protocol_version) >= VECTOR_TYPE_SINCE,
        )
    return _dialects[db.driver]


def splice(text: str, spaces: Mapping[str, str], words: Dialect) -> str:
    """Put a statement's placeholders into the server's words.

    `spaces` gives, for each parameter that names a space, the space: an index cannot be named by a
    parameter. A statement without placeholders comes back as it is.
    """

    def fragment(match: re.Match[str]) -> str:
        index = index_name(spaces[match["space"]])
        count, vector = match["count"], match["vector"]
        if words.search:
            return (
                "MATCH (near:Paper) SEARCH near IN "
                f"(VECTOR INDEX {index} FOR {vector} LIMIT {count}) SCORE AS score WITH *"
            )
        return (
            f"CALL db.index.vector.queryNodes('{index}', {count}, {vector}) "
            "YIELD node AS near, score WITH *"
        )

    spliced, found = _PLACEHOLDER.subn(fragment, text)
    return f"CYPHER 25 {spliced}" if found and words.search else spliced


def create_index(db: Database, space: str, dimension: int) -> None:
    """Create the Euclidean index over a space, anew where there is one of another dimension."""
    there = db.read(statement("spaces/index").text, name=index_name(space))
    if there and there[0]["dimension"] != dimension:
        drop_index(db, space)
    text = statement("spaces/create_index").text.replace("{{property}}", property_name(space))
    db.write(text, name=index_name(space), dimension=dimension)


def await_index(db: Database, space: str, seconds: int = 3_600) -> None:
    """Wait until the index over a space answers; raises GraphError when it does not by then."""
    try:
        db.read(statement("spaces/await_index").text, name=index_name(space), seconds=seconds)
    except Neo4jError as error:
        raise GraphError(
            f"the vector index of {space!r} did not come online: {error.message}",
            "the log of the server may say more; embed again builds it anew",
        ) from error


def drop_index(db: Database, space: str) -> None:
    """Drop the index over a space, if there is one."""
    db.write(statement("spaces/drop_index").text, name=index_name(space))
