"""Training of a cross-encoder that scores whether a query cites a paper.

A pair is a query and a paper. The query is the title of a citing paper, in every second triplet
with its abstract, as searches have short and long texts. The paper is the title and abstract of a
cited paper (label 1) or of the negative of the triplet (label 0). The Transformer is the first
layers of the base with a new output layer on the mean of its tokens; the loss is the binary
cross-entropy.
"""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from datasets import Dataset
from sentence_transformers import (
    CrossEncoder,
    CrossEncoderModelCardData,
    CrossEncoderTrainer,
    CrossEncoderTrainingArguments,
)
from sentence_transformers.base.modules import Dense, Transformer
from sentence_transformers.cross_encoder.losses import BinaryCrossEntropyLoss
from sentence_transformers.sentence_transformer.modules import Pooling
from transformers import AutoConfig, PrinterCallback, TrainerCallback

from specter_graph.core.errors import ModelError
from specter_graph.core.progress import Progress
from specter_graph.encoder.device import best_device
from specter_graph.encoder.model import TransformerModel, quiet
from specter_graph.encoder.model_dir import (
    TrainingJob,
    describe_model,
    new_model_dir,
    open_training,
)
from specter_graph.encoder.model_files import RERANKER_FOLDER, folder_digest
from specter_graph.encoder.model_record import (
    BaseRecord,
    EpochMetrics,
    LogEntry,
    ModelRecord,
)
from specter_graph.encoder.recipe import RerankerSettings
from specter_graph.encoder.reranker import Reranker
from specter_graph.encoder.sentence_modules import trainer_options
from specter_graph.encoder.triplets import IndexedTriplets, PaperRows
from specter_graph.loaders.records import PaperText

MAX_VALIDATION = 500
"""Triplets that are scored before and after the training."""


def train_reranker(
    job: TrainingJob, texts: Sequence[PaperText], base: TransformerModel, settings: RerankerSettings
) -> ModelRecord:
    """Train a cross-encoder on mined triplets and write it to the model directory of the job.

    Args:
        job: The triplets and the MODEL_DIR, for `Reranker` and `--rerank`. A sample of the
            triplets for validation is scored before and after the training.
        texts: The papers of the triplets.
        base: The Transformer to start from.
        settings: Settings of the recipe.

    Raises:
        ModelError: There are no triplets, the base is a static model, has an adapter or too few
            layers, or the output is not a model directory.
    """
    base.folder.require_plain("a reranker")
    layers = AutoConfig.from_pretrained(str(base.folder.path)).num_hidden_layers
    if settings.layers > layers:
        raise ModelError(
            f"{base.folder.name} has {layers} layers, not {settings.layers}",
            f"set layers={layers}",
        )
    papers, compared = PaperRows.of(texts), settings.model_dump()
    training = open_training(job, papers, base=base.folder.digest, settings=compared)
    rng = np.random.default_rng(settings.seed)
    learned = training.triplets.sample(settings.max_triplets, rng)
    held_out = training.validation.sample(MAX_VALIDATION, rng) if training.validation else None
    validated = _make_pairs(texts, held_out) if held_out else None
    model = _build_untrained(base, settings)
    before = _accuracy(model, validated)
    pairs = Dataset.from_dict(_make_pairs(texts, learned))
    steps, loss = _fit(model, pairs, settings, training.folder, job.progress)
    after = _accuracy(model, validated)
    with new_model_dir(job.output) as folder:
        with quiet():
            model.save(str(folder / RERANKER_FOLDER), create_model_card=False)
        record = ModelRecord.of(
            settings,
            job.provenance,
            (learned, held_out),
            digest=folder_digest(folder / RERANKER_FOLDER),
            dimension=1,
            base=BaseRecord.of(base.folder),
            epochs=[
                EpochMetrics(epoch=0, validation_accuracy=before),
                EpochMetrics(epoch=settings.epochs, training_loss=loss, validation_accuracy=after),
            ],
            best_epoch=settings.epochs,
        )
        log = [LogEntry(0, 0.0, validation_accuracy=before)]
        log.append(LogEntry(steps, settings.epochs, loss, None, None, after))
        describe_model(folder, record, log)
    return record


def _build_untrained(base: TransformerModel, settings: RerankerSettings) -> CrossEncoder:
    """Return the first layers of a Transformer with an output layer of random weights."""
    torch.manual_seed(settings.seed)
    with quiet():
        network = Transformer(
            str(base.folder.path),
            config_kwargs={"num_hidden_layers": settings.layers},
            processor_kwargs={"model_max_length": settings.max_length},
        )
        # The mean of the tokens: in the first three layers of MiniLM, [CLS] hardly depends on them.
        width = network.get_embedding_dimension()
        score = Dense(width, 1, activation_function=None, module_output_name="scores")
        return CrossEncoder(
            modules=[network, Pooling(width, "mean"), score],
            device=str(best_device()),
            model_card_data=CrossEncoderModelCardData(local_files_only=True),
        )


def _make_pairs(texts: Sequence[PaperText], table: IndexedTriplets) -> dict[str, list[Any]]:
    """Return query, paper and label: two pairs for each triplet."""
    pairs: dict[str, list[Any]] = {"query": [], "paper": [], "label": []}
    for row in range(len(table)):
        query = texts[table.query[row]]
        text = query.passage if row % 2 else query.title
        for place, label in ((table.positive[row], 1.0), (table.negative[row], 0.0)):
            pairs["query"].append(text)
            pairs["paper"].append(texts[place].passage)
            pairs["label"].append(label)
    return pairs


def _accuracy(model: CrossEncoder, pairs: dict[str, list[Any]] | None) -> float | None:
    """Return the share of triplets whose positive scores higher; ties count half."""
    if pairs is None:
        return None
    both = [*zip(pairs["query"], pairs["paper"], strict=True)]
    scores = Reranker.of(model).score_pairs(both)
    positive, negative = scores[::2], scores[1::2]
    return float(((positive > negative) + 0.5 * (positive == negative)).mean())


def _fit(
    model: CrossEncoder,
    pairs: Dataset,
    settings: RerankerSettings,
    folder: Path,
    progress: Progress,
) -> tuple[int, float]:
    """Train, and return the number of steps and the mean loss."""
    total = settings.epochs * math.ceil(len(pairs) / (2 * settings.batch))
    arguments = CrossEncoderTrainingArguments(
        **trainer_options(folder / "train", settings, 0.1, total),
        per_device_train_batch_size=2 * settings.batch,
        save_strategy="no",
        logging_strategy="no",
    )
    trainer = _Trainer(
        model=model,
        args=arguments,
        train_dataset=pairs,
        loss=BinaryCrossEntropyLoss(model),
        callbacks=[_Progress(progress)],
    )
    trainer.remove_callback(PrinterCallback)  # it prints on stdout
    with quiet():
        trained = trainer.train()
    return trained.global_step, float(trained.training_loss)


class _Trainer(CrossEncoderTrainer):  # type: ignore[misc]
    """A trainer without a model card, whose examples take a progress bar."""

    def add_model_card_callback(self, default_args_dict: dict[str, Any]) -> None:
        """Add nothing."""


class _Progress(TrainerCallback):  # type: ignore[misc]
    """Reports the steps."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ANN401
        self.progress("train", state.global_step, state.max_steps)
