"""Search hits and their displayed properties."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from specter_graph.graph.database import Database, ResultItems
from specter_graph.graph.search.author_names import NamedAuthor
from specter_graph.graph.search.fulltext import matching_words, snippet
from specter_graph.graph.search.search_filters import (
    NO_FILTERS,
    Filters,
    render_filters,
    require_language,
    resolve,
)
from specter_graph.loaders.identifiers import doi_url

Mode = Literal["hybrid", "text", "vector"]
"""The signals that a search ranks by."""

_ARXIV = re.compile(r"[a-z-]+(\.[A-Z]{2})?/\d{7}|\d{4}\.\d{4,5}")
_DOI = re.compile(r"10\.\d{4,9}/\S+")


@dataclass(frozen=True, slots=True)
class SearchRequest:
    """The input of a search.

    Attributes:
        words: Lower-case words of the query, for the match with titles and for snippets.
        lucene: The query for the full-text index; "" for none.
        restricts: True if only papers that match `lucene` are returned; vectors only rank them.
        vector: A vector in the embedding space, (d,) float32.
        papers: Papers to find others like; they are not returned themselves.
        filters: Conditions on the returned papers.
    """

    words: tuple[str, ...] = ()
    lucene: str = ""
    restricts: bool = False
    vector: NDArray[np.float32] | None = None
    papers: tuple[str, ...] = ()
    filters: Filters = NO_FILTERS


@dataclass(frozen=True, slots=True)
class SearchReason:
    """The reason for a hit as text.

    Attributes:
        papers: Ids of the papers that the text names, in order.
        titles: Their titles in the text; the id of a paper without a title.
    """

    text: str
    papers: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()


def citing_reason(text: str, titles: Mapping[str, str | None], count: int) -> SearchReason:
    """Return a reason that names some of `count` citing papers, given by id."""
    named = tuple(title or paper for paper, title in titles.items())
    more = ", ..." if count > len(named) else ""
    text = f"{text}: {', '.join(named)}{more}" if named else text
    return SearchReason(text, tuple(titles), named)


@dataclass(frozen=True, slots=True)
class SearchHit:
    """A paper returned by a search.

    Attributes:
        score: From 0 to 1 (best); see docs/search.md, "Scores".
        distance: Euclidean distance in the space; None if it was not computed.
        authors: Names of the authors in order; the id of an author without a name.
        author_ids: Their ids.
        citations: Number of papers in the graph that cite it.
        links: URLs of the paper, from its identifiers.
        stub: True if only the id is known, from citing papers.
        retracted: True if a source says that the paper was retracted.
        snippet: The sentence of the abstract with the most query words.
        words: The query words in the title and the snippet, as they are written there.
    """

    id: str
    title: str | None
    year: int | None
    score: float
    distance: float | None = None
    authors: tuple[str, ...] = ()
    author_ids: tuple[str, ...] = ()
    venue: str | None = None
    citations: int = 0
    doi: str | None = None
    arxiv_id: str | None = None
    pubmed_id: str | None = None
    links: tuple[str, ...] = ()
    stub: bool = False
    retracted: bool = False
    reasons: tuple[SearchReason, ...] = ()
    snippet: str = ""
    words: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class MissingReferencesResult(ResultItems[SearchHit]):
    """References that a draft may lack; its items are the hits.

    Attributes:
        hits: Papers of the corpus, the most likely first; a score is the probability that the
            draft should cite the paper, by the model of docs/search.md.
        outside: Papers without a record that are often cited in the same context.
        known: Ids of papers in the graph that the draft already cites.
    """

    hits: list[SearchHit]
    outside: list[SearchHit]
    known: tuple[str, ...] = ()

    def _items(self) -> list[SearchHit]:
        return self.hits


class SearchResults(list[SearchHit]):
    """Hits, the best first, with notes on the query.

    Attributes:
        authors: Authors that the query names.
        did_you_mean: The query with corrected spelling, or None.
        notes: Messages for the user, such as that no paper contains a word of the query.
    """

    def __init__(
        self,
        hits: "list[SearchHit] | tuple[SearchHit, ...]" = (),
        authors: tuple[NamedAuthor, ...] = (),
        did_you_mean: str | None = None,
        notes: tuple[str, ...] = (),
    ) -> None:
        super().__init__(hits)
        self.authors = authors
        self.did_you_mean = did_you_mean
        self.notes = notes


def links(
    paper_id: str, doi: str | None, arxiv_id: str | None, pubmed_id: str | None, url: str | None
) -> tuple[str, ...]:
    """Return the distinct URLs of a paper; only http and https."""
    if arxiv_id is None and _ARXIV.fullmatch(paper_id):
        arxiv_id = paper_id
    if doi is None and _DOI.fullmatch(paper_id):
        doi = paper_id
    addresses = [
        doi_url(doi) if doi else None,
        f"https://arxiv.org/abs/{arxiv_id}" if arxiv_id else None,
        f"https://pubmed.ncbi.nlm.nih.gov/{pubmed_id}/" if pubmed_id else None,
        url if url and url.startswith(("https://", "http://")) else None,
    ]
    return tuple(dict.fromkeys(address for address in addresses if address))


def hits_of(
    db: Database, ids: Sequence[str], reason: str = "has this identifier"
) -> list[SearchHit]:
    """Return hits for papers in the order of `ids`, each with a score of 1."""
    return add_details(
        db, [SearchHit(paper, None, None, 1.0, reasons=(SearchReason(reason),)) for paper in ids]
    )


def most_cited(db: Database, filters: Filters, k: int, reason: str) -> list[SearchHit]:
    """Return the k most cited papers that pass the filters."""
    passing = resolve(db, filters)
    rows = db.read(render_filters("search/most_cited", passing), k=k, **passing.values)
    if not rows:
        require_language(db, passing.language)
    return hits_of(db, [row["id"] for row in rows], reason)


def add_details(
    db: Database, hits: Iterable[SearchHit], words: Sequence[str] = ()
) -> list[SearchHit]:
    """Read the displayed properties of hits, and the snippets with the most words.

    Hits whose paper has been deleted since the search are removed.
    """
    wanted = list(hits)
    rows = db.value("search/hits", ids=[hit.id for hit in wanted])
    rows_by_id = {row["id"]: row for row in rows}
    shown = []
    for hit in wanted:
        if (row := rows_by_id.get(hit.id)) is None:
            continue
        ids, names = zip(*row["authors"], strict=True) if row["authors"] else ((), ())
        details = row | {"authors": names, "author_ids": ids}
        abstract, url = details.pop("abstract"), details.pop("url")
        details["links"] = links(hit.id, row["doi"], row["arxiv_id"], row["pubmed_id"], url)
        sentence, matched = snippet(abstract, words) if words else ("", [])
        matched += matching_words(row["title"] or "", words)
        details |= {"snippet": sentence, "words": tuple(dict.fromkeys(matched))}
        shown.append(replace(hit, **details))
    return shown
