"""Identifiers that Cypher takes no parameter for, checked before they are spliced in."""

import re

from specter_graph.core.errors import GraphError

_NEXT = "__next"
_FORM = re.compile(r"[a-z][a-z0-9_]{0,62}")

_OF_PAPERS = frozenset(
    {"id", "title", "abstract", "abstract_apart", "year", "published"}
    | {"doi", "arxiv_id", "pubmed_id"}
    | {"language", "source", "url", "body", "retracted", "draw", "record", "load"}
    | {"abstract_record", "references_record"}
    | {"pagerank", "community"}
    | {"key", "topics"}  # of submissions, which have vectors too
)


def property_name(space: str) -> str:
    """Return the name of an embedding space, the Paper property that holds it, if it is one.

    Raises GraphError for what Cypher would have to quote, for a property that papers have anyway,
    and for a name that ends as the properties beside the vectors do.
    """
    if not _FORM.fullmatch(space):
        raise GraphError(
            f"{space!r} cannot name an embedding space",
            "lower-case letters, digits and underscores, a letter first, at most 63: specter_2",
        )
    if space in _OF_PAPERS or space.endswith(("_hash", _NEXT)):
        raise GraphError(
            f"{space!r} cannot name an embedding space: papers have a property of that name",
            "another name, such as specter",
        )
    return space


def hash_name(space: str) -> str:
    """Name the property with the hash of the text that a paper's vector was made from."""
    property_name(space.removesuffix(_NEXT))
    return f"{space}_hash"


def next_name(space: str) -> str:
    """Name the property in which vectors are built that will replace those of a space."""
    return f"{property_name(space)}{_NEXT}"


def index_name(space: str) -> str:
    """Name the vector index over a space."""
    return f"paper_{property_name(space)}"
