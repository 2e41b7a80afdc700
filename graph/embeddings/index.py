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

Where the server has SEARCH, an index also holds the properties of FILTERED, and conditions on them
can be met inside it. What an index has is asked of the server: one made by an older program holds
none until the next `embed` makes it anew.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import neo4j
from neo4j.exceptions import ClientError

from specter_graph.core.errors import GraphError
from specter_graph.core.progress import Progress, silent
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.property_names import index_name, property_name
from specter_graph.graph.schema import await_indexes

SEARCH_SINCE = (2026, 1)
VECTOR_TYPE_SINCE = (6, 0)
FILTERED = ("year", "language")
"""Properties of papers that an index holds beside the vector."""

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


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """How an index is built; None leaves it to the server, or as the index has it.

    `quantize` keeps a byte for each number beside the vectors, `m` is the most links of a vector
    in the HNSW graph (Malkov and Yashunin 2018), `ef` how many neighbours are weighed for them.
    """

    quantize: bool | None = None
    m: int | None = None
    ef: int | None = None

    @property
    def config(self) -> dict[str, object]:
        """The same in the server's words."""
        named = {
            "vector.quantization.enabled": self.quantize,
            "vector.hnsw.m": self.m,
            "vector.hnsw.ef_construction": self.ef,
        }
        return {name: value for name, value in named.items() if value is not None}


def splice(text: str, spaces: Mapping[str, str], words: Dialect, within: str = "") -> str:
    """Put a statement's placeholders into the server's words.

    `spaces` gives, for each parameter that names a space, the space: an index cannot be named by a
    parameter. `within` are conditions on `near` for the index itself, which must hold what they
    ask for (`held`). A statement without placeholders comes back as it is.
    """
    where = f" WHERE {within}" if within else ""

    def fragment(match: re.Match[str]) -> str:
        index = index_name(spaces[match["space"]])
        count, vector = match["count"], match["vector"]
        if words.search:
            return (
                "MATCH (near:Paper) SEARCH near IN "
                f"(VECTOR INDEX {index} FOR {vector}{where} LIMIT {count}) SCORE AS score WITH *"
            )
        return (
            f"CALL db.index.vector.queryNodes('{index}', {count}, {vector}) "
            "YIELD node AS near, score WITH *"
        )

    spliced, found = _PLACEHOLDER.subn(fragment, text)
    return f"CYPHER 25 {spliced}" if found and words.search else spliced


def held(db: Database, space: str) -> list[str]:
    """List the properties of papers that can be filtered on within the index over a space."""
    index = _index(db, space) if dialect(db).search else None
    return [each for each in FILTERED if index and each in index["properties"]]


def create_index(
    db: Database, space: str, dimension: int, settings: IndexSettings | None = None
) -> None:
    """Create the Euclidean index over a space, anew where the one that is there is another.

    It is another when it has another dimension or other settings than those given, or does not
    hold the properties of FILTERED though the server could. Raises GraphError when the server
    does not take the settings.
    """
    wanted = (settings or IndexSettings()).config
    filtered = FILTERED if dialect(db).search else ()
    config = {"vector.similarity_function": "euclidean"} | wanted
    if index := _index(db, space):
        kept = {name: value for name, value in index["config"].items() if name in _SETTINGS}
        same = index["config"]["vector.dimensions"] == dimension
        if same and kept == kept | wanted and {*filtered} <= {*index["properties"]}:
            return
        config = kept | config
        drop_index(db, space)
    properties = ", ".join(f"paper.{name}" for name in filtered)
    text = (
        statement("embeddings/create_index")
        .text.replace("{{property}}", property_name(space))
        .replace("{{with}}", f"WITH [{properties}]" if filtered else "")
    )
    options = {"indexConfig": config | {"vector.dimensions": dimension}}
    try:
        db.write(f"CYPHER 25 {text}" if filtered else text, name=index_name(space), options=options)
    except ClientError as error:
        raise GraphError(
            f"the server does not make the index of {space!r}: {error.message}",
            "other settings, or none: --quantize, --hnsw-m, --hnsw-ef",
        ) from error


_SETTINGS = IndexSettings(quantize=False, m=1, ef=1).config.keys()


def _index(db: Database, space: str) -> dict[str, Any] | None:
    return next(iter(db.read(statement("embeddings/index").text, name=index_name(space))), None)


def await_index(db: Database, space: str, progress: Progress = silent) -> None:
    """Wait until the index over a space answers; raises GraphError as `await_indexes` does."""
    await_indexes(db, [index_name(space)], lambda percent: progress("index", int(percent), 100))


def require_index(db: Database, space: str) -> None:
    """Raise GraphError when the index over a space does not answer."""
    rows = db.read(statement("schema/index_states").text, names=[index_name(space)])
    if not rows or rows[0]["state"] != "ONLINE":
        how_far = f"is built to {rows[0]['percent']:.0f} %" if rows else "is not there"
        raise GraphError(
            f"the vector index of {space!r} {how_far}",
            f"wait for it, or run again what makes the space: specter-graph embed --space {space}",
        )


def drop_index(db: Database, space: str) -> None:
    """Drop the index over a space, if there is one."""
    db.write(statement("embeddings/drop_index").text, name=index_name(space))
