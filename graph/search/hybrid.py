"""Hybrid search: one score from words, vectors, titles, and the citations of the best papers."""

import re
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace

from specter_graph.cypher import statement
from specter_graph.graph.database import Database
from specter_graph.graph.search.filters import Resolved, resolve, spliced
from specter_graph.graph.search.fulltext import matching
from specter_graph.graph.search.results import Hit, Mode, Question, Reason, complete
from specter_graph.graph.search.vector_search import distance, nearest

DEPTH = 100
"""How many papers words and vectors each find, where fewer are asked for."""
BEST = 10
"""How many of the best papers have their citations followed."""
LEAST = 2
"""How many of the best must cite a paper that neither words nor vectors found, to add it."""
NAMED = 2
"""How many papers a reason names."""

WEIGHTS: Mapping[str, float] = {"text": 0.2, "vector": 0.45, "title": 0.1, "cited": 0.25}
"""What each signal counts in the score; they add up to 1. Chosen on data, see docs/search.md."""

_WORD = re.compile(r"\w+")


@dataclass(slots=True)
class _Candidate:
    """A paper with its signals: `text`, `vector`, `title` and `cited` are from 0 to 1."""

    id: str
    name: str = ""
    text: float = 0.0
    vector: float = 0.0
    title: float = 0.0
    cited_by: tuple[str, ...] = ()
    cited: float = 0.0
    similarity: float | None = None
    score: float = 0.0


def search(
    db: Database,
    question: Question,
    space: str | None = None,
    k: int = 10,
    *,
    mode: Mode = "hybrid",
    page: int | None = None,
) -> list[Hit]:
    """Find the k papers that answer a question best, each with the reasons.

    Without a space or a vector, words and citations remain; without words, the others. `page` is
    how many of the k are shown at once: all pages of one size are of the same ranking, which ends
    with its candidates.
    """
    passing = resolve(db, question.filters)
    question = replace(question, filters=passing)
    found = _by_content(db, question, space, max(DEPTH, page) if page else k, mode)
    if mode == "hybrid":
        found = _with_citations(db, question, passing, space, found)
    best = found[:k]
    names = {each.id: each.name for each in found}
    hits = [
        Hit(
            id=each.id,
            title=each.name,
            year=None,
            score=each.score,
            distance=None if each.similarity is None else distance(each.similarity),
            reasons=tuple(_reasons(each, names)),
        )
        for each in best
    ]
    return complete(db, hits, question.words)


def _ranked(found: Iterable[_Candidate]) -> list[_Candidate]:
    return sorted(found, key=lambda each: (-each.score, -each.text, each.id))


def _by_content(
    db: Database, question: Question, space: str | None, k: int, mode: Mode
) -> list[_Candidate]:
    """Find papers by words and by vector.

    At least one of the two finds k papers if k pass the filters.
    """
    depth, filters = max(DEPTH, k), question.filters
    vector = None if mode == "text" or space is None else question.vector
    lucene = "" if mode == "vector" else question.lucene
    with ThreadPoolExecutor(1) as beside:  # the server looks for both at the same time
        enough = k if vector is None or question.restricts else 0
        rows = beside.submit(matching, db, lucene, depth, filters, enough=enough)
        hits: list[Hit] = []
        if vector is not None and space is not None and not (lucene and question.restricts):
            hits = nearest(db, vector, space, depth, filters, enough=k)
        matched = rows.result()
    found = {hit.id: _Candidate(hit.id, hit.title or "", similarity=hit.score) for hit in hits}
    most = max((row["score"] for row in matched), default=1.0)
    for row in matched:
        each = found.setdefault(row["id"], _Candidate(row["id"], row["title"] or ""))
        each.text = row["score"] / most
    _compare(found.values())
    for each in found.values():
        each.score = {
            "text": each.text,
            "vector": each.similarity or 0.0,
            "hybrid": WEIGHTS["text"] * each.text + WEIGHTS["vector"] * each.vector,
        }[mode]
    return _ranked(found.values())


def _compare(found: Iterable[_Candidate]) -> None:
    """Set `vector` to the similarity as a share of the highest one."""
    most = max((each.similarity or 0.0 for each in found), default=0.0)
    for each in found:
        each.vector = (each.similarity or 0.0) / most if most else 0.0


def _with_citations(
    db: Database,
    question: Question,
    passing: Resolved,
    space: str | None,
    found: list[_Candidate],
) -> list[_Candidate]:
    """Score by all signals, and add the papers that several of the best cite."""
    best = list(dict.fromkeys([*question.papers, *(each.id for each in found[:BEST])]))
    vector = question.vector if space is not None else None
    rows = db.read(
        spliced(statement("search/candidates").text, passing),
        ids=[each.id for each in found],
        best=best,
        least=len(best) + 1 if question.restricts else LEAST,
        **{
            "vector": None if vector is None else vector.tolist(),
            "space": space,
            **passing.values,
        },
    )
    text = {each.id: each.text for each in found}
    every = [
        _Candidate(
            row["id"],
            row["title"] or "",
            text=text.get(row["id"], 0.0),
            title=_overlap(question.words, row["title"] or ""),
            cited_by=tuple(row["cited_by"]),
            cited=len(row["cited_by"]) / len(best),
            similarity=row["similarity"],
        )
        for row in rows
    ]
    _compare(every)
    for each in every:
        each.score = sum(WEIGHTS[name] * float(getattr(each, name)) for name in WEIGHTS)
        if each.title == 1:
            each.score = 1.0
    return _ranked(every)


def _overlap(words: tuple[str, ...], title: str) -> float:
    """Compare words with those of a title: F1 of precision and recall."""
    ours, theirs = {*words}, {*_WORD.findall(title.lower())}
    return 2 * len(ours & theirs) / (len(ours) + len(theirs)) if ours and theirs else 0.0


def _reasons(each: _Candidate, names: Mapping[str, str]) -> Iterable[Reason]:
    """Say why a paper was found, in words."""
    if each.title == 1.0:
        yield Reason("has this title")
    elif each.title >= 0.5:
        yield Reason("matches the title")
    elif each.text > 0:
        yield Reason("matches words")
    if each.vector > 0:
        yield Reason("similar in meaning")
    if each.cited_by:
        citing = tuple(paper for paper in each.cited_by if paper in names)[:NAMED]
        count = len(each.cited_by)
        results = f"{count} of the top results" if count > 1 else "a top result"
        named = ", ".join(names[paper] or paper for paper in citing)
        more = ", ..." if count > len(citing) else ""
        yield Reason(
            f"cited by {results}: {named}{more}" if named else f"cited by {results}", citing
        )
