"""The epochs of a head: batches, Adam, validation, a checkpoint after each."""

import json
import os
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import sha256
from pathlib import Path

import numpy as np
import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch.nn.functional import normalize

from specter_graph.core.errors import ModelError
from specter_graph.core.progress import Progress
from specter_graph.core.vectors import Inputs, Vectors, unit
from specter_graph.encoder.head import HeadSettings
from specter_graph.encoder.losses import (
    contrastive_loss,
    over_prefixes,
    triplet_accuracy,
    triplet_margin_loss,
)
from specter_graph.encoder.model_dir import EpochMetrics, best_epoch
from specter_graph.encoder.training_log import ENTRIES, LogEntry
from specter_graph.encoder.triplets import KnownCitations, Rows, TripletRows

_NONE: Rows = np.empty(0, np.int64)
_JUDGED = 4_096  # validation triplets at a time
_HASHED = 65_536  # rows at a time


@dataclass
class TrainedHead:
    """The weight of the best epoch so far, (d_in, dimension), all epochs' metrics, the log."""

    weight: Vectors
    epochs: list[EpochMetrics]
    log: list[LogEntry]

    @property
    def best(self) -> EpochMetrics:
        """The epoch whose weight is kept."""
        return best_epoch(self.epochs)


@dataclass
class Course:
    """What the model and its controls share: inputs (n, d_in), validation triplets, settings."""

    inputs: Inputs
    validation: TripletRows | None
    settings: HeadSettings
    checkpoints: Path
    progress: Progress

    def run(self, name: str, rows: TripletRows) -> TrainedHead:
        """Train a head on triplets; goes on from the checkpoint `name` where there is one."""
        run = _Run(self, rows)
        file = self.checkpoints / f"{name}.safetensors"
        if file.exists():
            run.restore(file)
        else:
            run.judge(training_loss=None)
        while run.epoch < self.settings.epochs:
            loss = run.learn(name)
            run.judge(loss)
            run.save(file)
        return TrainedHead(run.kept.numpy(), run.epochs, run.log)

    def accuracy(self, weight: Vectors) -> float | None:
        """The share of the validation triplets that a weight has right; None without any."""
        held = self.validation
        if not held:
            return None
        right = 0.0
        for batch in _batches(np.arange(len(held)), _JUDGED):
            columns = held.query[batch], held.positive[batch], held.negative[batch]
            vectors = (unit(self.inputs[c].astype(np.float32) @ weight) for c in columns)
            right += triplet_accuracy(*map(torch.from_numpy, vectors)).item() * len(batch)
        return right / len(held)

    @cached_property
    def digest(self) -> bytes:
        """SHA-256 over the inputs."""
        digest = sha256()
        for start in range(0, len(self.inputs), _HASHED):
            digest.update(np.ascontiguousarray(self.inputs[start : start + _HASHED]).data)
        return digest.digest()


@dataclass
class _Run:
    """One training: the weight, Adam's state, and how far it is."""

    course: Course
    rows: TripletRows
    epochs: list[EpochMetrics] = field(default_factory=list)
    log: list[LogEntry] = field(default_factory=list)

    def __post_init__(self) -> None:
        settings = self.course.settings
        weight = torch.empty(self.course.inputs.shape[1], settings.learned_dimension)
        # Orthogonal: distances, and so the base's own ranking, are where training starts from.
        torch.nn.init.orthogonal_(weight, generator=torch.Generator().manual_seed(settings.seed))
        self.weight = weight.requires_grad_()
        self.kept = weight.detach().clone()
        self.adam = torch.optim.Adam([self.weight], lr=settings.learning_rate)
        held = self.course.validation
        self.papers = self.rows.papers
        self.known = KnownCitations(self.rows.pairs)
        both = KnownCitations(self.rows.pairs, held.pairs) if held else self.known
        self.known_in_validation = both

    @property
    def epoch(self) -> int:
        """Epochs trained."""
        return self.epochs[-1].epoch

    @property
    def identity(self) -> str:
        """What a checkpoint has to agree with: settings, inputs and triplets."""
        digest = sha256(self.course.settings.model_dump_json(exclude={"epochs"}).encode())
        digest.update(self.course.digest)
        for array in (self.rows.query, self.rows.positive, self.rows.negative):
            digest.update(np.ascontiguousarray(array).data)
        digest.update((self.course.validation.digest if self.course.validation else "").encode())
        return digest.hexdigest()

    def learn(self, stage: str) -> float:
        """Train an epoch, in an order of its own; returns the mean loss of its triplets."""
        settings = self.course.settings
        chance = np.random.default_rng([settings.seed, self.epoch])
        order = chance.permutation(len(self.rows))[: settings.epoch_triplets]
        done = self.epoch * len(order)
        total, told, logged = 0.0, 0.0, 0
        batches = -(-len(order) // settings.batch)
        each = max(1, batches // ENTRIES)
        for number, batch in enumerate(_batches(order, settings.batch), 1):
            self.adam.zero_grad()
            others = chance.choice(self.papers, settings.random_negatives)
            loss = self.loss(self.rows, batch, self.known, others)
            loss.backward()  # type: ignore[no-untyped-call]
            self.adam.step()
            total += loss.item() * len(batch)
            done += len(batch)
            if number % each == 0 or number == batches:
                seen = number * settings.batch if number < batches else len(order)
                mean = (total - told) / (seen - logged)
                step, epoch = self.epoch * batches + number, self.epoch + seen / len(order)
                self.log.append(LogEntry(step, epoch, mean, settings.learning_rate))
                told, logged = total, seen
            self.course.progress(stage, done, settings.epochs * len(order))
        return total / len(order)

    def loss(
        self, rows: TripletRows, batch: Rows, known: KnownCitations, others: Rows = _NONE
    ) -> torch.Tensor:
        """The mean loss of a batch of triplets; `others` are further negatives of all of them."""
        settings = self.course.settings
        query, positive, negative = rows.query[batch], rows.positive[batch], rows.negative[batch]
        negative = np.concatenate([negative, others])
        excluded = torch.from_numpy(known.excluded(query, positive, negative))
        size = len(batch)

        def loss(cut: torch.Tensor) -> torch.Tensor:
            vectors = cut[:size], cut[size : 2 * size], cut[2 * size :]
            if settings.loss == "triplet":
                return triplet_margin_loss(*vectors, margin=settings.margin)
            return contrastive_loss(
                *vectors, excluded, settings.temperature, symmetric=settings.symmetric
            )

        vectors = self.vectors(np.concatenate([query, positive, negative]))
        return over_prefixes(loss, vectors, settings.matryoshka, normalize=True)

    def vectors(self, papers: Rows) -> torch.Tensor:
        """The head's vectors of some papers, (b, dimension)."""
        inputs = torch.from_numpy(self.course.inputs[papers].astype(np.float32))
        return normalize(inputs @ self.weight, dim=1)

    @torch.no_grad()
    def judge(self, training_loss: float | None) -> None:
        """Add the metrics of the epoch just trained, and keep its weight if it is the best."""
        held = self.course.validation
        losses, right = 0.0, 0.0
        if held:
            for batch in _batches(np.arange(len(held)), self.course.settings.batch):
                losses += self.loss(held, batch, self.known_in_validation).item() * len(batch)
                columns = (held.query, held.positive, held.negative)
                query, positive, negative = (self.vectors(column[batch]) for column in columns)
                right += triplet_accuracy(query, positive, negative).item() * len(batch)
        metrics = EpochMetrics(
            epoch=self.epoch + 1 if self.epochs else 0,
            training_loss=training_loss,
            validation_loss=losses / len(held) if held else None,
            validation_accuracy=right / len(held) if held else None,
        )
        self.epochs.append(metrics)
        last = self.log.pop() if self.log else LogEntry(0, 0)
        judged = (metrics.validation_loss, metrics.validation_accuracy)
        self.log.append(LogEntry(last.step, last.epoch, last.loss, last.learning_rate, *judged))
        if metrics.epoch and best_epoch(self.epochs) is metrics:
            self.kept = self.weight.detach().clone()

    def save(self, file: Path) -> None:
        """Write a checkpoint, whole or not at all."""
        adam = self.adam.state_dict()["state"][0]
        tensors = {"weight": self.weight.detach(), "kept": self.kept}
        tensors |= {f"adam.{key}": value for key, value in adam.items()}
        epochs = json.dumps([epoch.model_dump() for epoch in self.epochs])
        log = json.dumps([asdict(entry) for entry in self.log])
        part = file.with_suffix(".part")
        save_file(tensors, part, {"identity": self.identity, "epochs": epochs, "log": log})
        os.replace(part, file)

    def restore(self, file: Path) -> None:
        """Go on from a checkpoint; raises ModelError when it belongs to another training."""
        try:
            with safe_open(file, framework="pt") as stored:
                told = stored.metadata() or {}
                tensors = {key: stored.get_tensor(key) for key in stored.keys()}  # noqa: SIM118
        except (OSError, SafetensorError) as error:
            raise ModelError(
                f"the checkpoint {file} cannot be read: {error}", "train without --resume"
            ) from error
        if told.get("identity") != self.identity:
            raise ModelError(
                f"the checkpoint {file} was made with other settings, vectors or triplets",
                "train without --resume to start again",
            )
        self.epochs = [EpochMetrics.model_validate(epoch) for epoch in json.loads(told["epochs"])]
        self.log = [LogEntry(**entry) for entry in json.loads(told["log"])]
        self.kept = tensors["kept"]
        with torch.no_grad():
            self.weight.copy_(tensors["weight"])
        adam = self.adam.state_dict()
        adam["state"] = {
            0: {key[5:]: value for key, value in tensors.items() if key.startswith("adam.")}
        }
        self.adam.load_state_dict(adam)


def _batches(order: Rows, size: int) -> Iterator[Rows]:
    for start in range(0, len(order), size):
        yield order[start : start + size]
