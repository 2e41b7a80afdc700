"""Mode `head`: train a linear head on triplets, over base vectors that stay as they are.

Steps: number the papers and the triplets, fit word features, store the inputs of all papers in a
file of float16 (a corpus of a million papers does not fit in memory several times over), train a
linear map for some epochs, add the distilled part, write the model directory.
"""

import json
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from itertools import islice
from pathlib import Path

import numpy as np
import torch
from torch.nn.functional import normalize

from specter_graph.core.atomic_files import complete_file
from specter_graph.core.errors import ModelError
from specter_graph.core.progress import Progress, silent
from specter_graph.core.vectors import Inputs, Vectors
from specter_graph.encoder.device import process_count
from specter_graph.encoder.distillation import add_distilled
from specter_graph.encoder.head import NUMBERS_FILE, Head, TextFeatures, head_digest, head_inputs
from specter_graph.encoder.input_fields import Parts, words_of
from specter_graph.encoder.losses import (
    contrastive_loss,
    over_prefixes,
    triplet_accuracy,
    triplet_margin_loss,
)
from specter_graph.encoder.model_dir import (
    check_output,
    discard_training,
    require_same_training,
    training_folder,
    write_model_dir,
)
from specter_graph.encoder.model_record import (
    BaseRecord,
    EpochMetrics,
    ModelRecord,
    Provenance,
    best_epoch,
)
from specter_graph.encoder.recipe import FeatureSettings, HeadSettings
from specter_graph.encoder.training_log import ENTRIES, LogEntry
from specter_graph.encoder.triplets import (
    IndexedTriplets,
    KnownCitations,
    PaperRows,
    Rows,
    TripletTable,
    control_tables,
    index_triplets,
)
from specter_graph.loaders.records import PaperText

MAX_FITTED = 100_000
"""Papers on which word features are fitted."""

INPUTS_FILE = "inputs.npy"
_BATCH = 4_096  # papers read at a time
_UNREADABLE = (EOFError, KeyError, OSError, RuntimeError, ValueError, pickle.UnpicklingError)

BaseVectors = Callable[[Sequence[PaperText]], Vectors]
"""Returns the base vectors (n, d) of n papers."""


def train_head(
    output: Path,
    texts: Iterable[PaperText],
    base_vectors: Vectors | BaseVectors,
    base: BaseRecord,
    triplets: TripletTable,
    validation: TripletTable | None = None,
    settings: HeadSettings | None = None,
    provenance: Provenance | None = None,
    *,
    resume: bool = False,
    progress: Progress = silent,
) -> ModelRecord:
    """Train a head on mined triplets and write it to the model directory `output`.

    Deterministic under `settings.seed`.

    Args:
        output: The MODEL_DIR.
        texts: All papers of the corpus, which are read three times: a list, or an object that reads
            them again each time it is iterated.
        base_vectors: Vectors (n, d) of these papers under `base`, row by row, or a function that
            returns those of some papers.
        base: The base that made the vectors.
        triplets: Triplets to learn from; 100,000 of their papers at most fit the word features.
        validation: Triplets that choose the epoch to keep; without any the last one is kept.
        settings: The recipe.
        provenance: What the graph says about the triplets, for the record.
        resume: Continue an interrupted training from its last epoch, in `.OUTPUT.training`.
        progress: Called with the stages `features`, `inputs`, `train` and `distil`.

    Raises:
        ModelError: For triplets without texts, an output that is something else, or a checkpoint of
            another training.
    """
    settings, provenance = settings or HeadSettings(), provenance or Provenance()
    check_output(output)
    if process_count() > 1:
        raise ModelError("a head is trained by one process", "start it without torchrun")
    papers = PaperRows.of(texts)
    read_base = base_vectors if callable(base_vectors) else _by_row(base_vectors, papers)
    rows = index_triplets(triplets, papers)
    if not len(rows):
        raise ModelError("there are no triplets to train on", "mine some: specter-graph triplets")
    held_out = (validation is not None and index_triplets(validation, papers)) or None
    checkpoints = training_folder(output, resume=resume)
    require_same_training(
        checkpoints,
        base=base.digest,
        corpus=provenance.corpus,
        triplets=rows.digest,
        validation=held_out.digest if held_out else None,
        settings=settings.model_dump(exclude={"epochs"}),
    )
    corpus = HeadCorpus(texts, papers, read_base, base.parts)
    features = None
    if settings.features:
        features = fit_features(
            corpus, rows, settings.features, settings.seed, checkpoints, progress
        )
    inputs = store_inputs(corpus, features, settings.feature_weight, checkpoints, progress)

    def train(name: str, table: IndexedTriplets) -> HeadTrainer:
        trainer = HeadTrainer(inputs, table, held_out, settings)
        trainer.run(checkpoints / f"{name}.pt", lambda done, total: progress(name, done, total))
        return trainer

    trained = train("train", rows)
    tables = control_tables(rows, settings.seed) if settings.controls else {}
    controls = {name: best_epoch(train(name, table).epochs) for name, table in tables.items()}
    weight, distilled = trained.best_weight.numpy(), None
    if settings.distil and settings.distilled_dimension:
        progress("distil", 0, 1)
        weight = add_distilled(weight, inputs, rows, settings.distilled_dimension, settings.distil)
        _, distilled = trained.evaluate(torch.from_numpy(weight))
        progress("distil", 1, 1)
    head = Head(weight, features, settings.feature_weight)
    record = write_model_dir(
        output,
        head.save,
        lambda folder: ModelRecord.of(
            settings,
            head_digest(folder, base.digest),
            weight.shape[1],
            base,
            provenance,
            (rows, held_out),
            trained.epochs,
            distilled=distilled,
            controls=controls,
        ),
        trained.log,
    )
    discard_training(output)
    return record


def _by_row(base_vectors: Vectors, papers: PaperRows) -> BaseVectors:
    if len(base_vectors) != len(papers):
        raise ModelError(f"{len(base_vectors)} base vectors for {len(papers)} papers")
    return lambda texts: base_vectors[[papers.row_of[text.id] for text in texts]]


@dataclass(frozen=True, slots=True)
class HeadCorpus:
    """The papers that a head is trained on, as `rows` numbers them.

    `texts` gives all of them again each time it is iterated; the base reads `parts`.
    """

    texts: Iterable[PaperText]
    rows: PaperRows
    base_vectors: BaseVectors
    parts: Parts

    def batches(self) -> Iterator[tuple[list[PaperText], list[int]]]:
        """Yield papers and their rows; papers that are new since the numbering are skipped."""
        known = (text for text in self.texts if text.id in self.rows.row_of)
        while batch := [*islice(known, _BATCH)]:
            yield batch, [self.rows.row_of[text.id] for text in batch]


def fit_features(
    corpus: HeadCorpus,
    triplets: IndexedTriplets,
    settings: FeatureSettings,
    seed: int,
    folder: Path,
    progress: Progress,
) -> TextFeatures:
    """Fit word features on papers of the training triplets, MAX_FITTED at most, into `folder`.

    Features that are in the folder are returned as they are.
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


def store_inputs(
    corpus: HeadCorpus,
    features: TextFeatures | None,
    weight: float,
    folder: Path,
    progress: Progress,
) -> Inputs:
    """Write the inputs of all papers, (n, d_in) float16, to `folder`, and open them.

    Inputs that are in the folder are opened as they are. Raises ModelError when a paper has been
    deleted since the corpus was numbered.
    """
    file, papers = folder / INPUTS_FILE, len(corpus.rows)
    if not file.exists():
        inputs, written = None, 0
        with complete_file(file) as new:
            for texts, rows in corpus.batches():
                words = words_of(texts, corpus.parts) if features else []
                batch = head_inputs(corpus.base_vectors(texts), words, features, weight)
                if inputs is None:
                    shape = papers, batch.shape[1]
                    inputs = np.lib.format.open_memmap(new, "w+", np.float16, shape)
                inputs[rows] = batch
                written += len(rows)
                progress("inputs", written, papers)
            if inputs is None or written < papers:
                raise ModelError(
                    f"{papers - written} of {papers} papers have been deleted during the training",
                    "train again",
                )
            inputs.flush()
            del inputs
    stored: Inputs = np.load(file, mmap_mode="r")
    return stored


@dataclass
class HeadTrainer:
    """Trains one linear map: `weight` (d_in, dimension), Adam's state and the metrics so far.

    `inputs` are (n, d_in); `best_weight` is the weight of the best epoch.
    """

    inputs: Inputs
    rows: IndexedTriplets
    validation: IndexedTriplets | None
    settings: HeadSettings
    epochs: list[EpochMetrics] = field(default_factory=list)
    log: list[LogEntry] = field(default_factory=list)

    def __post_init__(self) -> None:
        weight = torch.empty(self.inputs.shape[1], self.settings.learned_dimension)
        generator = torch.Generator().manual_seed(self.settings.seed)
        # Orthogonal: training starts from the distances, and so from the ranking, of the base.
        self.weight = torch.nn.init.orthogonal_(weight, generator=generator).requires_grad_()
        self.best_weight = self.weight.detach().clone()
        self.adam = torch.optim.Adam([self.weight], lr=self.settings.learning_rate)
        self.papers = self.rows.papers
        pairs = [table.pairs for table in (self.rows, self.validation) if table]
        self.known = KnownCitations(pairs[0])
        self.known_in_validation = KnownCitations(*pairs)

    @property
    def epoch(self) -> int:
        """Number of epochs trained."""
        return self.epochs[-1].epoch

    def run(self, checkpoint: Path, progress: Callable[[int, int], None]) -> None:
        """Train all epochs, from the checkpoint where there is one; each epoch writes it."""
        if checkpoint.exists():
            self.load(checkpoint)
        else:
            self.end_epoch(0, None)
        while self.epoch < self.settings.epochs:
            self.end_epoch(self.epoch + 1, self.train_epoch(progress))
            self.save(checkpoint)

    def train_epoch(self, progress: Callable[[int, int], None]) -> float:
        """Train an epoch in a random order; returns the mean loss of its triplets."""
        settings = self.settings
        rng = np.random.default_rng([settings.seed, self.epoch])
        order = rng.permutation(len(self.rows))[: settings.epoch_triplets]
        batches = [*_batches(order, settings.batch)]
        total, logged_total, done, logged = 0.0, 0.0, 0, 0
        for number, batch in enumerate(batches, 1):
            self.adam.zero_grad()
            random = rng.choice(self.papers, settings.random_negatives)
            loss = self.loss(self.weight, self.rows, batch, self.known, random)
            loss.backward()  # type: ignore[no-untyped-call]
            self.adam.step()
            total += loss.item() * len(batch)
            done += len(batch)
            if number % max(1, len(batches) // ENTRIES) == 0 or done == len(order):
                mean = (total - logged_total) / (done - logged)
                step, epoch = self.epoch * len(batches) + number, self.epoch + done / len(order)
                self.log.append(LogEntry(step, epoch, mean, settings.learning_rate))
                logged_total, logged = total, done
            progress(self.epoch * len(order) + done, settings.epochs * len(order))
        return total / len(order)

    def loss(
        self,
        weight: torch.Tensor,
        rows: IndexedTriplets,
        batch: Rows,
        known: KnownCitations,
        random: Rows,
    ) -> torch.Tensor:
        """Return the mean loss of a batch; papers `random` are negatives of all its triplets."""
        settings, size = self.settings, len(batch)
        query, positive = rows.query[batch], rows.positive[batch]
        negative = np.concatenate([rows.negative[batch], random])
        excluded = torch.from_numpy(known.excluded(query, positive, negative))

        def loss(cut: torch.Tensor) -> torch.Tensor:
            vectors = cut[:size], cut[size : 2 * size], cut[2 * size :]
            if settings.loss == "triplet":
                return triplet_margin_loss(*vectors, margin=settings.margin)
            return contrastive_loss(
                *vectors, excluded, settings.temperature, symmetric=settings.symmetric
            )

        vectors = self.vectors(weight, np.concatenate([query, positive, negative]))
        return over_prefixes(loss, vectors, settings.matryoshka, normalize=True)

    def vectors(self, weight: torch.Tensor, papers: Rows) -> torch.Tensor:
        """Return the vectors of some papers under a weight, (b, dimension)."""
        inputs = torch.from_numpy(self.inputs[papers].astype(np.float32))
        return normalize(inputs @ weight, dim=1)

    @torch.no_grad()
    def evaluate(self, weight: torch.Tensor) -> tuple[float | None, float | None]:
        """Return loss and accuracy on the validation triplets; None without any."""
        held_out = self.validation
        if not held_out:
            return None, None
        loss, correct = 0.0, 0.0
        for batch in _batches(np.arange(len(held_out)), self.settings.batch):
            of_batch = self.loss(weight, held_out, batch, self.known_in_validation, batch[:0])
            loss += of_batch.item() * len(batch)
            columns = (held_out.query, held_out.positive, held_out.negative)
            vectors = (self.vectors(weight, column[batch]) for column in columns)
            correct += triplet_accuracy(*vectors).item() * len(batch)
        return loss / len(held_out), correct / len(held_out)

    def end_epoch(self, epoch: int, training_loss: float | None) -> None:
        """Add the metrics of an epoch, 0 before training, and keep its weight if it is best."""
        loss, accuracy = self.evaluate(self.weight)
        metrics = EpochMetrics(
            epoch=epoch,
            training_loss=training_loss,
            validation_loss=loss,
            validation_accuracy=accuracy,
        )
        self.epochs.append(metrics)
        last = self.log.pop() if self.log else LogEntry(0, 0)
        self.log.append(
            LogEntry(last.step, last.epoch, last.loss, last.learning_rate, loss, accuracy)
        )
        if epoch and best_epoch(self.epochs) is metrics:
            self.best_weight = self.weight.detach().clone()

    def save(self, checkpoint: Path) -> None:
        """Write a checkpoint, complete or not at all."""
        progress = {
            "epochs": [epoch.model_dump() for epoch in self.epochs],
            "log": [asdict(entry) for entry in self.log],
        }
        state = {
            "weight": self.weight.detach(),
            "best_weight": self.best_weight,
            "adam": self.adam.state_dict(),
            "progress": json.dumps(progress),
        }
        with complete_file(checkpoint) as part:
            torch.save(state, part)

    def load(self, checkpoint: Path) -> None:
        """Continue from a checkpoint; raises ModelError when it cannot be read."""
        try:
            state = torch.load(checkpoint, weights_only=True)
        except _UNREADABLE as error:
            raise ModelError(
                f"the checkpoint {checkpoint} cannot be read: {error}", "train without --resume"
            ) from error
        progress = json.loads(state["progress"])
        self.epochs = [EpochMetrics.model_validate(epoch) for epoch in progress["epochs"]]
        self.log = [LogEntry(**entry) for entry in progress["log"]]
        self.best_weight = state["best_weight"]
        with torch.no_grad():
            self.weight.copy_(state["weight"])
        self.adam.load_state_dict(state["adam"])


def _batches(order: Rows, size: int) -> Iterator[Rows]:
    for start in range(0, len(order), size):
        yield order[start : start + size]
