"""The fine-tuning loop: sentence-transformers' trainer, with our texts, judgement and progress."""

import json
import math
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors.torch import load_file, save_file
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerModelCardData,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from sentence_transformers.base.evaluation import BaseEvaluator
from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer
from torch.utils.data import DataLoader
from transformers import PrinterCallback, TrainerCallback
from transformers.trainer import TRAINER_STATE_NAME

from specter_graph.core.errors import ModelError
from specter_graph.core.progress import Progress
from specter_graph.encoder.device import best_device, fast_bfloat16
from specter_graph.encoder.distributed import agreed, is_first, processes
from specter_graph.encoder.full import TRANSFORMER_FOLDER, FullSettings
from specter_graph.encoder.full_batches import Batches, loader
from specter_graph.encoder.full_loss import BatchLoss, batch_loss
from specter_graph.encoder.lora import add_adapters, merge_adapters
from specter_graph.encoder.losses import triplet_accuracy
from specter_graph.encoder.model import BaseModel, quiet
from specter_graph.encoder.model_dir import EpochMetrics
from specter_graph.encoder.training_log import ENTRIES, LOG_FILE, LogEntry, write_csv
from specter_graph.encoder.triplets import TripletRows
from specter_graph.loaders.records import PaperText

_ADAPTERS = "adapters.safetensors"


def fine_tune(
    folder: Path,
    base: BaseModel,
    texts: Sequence[PaperText],
    rows: TripletRows,
    held: TripletRows | None,
    settings: FullSettings,
    stage: str,
    progress: Progress,
) -> tuple[list[EpochMetrics], int, list[LogEntry]]:
    """Fine-tune from the last checkpoint in `folder`, if any, and save the best model there.

    Returns the metrics by epoch, from 0 (before training), the epoch that was kept, and the log.
    """
    if not len(rows):
        raise ModelError("there are no triplets to train on", "mine some: specter-graph triplets")
    last = _last_checkpoint(folder)
    model = trainable(base, normalize=settings.normalized)
    if settings.lora:
        add_adapters(model[0].auto_model, settings.lora, settings.seed)
    if settings.gradient_checkpointing:
        model.gradient_checkpointing_enable({"use_reentrant": False})
    at_once = _at_once(settings)
    batches = Batches(len(rows), at_once, settings.batch, settings.seed)
    trainer = _Trainer(
        batches=loader(base, texts, rows, batches),
        model=model,
        args=_arguments(folder, len(rows), held is not None, last is not None, settings),
        train_dataset=rows,
        loss=BatchLoss(model, settings),
        evaluator=Validation(base, texts, held, settings) if held else None,
        callbacks=[
            _Report(stage, progress, batches.steps),
            _Epochs(batches),
            _Checkpoints(settings.checkpoint_minutes, batches.steps),
        ],
    )
    trainer.remove_callback(PrinterCallback)  # it prints on stdout
    with quiet():
        trainer.train(resume_from_checkpoint=last)
        if settings.lora:
            whole = trainable(base, normalize=settings.normalized)
            merge_adapters(model, whole)
            model = whole
        if is_first():
            model.save(str(folder / TRANSFORMER_FOLDER), create_model_card=False)
    log = _entries(trainer.state.log_history)
    best = trainer.state.best_global_step if held else trainer.state.global_step
    return _metrics(log, batches.steps), best // batches.steps, log


def trainable(base: BaseModel, *, normalize: bool = False) -> SentenceTransformer:
    """The base as a module to train: its Transformer and pooling."""
    with quiet():
        transformer = Transformer(str(base.folder.path))
    pooling = Pooling(base.dimension, pooling_mode=base.pooling)
    # Or every checkpoint would ask the hub about the base, for a card that nobody reads.
    card = SentenceTransformerModelCardData(local_files_only=True)
    modules = [transformer, pooling, Normalize()] if normalize else [transformer, pooling]
    model = SentenceTransformer(modules=modules, device=str(best_device()), model_card_data=card)
    model.max_seq_length = base.max_length
    return model.float()


class Validation(BaseEvaluator):  # type: ignore[misc]
    """Judges a model on triplets, encoding each of their papers once."""

    def __init__(
        self,
        base: BaseModel,
        texts: Sequence[PaperText],
        held: TripletRows,
        settings: FullSettings,
    ) -> None:
        super().__init__()
        papers = held.papers
        self.texts = [base.text(texts[row]) for row in papers]
        self.rows = np.stack([held.query, held.positive, held.negative], axis=1)
        self.places = np.searchsorted(papers, self.rows)
        self.settings = settings

    def __call__(
        self,
        model: SentenceTransformer,
        output_path: str | None = None,
        epoch: float = -1,
        steps: int = -1,
    ) -> dict[str, float]:
        """Return `validation_accuracy` and `validation_loss`."""
        vectors = model.encode(self.texts, convert_to_tensor=True, show_progress_bar=False).cpu()
        loss, right = 0.0, 0.0
        for start in range(0, len(self.rows), self.settings.batch):
            part = slice(start, start + self.settings.batch)
            triplets = vectors[torch.from_numpy(self.places[part])]
            row = torch.from_numpy(self.rows[part])
            loss += batch_loss(triplets, row, self.settings).item() * len(row)
            right += triplet_accuracy(*triplets.unbind(1)).item() * len(row)
        return {
            "validation_accuracy": right / len(self.rows),
            "validation_loss": loss / len(self.rows),
        }


def _at_once(settings: FullSettings) -> int:
    """Triplets that a process is given at a time; the contrastive loss divides them by itself."""
    return settings.micro_batch if settings.loss == "triplet" else settings.batch // processes()


def _last_checkpoint(folder: Path) -> str | None:
    """The last one that was saved whole; the others, which a kill left, are removed.

    The trainer writes its state last.
    """
    for path in sorted(folder.glob("checkpoint-*"), key=_step, reverse=True):
        try:
            json.loads((path / TRAINER_STATE_NAME).read_text())
            return str(path)
        except (OSError, ValueError):
            if is_first():
                shutil.rmtree(path, ignore_errors=True)
    return None


def _step(checkpoint: Path) -> int:
    return int(checkpoint.name.rpartition("-")[2])


def _arguments(
    folder: Path, triplets: int, judged: bool, resumed: bool, settings: FullSettings
) -> SentenceTransformerTrainingArguments:
    device = best_device()
    at_once = _at_once(settings)
    steps = settings.epochs * math.ceil(triplets / settings.batch)
    each_epoch = "epoch" if judged else "no"
    return SentenceTransformerTrainingArguments(
        output_dir=str(folder),
        num_train_epochs=settings.epochs,
        per_device_train_batch_size=at_once,
        gradient_accumulation_steps=settings.batch // (at_once * processes()),
        learning_rate=settings.learning_rate,
        lr_scheduler_type="linear",
        # The first of them has a rate of 0: of a training of one step nothing would be left.
        warmup_steps=min(math.ceil(settings.warmup * steps), steps - 1),
        optim="adamw_torch",
        weight_decay=0.0,  # with no decay AdamW is Adam
        bf16=fast_bfloat16(device),
        dataloader_drop_last=True,  # ours has whole batches only; or several processes are warned
        use_cpu=device.type == "cpu",
        dataloader_pin_memory=device.type == "cuda",
        eval_strategy=each_epoch,
        eval_on_start=judged and not resumed,
        save_strategy="epoch",
        logging_strategy="epoch",
        load_best_model_at_end=judged,
        metric_for_best_model="eval_validation_accuracy" if judged else None,
        greater_is_better=True if judged else None,
        save_total_limit=2,
        report_to=[],
        disable_tqdm=True,
        seed=settings.seed,
        data_seed=settings.seed,
    )


def _entries(history: list[dict[str, Any]]) -> list[LogEntry]:
    """The trainer's log, one entry a step; the first measure counts, should one recur."""
    names = {
        "loss": "loss",
        "learning_rate": "learning_rate",
        "eval_validation_loss": "validation_loss",
        "eval_validation_accuracy": "validation_accuracy",
    }
    entries: dict[int, dict[str, float]] = {}
    for told in history:
        entry = entries.setdefault(told["step"], {"epoch": told.get("epoch", 0)})
        for key, name in names.items():
            if key in told:
                entry.setdefault(name, told[key])
    return [LogEntry(step, **entry) for step, entry in sorted(entries.items())]


def _metrics(log: list[LogEntry], steps: int) -> list[EpochMetrics]:
    """One record an epoch of `steps` steps; 0 is before training."""
    epochs: dict[int, dict[str, float]] = {0: {}}
    before = 0
    for entry in log:
        metrics = epochs.setdefault(-(-entry.step // steps), {})
        if entry.loss is not None:
            share = entry.loss * (entry.step - before) / steps
            metrics["training_loss"] = metrics.get("training_loss", 0.0) + share
            before = entry.step
        for name in ("validation_loss", "validation_accuracy"):
            if (value := getattr(entry, name)) is not None:
                metrics[name] = value
    return [EpochMetrics(epoch=epoch, **metrics) for epoch, metrics in sorted(epochs.items())]


class _Trainer(SentenceTransformerTrainer):  # type: ignore[misc]
    """Draws our batches, and gathers no examples for a model card: that shows a progress bar."""

    def __init__(self, *, batches: DataLoader[Any], **options: Any) -> None:  # noqa: ANN401
        super().__init__(**options)
        self.batches = batches

    def get_train_dataloader(self) -> DataLoader[Any]:
        """Each process takes its share of the batches."""
        prepared: DataLoader[Any] = self.accelerator.prepare(self.batches)
        return prepared

    def preprocess_dataset(self, dataset: Any = None, dataset_name: str | None = None) -> Any:  # noqa: ANN401
        """Nothing is to be done: texts are read as batches are drawn."""
        return dataset

    def _save(self, output_dir: str | None = None, state_dict: object = None) -> None:
        """What is trained is saved: of adapters, which sentence-transformers does not read back."""
        if all(parameter.requires_grad for parameter in self.model.parameters()):
            super()._save(output_dir, state_dict)
            return
        trained = {name: p for name, p in self.model.named_parameters() if p.requires_grad}
        folder = Path(output_dir or self.args.output_dir)
        folder.mkdir(parents=True, exist_ok=True)
        save_file({name: p.detach().cpu() for name, p in trained.items()}, folder / _ADAPTERS)

    def _load_from_checkpoint(self, checkpoint_path: str, model: object = None) -> None:
        adapters = Path(checkpoint_path) / _ADAPTERS
        if adapters.exists():
            self.model.load_state_dict(load_file(adapters), strict=False)
        else:
            super()._load_from_checkpoint(checkpoint_path)

    def add_model_card_callback(self, default_args_dict: dict[str, Any]) -> None:
        """Leave it out."""


class _Report(TrainerCallback):  # type: ignore[misc]
    """Tells our progress of each step, and has the log written on."""

    def __init__(self, stage: str, progress: Progress, steps: int) -> None:
        self.stage = stage
        self.progress = progress
        self.each = max(1, steps // ENTRIES)

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ANN401
        control.should_log |= state.global_step % self.each == 0
        self.progress(self.stage, state.global_step, state.max_steps)

    def on_log(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ANN401
        if is_first():
            write_csv(Path(args.output_dir) / LOG_FILE, _entries(state.log_history))


class _Epochs(TrainerCallback):  # type: ignore[misc]
    """Tells the batches their epoch: accelerate does not, of several processes that resume."""

    def __init__(self, batches: Batches) -> None:
        self.batches = batches

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ANN401
        self.batches.set_epoch(state.global_step // self.batches.steps)


class _Checkpoints(TrainerCallback):  # type: ignore[misc]
    """Saves between the epochs, which take hours on a CPU, but not at their ends.

    There the trainer saves by itself, after it has judged the model.
    """

    def __init__(self, minutes: float, steps: int) -> None:
        self.seconds = minutes * 60
        self.steps = steps
        self.saved = time.monotonic()

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ANN401
        late = agreed(time.monotonic() - self.saved > self.seconds)
        if late and state.global_step % self.steps:
            # What was lost since the last entry of the log would miss after a kill.
            control.should_save = control.should_log = True

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ANN401
        self.saved = time.monotonic()
