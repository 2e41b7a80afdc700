"""The baselines of SPECTER that need no download: spaces made of texts, and rankers."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np

from specter_graph.encoder.baselines import text as made
from specter_graph.encoder.baselines.weighting import WEIGHTINGS, Weighting, Words
from specter_graph.encoder.vectors import Vectors
from specter_graph.errors import GraphError, InputError
from specter_graph.evaluation import rankers
from specter_graph.evaluation.bootstrap import Interval, intervals
from specter_graph.evaluation.facts import Facts
from specter_graph.evaluation.protocol import rankings
from specter_graph.evaluation.scoring import Scores, score, score_rows
from specter_graph.graph.connection import Database
from specter_graph.graph.facts import HeldOutSplit, held_out_citations, training_references
from specter_graph.graph.fingerprint import corpus_fingerprint
from specter_graph.graph.holdout import split_ids
from specter_graph.graph.spaces import EmbeddingSpace, property_name, spaces, write_space
from specter_graph.graph.texts import paper_texts
from specter_graph.progress import Progress, silent

Settings = dict[str, Any]

_WEIGHTINGS: list[Settings] = [asdict(each) for each in WEIGHTINGS]
_SIF: list[Settings] = [{"a": a} for a in (1e-4, 1e-5, 10**-4.5, 10**-3.5, 1e-3)]
_DOC2VEC: list[Settings] = [
    {"sample": sample, "epochs": epochs}
    for sample in (1e-5, 1e-6, 0.0)
    for epochs in (100, 50, 200)
]

SPACES: dict[str, tuple[str, list[Settings]]] = {
    "random": ("zero-mean vectors of 25 dimensions", [{}]),
    "tfidf": ("TF-IDF, reduced to 300 dimensions by SVD", _WEIGHTINGS),
    "fasttext-sum": ("weighted sum of fastText's vectors of the words", _WEIGHTINGS),
    "sif": ("fastText's vectors by smooth inverse frequency, without their main direction", _SIF),
    "doc2vec": ("Doc2Vec, distributed bag of words", _DOC2VEC),
}
"""Baselines that make a space: what each is, and its grid, whose first settings are the default."""

RANKERS = {
    "bm25": "BM25 of title and abstract",
    "coupling": "bibliographic coupling: shared references",
    "cocitation": "co-citation: shared citing papers",
}
"""Baselines that rank, and have no vectors."""


@dataclass(frozen=True, slots=True)
class MadeBaseline:
    """A space that was made, with which settings, and what each tried came to on validation."""

    space: str
    papers: int
    dimension: int
    settings: Settings
    tried: list[tuple[Settings, float]]


@dataclass(frozen=True, slots=True)
class RankedBaseline:
    """What a ranker came to on held-out papers, by task and metric, and how many were asked."""

    scores: dict[str, dict[str, Interval]]
    queries: dict[str, int]


def make_baseline(
    db: Database,
    name: str,
    *,
    space: str | None = None,
    tune: bool = False,
    least: int = 25,
    word_vectors: Path | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> MadeBaseline:
    """Make the space of a baseline, by default of its name with `_` for `-`.

    Words, their frequencies and vectors are learnt from the training papers alone. With `tune` all
    settings of the grid are tried, and those with the highest mean of all figures of `evaluate` on
    the validation papers are kept. `least` is how often a word must occur for fastText to learn it;
    `word_vectors` is a `.bin` of fastText to take instead.

    Raises InputError for another name, a space that something else made, or `tune` without
    validation papers.
    """
    if name not in SPACES:
        raise InputError(f"there is no baseline {name!r} that makes a space", _hint())
    target = property_name(space or name.replace("-", "_"))
    if any(each.property == target and each.kind != name for each in spaces(db)):
        raise InputError(
            f"the space {target!r} was made by something else", "name another with --space"
        )
    texts = list(paper_texts(db))
    if not texts:
        raise GraphError("there are no papers with a text", "specter-graph load FORMAT FILE")
    ids = [each.id for each in texts]
    training = set(split_ids(db, "train"))
    corpus = _Corpus(
        [f"{each.title} {each.abstract or ''}" for each in texts],
        [paper in training for paper in ids],
        least,
        word_vectors,
        seed,
    )
    grid = SPACES[name][1] if tune else SPACES[name][1][:1]
    judge = _judge(db, ids) if tune and len(grid) > 1 else lambda vectors: 0.0
    tried: list[tuple[Settings, float]] = []

    def judged() -> Iterator[tuple[float, Settings, Vectors]]:
        progress(f"make {name}", 0, len(grid))
        for settings, vectors in corpus.candidates(name, grid):
            tried.append((settings, judge(vectors)))
            progress(f"make {name}", len(tried), len(grid))
            yield tried[-1][1], settings, vectors

    _, settings, vectors = max(judged(), key=lambda each: each[0])  # of equals the first
    write_space(db, _record(db, name, target, settings, seed, vectors), ids, vectors)
    return MadeBaseline(
        target, len(ids), vectors.shape[1], settings, tried if len(tried) > 1 else []
    )


def rank_baseline(
    db: Database, name: str, *, split: HeldOutSplit = "test", seed: int = 0
) -> RankedBaseline:
    """Score a ranker on the tasks of `evaluate`, but for those whose answers it is told.

    Raises InputError for another name, or where no papers are held out.
    """
    if name not in RANKERS:
        raise InputError(f"there is no baseline {name!r} that ranks", _hint())
    facts, asked = _asked(db, split, seed)
    asked = {task: asked[task] for task in asked if task not in rankers.BLIND_TO.get(name, ())}
    if name == "bm25":
        texts = {each.id: f"{each.title} {each.abstract or ''}" for each in paper_texts(db)}
        queries = [texts[paper.id] for paper in facts.papers]
        rows = rankers.bm25(queries, [texts[paper] for paper in facts.candidates])
    else:
        ranker = {"coupling": rankers.coupling, "cocitation": rankers.cocitation}[name]
        rows = ranker(facts, dict(training_references(db)))
    scores: Scores = score_rows(rows, asked)
    return RankedBaseline(
        {
            task: {
                metric: intervals(values[:, None], seed=seed)[0]
                for metric, values in by_metric.items()
            }
            for task, by_metric in scores.items()
        },
        {task: len(some) for task, some in asked.items()},
    )


@dataclass(frozen=True, slots=True)
class _Corpus:
    """Texts, which of them may be learnt from, and how."""

    texts: Sequence[str]
    train: Sequence[bool]
    least: int
    word_vectors: Path | None
    seed: int

    def candidates(self, name: str, grid: Sequence[Settings]) -> Iterator[tuple[Settings, Vectors]]:
        """The vectors of all papers for each of these settings; what they share is made once."""
        if name == "random":
            yield {}, made.random_vectors(len(self.texts), self.seed)
        elif name == "doc2vec":
            for settings in grid:
                yield settings, made.doc2vec(self.texts, self.train, seed=self.seed, **settings)
        else:
            words = Words.count(self.texts, self.train)
            of_words = np.empty(0, np.float32) if name == "tfidf" else self._words(words)
            for settings in grid:
                if name == "sif":
                    yield settings, made.sif(words, of_words, self.train, **settings)
                elif name == "tfidf":
                    weighting = Weighting(**settings)
                    yield settings, made.tfidf(words, weighting, self.train, self.seed)
                else:
                    yield settings, made.weighted_sum(words, Weighting(**settings), of_words)

    def _words(self, words: Words) -> Vectors:
        learnt = [text for text, train in zip(self.texts, self.train, strict=True) if train]
        return made.fasttext(
            learnt, words.names, least=self.least, file=self.word_vectors, seed=self.seed
        )


def _judge(db: Database, ids: Sequence[str]) -> Callable[[Vectors], float]:
    """The mean of all figures on the validation papers, of vectors of papers."""
    facts, asked = _asked(db, "validation", 0)

    def mean(vectors: Vectors) -> float:
        scores = score("candidate", (ids, vectors), facts, asked)
        return float(np.mean([v.mean() for figures in scores.values() for v in figures.values()]))

    return mean


def _asked(db: Database, split: HeldOutSplit, seed: int) -> tuple[Facts, dict[str, Any]]:
    facts = Facts.build(split_ids(db, "train"), held_out_citations(db, split))
    asked = {task: some for task, some in rankings(facts, seed).items() if some}
    if not asked:
        raise InputError(
            f"there are no {split} papers with citations to score on",
            "specter-graph triplets --holdout 0.1 -o triplets.jsonl holds papers out",
        )
    return facts, asked


def _record(
    db: Database, name: str, space: str, settings: Settings, seed: int, vectors: Vectors
) -> EmbeddingSpace:
    fingerprint = corpus_fingerprint(db)
    told = json.dumps({"baseline": name, "settings": settings, "seed": seed})
    return EmbeddingSpace(
        property=space,
        kind=name,
        dimension=vectors.shape[1],
        model="",
        base=name,
        digest=sha256(told.encode() + fingerprint.encode()).hexdigest(),
        sees_edges=False,
        trained_on=fingerprint,
        sources=told,
    )


def _hint() -> str:
    return f"there are {', '.join([*SPACES, *RANKERS])}: specter-graph baseline --list"
