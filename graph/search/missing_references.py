"""Recommendation of missing references for a draft, and matching of bibliographies."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from specter_graph.core.errors import InputError, require_texts, text_list
from specter_graph.graph.database import TIMEOUT, Database
from specter_graph.graph.deduplication.duplicates import family_name, normal_title
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.identifier_lookup import identified_rows
from specter_graph.graph.queries.library_queries import Embed, current_ids, run_query
from specter_graph.graph.search.fulltext import fulltext_search
from specter_graph.graph.search.hits import (
    MissingReferencesResult,
    SearchHit,
    SearchReason,
    add_details,
    citing_reason,
)
from specter_graph.graph.search.lucene import phrase, tokenize
from specter_graph.graph.search.query_syntax import TITLE_WEIGHT
from specter_graph.graph.search.reranking import Scorer, candidates, rerank_hits
from specter_graph.graph.search.search_filters import Filters
from specter_graph.loaders.identifiers import is_distinctive
from specter_graph.loaders.records import Paper, Reject

FILE_SUFFIXES = (".bib", ".tex", ".ris", ".pdf")
_TITLE_CANDIDATES = 5

MAX_OUTSIDE = 10
"""Maximum number of returned papers without a record."""


@dataclass(frozen=True, slots=True)
class BibliographyMatch:
    """The papers of the graph that match the entries of a bibliography.

    Attributes:
        ids: The papers, each once, in the order of the entries; also stubs, whose citations are
            in the graph.
        unmatched: Entries that match no paper.
        rejected: Invalid entries, such as those without a title.
        entries: Number of all entries.
        keys: The citation key of the first entry of each paper, by paper.
    """

    ids: tuple[str, ...]
    unmatched: tuple[Paper, ...]
    rejected: tuple[Reject, ...] = ()
    entries: int = 0
    keys: dict[str, str] = field(default_factory=dict)


def match_entries(db: Database, entries: Sequence[Paper]) -> BibliographyMatch:
    """Match the entries of a bibliography with papers of the graph; see `papers_by_entry`."""
    paper_by_entry = papers_by_entry(db, entries)
    return BibliographyMatch(
        ids=tuple(dict.fromkeys(paper_by_entry.values())),
        unmatched=tuple(
            entry for number, entry in enumerate(entries) if number not in paper_by_entry
        ),
        entries=len(entries),
        keys={
            paper: entries[number].id
            for number, paper in reversed(paper_by_entry.items())
            if not entries[number].id.startswith(("doi:", f"{entries[number].source}:"))
        },
    )


def papers_by_entry(db: Database, entries: Sequence[Paper]) -> dict[int, str]:
    """Return the papers of the graph that match entries, by the numbers of the entries, from 0.

    An entry matches the paper with one of its identifiers, else the paper whose title has the same
    letters and digits, else the stub with one of its identifiers. Of several papers with the title,
    it is the one with the id of the entry, or else with a common author and the nearest year. A
    title that is not distinctive counts only if the entry has the id of the paper, too.
    """
    rows = identified_rows(db, (entry.identifiers for entry in entries))
    paper_by_entry = {row["number"]: row["id"] for row in reversed(rows) if row["titled"]}
    for number, entry in enumerate(entries):
        if number not in paper_by_entry and (paper := _by_title(db, entry)):
            paper_by_entry[number] = paper
    stubs = {row["number"]: row["id"] for row in reversed(rows)}
    return dict(sorted((stubs | paper_by_entry).items()))


def _by_title(db: Database, entry: Paper) -> str | None:
    wanted = normal_title(entry.title)
    if not wanted:
        return None
    lucene = " ".join([*tokenize(entry.title), f"{phrase('title', entry.title)}^{TITLE_WEIGHT}"])
    rows = fulltext_search(db, lucene, _TITLE_CANDIDATES)
    same = [row["id"] for row in rows if normal_title(row["title"] or "") == wanted]
    if not is_distinctive(entry.title):
        same = [id for id in same if id == entry.id]
    if entry.id in same or len(same) < 2:
        return entry.id if entry.id in same else next(iter(same), None)
    authors = {family_name(author.name) for author in entry.authors}

    def difference(row: dict[str, Any]) -> tuple[bool, int]:
        others = {family_name(name) for _, name in row["authors"]}
        return authors.isdisjoint(others), abs((row["year"] or 0) - (entry.year or 0))

    nearest: dict[str, str] = min(db.value("search/hits", ids=same), key=difference, default={})
    return nearest.get("id")


def missing_references(
    db: Database,
    embed: Embed,
    text: str = "",
    *,
    id: str | None = None,
    cites: Sequence[str] = (),
    until: int | None = None,
    space: str | None = None,
    k: int = 10,
    timeout: float = TIMEOUT,
    scorer: Scorer | None = None,
) -> MissingReferencesResult:
    """Return the k references that a draft most likely lacks; see `LiteratureGraph`.

    `embed` embeds the text, and `scorer` scores the best papers again by their texts. The server
    stops a query after `timeout` seconds.
    """
    require_texts(text=text)
    Filters(until=until)  # checks the year
    cites = text_list("cites", cites)
    if not (text.strip() or id or cites):
        raise InputError(
            "the draft has no text, paper id or references",
            "give a text, a paper's id, or a bibliography",
        )
    if text.lower().endswith(FILE_SUFFIXES) and len(text.split()) == 1:
        raise InputError(
            f"the text is the name of a file: {text}",
            f"in a command, use --bib or --tex {text}; in the service, upload the file; in Python,"
            " use graph.match_draft(FILE), or cites=graph.match_bibliography(FILE).ids",
        )
    cites = current_ids(db, cites)
    given: dict[str, Any] = {
        "id": id,
        "text": text.strip(),
        "cites": cites,
        "until": until,
        "space": space,
        "k": candidates(k, rerank=scorer is not None),
    }
    query = {name: value for name, value in given.items() if value is not None}
    answer = run_query(db, "missing_references", query, embed=embed, timeout=timeout)
    hits = [
        SearchHit(row["id"], row["title"], row["year"], row["score"], reasons=tuple(_reasons(row)))
        for row in answer.rows
    ]
    shown = add_details(db, hits)
    papers = [hit for hit in shown if not hit.stub]
    if scorer:
        draft = [paper.passage for paper in paper_texts(db, [id or ""])]
        papers = rerank_hits(db, scorer, " ".join([text, *draft]), papers)
    return MissingReferencesResult(
        hits=papers[:k],
        outside=[hit for hit in shown if hit.stub][:MAX_OUTSIDE],
        known=tuple(cites),
    )


def _reasons(row: Mapping[str, Any]) -> Iterator[SearchReason]:
    """Yield the reasons why a paper may be missing."""
    if row["near"] > 0:
        yield SearchReason("close to the text")
    for count, citing, which in (
        (row["cited_near"], row["citing_near"], "close to the text"),
        (row["cited_with"], row["citing_with"], "with references in common"),
    ):
        if count:
            papers = "a paper" if count == 1 else f"{count} papers"
            titles = {paper["id"]: paper["title"] for paper in citing}
            yield citing_reason(f"cited by {papers} {which}", titles, count)
