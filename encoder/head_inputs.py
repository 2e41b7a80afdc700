"""What a head sees of each paper, its base vector and word features, in a file of float16.

A corpus of a million papers does not fit in memory several times over. Its texts are read anew for
each purpose, and the inputs are written a batch at a time.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np

from specter_graph.core.errors import ModelError
from specter_graph.core.progress import Progress
from specter_graph.core.vectors import Inputs, Vectors, unit
from specter_graph.encoder.features import NUMBERS_FILE, FeatureSettings, TextFeatures
from specter_graph.encoder.input_fields import Parts, words_of
from specter_graph.encoder.triplets import PaperRows, TripletRows
from specter_graph.loaders.records import PaperText

MAX_FITTED = 100_000
"""Papers on which word features are fitted."""

INPUTS_FILE = "inputs.npy"
_BATCH = 4_096

BaseVectors = Callable[[Sequence[PaperText]], Vectors]
"""Returns the base vectors (n, d) of some papers."""


@dataclass(frozen=True, slots=True)
class HeadCorpus:
    """The papers that a head is trained on, as `rows` numbers them.

    `texts` gives all of them anew each time it is iterated; `parts` are those that the base reads.
    """

    texts: Iterable[PaperText]
    rows: PaperRows
    base_vectors: BaseVectors
    parts: Parts

    def batches(self) -> Iterator[tuple[list[PaperText], list[int]]]:
        """Yield papers and their rows; papers that came in after they were numbered are skipped."""
        known = (text for text in self.texts if text.id in self.rows.row_of)
        while batch := [*islice(known, _BATCH)]:
            yield batch, [self.rows.row_of[text.id] for text in batch]


def head_inputs(
    base_vectors: Vectors, texts: Sequence[str], features: TextFeatures | None, weight: float
) -> Vectors:
    """Return what the head sees, (n, d_in): unit base vectors, and features of length `weight`."""
    if features is None:
        return unit(base_vectors)
    return np.hstack([unit(base_vectors), weight * features.transform(texts)], dtype=np.float32)


def fitted_features(
    corpus: HeadCorpus,
    triplets: TripletRows,
    settings: FeatureSettings,
    seed: int,
    folder: Path,
    progress: Progress,
) -> TextFeatures:
    """Fit word features on papers of the training triplets, MAX_FITTED at most.

    They are stored in `folder`; features that are there already are returned.
    """
    if (folder / NUMBERS_FILE).exists():
        return TextFeatures.load(folder)
    progress("features", 0, 1)
    papers = triplets.papers
    if len(papers) > MAX_FITTED:
        papers = np.random.default_rng(seed).choice(papers, MAX_FITTED, replace=False)
    sampled = {*papers.tolist()}
    words: list[str] = []
    for texts, rows in corpus.batches():
        chosen = [text for text, row in zip(texts, rows, strict=True) if row in sampled]
        words += words_of(chosen, corpus.parts)
    features = TextFeatures.fit(words, settings, seed)
    features.save(folder)
    progress("features", 1, 1)
    return features


def stored_inputs(
    corpus: HeadCorpus,
    features: TextFeatures | None,
    weight: float,
    folder: Path,
    progress: Progress,
) -> Inputs:
    """Write the inputs of all papers, (n, d_in) float16, to `folder`, and open them.

    Those that are there already are opened. Raises ModelError when a paper has gone since the
    corpus was numbered.
    """
    file, papers = folder / INPUTS_FILE, len(corpus.rows)
    if not file.exists():
        part = file.with_suffix(".part")
        inputs, written = None, 0
        for texts, rows in corpus.batches():
            words = words_of(texts, corpus.parts) if features else []
            seen = head_inputs(corpus.base_vectors(texts), words, features, weight)
            if inputs is None:
                shape = papers, seen.shape[1]
                inputs = np.lib.format.open_memmap(part, "w+", np.float16, shape)
            inputs[rows] = seen
            written += len(rows)
            progress("inputs", written, papers)
        if inputs is None or written < papers:
            raise ModelError(
                f"{papers - written} of {papers} papers have been deleted during the training",
                "train again",
            )
        inputs.flush()
        del inputs
        part.rename(file)
    stored: Inputs = np.load(file, mmap_mode="r")
    return stored
