"""Build the space of a baseline: learned from texts, by pretrained weights, or from citations.

A build function takes a request and writes the space. The registry binds the differences between
baselines of a kind, such as the function that makes the vectors, and its grid.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from hashlib import sha256
from itertools import compress
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from specter_graph.core.atomic_files import file_sha256
from specter_graph.core.errors import GraphError, InputError
from specter_graph.core.progress import Progress, silent
from specter_graph.core.vectors import Vectors
from specter_graph.encoder.baselines import text_vectors as text
from specter_graph.encoder.baselines.text_vectors import Words
from specter_graph.evaluation.metrics.ranking import Ints
from specter_graph.evaluation.protocols.space_evaluation import validation_score
from specter_graph.graph.contents import corpus_fingerprint, stats
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.embeddings.spaces import (
    EmbeddingSpace,
    find_space,
    refuse_other_kind,
    write_space,
)
from specter_graph.graph.evaluation_data import training_references
from specter_graph.graph.split import training_ids
from specter_graph.graph.triplets.mine import mine_triplets
from specter_graph.loaders.records import PaperText
from specter_graph.pipelines.sgc import smooth

Settings: TypeAlias = dict[str, Any]
Trial: TypeAlias = tuple[Settings, float]
"""Settings and their validation score."""


@dataclass(frozen=True, slots=True)
class BuildRequest:
    """A baseline to build.

    Attributes:
        db: The graph.
        name: One of `BASELINES`.
        space: The space to write.
        holdout: The share of papers that is held out.
        tune: Try all settings of the grid, and use those with the highest mean of all held-out
            metrics on the validation papers.
        min_count: Minimum frequency of a word for fastText.
        word_vectors: A `.bin` file of fastText to use instead of training.
        model: The folder of pretrained weights, or another hub name.
        seed: The random seed.
        progress: Called with the number of trials.
    """

    db: Database
    name: str
    space: str
    holdout: float
    tune: bool = False
    min_count: int = 25
    word_vectors: Path | None = None
    model: str | None = None
    seed: int = 0
    progress: Progress = silent


@dataclass(frozen=True, slots=True)
class BuiltBaseline:
    """A space that was built, its settings, and the validation score of each trial."""

    space: str
    papers: int
    dimension: int
    settings: Settings
    tried: list[Trial] = field(default_factory=list)


Build: TypeAlias = Callable[[BuildRequest], BuiltBaseline]


@dataclass(frozen=True, slots=True)
class TrainingCorpus:
    """The papers of a graph; `train` marks those to learn from."""

    request: BuildRequest
    papers: Sequence[PaperText]
    train: Sequence[bool]

    @classmethod
    def read(cls, request: BuildRequest) -> "TrainingCorpus":
        """Read the papers with a record; raises GraphError if the graph has none."""
        papers = list(paper_texts(request.db))
        if not papers:
            raise GraphError(
                "the graph has no papers with a text", "specter-graph load FORMAT FILE"
            )
        training = set(training_ids(request.db, request.holdout))
        return cls(request, papers, [paper.id in training for paper in papers])

    @property
    def ids(self) -> list[str]:
        """The ids of the papers."""
        return [paper.id for paper in self.papers]

    @property
    def texts(self) -> list[str]:
        """Title and abstract of each paper."""
        return [f"{paper.title} {paper.abstract or ''}" for paper in self.papers]

    def count_words(self) -> Words:
        """Count the words of all papers that occur in training papers."""
        return Words.count(self.texts, self.train)

    def word_vectors(self, words: Words) -> Vectors:
        """Train fastText on the training papers, or read its vectors from a file."""
        return text.fasttext(
            compress(self.texts, self.train),
            words.names,
            min_count=self.request.min_count,
            file=self.request.word_vectors,
            seed=self.request.seed,
        )

    def citations(self) -> list[Ints]:
        """Return the training papers that each paper cites, as rows; [] if it is held out."""
        row = {paper: row for row, paper in enumerate(self.ids)}
        references = dict(training_references(self.request.db, self.request.holdout))
        return [
            np.array(sorted(row[cited] for cited in references.get(paper, ())), np.int64)
            for paper in self.ids
        ]

    def triplets(self) -> list[tuple[int, int, int]]:
        """Mine triplets of the training papers, as rows."""
        row = {paper: row for row, paper in enumerate(self.ids)}
        request = self.request
        return [
            (row[triplet["query"]], row[triplet["positive"]], row[triplet["negative"]])
            for batch in mine_triplets(request.db, seed=request.seed, holdout=request.holdout)
            for triplet in batch.to_pylist()
        ]


VectorMaker: TypeAlias = Callable[[TrainingCorpus], Callable[..., Vectors]]
"""Prepares a corpus, and returns the function that makes the vectors of all papers by settings."""


def build_learned(
    request: BuildRequest,
    make: VectorMaker,
    grid: Sequence[Settings] = ({},),
    *,
    sees_edges: bool = False,
    of_words: bool = False,
) -> BuiltBaseline:
    """Learn vectors from the training papers and write them as a space.

    Args:
        request: The baseline and its options. With `tune`, all settings of the grid are tried on
            the validation papers, else the first is used.
        make: Makes the vectors.
        grid: The settings.
        sees_edges: The baseline learns from the citations among training papers.
        of_words: The baseline uses word vectors.
    """
    db, name = request.db, request.name
    refuse_other_kind(db, request.space, name)
    grid = grid if request.tune else grid[:1]
    chosen = len(grid) > 1
    corpus = TrainingCorpus.read(request)
    validate = validation_score(db, request.holdout) if chosen else None
    tried: list[Trial] = []
    best = None
    request.progress(f"make {name}", 0, len(grid))
    make_vectors = make(corpus)
    for done, settings in enumerate(grid, 1):
        vectors = make_vectors(**settings)
        value = validate(corpus.ids, vectors) if validate else 0.0
        if best is None or value > max(score for _, score in tried):
            best = settings, vectors
        tried.append((settings, value))
        request.progress(f"make {name}", done, len(grid))
    assert best is not None
    settings, vectors = best
    fingerprint = corpus_fingerprint(db)
    holdout = request.holdout if sees_edges or chosen else 0.0
    sources = json.dumps(
        {
            "baseline": name,
            "settings": settings,
            "seed": request.seed,
            **_read_files(request, of_words),
        }
    )
    record = EmbeddingSpace(
        name=request.space,
        kind=name,
        dimension=vectors.shape[1],
        model="",
        base=name,
        digest=sha256(f"{sources}{fingerprint}{holdout}".encode()).hexdigest(),
        sees_edges=sees_edges,
        holdout=holdout,
        learned_from=("citations",) if sees_edges else (),
        trained_on=fingerprint,
        sources=sources,
    )
    write_space(db, record, corpus.ids, vectors)
    return BuiltBaseline(
        request.space, len(corpus.papers), record.dimension, settings, tried if chosen else []
    )


def _read_files(request: BuildRequest, of_words: bool) -> Settings:
    """Return further inputs of the vectors for the record: `min_count`, or hashes of files."""
    if of_words and not request.word_vectors:
        return {"min_count": request.min_count}
    files = [request.word_vectors] if of_words and request.word_vectors else []
    if request.model:
        files = sorted(path for path in Path(request.model).iterdir() if path.is_file())
    return {"files": {file.name: file_sha256(file) for file in files}} if files else {}


def random(corpus: TrainingCorpus) -> Callable[..., Vectors]:
    """Draw random vectors."""
    return lambda: text.random_vectors(len(corpus.papers), corpus.request.seed)


def tfidf(corpus: TrainingCorpus) -> Callable[..., Vectors]:
    """Weight words by TF-IDF and reduce them by SVD."""
    return partial(text.tfidf, corpus.count_words(), corpus.train, corpus.request.seed)


def fasttext_sum(corpus: TrainingCorpus) -> Callable[..., Vectors]:
    """Sum the vectors of words, weighted."""
    words = corpus.count_words()
    return partial(text.weighted_sum, words, corpus.word_vectors(words))


def sif(corpus: TrainingCorpus) -> Callable[..., Vectors]:
    """Sum the vectors of words by smooth inverse frequency."""
    words = corpus.count_words()
    return partial(text.sif, words, corpus.word_vectors(words), corpus.train)


def doc2vec(corpus: TrainingCorpus) -> Callable[..., Vectors]:
    """Train Doc2Vec on the training papers."""
    return partial(text.doc2vec, corpus.texts, corpus.train, seed=corpus.request.seed)


def citeomatic(corpus: TrainingCorpus) -> Callable[..., Vectors]:
    """Train Citeomatic on the citations among the training papers."""
    from specter_graph.encoder.baselines.citeomatic import train_citeomatic

    words = corpus.count_words()
    titles = [paper.title for paper in corpus.papers]
    abstracts = [paper.abstract or "" for paper in corpus.papers]
    fields = [words.counts_in(texts) for texts in (titles, abstracts)]
    train, cites = np.flatnonzero(corpus.train), corpus.citations()
    return partial(train_citeomatic, fields, train, cites, seed=corpus.request.seed)


def infersent(corpus: TrainingCorpus) -> Callable[..., Vectors]:
    """Encode texts by InferSent as released, or fine-tuned on triplets if there are settings."""
    from specter_graph.encoder.baselines.infersent import InferSent

    texts, model = corpus.texts, corpus.request.model
    triplets = cache(lambda: corpus.triplets())

    def make(**settings: Any) -> Vectors:  # noqa: ANN401
        network = InferSent.load(Path(model) if model else None, texts)
        if settings:
            network.tune(texts, triplets(), seed=corpus.request.seed, **settings)
        return network.encode(texts)

    return make


def build_pretrained(request: BuildRequest) -> BuiltBaseline:
    """Embed new and changed papers by pretrained weights."""
    from specter_graph.encoder.baselines.pretrained import load_pretrained
    from specter_graph.graph.embeddings.embed import embed

    encoder = load_pretrained(request.name, request.model)
    card = encoder.card
    maker = (card.kind, card.base, card.pooling)
    existing = find_space(request.db, request.space)
    if existing and (existing.kind, existing.base, existing.pooling) != maker:
        raise InputError(
            f"the space {request.space!r} was not made by this baseline",
            "name another space",
        )
    result = embed(request.db, encoder, request.space, request.progress)
    settings = {"model": card.base, "pooling": card.pooling}
    papers = result.embedded + result.unchanged
    return BuiltBaseline(request.space, papers, card.dimension, settings)


def build_smoothed_sif(request: BuildRequest) -> BuiltBaseline:
    """Smooth the existing space `sif` (a = 1e-4, unless it was tuned)."""
    db = request.db
    base = find_space(db, "sif")
    if base is None or base.kind != "sif":
        raise GraphError("sgc-sif needs the space sif", "specter-graph baseline run sif")
    record, tried = smooth(
        db,
        base.name,
        request.space,
        steps=None if request.tune else 1,
        holdout=request.holdout,
        progress=request.progress,
    )
    settings = {"k": json.loads(record.sources)["k"], **json.loads(base.sources)["settings"]}
    trials: list[Trial] = [({"k": k}, value) for k, value in tried]
    return BuiltBaseline(request.space, stats(db).papers, record.dimension, settings, trials)


def build_fastrp(request: BuildRequest) -> BuiltBaseline:
    """Embed by FastRP of Graph Data Science, from the space `base`."""
    from specter_graph.graph.algorithms.fastrp import fastrp

    record = fastrp(
        request.db,
        "base",
        output_space=request.space,
        holdout=request.holdout,
        seed=request.seed,
        progress=request.progress,
    )
    settings = json.loads(record.sources)
    return BuiltBaseline(request.space, stats(request.db).papers, record.dimension, settings)
