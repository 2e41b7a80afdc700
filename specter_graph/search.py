"""Search of a graph: parse the query, embed its text, rank the papers and explain the hits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args

from specter_graph.core.errors import (
    InputError,
    require_choice,
    require_counts,
    require_paths,
    require_texts,
    text_list,
)
from specter_graph.graph.contents import require_papers
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.spaces import first_space, get_space
from specter_graph.graph.identifier_lookup import papers_by_identifier
from specter_graph.graph.queries.library_queries import Embed
from specter_graph.graph.search.author_names import authors_named, split_reference
from specter_graph.graph.search.hits import Mode, SearchHit, SearchResults, hits_of, most_cited
from specter_graph.graph.search.hybrid import build_request, rank_papers
from specter_graph.graph.search.missing_references import BibliographyMatch, match_entries
from specter_graph.graph.search.query_syntax import NOTHING, Query, parse
from specter_graph.graph.search.reranking import Scorer, candidates, rerank_hits, select_hits
from specter_graph.graph.search.search_filters import NO_FILTERS, Filters, require_language
from specter_graph.graph.search.spelling import suggest, unmatched
from specter_graph.loaders.corpus import read_bibliography
from specter_graph.loaders.records import Paper, Reject

if TYPE_CHECKING:
    from specter_graph.loaders.formats.drafts import Draft

Covers = Callable[[str, str], bool]
"""Returns True if the model of a space supports the script of a text: (text, space)."""

MAX_AUTHOR_PAPERS = 20
"""Maximum number of papers of an author, if the query is the name of the author."""


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """The options of a search, see `LiteratureGraph.search`.

    `detailed` is the number of the first papers whose details are read, by default all.
    """

    k: int = 10
    space: str | None = None
    mode: Mode | None = None
    like: Sequence[str] = ()
    unlike: Sequence[str] = ()
    filters: Filters = NO_FILTERS
    page: int | None = None
    min_score: float = 0.0
    diversity: float = 0.0
    detailed: int | None = None

    def __post_init__(self) -> None:
        """Raise InputError if the mode is unknown, or a value has the wrong type."""
        for name in ("like", "unlike"):
            object.__setattr__(self, name, tuple(text_list(name, getattr(self, name))))
        require_counts(k=self.k, page=1 if self.page is None else self.page)
        if self.mode is not None:
            require_choice("mode", self.mode, get_args(Mode))


def search(
    db: Database,
    embed: Embed,
    text: str = "",
    options: SearchOptions | None = None,
    *,
    covers: Covers = lambda text, space: True,
    scorer: Scorer | None = None,
) -> SearchResults:
    """Return the k best papers for a query, or the papers most similar to given papers.

    A query of identifiers returns their papers, and a note on the identifiers that no paper has. If
    the query is the name of an author, the results have the author, and the author's papers come
    first; see docs/search.md, "What you can type".

    Args:
        db: The database.
        embed: Embeds a text with the model of a space.
        text: The query.
        options: What the search returns. If they name no space, the first of `DEFAULT_SPACES` that
            exists is used; if none exists, or its model does not support the script of the text,
            only words and citations rank the papers.
        covers: Returns True if the model of a space supports the script of a text.
        scorer: A model that scores the best hits again.

    Returns:
        The hits, the best first, with the authors that the query names, a corrected spelling and
        notes.

    Raises:
        InputError: There is neither a text nor `like`.
        GraphError: The graph has no space of this name, or nothing that a filter names.
    """
    require_texts(text=text)
    options = options or SearchOptions()
    if not text.strip() and not options.like:
        raise InputError("the query is empty", "give a text, or papers as examples")
    space = _ranking_space(db, options)
    is_plain = options.mode is None and not options.like
    if is_plain and (identified := _find_identified(db, text, options.k)) is not None:
        return identified
    query = parse(text)
    filters = query.narrowed(options.filters)
    if not query.lucene and not options.like and filters != NO_FILTERS:
        return SearchResults(most_cited(db, filters, options.k, "passes the filters"))
    notes = list[str]()
    if space and query.text and not covers(query.text, space):
        effect = ", so the results are not diversified" if options.diversity else ""
        notes.append(
            f"The model of the space {space!r} does not cover the script of this query{effect}."
        )
        space, options = None, replace(options, diversity=0)
    hits = _rank(db, embed, query, replace(options, space=space, filters=filters), scorer)
    name, year = split_reference(text)
    authors = authors_named(db, name) if is_plain else []
    if authors and (year or not _is_topic(query, hits)):
        hits = _put_author_first(db, name, year, filters, hits)[: options.k]
    if not hits:
        require_papers(db)
        require_language(db, filters.language)
    ignores_words = options.mode == "vector" or authors
    missing = [] if ignores_words else unmatched(db, _unseen_words(query, hits))
    if missing and len(missing) == len(query.words):
        notes.append(
            "No paper has a word of this query" + ("; these are similar." if hits else ".")
        )
    elif missing:
        notes.append(f"No paper has the words: {', '.join(missing)}.")
    suggestion = suggest(db, query.words) if missing else None
    return SearchResults(hits, tuple(authors), suggestion, tuple(notes))


def _ranking_space(db: Database, options: SearchOptions) -> str | None:
    """Return the space whose vectors rank the papers, None for none; a named one must exist."""
    is_needed = options.space or options.mode in ("hybrid", "vector")
    named = get_space(db, options.space).name if is_needed else None
    return None if options.mode == "text" else named or first_space(db)


def _find_identified(db: Database, text: str, k: int) -> SearchResults | None:
    """Return the papers of a query of identifiers, None for another query."""
    ids, unknown = papers_by_identifier(db, text)
    if not ids and not unknown:
        return None
    if not ids:
        require_papers(db)
    note = f"No paper has the identifier {' or '.join(unknown)}."
    return SearchResults(hits_of(db, ids[:k]), notes=(note,) if unknown else ())


def _rank(
    db: Database, embed: Embed, query: Query, options: SearchOptions, scorer: Scorer | None
) -> list[SearchHit]:
    """Return the k best papers by the vectors of the space of the options, if any, and words."""
    space = options.space
    request = build_request(
        db,
        space,
        query=query,
        vector=embed(query.text, space) if space and query.text else None,
        like=options.like,
        unlike=options.unlike,
        filters=options.filters,
    )
    hits = rank_papers(
        db,
        request,
        space,
        candidates(options.k, diversity=options.diversity, rerank=scorer is not None),
        mode=options.mode or "hybrid",
        page=options.page,
        detailed=options.detailed,
    )
    if scorer:
        hits = rerank_hits(db, scorer, query.text, hits)
    return select_hits(
        db, hits, space, options.k, min_score=options.min_score, diversity=options.diversity
    )


def _put_author_first(
    db: Database, name: str, year: int | None, filters: Filters, hits: list[SearchHit]
) -> list[SearchHit]:
    """Return the hits with the papers of the author of this name first; of a year, if given."""
    by_author = replace(NOTHING, author=name, since=year, until=year).narrowed(filters)
    reason = "written by an author of this name" + (f" in {year}" if year else "")
    papers = most_cited(db, by_author, MAX_AUTHOR_PAPERS, reason)
    author_ids = {hit.id for hit in papers}
    return [*papers, *(hit for hit in hits if hit.id not in author_ids)]


def _is_topic(query: Query, hits: Sequence[SearchHit]) -> bool:
    """Return True if the query is one word of a title (Higgs), which is then more than a name."""
    [word, *more] = query.words or ("",)
    return not more and any(word in (hit.title or "").lower() for hit in hits)


def _unseen_words(query: Query, hits: Sequence[SearchHit]) -> list[str]:
    """Return the words of a query that are in no title and no snippet of the first hits."""
    seen = " ".join(" ".join([hit.title or "", *hit.words]).lower() for hit in hits)
    return [word for word in query.words if word not in seen]


def match_draft(
    db: Database, file: Path | str, bibliography: Path | str | None = None
) -> "tuple[Draft, BibliographyMatch]":
    """Read a draft in LaTeX or a PDF, and find the papers of the graph that it cites.

    Args:
        db: The database.
        file: The draft.
        bibliography: A file with entries of the papers that it cites, such as a library; if all
            citation keys have entries without it, all of its entries count as cited.

    Raises:
        InputError: A file cannot be read.
    """
    from specter_graph.loaders.formats.drafts import cited_entries, read_draft

    require_paths('graph.match_draft("draft.tex")', file=file)
    draft = read_draft(Path(file))
    records = read_bibliography(bibliography) if bibliography else []
    papers = [record for record in records if isinstance(record, Paper)]
    return draft, match_entries(db, cited_entries([draft], papers))


def match_bibliography(db: Database, file: Path | str) -> BibliographyMatch:
    """Find the papers of the graph that a bibliography contains.

    Args:
        db: The database.
        file: The bibliography: BibTeX, RIS, CSL or another format of `loaders`.

    Returns:
        The papers, and the entries that match none.

    Raises:
        InputError: The file cannot be read.
    """
    records = read_bibliography(file)
    papers = [record for record in records if isinstance(record, Paper)]
    rejected = tuple(record for record in records if isinstance(record, Reject))
    return replace(match_entries(db, papers), rejected=rejected, entries=len(records))
