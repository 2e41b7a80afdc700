"""What the API and the pages both tell: each function one question to the graph."""

from pathlib import Path as File
from pathlib import PurePath
from tempfile import TemporaryDirectory
from typing import Any

from specter_graph.errors import GraphError, InputError
from specter_graph.graph import ask
from specter_graph.graph.search import Filters, Found, Matched, Way, match_entries
from specter_graph.searching import search
from specter_graph.service import models
from specter_graph.service.backend import Backend
from specter_graph.service.templates import path
from specter_graph.uploads import bibliography

FORMS = {".bib": "bibtex", ".ris": "ris", ".json": "csl"}
ENTRIES = 1_000
FARTHEST = 1_000
"""How many of a list may be passed over."""
"""Of a bibliography; one without identifiers is looked for by its title, which takes time."""
HOPS = 3
PAPERS = 200
"""Of a neighbourhood: more make no picture."""
PATHS = 3


def found(
    backend: Backend,
    text: str,
    space: str | None,
    k: int,
    page: int,
    filters: Filters,
    way: Way | None = None,
) -> list[Found]:
    """Find the k papers that answer a text best, of which `page` are shown at once."""
    return search(
        backend.database,
        backend.texts.embed,
        text,
        space=space,
        k=k,
        way=way,
        filters=filters,
        page=page,
        default_space=backend.terms.space,
    )


def paper(backend: Backend, paper_id: str) -> models.Paper:
    """Read a paper; raises GraphError, with ids like it, where it is not there.

    A merged paper is found by the ids of its parts too.
    """
    [paper_id] = ask.current_ids(backend.database, [paper_id])
    spaces = [each.property for each in backend.graph.spaces()]
    row = backend.row("paper", id=paper_id, spaces=spaces)
    if row is None:  # deleted meanwhile
        raise ask.unknown_paper(backend.database, paper_id)
    address = f"/v1/papers/{path(paper_id)}"
    parts = ("similar", "references", "citations", "neighbourhood")
    links = {"self": address} | {part: f"{address}/{part}" for part in parts}
    return models.Paper(**row, links=links | {"page": f"/papers/{path(paper_id)}"})


def neighbourhood(backend: Backend, paper_id: str, hops: int, most: int) -> models.Neighbourhood:
    """Papers within some citations of a paper, `most` at most; of each hop the most cited."""
    [paper_id] = ask.current_ids(backend.database, [paper_id])
    known, edge, cut = [paper_id], [paper_id], False
    for _ in range(hops):
        room = most - len(known)
        rows = backend.rows("next_to", ids=edge, known=known, k=room + 1)
        cut = cut or len(rows) > room
        edge = [row["id"] for row in rows[:room]]
        known += edge
        if not edge:
            break
    [row] = backend.rows("among", ids=known)
    return models.Neighbourhood(id=paper_id, hops=hops, cut=cut, **row)


def paths(backend: Backend, start: str, end: str, space: str | None) -> list[models.Path]:
    """The shortest citation paths that stay on topic best; without vectors, any shortest one."""
    start, end = ask.current_ids(backend.database, [start, end])
    if start == end:
        raise InputError("a path has two ends", "another paper")
    here = backend.space(space)
    if here in (each.property for each in backend.graph.spaces()):
        lacking = backend.rows("without_vector", ids=[start, end], space=here)
        rows = [] if lacking else _on_topic(backend, start, end, here)
        if rows:
            return rows
    row = backend.row("shortest_path", **{"from": start, "to": end})
    return [models.Path(**row)] if row else []


def _on_topic(backend: Backend, start: str, end: str, space: str) -> list[models.Path]:
    given = {"from": start, "to": end, "k": PATHS, "hops": 8}
    return [models.Path(**row) for row in backend.query("citation_path", given, space).rows]


def comparison(backend: Backend, a: str, b: str, space: str | None) -> models.Comparison:
    """Two papers by every signal."""
    papers = [paper(backend, each) for each in (a, b)]
    a, b = (each.id for each in papers)
    if a == b:
        raise InputError("the two papers are the same", "another paper")
    spaces = [each.property for each in backend.graph.spaces()]
    [row] = backend.rows("compare", a=a, b=b, spaces=spaces)
    return models.Comparison(
        a=papers[0],
        b=papers[1],
        references=_shared(row, "references", "references"),
        citations=_shared(row, "citations", "citing"),
        similarities=dict(zip(spaces, row["similarities"], strict=True)),
        path=next(iter(paths(backend, a, b, space)), None),
        **{key: row[key] for key in ("a_cites_b", "b_cites_a", "authors", "fields", "venue")},
    )


def _shared(row: dict[str, Any], of: str, papers: str) -> models.Shared:
    shared, every = row[f"shared_{of}"], row[f"all_{of}"]
    share = shared / every if every else 0.0
    return models.Shared(shared=shared, all=every, share=share, papers=row[papers])


def matched(backend: Backend, name: str, content: bytes) -> Matched:
    """Find the papers that a bibliography names; its form is told by the end of its name.

    Raises InputError for another form, for more than ENTRIES entries, or for a file that takes too
    much memory or time to read.
    """
    end = PurePath(name).suffix.lower()
    if end not in FORMS:
        raise InputError(f"no bibliography ends in {end or 'nothing'!r}", ", ".join(FORMS))
    with TemporaryDirectory() as folder:
        file = File(folder, f"bibliography{end}")
        file.write_bytes(content)
        entries = bibliography(backend.limited, file, FORMS[end], ENTRIES)
    return match_entries(backend.database, entries)


def missing(
    backend: Backend, draft: models.Draft, bib: Matched | None = None
) -> models.MissingReferences:
    """What a paper, a draft or a bibliography may have missed; see docs/service.md.

    Raises InputError when nothing is given.
    """
    space = backend.space(draft.space)
    cites = list(dict.fromkeys([*draft.cites, *(bib.ids if bib else ())]))
    if draft.id:
        given: dict[str, Any] = {"id": draft.id, "k": draft.k}
        rows = backend.query("missing_references", given, space).rows
        hits = [_hit(row, row["score"], f"cited {row['citations']} times") for row in rows]
    elif draft.text.strip():
        given = {"text": draft.text, "cites": cites, "k": draft.k}
        rows = backend.query("missing_from_draft", given, space).rows
        hits = [_hit(row, row["fused"], _because(row)) for row in rows]
    elif cites:
        hits = _near_all(backend, cites, space, draft.k)
    elif bib:
        raise GraphError("none of the entries is in the graph", "an abstract beside them")
    else:
        raise InputError("nothing is given", "a text, a paper's id, or a bibliography")
    return models.MissingReferences(
        hits=hits,
        matched=cites,
        unmatched=_unused(bib) if bib else [],
    )


def _unused(bib: Matched) -> list[str]:
    titles = [each.title for each in (*bib.unmatched, *bib.untitled)]
    return titles + [each.id or f"line {each.line}: {each.reason}" for each in bib.rejected]


def _near_all(backend: Backend, cites: list[str], space: str, k: int) -> list[models.Missing]:
    rows = backend.rows("without_vector", ids=cites, space=space)
    lacking = {row["id"] for row in rows}
    like = [each for each in cites if each not in lacking]
    if not like:
        raise GraphError(f"no paper that is cited has a vector in {space!r}", "another space")
    beside = Filters(without=tuple(lacking))
    results = search(
        backend.database, backend.texts.embed, space=space, k=k, like=like, filters=beside
    )
    return [
        models.Missing(
            id=each.id,
            title=each.title,
            year=each.year,
            score=each.score,
            because=", ".join(f"{SIGNALS[why.signal]} {why.rank}" for why in each.reasons),
        )
        for each in results
    ]


def _hit(row: dict[str, Any], score: float, because: str) -> models.Missing:
    return models.Missing(
        id=row["id"], title=row["title"], year=row["year"], score=score, because=because
    )


def _because(row: dict[str, Any]) -> str:
    said = {
        "near the text": row["rank"],
        "cited by papers near the text": row["neighbour_rank"],
        "cited together with the references": row["cocitation_rank"],
    }
    return ", ".join(f"{why} {rank}" for why, rank in said.items() if rank is not None)


SIGNALS = {
    "text": "words",
    "vector": "meaning",
    "cited": "cited",
    "cocited": "cited together",
    "coupled": "same references",
    "own_cocited": "cited together",
    "own_coupled": "same references",
    "citations": "citations",
}
"""Of hybrid search, as people read them."""


def author(backend: Backend, author_id: str, offset: int, k: int) -> models.Author:
    """An author with a page of papers; raises GraphError where there is none of that id."""
    row = backend.row("author", id=author_id)
    if row is None:
        raise GraphError(f"there is no author {author_id!r}", "an id from the page of a paper")
    works = backend.rows("papers_of_author", id=author_id, offset=offset, k=k)
    more = offset + len(works) < row["papers"] and offset + k <= FARTHEST
    after = f"/authors/{path(author_id)}?offset={offset + k}&k={k}" if more else None
    return models.Author(
        **row, offset=offset, next=after, works=[models.Counted(**w) for w in works]
    )
