"""Results about papers and authors, shared by the API and the pages."""

from collections.abc import Iterable, Sequence
from pathlib import Path as File
from pathlib import PurePath
from tempfile import TemporaryDirectory
from typing import Any

from fastapi import UploadFile

from specter_graph import uploads
from specter_graph.core.errors import GraphError, InputError
from specter_graph.graph.checks import unknown_paper
from specter_graph.graph.queries import library
from specter_graph.graph.search import (
    Filters,
    Hit,
    Matched,
    Mode,
    Results,
    match_entries,
    missing_references,
)
from specter_graph.search import search
from specter_graph.service.models import (
    Author,
    Comparison,
    Counted,
    Draft,
    MissingReferences,
    Neighbourhood,
    Paper,
    Shared,
)
from specter_graph.service.models import Hit as HitModel
from specter_graph.service.models import Path as PathModel
from specter_graph.service.web.dependencies import Backend
from specter_graph.service.web.templates import path

MAX_FILES = 10
FORMS = {".bib": "bibtex", ".ris": "ris", ".json": "csl"}
ENTRIES = 1_000
"""Maximum entries of a bibliography; matching an entry by its title takes time."""
FARTHEST = 1_000
"""Maximum offset in a list."""
HOPS = 3
PAPERS = 200
"""Maximum papers of a neighborhood that can be drawn."""
PATHS = 3
MAX_AUTHORS = 5
"""Maximum authors of a hit on the pages."""


def results(
    backend: Backend,
    text: str,
    space: str | None,
    k: int,
    page: int,
    filters: Filters,
    mode: Mode | None = None,
) -> Results:
    """Return the k best papers for a query, of which `page` are shown per page."""
    return search(
        backend.database,
        backend.texts.embed,
        text,
        space=space,
        k=k,
        mode=mode,
        filters=filters,
        page=page,
        default_space=backend.terms.space,
        covers=backend.texts.covers,
    )


def titles_and_authors(
    backend: Backend, hits: Iterable[Hit | HitModel]
) -> dict[str, dict[str, Any]]:
    """Read titles and first authors of hits and of the papers in their reasons, by id."""
    ids = [id for hit in hits for id in (hit.id, *(p for r in hit.reasons for p in r.papers))]
    if not ids:
        return {}
    rows = backend.rows("titles_and_authors", ids=list(dict.fromkeys(ids)), k=MAX_AUTHORS)
    return {row["id"]: row for row in rows}


def paper(backend: Backend, paper_id: str) -> Paper:
    """Return a paper; the id may be that of a merged record.

    Raises:
        GraphError: The id is unknown; the hint lists similar ids.
    """
    [paper_id] = library.current_ids(backend.database, [paper_id])
    spaces = [each.property for each in backend.graph.spaces.list()]
    row = backend.row("paper", id=paper_id, spaces=spaces)
    if row is None:  # deleted meanwhile
        raise unknown_paper(backend.database, paper_id)
    address = f"/v1/papers/{path(paper_id)}"
    parts = ("similar", "references", "citations", "neighbourhood")
    links = {"self": address} | {part: f"{address}/{part}" for part in parts}
    return Paper(**row, links=links | {"page": f"/papers/{path(paper_id)}"})


def neighbourhood(backend: Backend, paper_id: str, hops: int, most: int) -> Neighbourhood:
    """Return up to `most` papers within `hops` citations, the most cited of each hop first."""
    [paper_id] = library.current_ids(backend.database, [paper_id])
    known, edge, cut = [paper_id], [paper_id], False
    for _ in range(hops):
        remaining = most - len(known)
        rows = backend.rows("next_to", ids=edge, known=known, k=remaining + 1)
        cut = cut or len(rows) > remaining
        edge = [row["id"] for row in rows[:remaining]]
        known += edge
        if not edge:
            break
    [row] = backend.rows("among", ids=known)
    return Neighbourhood(id=paper_id, hops=hops, cut=cut, **row)


def paths(backend: Backend, start: str, end: str, space: str | None) -> list[PathModel]:
    """Return the most on-topic of the shortest citation paths; without vectors, any of them."""
    start, end = library.current_ids(backend.database, [start, end])
    if start == end:
        raise InputError("the path starts and ends at the same paper", "give another paper")
    space_name = backend.space(space)
    if space_name in (each.property for each in backend.graph.spaces.list()):
        lacking = backend.rows("without_vector", ids=[start, end], space=space_name)
        rows = [] if lacking else _on_topic(backend, start, end, space_name)
        if rows:
            return rows
    row = backend.row("shortest_path", **{"from": start, "to": end})
    return [PathModel(**row)] if row else []


def _on_topic(backend: Backend, start: str, end: str, space: str) -> list[PathModel]:
    given = {"from": start, "to": end, "k": PATHS, "hops": 8}
    return [PathModel(**row) for row in backend.query("citation_path", given, space).rows]


def comparison(backend: Backend, a: str, b: str, space: str | None) -> Comparison:
    """Compare two papers by all signals."""
    papers = [paper(backend, each) for each in (a, b)]
    a, b = (each.id for each in papers)
    if a == b:
        raise InputError("the two papers are the same", "give another paper")
    spaces = [each.property for each in backend.graph.spaces.list()]
    [row] = backend.rows("compare", a=a, b=b, spaces=spaces)
    return Comparison(
        a=papers[0],
        b=papers[1],
        references=_shared(row, "references", "references"),
        citations=_shared(row, "citations", "citing"),
        similarities=dict(zip(spaces, row["similarities"], strict=True)),
        path=next(iter(paths(backend, a, b, space)), None),
        **{key: row[key] for key in ("a_cites_b", "b_cites_a", "authors", "fields", "venue")},
    )


def _shared(row: dict[str, Any], of: str, papers: str) -> Shared:
    shared, every = row[f"shared_{of}"], row[f"all_{of}"]
    share = shared / every if every else 0.0
    return Shared(shared=shared, all=every, share=share, papers=row[papers])


def missing(backend: Backend, draft: Draft, files: Sequence[UploadFile] = ()) -> MissingReferences:
    """Return references that a draft may lack; see docs/search.md.

    Raises:
        InputError: The draft is empty, or a file cannot be read.
        GraphError: The files have no text, and no entry of them is in the graph.
    """
    texts, bib = _read(backend, files) if files else ([], Matched((), ()))
    text = "\n".join(each for each in (draft.text, *texts) if each.strip())
    cites = list(dict.fromkeys([*draft.cites, *bib.ids]))
    if files and not (cites or draft.id or text):
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
        seconds=backend.terms.seconds,
    )
    return MissingReferences(
        hits=[HitModel.model_validate(each) for each in result.hits],
        outside=[HitModel.model_validate(each) for each in result.outside],
        matched=list(result.known),
        unmatched=[each.title or each.id for each in bib.unmatched],
    )


def _read(backend: Backend, files: Sequence[UploadFile]) -> tuple[list[str], Matched]:
    """Read the texts of LaTeX drafts, and match the entries of drafts and bibliographies.

    Raises:
        InputError: A file has another format, takes too much memory or time to read, or the files
            have more than ENTRIES entries.
    """
    forms = [PurePath(each.filename or "").suffix.lower() for each in files]
    for form in forms:
        if form not in (*FORMS, ".tex"):
            raise InputError(
                f"a file that ends in {form!r} cannot be read", f"give {', '.join(FORMS)} or .tex"
            )
    with TemporaryDirectory() as folder:
        paths = [File(folder, f"file{number}{form}") for number, form in enumerate(forms, 1)]
        for file, content in zip(paths, files, strict=True):
            file.write_bytes(content.file.read())
        drafts = [
            uploads.draft(backend.limited, file, ENTRIES) for file in paths if file.suffix == ".tex"
        ]
        entries = [
            entry
            for file in paths
            if file.suffix != ".tex"
            for entry in uploads.bibliography(backend.limited, file, FORMS[file.suffix], ENTRIES)
        ]
    keys = {each.id for each in entries}
    entries += [each for draft in drafts for each in draft.entries if each.id not in keys]
    if len(entries) > ENTRIES:
        raise InputError(f"the files have more than {ENTRIES:,} entries", "use a smaller file")
    return [each.text for each in drafts], match_entries(backend.database, entries)


def author(backend: Backend, author_id: str, offset: int, k: int) -> Author:
    """Return an author with a page of papers; raises GraphError if the id is unknown."""
    row = backend.row("author", id=author_id)
    if row is None:
        raise GraphError(
            f"there is no author {author_id!r}", "use an author id from the page of a paper"
        )
    works = backend.rows("papers_of_author", id=author_id, offset=offset, k=k)
    more = offset + len(works) < row["papers"] and offset + k <= FARTHEST
    after = f"/authors/{path(author_id)}?offset={offset + k}&k={k}" if more else None
    return Author(**row, offset=offset, next=after, works=[Counted(**w) for w in works])
