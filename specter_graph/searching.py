"""Searches a graph: brings texts to the model of a space, bibliographies to their papers."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from specter_graph.errors import InputError
from specter_graph.graph import search as searches
from specter_graph.graph.ask import Embed
from specter_graph.graph.connection import Database
from specter_graph.graph.search import NONE, Filters, Found, Matched, Way
from specter_graph.graph.spaces import recorded
from specter_graph.graph.spaces import space as find_space
from specter_graph.graph.stats import require_papers


def search(
    db: Database,
    embed: Embed,
    text: str = "",
    *,
    space: str | None = None,
    k: int = 10,
    way: Way | None = None,
    like: Sequence[str] = (),
    unlike: Sequence[str] = (),
    filters: Filters = NONE,
    uncited: bool = False,
    page: int | None = None,
    default_space: str = "specter",
) -> list[Found]:
    """Find the k papers that answer a text, or papers, best; see `graph.search`.

    By default all signals are fused, for a text with the learnt weights where there are any.
    Without `space` the vectors are those of `default_space`; in a graph without that space, words
    and citations alone rank. Raises InputError when nothing is asked, GraphError when the graph has
    no space of the name `space`.
    """
    if not text.strip() and not like:
        raise InputError("nothing is looked for", "a text, or papers: --like ID, --bib FILE")
    here: str | None = find_space(db, space).property if space else default_space
    if way == "text" or (not space and way is None and recorded(db, default_space) is None):
        here = None
    vector = embed(text, here) if here and text.strip() else None
    question = searches.ask(
        db,
        here,
        text=text,
        vector=vector,
        like=like,
        unlike=unlike,
        filters=filters,
        uncited=uncited,
    )
    learnt = searches.weights(db, here) if here and way != "vector" and not like else None
    found = searches.search(
        db,
        question,
        here,
        k,
        way=way or "hybrid",
        weights=learnt.by_signal if learnt else None,
        page=page,
    )
    if not found:
        require_papers(db)
    return found


def bibliography(db: Database, file: Path, form: str = "auto") -> Matched:
    """Find the papers of the graph that a bibliography names (BibTeX, RIS, CSL, any format)."""
    from specter_graph.loaders.records import Paper, Reject
    from specter_graph.uploads import entries

    found = entries(file, form)
    matched = searches.match_entries(db, [each for each in found if isinstance(each, Paper)])
    rejected = tuple(each for each in found if isinstance(each, Reject))
    return replace(matched, rejected=rejected, entries=len(found))
