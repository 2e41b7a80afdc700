"""Baselines that are learnt from the training papers: their texts, and for one their citations."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from specter_graph.baselines.catalogue import Settings
from specter_graph.core.errors import GraphError
from specter_graph.core.vectors import Vectors
from specter_graph.encoder.baselines import text as made
from specter_graph.encoder.baselines.term_weighting import Weighting, Words
from specter_graph.encoder.model_files import file_sha256
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.evaluation_data import training_references
from specter_graph.graph.split import training_ids
from specter_graph.graph.triplets.mine import mine_triplets
from specter_graph.loaders.records import PaperText


@dataclass(frozen=True, slots=True)
class Corpus:
    """Papers, which of them may be learnt from, and how.

    Words that occur `least` times are learnt by fastText, or `word_vectors` is a `.bin` of it.
    `model` is a folder of weights. Where citations are learnt from, it is under the hold-out
    `fraction`.
    """

    db: Database
    papers: Sequence[PaperText]
    train: Sequence[bool]
    fraction: float
    least: int = 25
    word_vectors: Path | None = None
    model: str | None = None
    seed: int = 0

    @classmethod
    def read(cls, db: Database, fraction: float, **how: Any) -> "Corpus":  # noqa: ANN401
        """Read the papers with a record; raises GraphError where there are none."""
        papers = list(paper_texts(db))
        if not papers:
            raise GraphError("there are no papers with a text", "specter-graph load FORMAT FILE")
        training = set(training_ids(db, fraction))
        return cls(db, papers, [each.id in training for each in papers], fraction, **how)

    @property
    def ids(self) -> list[str]:
        """Of the papers."""
        return [each.id for each in self.papers]

    @property
    def texts(self) -> list[str]:
        """Title and abstract of each paper."""
        return [f"{each.title} {each.abstract or ''}" for each in self.papers]

    def made_of(self, name: str) -> Settings:
        """What makes the vectors of a baseline beside its settings and the papers."""
        of_words = name in ("fasttext-sum", "sif")
        if of_words and not self.word_vectors:
            return {"min_count": self.least}
        files = [self.word_vectors] if of_words and self.word_vectors else []
        if self.model:
            files = sorted(each for each in Path(self.model).iterdir() if each.is_file())
        return {"files": {each.name: file_sha256(each) for each in files}} if files else {}

    def candidates(self, name: str, grid: Sequence[Settings]) -> Iterator[tuple[Settings, Vectors]]:
        """The vectors of all papers for each of these settings; what they share is made once."""
        if name == "random":
            yield {}, made.random_vectors(len(self.papers), self.seed)
        elif name == "citeomatic":
            yield from self._citeomatic(grid)
        elif name in ("infersent", "infersent-tuned"):
            yield from self._infersent(name, grid)
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

    def _citeomatic(self, grid: Sequence[Settings]) -> Iterator[tuple[Settings, Vectors]]:
        from specter_graph.encoder.baselines.citeomatic import train_citeomatic

        words = Words.count(self.texts, self.train)
        of_fields = (
            [each.title for each in self.papers],
            [each.abstract or "" for each in self.papers],
        )
        fields = [words.counts_in(texts) for texts in of_fields]
        cites = self.cites()
        train = np.flatnonzero(self.train)
        for settings in grid:
            yield settings, train_citeomatic(fields, train, cites, seed=self.seed, **settings)

    def _infersent(self, name: str, grid: Sequence[Settings]) -> Iterator[tuple[Settings, Vectors]]:
        from specter_graph.encoder.baselines.infersent import InferSent

        texts = self.texts
        triplets = self.triplets() if name == "infersent-tuned" else []
        for settings in grid:
            network = InferSent.load(Path(self.model) if self.model else None, texts)
            if name == "infersent-tuned":
                network.tune(texts, triplets, seed=self.seed, **settings)
            yield settings, network.encode(texts)

    def cites(self) -> list[NDArray[np.int64]]:
        """What each training paper cites of the training papers, as rows; of the others nothing."""
        place = self._places()
        told = dict(training_references(self.db, self.fraction))
        return [
            np.array(sorted(place[cited] for cited in told.get(each.id, ())), np.int64)
            for each in self.papers
        ]

    def triplets(self) -> list[tuple[int, int, int]]:
        """SPECTER's triplets of the training papers, as rows."""
        place = self._places()
        return [
            (place[row["query"]], place[row["positive"]], place[row["negative"]])
            for batch in mine_triplets(self.db, seed=self.seed, holdout=self.fraction)
            for row in batch.to_pylist()
        ]

    def _places(self) -> dict[str, int]:
        return {each.id: row for row, each in enumerate(self.papers)}

    def _words(self, words: Words) -> Vectors:
        learnt = [text for text, train in zip(self.texts, self.train, strict=True) if train]
        return made.fasttext(
            learnt, words.names, least=self.least, file=self.word_vectors, seed=self.seed
        )
