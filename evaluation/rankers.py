"""Baselines that rank papers without vectors: by words, or by shared citations.

Each yields for every query, in the order of `Facts.papers`, a row (candidates,) float32 that is the
lower the nearer, as distances are.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specter_graph.core.errors import ModelError
from specter_graph.evaluation.facts import Facts

Rows = Iterator[NDArray[np.float32]]


def bm25(queries: Iterable[str], candidates: Sequence[str]) -> Rows:
    """BM25 (Robertson; Lucene's form, k1 = 1.5, b = 0.75) of texts, English stop words left out.

    The sum over the words of the query of log(1 + (N - df + 0.5) / (df + 0.5)) *
    tf / (tf + k1 (1 - b + b length / mean length)). Raises ModelError without the library bm25s.
    """
    try:
        import bm25s
    except ImportError as error:
        raise ModelError(
            "bm25s, which computes BM25, is not installed", "pip install 'specter-graph[baselines]'"
        ) from error
    index = bm25s.BM25(method="lucene", k1=1.5, b=0.75)
    index.index(_tokens(candidates), show_progress=False)
    for words in _tokens(queries):
        known = [word for word in words if word in index.vocab_dict]
        yield -index.get_scores(known) if known else np.zeros(len(candidates), np.float32)


def coupling(facts: Facts, references: Mapping[str, Sequence[str]]) -> Rows:
    """Bibliographic coupling (Kessler 1963): the cosine of two papers' lists of references.

    It knows what the query cites, which a new paper tells; the link itself does not count.
    `references` are those of the candidates.
    """
    citing, cited = _positions(facts, references)
    cites = [paper.cites for paper in facts.papers]
    return _cosines(citing, cited, cites, len(facts.candidates))


def cocitation(facts: Facts, references: Mapping[str, Sequence[str]]) -> Rows:
    """Co-citation (Small 1973): the cosine of the sets of papers that cite two papers.

    It knows who cites the query, so what the task `cocite` asks for: see `BLIND_TO`.
    """
    citing, cited = _positions(facts, references)
    cited_by = [paper.cited_by for paper in facts.papers]
    return _cosines(cited, citing, cited_by, len(facts.candidates))


BLIND_TO = {"cocitation": ("cocite",)}
"""The tasks that a ranker is not asked, because it is told the answers."""


def _tokens(texts: Iterable[str]) -> list[list[str]]:
    import bm25s

    found: list[list[str]] = bm25s.tokenize(
        list(texts), stopwords="en", return_ids=False, show_progress=False
    )
    return found


def _positions(
    facts: Facts, references: Mapping[str, Sequence[str]]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    position = {paper: place for place, paper in enumerate(facts.candidates)}
    pairs = [
        (position[paper], position[cited])
        for paper, cites in references.items()
        for cited in cites
        if paper in position and cited in position
    ]
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return both[:, 0], both[:, 1]


def _cosines(
    rows: NDArray[np.int64],
    columns: NDArray[np.int64],
    queries: Sequence[NDArray[np.int64]],
    size: int,
) -> Rows:
    """1 - |A n B| / sqrt(|A| |B|) of each query's set and the sets that `columns` by `rows` are."""
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
