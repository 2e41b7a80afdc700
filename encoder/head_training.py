"""Mode `head`: train a linear head on triplets, over base vectors that are frozen.

Steps: number the papers and the triplets, fit word features, store the inputs of all papers in a
file, train a linear map, add the distilled part, write the model directory.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import normalize

from specter_graph.core.atomic_files import complete_file, reserve_space
from specter_graph.core.errors import ModelError, counted
from specter_graph.core.progress import Progress, batches
from specter_graph.core.vectors import ARRAY_ERRORS, Inputs, Vectors
from specter_graph.encoder.device import process_count
from specter_graph.encoder.graph_convolution import add_base, add_distilled
from specter_graph.encoder.head import NUMBERS_FILE, Head, TextFeatures, head_digest, head_inputs
from specter_graph.encoder.input_fields import Parts, words_of
from specter_graph.encoder.losses import (
    contrastive_loss,
    over_prefixes,
    triplet_accuracy,
    triplet_margin_loss,
)
from specter_graph.encoder.model_dir import (
    Training,
    TrainingJob,
    describe_model,
    new_model_dir,
    open_training,
)
from specter_graph.encoder.model_record import (
    ENTRIES,
    BaseRecord,
    EpochMetrics,
    LogEntry,
    ModelRecord,
    best_epoch,
    epoch_metrics,
)
from specter_graph.encoder.recipe import FeatureSettings, HeadSettings
from specter_graph.encoder.triplets import (
    IndexedTriplets,
    KnownCitations,
    PaperRows,
    Rows,
)
from specter_graph.loaders.records import PaperText

MAX_FITTED = 100_000
"""Maximum number of papers on which word features are fitted."""

MIN_CITATIONS = 2_000
"""A head that learns from fewer citations has the base in its vectors: see docs/results.md."""

INPUTS_FILE = "inputs.npy"
_BATCH = 4_096  # papers read at a time

BaseVectors = Callable[[Sequence[PaperText]], Vectors]
"""Returns the base vectors of n papers, (n, d)."""


def train_head(
    job: TrainingJob,
    texts: Iterable[PaperText],
    base_vectors: BaseVectors,
    base: BaseRecord,
    settings: HeadSettings,
) -> ModelRecord:
    """Train a head on mined triplets and write it to the model directory of the job.

    Deterministic under `settings.seed`.

    Args:
        job: The triplets, of which up to 100,000 papers fit the word features, the MODEL_DIR and
            further inputs. The stages of the progress are `features`, `inputs`, `train` and
            `distillation`.
        texts: All papers of the corpus; they are iterated three times.
        base_vectors: Returns their vectors under `base`.
        base: The base that made the vectors.
        settings: Settings of the recipe.

    Returns:
        The record that is also stored in the model directory.

    Raises:
        ModelError: All triplets name papers without text, the output is not a model directory, or
            the stored features and inputs belong to another training.
    """
    if process_count() > 1:
        raise ModelError("a head is trained by one process", "start the command without torchrun")
    papers = PaperRows.of(texts)
    corpus = HeadCorpus(texts, papers, base_vectors, base.parts)
    training = open_training(job, papers, base=base.digest, settings=settings.model_dump())
    features = None
    progress = job.progress
    if settings.features:
        features = fit_features(corpus, training, settings.features, settings.seed, progress)
    inputs = store_inputs(corpus, features, settings.feature_weight, training.folder, progress)

    trained = HeadTrainer(inputs, training.triplets, training.validation, settings)
    trained.run(partial(progress, "train"))
    if settings.base_share is None:
        share = 0.5 if len(trained.known) < MIN_CITATIONS else 0.0
        settings = settings.model_copy(update={"base_share": share})
    width = inputs.shape[1] - (features.dimension if features else 0)
    weight, accuracy = _add_parts(trained, settings, width, progress)
    with new_model_dir(job.output) as folder:
        Head(weight, features, settings.feature_weight).save(folder)
        record = ModelRecord.of(
            settings,
            job.provenance,
            (training.triplets, training.validation),
            digest=head_digest(folder, base.digest),
            dimension=weight.shape[1],
            base=base,
            epochs=trained.epochs,
            best_epoch=best_epoch(trained.epochs).epoch,
            distilled=accuracy,
        )
        describe_model(folder, record, trained.log)
    return record


def _add_parts(
    trained: "HeadTrainer", settings: HeadSettings, base_width: int, progress: Progress
) -> tuple[Vectors, float | None]:
    """Return the best map with the distilled part and the base, and its validation accuracy.

    The accuracy is None if neither is added.
    """
    learned = weight = trained.best_weight.numpy()
    if settings.distillation and (dimension := settings.distilled_dimension):
        progress("distillation", 0, 1)
        weight = add_distilled(
            weight, trained.inputs, trained.triplets, dimension, settings.distillation
        )
        progress("distillation", 1, 1)
    if settings.base_share:
        share = settings.base_share
        weight = add_base(weight, trained.inputs, trained.triplets, base_width, share)
    if weight is learned:
        return weight, None
    return weight, trained.evaluate(torch.from_numpy(weight))[1]


@dataclass(frozen=True, slots=True)
class HeadCorpus:
    """The papers that a head is trained on; `texts` can be iterated several times."""

    texts: Iterable[PaperText]
    rows: PaperRows
    base_vectors: BaseVectors
    parts: Parts

    def batches(self) -> Iterator[tuple[list[PaperText], list[int]]]:
        """Yield papers and their rows; papers that were added since the numbering are skipped."""
        known = (text for text in self.texts if text.id in self.rows.row_of)
        for batch in batches(known, _BATCH):
            yield batch, [self.rows.row_of[text.id] for text in batch]


def fit_features(
    corpus: HeadCorpus, training: Training, settings: FeatureSettings, seed: int, progress: Progress
) -> TextFeatures:
    """Fit word features on papers of the triplets, or read the features of an earlier run."""
    if (training.folder / NUMBERS_FILE).exists():
        with suppress(ModelError):  # damaged
            return TextFeatures.load(training.folder)
        (training.folder / INPUTS_FILE).unlink(missing_ok=True)
    progress("features", 0, 1)
    papers = training.triplets.papers
    if len(papers) > MAX_FITTED:
        papers = np.random.default_rng(seed).choice(papers, MAX_FITTED, replace=False)
    sampled = {*papers.tolist()}
    words: list[str] = []
    for texts, rows in corpus.batches():
        chosen = [text for text, row in zip(texts, rows, strict=True) if row in sampled]
        words += words_of(chosen, corpus.parts)
    features = TextFeatures.fit(words, settings, seed)
    features.save(training.folder)
    progress("features", 1, 1)
    return features


def store_inputs(
    corpus: HeadCorpus,
    features: TextFeatures | None,
    weight: float,
    folder: Path,
    progress: Progress,
) -> Inputs:
    """Write the inputs of all papers to a file, (n, d_in) float16, and open it memory-mapped.

    The file of an earlier run is opened as it is, unless it is damaged. Raises ModelError when a
    paper was deleted since the corpus was numbered.
    """
    file, papers = folder / INPUTS_FILE, len(corpus.rows)
    with suppress(*ARRAY_ERRORS):
        earlier: Inputs = np.load(file, mmap_mode="r")
        return earlier
    with complete_file(file) as new:
        inputs, written = None, 0
        for texts, rows in corpus.batches():
            words = words_of(texts, corpus.parts) if features else []
            batch = head_inputs(corpus.base_vectors(texts), words, features, weight)
            if inputs is None:
                shape = papers, batch.shape[1]
                inputs = np.lib.format.open_memmap(new, "w+", np.float16, shape)
                reserve_space(new)
            inputs[rows] = batch
            written += len(rows)
            progress("inputs", written, papers)
        if inputs is None or written < papers:
            raise ModelError(
                f"{counted(papers - written, 'paper was', 'papers were')} deleted during the"
                " training",
                "train again",
            )
        inputs.flush()
        del inputs  # Windows does not rename files that are mapped
    stored: Inputs = np.load(file, mmap_mode="r")
    return stored


@dataclass
class HeadTrainer:
    """Trains one linear map, `weight` (d_in, dimension), and keeps the log.

    `inputs` are (n, d_in); `best_weight` is the weight of the best epoch.
    """

    inputs: Inputs
    triplets: IndexedTriplets
    validation: IndexedTriplets | None
    settings: HeadSettings
    log: list[LogEntry] = field(default_factory=list)

    def __post_init__(self) -> None:
        weight = torch.empty(self.inputs.shape[1], self.settings.learned_dimension)
        generator = torch.Generator().manual_seed(self.settings.seed)
        # An orthogonal map keeps the distances, and so the ranking, of the base.
        self.weight = torch.nn.init.orthogonal_(weight, generator=generator).requires_grad_()
        self.best_weight = self.weight.detach().clone()
        self.adam = torch.optim.Adam([self.weight], lr=self.settings.learning_rate)
        self.papers = self.triplets.papers
        pairs = [table.pairs for table in (self.triplets, self.validation) if table]
        self.known = KnownCitations(pairs[0])
        self.known_in_validation = KnownCitations(*pairs)

    @property
    def epochs(self) -> list[EpochMetrics]:
        """The metrics of the epochs so far, from 0 (before training)."""
        return epoch_metrics(self.log)

    def run(self, progress: Callable[[int, int], None]) -> None:
        """Train all epochs."""
        self.log.append(LogEntry(0, 0, None, None, *self.evaluate(self.weight)))
        for epoch in range(1, self.settings.epochs + 1):
            self.train_epoch(epoch, progress)

    def train_epoch(self, epoch: int, progress: Callable[[int, int], None]) -> None:
        """Train an epoch, from 1, in a random order; keep its weight if it is the best one."""
        settings, before = self.settings, epoch - 1
        rng = np.random.default_rng([settings.seed, before])
        order = rng.permutation(len(self.triplets))[: settings.epoch_triplets]
        steps = math.ceil(len(order) / settings.batch)
        interval = max(1, steps // ENTRIES)
        total, since, done = 0.0, 0, 0
        for step, batch in enumerate(_batches(order, settings.batch), 1):
            self.adam.zero_grad()
            random = rng.choice(self.papers, settings.batch_random_negatives)
            loss = self.loss(self.weight, self.triplets, batch, self.known, random)
            loss.backward()  # type: ignore[no-untyped-call]
            self.adam.step()
            total += loss.item() * len(batch)
            done += len(batch)
            progress(before * len(order) + done, settings.epochs * len(order))
            if step % interval == 0 or step == steps:
                measures = self.evaluate(self.weight) if step == steps else (None, None)
                self.log.append(
                    LogEntry(
                        before * steps + step,
                        before + done / len(order),
                        total / (done - since),
                        settings.learning_rate,
                        *measures,
                    )
                )
                total, since = 0.0, done
        if best_epoch(self.epochs).epoch == epoch:
            self.best_weight = self.weight.detach().clone()

    def loss(
        self,
        weight: torch.Tensor,
        triplets: IndexedTriplets,
        batch: Rows,
        known: KnownCitations,
        random: Rows,
    ) -> torch.Tensor:
        """Return the mean loss of a batch.

        Args:
            weight: The linear map, (d_in, dimension).
            triplets: The triplets.
            batch: The rows of the triplets in the batch.
            known: Citations, which are not used as negatives.
            random: Papers that are additional negatives of all triplets.
        """
        settings, size = self.settings, len(batch)
        query, positive = triplets.query[batch], triplets.positive[batch]
        negative = np.concatenate([triplets.negative[batch], random])
        excluded = torch.from_numpy(known.excluded(query, positive, negative))

        def loss_of(prefix: torch.Tensor) -> torch.Tensor:
            vectors = prefix[:size], prefix[size : 2 * size], prefix[2 * size :]
            if settings.loss == "triplet":
                return triplet_margin_loss(*vectors, margin=settings.margin)
            return contrastive_loss(
                *vectors, excluded, settings.temperature, symmetric=settings.symmetric
            )

        vectors = self.vectors(weight, np.concatenate([query, positive, negative]))
        return over_prefixes(loss_of, vectors, settings.matryoshka, normalize=True)

    def vectors(self, weight: torch.Tensor, papers: Rows) -> torch.Tensor:
        """Return the vectors of some papers under a weight, (b, dimension)."""
        inputs = torch.from_numpy(self.inputs[papers].astype(np.float32))
        return normalize(inputs @ weight, dim=1)

    @torch.no_grad()
    def evaluate(self, weight: torch.Tensor) -> tuple[float | None, float | None]:
        """Return the loss and the accuracy on the validation triplets; None without triplets."""
        held_out = self.validation
        if not held_out:
            return None, None
        loss, correct = 0.0, 0.0
        for batch in _batches(np.arange(len(held_out)), self.settings.batch):
            no_papers = batch[:0]
            mean = self.loss(weight, held_out, batch, self.known_in_validation, no_papers)
            loss += mean.item() * len(batch)
            columns = (held_out.query, held_out.positive, held_out.negative)
            vectors = (self.vectors(weight, column[batch]) for column in columns)
            correct += triplet_accuracy(*vectors).item() * len(batch)
        return loss / len(held_out), correct / len(held_out)


def _batches(order: Rows, size: int) -> Iterator[Rows]:
    for start in range(0, len(order), size):
        yield order[start : start + size]
