"""Keeps two corpora apart whose ids would collide."""

from dataclasses import replace

from specter_graph.core.errors import InputError
from specter_graph.loaders.records import Abstract, Citation, Field, Item, Labels, Paper, Reading


def check_prefix(prefix: str) -> None:
    """Raise InputError unless the prefix can stand before ids."""
    if not prefix.isidentifier():
        raise InputError(f"{prefix!r} is no prefix", "use letters and digits: --prefix mine")


def prefixed(item: Item, prefix: str) -> Item:
    """The item with `PREFIX:` before the ids of papers, authors, venues and readers.

    Labels stay: they are a vocabulary of their own.
    """

    def key(value: str) -> str:
        return f"{prefix}:{value}"

    if isinstance(item, Paper):
        return replace(
            item,
            id=key(item.id),
            authors=tuple(
                replace(
                    author,
                    id=key(author.id),
                    affiliations=tuple(replace(a, id=key(a.id)) for a in author.affiliations),
                )
                for author in item.authors
            ),
            venue=replace(item.venue, id=key(item.venue.id)) if item.venue else None,
            references=tuple(map(key, item.references)),
            citations=tuple(
                replace(c, citing=key(c.citing), cited=key(c.cited)) for c in item.citations
            ),
        )
    if isinstance(item, Citation):
        return replace(item, citing=key(item.citing), cited=key(item.cited))
    if isinstance(item, Reading):
        return replace(item, reader=key(item.reader), paper=key(item.paper))
    if isinstance(item, Abstract | Labels):
        return replace(item, id=key(item.id))
    assert isinstance(item, Field)
    return item
