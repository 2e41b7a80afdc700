"""Baselines that rank papers without vectors, and the validation score for choosing settings.

A ranker yields distances to the candidates, (candidates,) float32, for each of the held-out papers.
It sees only the citations of training papers, except those of the query if noted.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import extra
from specter_graph.core.statistics import Interval
from specter_graph.evaluation.metrics.ranking import Ints
from specter_graph.evaluation.protocols.held_out import HeldOutData
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.evaluation_data import training_references

Rows: TypeAlias = Iterator[NDArray[np.float32]]
Ranker: TypeAlias = Callable[[Database, HeldOutData, float], Rows]
"""Ranks the candidates for the held-out papers; the third argument is the hold-out."""


@dataclass(frozen=True, slots=True)
class RankedBaseline:
    """The scores of a ranker by task and metric, and the number of queries by task."""

    scores: dict[str, dict[str, Interval]]
    queries: dict[str, int]


def rank_by_bm25(db: Database, data: HeldOutData, _holdout: float) -> Rows:
    """Rank by BM25 of title and abstract."""
    texts = {text.id: f"{text.title} {text.abstract or ''}" for text in paper_texts(db)}
    queries = [texts[paper.id] for paper in data.papers]
    return bm25(queries, [texts[paper] for paper in data.candidates])


def rank_by_coupling(db: Database, data: HeldOutData, holdout: float) -> Rows:
    """Rank by bibliographic coupling."""
    return coupling(data, dict(training_references(db, holdout)))


def rank_by_cocitation(db: Database, data: HeldOutData, holdout: float) -> Rows:
    """Rank by co-citation."""
    return cocitation(data, dict(training_references(db, holdout)))


def bm25(queries: Iterable[str], candidates: Sequence[str]) -> Rows:
    """Rank by BM25 (Lucene's variant, k1 = 1.5, b = 0.75), without English stop words.

    The score is the sum over the words of the query of log(1 + (N - df + 0.5) / (df + 0.5)) *
    tf / (tf + k1 (1 - b + b length / mean length)). Raises InputError without the library bm25s.
    """
    with extra("baselines"):
        import bm25s

    def tokenize(texts: Iterable[str]) -> list[list[str]]:
        tokens: list[list[str]] = bm25s.tokenize(
            list(texts), stopwords="en", return_ids=False, show_progress=False
        )
        return tokens

    index = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    index.index(tokenize(candidates), show_progress=False)
    for words in tokenize(queries):
        known = [word for word in words if word in index.vocab_dict]
        yield -index.get_scores(known) if known else np.zeros(len(candidates), np.float32)


def coupling(data: HeldOutData, references: Mapping[str, Sequence[str]]) -> Rows:
    """Rank by bibliographic coupling (Kessler 1963): the cosine of two papers' reference lists.

    The references of the query are known, as they are for a new paper. `references` are those of
    the candidates.
    """
    citing, cited = _positions(data, references)
    return _cosines(citing, cited, [paper.cites for paper in data.papers], len(data.candidates))


def cocitation(data: HeldOutData, references: Mapping[str, Sequence[str]]) -> Rows:
    """Rank by co-citation (Small 1973): the cosine of the sets of papers that cite two papers.

    The papers that cite the query are known, and so are the answers of the task `cocite`.
    """
    citing, cited = _positions(data, references)
    queries = [paper.cited_by for paper in data.papers]
    return _cosines(cited, citing, queries, len(data.candidates))


def _positions(data: HeldOutData, references: Mapping[str, Sequence[str]]) -> tuple[Ints, Ints]:
    position = {paper: place for place, paper in enumerate(data.candidates)}
    pairs = [
        (position[paper], position[cited])
        for paper, cites in references.items()
        for cited in cites
        if paper in position and cited in position
    ]
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def _cosines(rows: Ints, columns: Ints, queries: Sequence[Ints], size: int) -> Rows:
    """Yield 1 - |A n B| / sqrt(|A| |B|) for the set A of each query and the set B of each row."""
    from scipy import sparse

    sets: Any = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(size, size))
    sets.data[:] = 1
    sizes = np.asarray(sets.sum(axis=1)).ravel()
    for query in queries:
        own = np.zeros(size)
        own[query] = 1
        shared = sets @ own
        below = np.sqrt(sizes * len(query))
        cosine = np.divide(shared, below, out=np.zeros(size), where=below > 0)
        yield (1 - cosine).astype(np.float32)
