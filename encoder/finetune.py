"""Mode `full`: fine-tune the whole Transformer on triplets (SPECTER, sections 2.3 and 4).

The trainer, the modules and the gradient cache belong to the public API of sentence-transformers.
This module adds validation and log, and `finetune_batches` the batches and their loss.
Several processes started by `torchrun` share each batch.
"""

import json
import shutil
import time
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import torch
from accelerate import PartialState
from accelerate.utils import broadcast, broadcast_object_list
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from sentence_transformers.base.evaluation import BaseEvaluator
from torch.utils.data import BatchSampler, DataLoader
from transformers import PrinterCallback, TrainerCallback, TrainerState

from specter_graph.core.atomic_files import write_file
from specter_graph.core.errors import ModelError, extra
from specter_graph.core.progress import Progress, silent
from specter_graph.core.vectors import require_prefixes
from specter_graph.encoder.device import best_device, is_main_process, process_count
from specter_graph.encoder.finetune_batches import (
    BatchLoss,
    TripletOrder,
    UniqueTextCollator,
    batch_loss,
)
from specter_graph.encoder.losses import triplet_accuracy
from specter_graph.encoder.model import TransformerModel, quiet
from specter_graph.encoder.model_dir import (
    TrainingJob,
    describe_model,
    new_model_dir,
    open_training,
)
from specter_graph.encoder.model_record import (
    ENTRIES,
    LOG_FILE,
    TRANSFORMER_FOLDER,
    BaseRecord,
    LogEntry,
    ModelRecord,
    epoch_metrics,
    fine_tuned_folder,
    read_record,
    write_csv,
)
from specter_graph.encoder.recipe import FullSettings, LoraSettings
from specter_graph.encoder.sentence_modules import build_sentence_transformer, trainer_options
from specter_graph.encoder.triplets import IndexedTriplets, PaperRows
from specter_graph.loaders.records import PaperText

_WAIT = timedelta(days=1)
"""Maximum time that other processes wait for the main one, which mines and validates alone."""
_SIZES_FILE = "sizes.json"
"""The sizes of the files of a checkpoint, written after them."""


def train_full(
    job: TrainingJob, texts: Sequence[PaperText], base: TransformerModel, settings: FullSettings
) -> ModelRecord:
    """Fine-tune a base on mined triplets and write it to the model directory of the job.

    An interrupted training is continued from its last checkpoint.

    Vectors are the pooled hidden states of the Transformer. They are not normalized with the
    triplet loss of the paper, which uses their lengths. Deterministic under `settings.seed` on one
    kind of machine.

    Args:
        job: The triplets, the MODEL_DIR and further inputs.
        texts: The papers of the triplets.
        base: The Transformer to start from.
        settings: Settings of the recipe.

    Raises:
        ModelError: The base is a static model or has an adapter, all triplets name papers without
            text, the output is not a model directory, the checkpoints are of another training, or
            the processes cannot share a batch evenly.
    """
    base.folder.require_plain("mode full")
    try:
        require_prefixes(settings.matryoshka, base.folder.dimension)
    except ValueError as error:
        raise ModelError(str(error), "set matryoshka=[64,128]") from error
    _require_shares(settings)
    processes = PartialState(cpu=best_device().type == "cpu", timeout=_WAIT)
    with processes.main_process_first():
        compared = settings.model_dump(exclude={"checkpoint_minutes"})
        papers = PaperRows.of(texts)
        training = open_training(job, papers, base=base.folder.digest, settings=compared)
    progress = job.progress if is_main_process() else silent

    tables = training.triplets, training.validation
    log, best_epoch = fine_tune(training.folder / "train", base, texts, tables, settings, progress)
    if is_main_process():
        description = BaseRecord.of(base.folder)
        with new_model_dir(job.output) as folder:
            transformer = training.folder / "train" / TRANSFORMER_FOLDER
            transformer.rename(folder / TRANSFORMER_FOLDER)
            record = ModelRecord.of(
                settings,
                job.provenance,
                tables,
                digest=fine_tuned_folder(folder, description).digest,
                dimension=base.folder.dimension,
                base=description,
                epochs=epoch_metrics(log),
                best_epoch=best_epoch,
            )
            describe_model(folder, record, log)
    processes.wait_for_everyone()
    return read_record(job.output)


def _require_shares(settings: FullSettings) -> None:
    """Raise ModelError unless the processes can share a batch evenly."""
    part = (settings.micro_batch if settings.loss == "triplet" else 1) * process_count()
    if settings.batch % part:
        raise ModelError(
            f"a batch of {settings.batch} cannot be divided among {process_count()} processes,"
            f" {part // process_count()} triplets at a time",
            f"set batch={part * -(-settings.batch // part)}",
        )


def fine_tune(
    folder: Path,
    base: TransformerModel,
    texts: Sequence[PaperText],
    tables: tuple[IndexedTriplets, IndexedTriplets | None],
    settings: FullSettings,
    progress: Progress,
) -> tuple[list[LogEntry], int]:
    """Fine-tune from the last checkpoint in `folder`, if any, and save the best model there.

    `tables` are the triplets for training and, if any, for validation. Returns the log and the best
    epoch.
    """
    rows, held_out = tables
    chosen = broadcast_object_list([_last_checkpoint(folder) if is_main_process() else None])
    checkpoint: str | None = chosen[0]
    model = build_sentence_transformer(base, normalize=settings.normalized)
    if settings.lora:
        add_adapters(model, settings.lora, settings.seed)
    if settings.gradient_checkpointing:
        model.gradient_checkpointing_enable({"use_reentrant": False})
    order = TripletOrder(len(rows), settings.batch, settings.seed)
    trainer = _Trainer(
        triplets=DataLoader(
            range(len(rows)),  # type: ignore[arg-type]
            batch_sampler=BatchSampler(order, _device_batch(settings), drop_last=True),
            collate_fn=UniqueTextCollator(base, texts, rows),
            generator=torch.Generator().manual_seed(settings.seed),
            pin_memory=torch.cuda.is_available(),
        ),
        model=model,
        args=_arguments(folder, order.steps, held_out is not None, checkpoint, settings),
        loss=BatchLoss(model, settings),
        evaluator=_Validation(base, texts, held_out, settings) if held_out else None,
        callbacks=[_Callback(order, folder.name, settings.checkpoint_minutes, progress)],
    )
    trainer.remove_callback(PrinterCallback)  # it prints on stdout
    with quiet():
        trainer.train(resume_from_checkpoint=checkpoint)
        if settings.lora:
            merged = build_sentence_transformer(base, normalize=settings.normalized)
            merge_adapters(model, merged)
            model = merged
        if is_main_process():
            if model.tokenizer.is_fast:  # it would save how the last batch was cut and padded
                model.tokenizer.backend_tokenizer.no_truncation()
                model.tokenizer.backend_tokenizer.no_padding()
            shutil.rmtree(folder / TRANSFORMER_FOLDER, ignore_errors=True)
            model.save(str(folder / TRANSFORMER_FOLDER), create_model_card=False)
    state = trainer.state
    best = state.best_global_step if held_out else state.global_step
    return _entries(state.log_history, order.steps), best // order.steps


def add_adapters(model: SentenceTransformer, settings: LoraSettings, seed: int) -> None:
    """Add adapters to a Transformer and freeze its weights; raises ModelError without a target."""
    linear = {
        name.rsplit(".", 1)[-1]
        for name, module in model.named_modules()
        if isinstance(module, torch.nn.Linear)
    }
    if missing := set(settings.targets) - linear:
        raise ModelError(
            f"the base has no linear layer {', '.join(sorted(missing))} for an adapter",
            f"set lora.targets=[NAME,...] of {', '.join(sorted(linear))}",
        )
    with extra("lora"):
        from peft import LoraConfig

    config = LoraConfig(
        r=settings.rank,
        lora_alpha=settings.alpha,
        lora_dropout=settings.dropout,
        target_modules=settings.targets,
    )
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model.add_adapter(config)


@torch.no_grad()
def merge_adapters(trained: SentenceTransformer, base: SentenceTransformer) -> None:
    """Add the adapters of a model to the weights of its base: W + (alpha / r) B A."""
    with extra("lora"):
        from peft.tuners.lora import LoraLayer

    for name, module in trained.named_modules():
        if isinstance(module, LoraLayer):
            weight = base.get_submodule(name).weight
            weight += module.get_delta_weight("default").to(weight.device)


class _Validation(BaseEvaluator):  # type: ignore[misc]
    """Scores a model on triplets; each of their papers is encoded once."""

    def __init__(
        self,
        base: TransformerModel,
        texts: Sequence[PaperText],
        held_out: IndexedTriplets,
        settings: FullSettings,
    ) -> None:
        super().__init__()
        self.texts = base.inputs([texts[row] for row in held_out.papers])
        self.rows = np.stack([held_out.query, held_out.positive, held_out.negative], axis=1)
        self.places = np.searchsorted(held_out.papers, self.rows)
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
        loss, correct = 0.0, 0.0
        for start in range(0, len(self.rows), self.settings.batch):
            part = slice(start, start + self.settings.batch)
            triplets = vectors[torch.from_numpy(self.places[part])]
            row = torch.from_numpy(self.rows[part])
            loss += batch_loss(triplets, row, self.settings).item() * len(row)
            correct += triplet_accuracy(*triplets.unbind(1)).item() * len(row)
        return {
            "validation_accuracy": correct / len(self.rows),
            "validation_loss": loss / len(self.rows),
        }


class _Trainer(SentenceTransformerTrainer):  # type: ignore[misc]
    """A trainer with our batches and without a model card, whose examples take a progress bar.

    sentence-transformers documents both methods as overridable.
    """

    def __init__(self, *, triplets: DataLoader[int], **options: Any) -> None:  # noqa: ANN401
        super().__init__(**options)
        self.triplets = triplets

    def get_train_dataloader(self) -> DataLoader[int]:
        """Return the batches; each process gets a share of them."""
        prepared: DataLoader[int] = self.accelerator.prepare(self.triplets)
        return prepared

    def add_model_card_callback(self, default_args_dict: dict[str, Any]) -> None:
        """Add nothing."""


class _Callback(TrainerCallback):  # type: ignore[misc]
    """Reports progress, writes the log, and saves checkpoints within an epoch.

    At the end of an epoch the trainer saves after the validation.
    """

    def __init__(self, order: TripletOrder, stage: str, minutes: float, progress: Progress) -> None:
        self.order = order
        self.stage = stage
        self.seconds = minutes * 60
        self.progress = progress
        self.saved = time.monotonic()

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ANN401
        # accelerate does not set the epoch when several processes resume within an epoch.
        self.order.set_epoch(state.global_step // self.order.steps)

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ANN401
        steps = self.order.steps
        late = torch.tensor(time.monotonic() - self.saved > self.seconds, device=args.device)
        save = bool(broadcast(late).item()) and state.global_step % steps != 0
        control.should_save |= save
        # An interruption would lose the loss since the last entry.
        control.should_log |= save or state.global_step % max(1, steps // ENTRIES) == 0
        self.progress(self.stage, state.global_step, state.max_steps)

    def on_log(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ANN401
        if is_main_process():
            write_csv(
                Path(args.output_dir) / LOG_FILE, _entries(state.log_history, self.order.steps)
            )

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ANN401
        self.saved = time.monotonic()
        PartialState().wait_for_everyone()  # each has written its file
        if is_main_process():
            folder = Path(args.output_dir) / f"checkpoint-{state.global_step}"
            write_file(folder / _SIZES_FILE, json.dumps(_file_sizes(folder)))


def _device_batch(settings: FullSettings) -> int:
    """Return the triplets of a process per pass; the contrastive loss splits them further."""
    triplet = settings.loss == "triplet"
    return settings.micro_batch if triplet else settings.batch // process_count()


def _arguments(
    folder: Path, steps: int, validated: bool, checkpoint: str | None, settings: FullSettings
) -> SentenceTransformerTrainingArguments:
    return SentenceTransformerTrainingArguments(
        **trainer_options(folder, settings, settings.warmup, settings.epochs * steps),
        per_device_train_batch_size=_device_batch(settings),
        gradient_accumulation_steps=settings.batch // (_device_batch(settings) * process_count()),
        lr_scheduler_type="linear",
        optim="adamw_torch",
        weight_decay=0.0,  # without decay AdamW is Adam
        dataloader_drop_last=True,  # all batches are complete; without it, several processes warn
        eval_strategy="epoch" if validated else "no",
        eval_on_start=validated and not checkpoint,
        save_strategy="epoch",
        logging_strategy="epoch",
        load_best_model_at_end=validated,
        metric_for_best_model="eval_validation_accuracy" if validated else None,
        greater_is_better=True if validated else None,
        save_total_limit=2,
    )


def _last_checkpoint(folder: Path) -> str | None:
    """Return the last complete checkpoint; incomplete ones of an interrupted run are removed.

    The checkpoint of the best epoch must be complete, too.
    """
    step = {path: int(path.name.rpartition("-")[2]) for path in folder.glob("checkpoint-*")}
    complete = {path.name for path in step if _is_complete(path)}
    for path in sorted(step, key=step.__getitem__, reverse=True):
        if path.name in complete:
            state = TrainerState.load_from_json(str(path / "trainer_state.json"))
            if Path(state.best_model_checkpoint or path).name in complete:
                return str(path)
        shutil.rmtree(path, ignore_errors=True)
    return None


def _is_complete(checkpoint: Path) -> bool:
    try:
        sizes: dict[str, int] = json.loads((checkpoint / _SIZES_FILE).read_text())
        return sizes == _file_sizes(checkpoint)
    except (OSError, ValueError):
        return False


def _file_sizes(checkpoint: Path) -> dict[str, int]:
    files = (path for path in checkpoint.rglob("*") if path.is_file() and path.name != _SIZES_FILE)
    return {path.relative_to(checkpoint).as_posix(): path.stat().st_size for path in files}


def _entries(history: list[dict[str, Any]], steps: int) -> list[LogEntry]:
    """Merge the trainer's log into one entry per logged step; an epoch has `steps` steps.

    A repeated measure is ignored.
    """
    names = {
        "loss": "loss",
        "learning_rate": "learning_rate",
        "eval_validation_loss": "validation_loss",
        "eval_validation_accuracy": "validation_accuracy",
    }
    entries: dict[int, dict[str, float]] = {}
    for record in history:
        entry = entries.setdefault(record["step"], {})
        for key, name in names.items():
            if key in record:
                entry.setdefault(name, record[key])
    return [LogEntry(step, step / steps, **entry) for step, entry in sorted(entries.items())]
