"""Vector indexes over embedding spaces, and the syntax with which a server queries them.

Neo4j 2026 queries a vector index with the SEARCH clause, older servers with the procedure
`db.index.vector.queryNodes`. Statements use a placeholder instead ::

    MATCH (paper:Paper {id: $id})
    {{$candidates nearest to paper[$space] in $space}}
    WHERE NOT (paper)-[:CITES]->(near)
    RETURN near.id, score

which is replaced by the syntax of the server. It adds the columns `near`, a paper, and `score`,
1 / (1 + the squared Euclidean distance); a WHERE may follow. The index is approximate: a statement
that needs k papers queries several times as many and returns the best (100 candidates for 10 papers
give a recall of 0.99).

If the server supports SEARCH, an index also contains the properties FILTERED, so that it can apply
conditions on them. An index made by an older program lacks them until the next `embed` rebuilds it.

Names of spaces, their properties and indexes are validated before they are inserted into Cypher.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import neo4j
from neo4j.exceptions import ClientError

from specter_graph.core.errors import GraphError, require_texts
from specter_graph.core.progress import Progress, silent
from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.schema import await_indexes

SEARCH_SINCE = (2026, 1)
VECTOR_TYPE_SINCE = (6, 0)
FILTERED = ("year", "language")
"""Properties of papers that an index contains in addition to the vector."""
EF = 50
"""Default of `IndexSettings.ef`; Neo4j's is 100. See docs/search.md for the time and the recall."""

_PLACEHOLDER = re.compile(
    r"""\{\{(?P<count>[^{}'"`/\\]+?) nearest to (?P<vector>[^{}'"`/\\]+?) in \$(?P<space>\w+)\}\}"""
)
"""Without quotes and comments, which could hide a part of the statement."""
_NEXT = "__next"
_FORM = re.compile(r"[a-z][a-z0-9_]{0,62}")
_OF_PAPERS = frozenset(
    {"id", "title", "abstract", "abstract_supplementary", "year", "published"}
    | {"doi", "arxiv_id", "pubmed_id"}
    | {"language", "source", "url", "body", "retracted", "sample_key", "record_version", "load"}
    | {"abstract_version", "references_version"}
    | {"pagerank", "community"}
    | {"key", "topics"}  # of submissions, which have vectors too
)


@dataclass(frozen=True, slots=True)
class Dialect:
    """Features of a server: the SEARCH clause, and the vector type of Bolt."""

    search: bool
    vector_values: bool


_dialects: WeakKeyDictionary[neo4j.Driver, Dialect] = WeakKeyDictionary()


def read_dialect(db: Database) -> Dialect:
    """Return the features of the server, which is queried once per driver."""
    if db.driver not in _dialects:
        info = db.server_info()
        version = tuple(int(part) for part in re.findall(r"\d+", info.agent.partition("/")[2])[:2])
        _dialects[db.driver] = Dialect(
            search=version >= SEARCH_SINCE,
            vector_values=tuple(info.protocol_version) >= VECTOR_TYPE_SINCE,
        )
    return _dialects[db.driver]


@dataclass(frozen=True, slots=True)
class IndexSettings:
    """Settings of an index; None keeps the current setting of the index, if there is one.

    Attributes:
        quantize: Also store the vectors with one byte per dimension. On by default, except on
            servers without SEARCH: they return the scores of the rounded vectors.
        m: Maximum links of a vector in the HNSW graph (Malkov and Yashunin 2018). By default 16.
        ef: Number of neighbors considered for these links. By default EF.
    """

    quantize: bool | None = None
    m: int | None = None
    ef: int | None = None

    @property
    def config(self) -> dict[str, object]:
        """The settings under their names in Neo4j."""
        named = {
            "vector.quantization.enabled": self.quantize,
            "vector.hnsw.m": self.m,
            "vector.hnsw.ef_construction": self.ef,
        }
        return {name: value for name, value in named.items() if value is not None}


def render_placeholders(
    text: str, spaces: Mapping[str, str], words: Dialect, within: str = ""
) -> str:
    """Replace the placeholders of a statement by the syntax of the server.

    Args:
        text: The statement; without placeholders it is returned unchanged.
        spaces: The space for each parameter that names one, because Cypher does not accept a
            parameter as the name of an index.
        words: The features of the server.
        within: Conditions on `near` that the index applies; it must contain the properties
            (`indexed_properties`).
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

    spliced, replacements = _PLACEHOLDER.subn(fragment, text)
    return f"CYPHER 25 {spliced}" if replacements and words.search else spliced


def indexed_properties(db: Database, space: str) -> list[str]:
    """List the properties of papers that the index over a space can filter on."""
    index = _find_index(db, space) if read_dialect(db).search else None
    return [name for name in FILTERED if index and name in index["properties"]]


def create_index(
    db: Database, space: str, dimension: int, settings: IndexSettings | None = None
) -> None:
    """Create the Euclidean index over a space, or rebuild it if its settings differ.

    An index is rebuilt if its dimension or a given setting differs, or if it lacks the properties
    FILTERED although the server supports them.

    Raises:
        GraphError: The server rejects the settings.
    """
    wanted = (settings or IndexSettings()).config
    has_search = read_dialect(db).search
    filtered = FILTERED if has_search else ()
    config = IndexSettings(quantize=has_search, ef=EF).config | wanted
    config |= {"vector.similarity_function": "euclidean", "vector.dimensions": dimension}
    if index := _find_index(db, space):
        current = _read_settings(index["config"])
        same = index["config"]["vector.dimensions"] == dimension
        if same and current == current | wanted and {*filtered} <= {*index["properties"]}:
            return
        config |= current | wanted
        drop_index(db, space)
    properties = ", ".join(f"paper.{name}" for name in filtered)
    text = statement("embeddings/create_index").filled(
        property=property_name(space), with_filters=f"WITH [{properties}]" if filtered else ""
    )
    try:
        db.write(
            f"CYPHER 25 {text}" if filtered else text,
            name=index_name(space),
            options={"indexConfig": config},
        )
    except ClientError as error:
        raise GraphError(
            f"the server rejects the index of {space!r}: {error.message}",
            "change or leave out quantize, hnsw_m and hnsw_ef",
        ) from error


def _read_settings(config: Mapping[str, object]) -> dict[str, object]:
    """Return the settings of an index that `IndexSettings` has."""
    known = IndexSettings(quantize=False, m=1, ef=1).config
    current = {name: value for name, value in config.items() if name in known}
    # Later servers than 2026.01 accept the setting `enabled`, but show `type`.
    if kind := config.get("vector.quantization.type"):
        current["vector.quantization.enabled"] = kind != "NONE"
    return current


def _find_index(db: Database, space: str) -> dict[str, Any] | None:
    return next(iter(db.read("embeddings/index", name=index_name(space))), None)


def await_index(db: Database, space: str, progress: Progress = silent) -> None:
    """Wait until the index over a space is online; raises GraphError like `await_indexes`."""
    await_indexes(db, [index_name(space)], lambda percent: progress("index", int(percent), 100))


def require_index(db: Database, space: str) -> None:
    """Raise GraphError if the index over a space is not online."""
    rows = db.read("schema/index_states", names=[index_name(space)])
    if not rows or rows[0]["state"] != "ONLINE":
        state = f"is built to {rows[0]['percent']:.0f} %" if rows else "does not exist"
        raise GraphError(
            f"the vector index of {space!r} {state}",
            f"wait for it, or make the space again: specter-graph embed --space {space}",
        )


def drop_index(db: Database, space: str) -> None:
    """Drop the index over a space, if there is one."""
    db.write("embeddings/drop_index", name=index_name(space))


def property_name(space: str) -> str:
    """Validate the name of an embedding space, which is also the Paper property of its vectors.

    Raises:
        InputError: The name is not a text.
        GraphError: The name would have to be quoted in Cypher, is another property of papers, or
            has a suffix that is reserved for internal properties.
    """
    require_texts(space=space)
    if not _FORM.fullmatch(space):
        raise GraphError(
            f"{space!r} is not a valid name of an embedding space",
            "use up to 63 lower-case letters, digits and underscores, starting with a letter:"
            " specter_2",
        )
    if space in _OF_PAPERS or space.endswith(("_hash", _NEXT)):
        raise GraphError(
            f"{space!r} is not a valid name of an embedding space: it is reserved",
            "use another name, such as specter",
        )
    return space


def hash_name(space: str) -> str:
    """Return the property for the hash of the text from which a vector was made."""
    property_name(space.removesuffix(_NEXT))
    return f"{space}_hash"


def next_name(space: str) -> str:
    """Return the property for new vectors that will replace those of a space."""
    return f"{property_name(space)}{_NEXT}"


def index_name(space: str) -> str:
    """Return the name of the vector index over a space."""
    return f"paper_{property_name(space)}"
