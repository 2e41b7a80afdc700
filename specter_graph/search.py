"""Searches a graph: understands queries, brings texts to the model of a space."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from specter_graph.core.errors import InputError, extra
from specter_graph.graph import search as searches
from specter_graph.graph.checks import require_papers
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import recorded
from specter_graph.graph.embeddings.spaces import space as find_space
from specter_graph.graph.queries.library import Embed
from specter_graph.graph.search import (
    NONE,
    Filters,
    Hit,
    Matched,
    Mode,
    Query,
    Results,
)

if TYPE_CHECKING:
    from specter_graph.loaders.formats.drafts import Draft

Covers = Callable[[str, str], bool]
"""Says whether the model of a space knows the script of a text: text and space."""

BY_AUTHOR = 20
"""How many papers of an author whose name is the query come first."""


def search(
    db: Database,
    embed: Embed,
    text: str = "",
    *,
    space: str | None = None,
    k: int = 10,
    mode: Mode | None = None,
    like: Sequence[str] = (),
    unlike: Sequence[str] = (),
    filters: Filters = NONE,
    page: int | None = None,
    default_space: str = "specter",
    covers: Covers = lambda text, space: True,
) -> Results:
    """Find the k papers that answer a query, or are like papers, best.

    A query of identifiers finds their papers, an author's name the author and the author's papers
    first; see docs/search.md, "What you can type". Without `space` the vectors are those of
    `default_space`; in a graph without that space words and citations rank alone, and so they do
    when the model does not cover the script of the text. Raises InputError when nothing is asked,
    GraphError when the graph has no space of the name `space`.
    """
    if not text.strip() and not like:
        raise InputError("nothing is looked for", "give a text, or papers: --like ID")
    here: str | None = find_space(db, space).property if space else default_space
    if mode == "text" or (not space and mode is None and recorded(db, default_space) is None):
        here = None
    plain = mode is None and not like
    if plain and (named := searches.identified(db, text)):
        return Results(searches.of_ids(db, named[:k]))
    query = searches.parse(text)
    filters = query.narrowed(filters)
    if not query.lucene and not like and filters != NONE:
        return Results(searches.most_cited(db, filters, k, "passes the filters"))
    notes = list[str]()
    if here and query.text and not covers(query.text, here):
        notes.append(f"The model of the space {here!r} does not cover the script of this query.")
        here = None
    question = searches.ask(
        db,
        here,
        query=query,
        vector=embed(query.text, here) if here and query.text else None,
        like=like,
        unlike=unlike,
        filters=filters,
    )
    found = searches.search(db, question, here, k, mode=mode or "hybrid", page=page)
    authors = searches.authors_named(db, text) if plain else []
    if authors and not _is_topic(query, found):
        found = _author_first(db, text, filters, found)[:k]
    if not found:
        require_papers(db)
    known = mode == "vector" or authors
    absent = [] if known else searches.unmatched(db, _unseen(query, found))
    if absent and len(absent) == len(query.words):
        notes.append("No paper has a word of this query" + ("; these are near." if found else "."))
    elif absent:
        notes.append(f"No paper has the words: {', '.join(absent)}.")
    better = searches.suggest(db, query.words) if absent else None
    return Results(found, tuple(authors), better, tuple(notes))


def _author_first(
    db: Database,
    text: str,
    filters: Filters,
    found: list[Hit],
) -> list[Hit]:
    """Put the papers of the author whose name is the query before the others."""
    by_author = replace(filters, author=text)
    papers = searches.most_cited(db, by_author, BY_AUTHOR, "written by an author of this name")
    there = {hit.id for hit in papers}
    return [*papers, *(hit for hit in found if hit.id not in there)]


def _is_topic(query: Query, found: Sequence[Hit]) -> bool:
    """Whether a query of one word is in a title, as Higgs is: then it is not a name alone."""
    [word, *more] = query.words or ("",)
    return not more and any(word in (hit.title or "").lower() for hit in found)


def _unseen(query: Query, found: Sequence[Hit]) -> list[str]:
    """The words of a query that neither titles nor snippets of the first hits have."""
    seen = " ".join(" ".join([hit.title or "", *hit.words]).lower() for hit in found)
    return [word for word in query.words if word not in seen]


def draft(db: Database, file: Path) -> "tuple[Draft, Matched]":
    """Read a draft in LaTeX, and find the papers of the graph that it cites."""
    with extra("formats"):
        from specter_graph.loaders.formats.drafts import read_draft

    found = read_draft(file)
    return found, searches.match_entries(db, found.entries)


def bibliography(db: Database, file: Path, form: str = "auto") -> Matched:
    """Find the papers of the graph that a bibliography names (BibTeX, RIS, CSL, any format)."""
    from specter_graph.loaders.records import Paper, Reject
    from specter_graph.uploads import entries

    found = entries(file, form)
    matched = searches.match_entries(db, [each for each in found if isinstance(each, Paper)])
    rejected = tuple(each for each in found if isinstance(each, Reject))
    return replace(matched, rejected=rejected, entries=len(found))
