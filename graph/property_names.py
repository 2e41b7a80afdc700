"""Property and index names, validated before they are inserted into Cypher."""

import re

from specter_graph.core.errors import GraphError

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


def property_name(space: str) -> str:
    """Validate the name of an embedding space, which is also the Paper property of its vectors.

    Raises:
        GraphError: The name would have to be quoted in Cypher, is another property of papers, or
            has a suffix that is reserved for internal properties.
    """
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
