"""Hybrid search: words, vectors and citations, each a ranking, fused into one.

Words and vectors find papers; citations lead on from the best of these, and from papers that are
known to be right.
"""

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import chain
from typing import Any

from specter_graph.cypher import statement
from specter_graph.graph.connection import Database
from specter_graph.graph.search.filters import resolve, spliced
from specter_graph.graph.search.fusion import fused, ranks, reciprocal
from specter_graph.graph.search.near import nearest
from specter_graph.graph.search.records import Found, Question, Reason, Way
from specter_graph.graph.search.text import matching, snippet

DEPTH = 100
"""How many papers each signal ranks, where fewer are asked for."""
SEEDS = 10
"""How many of the best hits citations are followed from."""
MOST_CITATIONS = 200
"""How many citations of one paper are followed."""

Lists = dict[str, list[str]]
"""Ids by signal, the best first."""


def search(
    db: Database,
    question: Question,
    space: str | None = None,
    k: int = 10,
    *,
    way: Way = "hybrid",
    weights: Mapping[str, float] | None = None,
    page: int | None = None,
) -> list[Found]:
    """Find the k papers that answer a question best, each with the reasons.

    Without a space or a vector, words and citations remain; without words, the others. `weights`
    are those of `learning`, by signal; without them ranks alone count. `page` is how many of the k
    are shown at once: all pages of one size are of the same ranking, which ends with its signals.
    """
    question = replace(question, filters=resolve(db, question.filters))
    lists, distances = by_content(db, question, space, max(DEPTH, page) if page else k, way)
    seeds: dict[str, float] = {}
    if way == "hybrid":
        seeds = seeds_of(question, lists)
        lists |= by_citations(db, question, lists, seeds)
    scores = fused(lists, weights)
    best = dict(list(scores.items())[:k])
    with ThreadPoolExecutor(1) as beside:
        rows = beside.submit(db.read, statement("search/papers").text, ids=list(best))
        reasons = _reasons(db, question, best, lists, seeds, weights)
        return _shown(question, rows.result(), best, reasons, distances)


def by_content(
    db: Database, question: Question, space: str | None, k: int, way: Way = "hybrid"
) -> tuple[Lists, dict[str, float]]:
    """Rank papers by words and by vector; with the distances of those that the vector found.

    Of these lists the longest has k papers where so many pass the filters.
    """
    lists: Lists = {}
    distances: dict[str, float] = {}
    depth, filters = max(DEPTH, k), question.filters
    vector = None if way == "text" or space is None else question.vector
    words = () if way == "vector" else question.words
    with ThreadPoolExecutor(1) as beside:  # the server looks for both at the same time
        enough = k if vector is None else 0
        rows = beside.submit(matching, db, words, depth, filters, enough=enough)
        if vector is not None and space is not None:
            hits = nearest(db, vector, space, depth, filters, enough=k)
            lists["vector"] = [hit.id for hit in hits]
            distances = {hit.id: hit.distance for hit in hits}
        if words:
            lists["text"] = [row["id"] for row in rows.result()]
    return lists, distances


def seeds_of(question: Question, lists: Lists) -> dict[str, float]:
    """The papers from which citations are followed, and what each counts.

    Those of the question and what they cite; where it has none, the best hits.
    """
    if question.papers:
        return dict.fromkeys((*question.papers, *question.seeds), 1.0)
    return {paper: score / len(lists) for paper, score in list(fused(lists).items())[:SEEDS]}


def by_citations(
    db: Database, question: Question, lists: Lists, seeds: Mapping[str, float]
) -> Lists:
    """Rank papers that citations connect with the seeds, and all that were found by citations."""
    filters, passed = resolve(db, question.filters), list(question.passed)
    found = {paper for papers in lists.values() for paper in papers}
    with ThreadPoolExecutor(1) as beside:
        often = beside.submit(
            db.read,
            spliced(statement("search/popular").text, filters),
            ids=[*found],
            passed=passed,
            held_out=filters.held_out or 0,
        )
        rows = db.read(
            spliced(statement("search/citations").text, filters),
            seeds=[
                {"id": paper, "weight": weight, "own": paper in question.papers}
                for paper, weight in seeds.items()
            ],
            most=MOST_CITATIONS,
            passed=passed,
            k=DEPTH,
            **{"held_out": 0, **filters.values},
        )
        every = (*often.result(), *rows)
    cited = dict(
        chain.from_iterable(zip(row["papers"], row["citations"], strict=True) for row in every)
    )
    connected: Lists = {row["signal"]: row["papers"] for row in rows}
    return connected | {"citations": sorted(cited, key=lambda paper: (-cited[paper], paper))}


def _reasons(
    db: Database,
    question: Question,
    best: Iterable[str],
    lists: Lists,
    seeds: Mapping[str, float],
    weights: Mapping[str, float] | None,
) -> dict[str, tuple[Reason, ...]]:
    """Say of each paper by which signals it was found, what counts most first."""
    places = ranks(lists)
    others = sorted(set(seeds) - {*question.papers}, key=lambda paper: -seeds[paper])
    pairs = [
        {
            "id": paper,
            "signal": signal,
            "seeds": list(question.papers) if signal.startswith("own_") else others,
        }
        for paper in best
        for signal in places[paper]
        if signal not in ("text", "vector", "citations")
    ]
    rows = db.read(statement("search/paths").text, pairs=pairs, passed=list(question.passed))
    paths = {(row["id"], row["signal"]): tuple(row["path"]) for row in rows}
    found = {}
    for paper in best:
        shares = {
            signal: reciprocal(rank) * (1.0 if weights is None else weights.get(signal, 0.0))
            for signal, rank in places[paper].items()
        }
        found[paper] = tuple(
            Reason(signal, places[paper][signal], share, paths.get((paper, signal), ()))
            for signal, share in sorted(shares.items(), key=lambda item: (-item[1], item[0]))
        )
    return found


def _shown(
    question: Question,
    rows: Iterable[dict[str, Any]],
    scores: Mapping[str, float],
    reasons: Mapping[str, tuple[Reason, ...]],
    distances: Mapping[str, float],
) -> list[Found]:
    shown = []
    for row in rows:
        paper = row["id"]
        passage, words = snippet(row["abstract"], question.words)
        shown.append(
            Found(
                id=paper,
                title=row["title"],
                year=row["year"],
                score=scores[paper],
                distance=distances.get(paper),
                reasons=reasons[paper],
                snippet=passage,
                words=tuple(words),
            )
        )
    places = {paper: place for place, paper in enumerate(scores)}
    return sorted(shown, key=lambda each: places[each.id])
