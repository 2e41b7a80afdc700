"""Results about papers and authors, and related papers, shared by the API and the pages."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from tempfile import TemporaryDirectory, mkdtemp
from typing import Any, Literal, TypeVar

import numpy as np
from fastapi import UploadFile
from pydantic import Field

from specter_graph import uploads
from specter_graph.core.errors import GraphError, InputError, counted
from specter_graph.core.vectors import Vectors, unit
from specter_graph.graph.embeddings.spaces import find_space, read_vectors
from specter_graph.graph.maintenance.reading_lists import ReadingListEntry
from specter_graph.graph.queries import library_queries as library
from specter_graph.graph.queries.library_queries import current_ids
from specter_graph.graph.search.hits import SearchHit, SearchReason, SearchResults, add_details
from specter_graph.graph.search.missing_references import (
    BibliographyMatch,
    match_entries,
    missing_references,
)
from specter_graph.graph.search.vector_search import nearest
from specter_graph.pipelines.corpus_map import map_file
from specter_graph.search import SearchOptions, search
from specter_graph.service.dependencies import Backend
from specter_graph.service.models import (
    PAPER_PARTS,
    AuthorResponse,
    CitationPath,
    ComparisonResponse,
    CountedPaper,
    DraftRequest,
    ExploreResponse,
    MissingReferencesResponse,
    PaperResponse,
    paper_path,
)
from specter_graph.service.templating import quote_id

BIBLIOGRAPHY_FORMATS = {".bib": "bibtex", ".ris": "ris", ".json": "csl"}
DRAFT_SUFFIXES = (".tex", ".pdf")
MAX_STEM = 60
"""Maximum characters of a stored name, so that it has at most 255 bytes."""
MAX_FILES = 10
MAX_ENTRIES = 1_000
"""Maximum entries of a bibliography; matching an entry by its title takes time."""
MIN_STRONG = 0.2
"""Minimum probability of a strongly suggested reference."""
RECENT_YEARS = 3
"""Years before the limit that count as recent."""
MAX_OVERVIEW = 8
"""Maximum papers of a list in the overview of the corpus."""
CITING_SAMPLE = 20_000
"""Citing papers among whose references the most cited papers of the overview are searched."""
MAX_OFFSET = 1_000
"""Maximum offset in a list."""
MAX_PATHS = 3
MAX_FACETS = 12
"""Maximum values of a facet."""
MAX_RANKED = 200
"""Hits that are counted in facets, and sorted by date or citations."""
Order = Literal["", "date", "citations"]
"""Orders of hits or entries; by default by relevance, or as they were added."""
Listed = TypeVar("Listed", SearchHit, ReadingListEntry)
Signals = Literal["citations", "both"]

MAX_SEEDS = 20
MAX_RELATED = 40
"""Related papers of a page."""
DEPTH = 100
"""Candidates of each signal."""
NEAREST = 3
"""Nearest papers of a paper that the graph of Explore connects with it."""
RRF_CONSTANT = 60
"""Constant of reciprocal rank fusion (Cormack, Clarke and Buettcher, SIGIR 2009)."""


class DraftUpload(DraftRequest):
    """A draft as a form, with its bibliographies, LaTeX and PDF files."""

    file: list[UploadFile] = Field(
        default_factory=list,
        max_length=MAX_FILES,
        description="BibTeX (.bib), RIS (.ris), CSL (.json), LaTeX (.tex), PDF (.pdf).",
    )


def search_papers(backend: Backend, text: str, **options: Any) -> SearchResults:  # noqa: ANN401
    """Return the best papers for a query; see `specter_graph.search.SearchOptions`."""
    return search(
        backend.database,
        backend.texts.embed,
        text,
        SearchOptions(**options | {"space": options.get("space") or backend.settings.space}),
        covers=backend.texts.covers,
    )


def overview(backend: Backend) -> dict[str, Any]:
    """Return the papers per year, the most cited and newest papers, and the latest lists."""
    return backend.database.shared(
        "overview",
        lambda: {
            "years": backend.rows("papers_by_year"),
            "most_cited": backend.rows("most_cited", k=MAX_OVERVIEW, sample=CITING_SAMPLE),
            "newest": backend.rows("newest", k=MAX_OVERVIEW),
            "recent_lists": backend.rows("recent_lists", k=MAX_OVERVIEW),
        },
    )


def facets(backend: Backend, hits: Sequence[SearchHit], space: str) -> dict[str, Any]:
    """Count the years, venues, topics and authors of hits: lists of maps by kind."""
    [row] = backend.rows("facets", ids=[hit.id for hit in hits], space=space, k=MAX_FACETS)
    return row


def sorted_papers(
    backend: Backend, papers: Sequence[Listed], order: Literal["date", "citations"]
) -> list[Listed]:
    """Sort hits or entries, the newest or most cited first; equal ones stay in their order."""
    rows = backend.rows("dates_and_citations", ids=[paper.id for paper in papers])
    keys = {row["id"]: row["citations" if order == "citations" else "date"] for row in rows}
    return sorted(
        (paper for paper in papers if paper.id in keys),
        key=lambda paper: keys[paper.id],
        reverse=True,
    )


def space_names(backend: Backend) -> list[str]:
    """Return the names of all embedding spaces."""
    return [space.name for space in backend.graph.spaces.list()]


def current_map(backend: Backend, space: str) -> Path | None:
    """Return the file with the map of the present vectors of a space, None if there is none."""
    record, folder = find_space(backend.database, space), backend.settings.data_folder
    file = map_file(folder, record) if record and folder else None
    return file if file and file.exists() else None


def paper(backend: Backend, paper_id: str) -> PaperResponse:
    """Return a paper, by its id, the id of a merged record, or an identifier such as a DOI.

    Raises:
        GraphError: The id is unknown; the hint lists similar ids.
    """
    row = backend.row("paper", id=paper_id)
    if row is None:
        [known] = library.current_ids(backend.database, [paper_id])
        return paper(backend, known)
    paper_id = row["id"]
    address = f"/v1/{paper_path(paper_id)}"
    links = {"self": address} | {part: f"{address}/{part}" for part in PAPER_PARTS}
    return PaperResponse(**row, links=links | {"page": f"/papers/{quote_id(paper_id)}"})


def paths(backend: Backend, start: str, end: str, space: str | None) -> list[CitationPath]:
    """Return the most on-topic of the shortest citation paths, or one of them without vectors."""
    space_name = backend.space(space)
    ends = library.paper_rows(backend.database, [start, end], [space_name])
    start, end = (row["paper"] for row in ends)
    if start == end:
        raise InputError("the path starts and ends at the same paper", "give another paper")
    given = {"from": start, "to": end, "k": MAX_PATHS, "hops": 8, "space": space_name}
    has_vectors = not any(row["without"] for row in ends)
    if has_vectors and (paths := backend.query("citation_path", given).rows):
        return [CitationPath(**row) for row in paths]
    row = backend.row("shortest_path", **{"from": start, "to": end})
    return [CitationPath(**row)] if row else []


def comparison(backend: Backend, a: str, b: str, space: str | None) -> ComparisonResponse:
    """Compare two papers by all signals."""
    first, second = paper(backend, a), paper(backend, b)
    a, b = first.id, second.id
    if a == b:
        raise InputError("the two papers are the same", "give another paper")
    spaces = space_names(backend)
    [row] = backend.rows("compare", a=a, b=b, spaces=spaces)
    row["similarities"] = dict(zip(spaces, row["similarities"], strict=True))
    path = next(iter(paths(backend, a, b, space)), None)
    return ComparisonResponse(a=first, b=second, path=path, **row)


def missing(
    backend: Backend, draft: DraftRequest, files: Sequence[UploadFile] = ()
) -> MissingReferencesResponse:
    """Return references that a draft may lack; see docs/search.md.

    Raises:
        InputError: The draft is empty, or a file or all entries of the files cannot be read.
        GraphError: The files have no text, and no entry of them is in the graph.
    """
    files = [file for file in files if file.filename]
    texts, matched = read_files(backend, files) if files else ([], BibliographyMatch((), ()))
    text = "\n".join(part for part in (draft.text, *texts) if part.strip())
    cites = list(dict.fromkeys([*draft.cites, *matched.ids]))
    if files and not (cites or draft.id or text):
        if matched.rejected and not matched.unmatched:
            names = ", ".join(file.filename or "" for file in files)
            raise InputError(
                f"no entry of {names} can be read: {matched.rejected[0].reason}",
                "export your references again, as BibTeX, RIS or CSL",
            )
        raise GraphError("no entry of the bibliography is in the graph", "add an abstract")
    result = missing_references(
        backend.database,
        backend.texts.embed,
        text,
        id=draft.id,
        cites=cites,
        until=draft.until,
        space=backend.space(draft.space),
        k=draft.k,
        timeout=backend.settings.timeout,
    )
    return MissingReferencesResponse(
        hits=result.hits,
        outside=result.outside,
        matched=list(result.known),
        unmatched=[entry.title or entry.id for entry in matched.unmatched],
        rejected=[f"{each.name}: {each.reason}" for each in matched.rejected],
    )


def grouped(hits: Sequence[SearchHit], until: int | None) -> list[tuple[str, list[SearchHit]]]:
    """Group references that a draft may lack, each in its first group; empty groups are left out.

    Args:
        hits: The references, the most likely first.
        until: Last year of the references; None for that of the newest one.
    """
    newest = until or max((hit.year or 0 for hit in hits), default=0)
    strong = [hit for hit in hits if hit.score >= MIN_STRONG]
    recent = [
        hit for hit in hits if hit not in strong and hit.year and hit.year > newest - RECENT_YEARS
    ]
    related = [hit for hit in hits if hit not in strong and hit not in recent]
    groups = [
        ("Strongly suggested", strong),
        ("Related", related),
        (f"Recent: {newest - RECENT_YEARS + 1} to {newest}", recent),
    ]
    return [(name, members) for name, members in groups if members]


def read_files(
    backend: Backend, files: Sequence[UploadFile]
) -> tuple[list[str], BibliographyMatch]:
    """Read the texts of drafts, and match the entries of drafts and bibliographies.

    Raises:
        InputError: A file has another format, takes too much memory or time to read, or the files
            have more than MAX_ENTRIES entries.
    """
    suffixes = [PurePath(file.filename or "").suffix.lower() for file in files]
    for suffix in suffixes:
        if suffix not in (*BIBLIOGRAPHY_FORMATS, *DRAFT_SUFFIXES):
            raise InputError(
                f"a file that ends in {suffix!r} cannot be read",
                f"use {', '.join(BIBLIOGRAPHY_FORMATS)}, {' or '.join(DRAFT_SUFFIXES)}",
            )
    with TemporaryDirectory() as folder:
        paths = []
        for file, suffix in zip(files, suffixes, strict=True):  # errors show the name
            stem = PurePath(file.filename or "").stem.replace("\0", "")[:MAX_STEM]
            paths.append(Path(mkdtemp(dir=folder), stem + suffix))
            paths[-1].write_bytes(file.file.read())
        drafts = [
            uploads.draft(backend.limited, path, MAX_ENTRIES)
            for path in paths
            if path.suffix in DRAFT_SUFFIXES
        ]
        has_keys = any(draft.keys for draft in drafts)
        limit = None if has_keys else MAX_ENTRIES
        listed = [
            uploads.bibliography(backend.limited, path, BIBLIOGRAPHY_FORMATS[path.suffix], limit)
            for path in paths
            if path.suffix not in DRAFT_SUFFIXES
        ]
    entries = uploads.cited_entries(drafts, [paper for papers, _ in listed for paper in papers])
    if len(entries) > MAX_ENTRIES:
        raise InputError(f"the files have more than {MAX_ENTRIES:,} entries", "use a smaller file")
    # of a library, only the entries that a draft cites count
    rejected = [] if has_keys else [reject for _, rejects in listed for reject in rejects]
    matched = replace(match_entries(backend.database, entries), rejected=tuple(rejected))
    return [draft.text for draft in drafts], matched


def author(backend: Backend, author_id: str, offset: int, k: int) -> AuthorResponse:
    """Return an author with a page of papers; raises GraphError if the id is unknown."""
    row = backend.row("author", id=author_id)
    if row is None:
        raise GraphError(
            f"there is no author {author_id!r}", "use an author id from the page of a paper"
        )
    works = backend.rows("papers_of_author", id=author_id, offset=offset, k=k)
    has_next = offset + len(works) < row["papers"] and offset + k <= MAX_OFFSET
    next_page = f"/authors/{quote_id(author_id)}?offset={offset + k}&k={k}" if has_next else None
    papers = [CountedPaper(**work) for work in works]
    return AuthorResponse(**row, offset=offset, next=next_page, works=papers)


def related(
    backend: Backend, ids: Sequence[str], space: str, k: int, signals: Signals = "both"
) -> list[SearchHit]:
    """Return the k papers that are most related to given papers.

    A paper has 1 / (60 + its rank) from each list that it is in: the nearest vectors to the mean of
    the given ones, and the papers with most common citations and references relative to their
    number. The score is this sum divided by its maximum.

    Args:
        backend: The backend.
        ids: Current ids of the given papers, which are not returned.
        space: The space of the vectors. Papers without a vector are related by citations only.
        k: Number of papers.
        signals: `citations` for the second list only, `both` for the two lists.

    Returns:
        Hits without details; see `add_details`.
    """
    lists: list[list[str]] = []
    near_ids: set[str] = set()
    if signals == "both" and (vectors := _vectors(backend, ids, space)[1]).size:
        near = nearest(backend.database, vectors.mean(axis=0), space, DEPTH + len(ids))
        lists.append([hit.id for hit in near if hit.id not in ids][:DEPTH])
        near_ids = {*lists[0]}
    [row] = backend.rows("linked", ids=[*ids], k=DEPTH)
    linked = {paper["id"]: paper for paper in row["papers"]}
    lists.append([*linked])
    scores: dict[str, float] = {}
    for members in lists:
        for rank, paper in enumerate(members, 1):
            scores[paper] = scores.get(paper, 0.0) + (RRF_CONSTANT + 1) / (RRF_CONSTANT + rank)
    best = sorted(scores, key=lambda paper: (-scores[paper], paper))[:k]
    return [
        SearchHit(
            paper,
            None,
            None,
            scores[paper] / len(lists),
            reasons=tuple(_reasons(paper in near_ids, linked.get(paper))),
        )
        for paper in best
    ]


def lineage(backend: Backend, ids: Sequence[str], k: int) -> dict[str, list[dict[str, Any]]]:
    """Return the papers that given papers cite most (prior), and that cite the most of them."""
    rows = backend.rows("lineage", ids=[*ids], k=k)
    return {kind: [row for row in rows if row["kind"] == kind] for kind in ("prior", "derivative")}


def around(
    backend: Backend, ids: Sequence[str], space: str, k: int
) -> tuple[list[str], list[SearchHit]]:
    """Return the current ids of given papers, and these papers with the k most related ones.

    Raises:
        GraphError: A paper is unknown; the hint lists similar ids.
    """
    seeds = list(dict.fromkeys(current_ids(backend.database, ids)))
    given = [SearchHit(seed, None, None, 1.0) for seed in seeds]
    hits = related(backend, seeds, space, k)
    return seeds, add_details(backend.database, [*given, *hits])


def explore(backend: Backend, ids: Sequence[str], space: str | None, k: int) -> ExploreResponse:
    """Return the papers of `around` with the edges between them."""
    space_name = backend.space(space)
    seeds, papers = around(backend, ids, space_name, k)
    members = [paper.id for paper in papers]
    [row] = backend.rows("among", ids=members)
    return ExploreResponse(
        seeds=seeds,
        space=space_name,
        papers=papers,
        citations=row["citations"],
        similar=_nearest_pairs(backend, members, space_name),
    )


def _vectors(backend: Backend, ids: Sequence[str], space: str) -> tuple[list[str], Vectors]:
    """Return the papers that have a vector, and the vectors, (n, d); none without the space."""
    if find_space(backend.database, space) is None:
        return [], np.empty((0, 0), dtype=np.float32)
    return read_vectors(backend.database, space, ids)


def _nearest_pairs(
    backend: Backend, ids: Sequence[str], space: str
) -> list[tuple[str, str, float]]:
    """Return pairs of each paper and its nearest ones among `ids`, with their cosines."""
    known, vectors = _vectors(backend, ids, space)
    units = unit(vectors)
    cosines = units @ units.T
    np.fill_diagonal(cosines, -np.inf)
    pairs: dict[tuple[int, int], float] = {}
    for row in range(len(known)):
        for other in np.argsort(-cosines[row])[: min(NEAREST, len(known) - 1)]:
            pairs[min(row, int(other)), max(row, int(other))] = float(cosines[row, other])
    return [(known[a], known[b], cosine) for (a, b), cosine in sorted(pairs.items())]


def _reasons(is_near: bool, linked: Mapping[str, int] | None) -> Iterator[SearchReason]:
    if is_near:
        yield SearchReason("similar in meaning")
    if linked and linked["cocited"]:
        count = linked["cocited"]
        yield SearchReason(f"cited together by {counted(count, 'paper')}")
    if linked and linked["coupled"]:
        count = linked["coupled"]
        yield SearchReason(f"{counted(count, 'reference')} in common")
