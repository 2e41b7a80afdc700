"""Mode `full`: fine-tune the whole Transformer on triplets (SPECTER, sections 2.3 and 4).

The trainer, the modules and the gradient cache are those of sentence-transformers, by its public
API. Ours are the order of the triplets, the batches of distinct texts, the losses, the validation
and the log. Several processes, which `torchrun` starts, share each batch.
"""

import json
import math
import shutil
import time
from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import torch
from accelerate import PartialState
from accelerate.utils import broadcast
from sentence_transformers import (
    SentenceTransformer,
    SentenceTransformerModelCardData,
    SentenceTransformerTrainer,
    SentenceTransformerTrainingArguments,
)
from sentence_transformers.base.evaluation import BaseEvaluator
from sentence_transformers.base.losses import CachedLossMixin
from sentence_transformers.base.modules import Normalize, Transformer
from sentence_transformers.sentence_transformer.modules import Pooling
from sentence_transformers.util import all_gather_with_grad
from torch.utils.data import BatchSampler, DataLoader, Sampler
from transformers import PrinterCallback, TrainerCallback

from specter_graph.core.errors import ModelError, extra
from specter_graph.core.progress import Progress, silent
from specter_graph.core.vectors import require_prefixes
from specter_graph.encoder.device import (
    best_device,
    has_fast_bfloat16,
    is_main_process,
    process_count,
)
from specter_graph.encoder.losses import (
    contrastive_loss,
    over_prefixes,
    triplet_accuracy,
    triplet_margin_loss,
)
from specter_graph.encoder.model import TOKENS, BaseModel, quiet
from specter_graph.encoder.model_dir import (
    check_output,
    discard_training,
    require_same_training,
    training_folder,
    write_model_dir,
)
from specter_graph.encoder.model_files import MAX_LENGTH
from specter_graph.encoder.model_record import (
    TRANSFORMER_FOLDER,
    BaseRecord,
    EpochMetrics,
    ModelRecord,
    Provenance,
    fine_tuned_folder,
    read_record,
)
from specter_graph.encoder.recipe import FullSettings, LoraSettings
from specter_graph.encoder.training_log import ENTRIES, LOG_FILE, LogEntry, write_csv
from specter_graph.encoder.triplets import (
    IndexedTriplets,
    Indexing,
    KnownCitations,
    PaperRows,
    TripletTable,
    control_tables,
    store_triplets,
    stored_triplets,
)
from specter_graph.loaders.records import PaperText

_WAIT = timedelta(days=1)
"""Time that other processes wait for the main one, which mines and validates alone."""
_STATE_FILE = "trainer_state.json"
"""The file that the trainer writes last into a checkpoint."""


def train_full(
    output: Path,
    texts: Sequence[PaperText],
    base: BaseModel,
    triplets: TripletTable,
    validation: TripletTable | None = None,
    settings: FullSettings | None = None,
    provenance: Provenance | None = None,
    *,
    resume: bool = False,
    progress: Progress = silent,
) -> ModelRecord:
    """Fine-tune a base on mined triplets and write it to the model directory `output`.

    Vectors are the base's pooled hidden states, with the triplet loss not normalized (the paper's
    loss needs lengths). Deterministic under `settings.seed` on one kind of machine.

    Args:
        output: The MODEL_DIR.
        texts: The papers of the triplets.
        base: The Transformer to start from.
        triplets: Triplets to learn from.
        validation: Triplets that choose the epoch to keep; without any the last one is kept.
        settings: The recipe.
        provenance: What the graph says about the triplets, for the record.
        resume: Continue an interrupted training from its last checkpoint, in `.OUTPUT.training`.
        progress: Called with the stage `train`, and those of the controls, after each step.

    Raises:
        ModelError: For triplets without texts, an output that is something else, a checkpoint of
            another training, or a batch that the processes cannot share.
    """
    settings, provenance = settings or FullSettings(), provenance or Provenance()
    check_output(output)
    try:
        require_prefixes(settings.matryoshka, base.dimension)
    except ValueError as error:
        raise ModelError(str(error), "--set matryoshka=[64,128]") from error
    _require_shares(settings)
    processes = PartialState(cpu=best_device().type == "cpu", timeout=_WAIT)
    with processes.main_process_first():
        checkpoints = training_folder(output, resume=resume or not is_main_process())
        rows = _stored(checkpoints / "triplets", triplets, texts)
        held_out = _stored(checkpoints / "validation", validation or [], texts) or None
        require_same_training(
            checkpoints,
            base=base.digest,
            corpus=provenance.corpus,
            triplets=rows.digest,
            validation=held_out.digest if held_out else None,
            settings=settings.model_dump(exclude={"checkpoint_minutes"}),
        )
    if not len(rows):
        raise ModelError("there are no triplets to train on", "mine some: specter-graph triplets")
    tables = {"train": rows}
    if settings.controls:
        tables |= control_tables(rows, settings.seed)
    if not is_main_process():
        progress = silent
    trained = {
        name: fine_tune(checkpoints / name, base, texts, (table, held_out), settings, progress)
        for name, table in tables.items()
    }
    epochs, best, log = trained.pop("train")
    if is_main_process():
        description = BaseRecord.of(base.folder)
        write_model_dir(
            output,
            lambda folder: _move(checkpoints / "train", folder),
            lambda folder: ModelRecord.of(
                settings,
                fine_tuned_folder(folder, description).digest,
                base.dimension,
                description,
                provenance,
                (rows, held_out),
                epochs,
                best,
                controls={name: metrics[best] for name, (metrics, best, _) in trained.items()},
            ),
            log,
        )
        discard_training(output)
    processes.wait_for_everyone()
    return read_record(output)


def _require_shares(settings: FullSettings) -> None:
    """Raise ModelError unless the processes can share a batch evenly."""
    part = (settings.micro_batch if settings.loss == "triplet" else 1) * process_count()
    if settings.batch % part:
        raise ModelError(
            f"a batch of {settings.batch} cannot be dealt out to {process_count()} processes,"
            f" {part // process_count()} at a time",
            f"--set batch={part * -(-settings.batch // part)}",
        )


def _stored(folder: Path, triplets: TripletTable, texts: Sequence[PaperText]) -> IndexedTriplets:
    """Mine triplets in the main process; the others open its files."""
    if is_main_process():
        return store_triplets(folder, triplets, Indexing(PaperRows.of(texts)))
    return stored_triplets(folder)


def _move(trained: Path, folder: Path) -> None:
    (trained / TRANSFORMER_FOLDER).rename(folder / TRANSFORMER_FOLDER)


def fine_tune(
    folder: Path,
    base: BaseModel,
    texts: Sequence[PaperText],
    tables: tuple[IndexedTriplets, IndexedTriplets | None],
    settings: FullSettings,
    progress: Progress,
) -> tuple[list[EpochMetrics], int, list[LogEntry]]:
    """Fine-tune from the last checkpoint in `folder`, if any, and save the best model there.

    Returns the metrics by epoch, from 0 (before training), the best epoch, and the log.
    """
    rows, held_out = tables
    checkpoint = _last_checkpoint(folder)
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
            model.save(str(folder / TRANSFORMER_FOLDER), create_model_card=False)
    log = _entries(trainer.state.log_history)
    best = trainer.state.best_global_step if held_out else trainer.state.global_step
    return _metrics(log, order.steps), best // order.steps, log


def build_sentence_transformer(base: BaseModel, *, normalize: bool = False) -> SentenceTransformer:
    """Return the base as modules to train: Transformer, pooling and, on request, Normalize."""
    with quiet():
        transformer = Transformer(str(base.folder.path))
    modules = [transformer, Pooling(base.dimension, pooling_mode=base.pooling)]
    # Otherwise every checkpoint would ask the hub about the base, for a card that is not used.
    card = SentenceTransformerModelCardData(local_files_only=True)
    model = SentenceTransformer(
        modules=[*modules, Normalize()] if normalize else modules,
        device=str(best_device()),
        model_card_data=card,
    )
    model.max_seq_length = base.max_length
    return model.float()


def add_adapters(model: SentenceTransformer, settings: LoraSettings, seed: int) -> None:
    """Put adapters into a Transformer and freeze all else; raises ModelError without a target."""
    linear = {
        name.rsplit(".", 1)[-1]
        for name, module in model.named_modules()
        if isinstance(module, torch.nn.Linear)
    }
    if missing := set(settings.targets) - linear:
        raise ModelError(
            f"the base has no linear layer {', '.join(sorted(missing))} for an adapter",
            f"--set lora.targets=[NAME,...] of {', '.join(sorted(linear))}",
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
def merge_adapters(trained: SentenceTransformer, plain: SentenceTransformer) -> None:
    """Add the adapters of a model to the weights of its base: W + (alpha / r) B A."""
    with extra("lora"):
        from peft.tuners.lora import LoraLayer

    for name, module in trained.named_modules():
        if isinstance(module, LoraLayer):
            weight = plain.get_submodule(name).weight
            weight += module.get_delta_weight("default").to(weight.device)


class TripletOrder(Sampler[int]):
    """A random order of t triplets for each epoch, 8 bytes a triplet.

    An epoch is `steps` steps of `step` triplets. The last one is filled up from the epoch's
    beginning, so that all steps count the same and processes have equally many batches.
    """

    def __init__(self, triplets: int, step: int, seed: int) -> None:
        self.triplets = triplets
        self.step = step
        self.steps = math.ceil(triplets / step)
        self.seed = seed
        self.epoch = 0

    def set_epoch(self, epoch: int) -> None:
        """Choose the epoch of the next iteration."""
        self.epoch = epoch

    def __len__(self) -> int:
        return self.steps * self.step

    def __iter__(self) -> Iterator[int]:
        order = np.random.default_rng([self.seed, self.epoch]).permutation(self.triplets)
        return (int(order[place % self.triplets]) for place in range(len(self)))


class UniqueTextCollator:
    """Turns b triplets, by their numbers, into the tokens of their distinct papers.

    `label` is int64 (2, b, 3): the place of each paper among the texts, and its row of the corpus.
    Texts are in the order of their lengths, so that a part of them has little padding.
    """

    valid_label_columns = ("label",)

    def __init__(self, base: BaseModel, texts: Sequence[PaperText], rows: IndexedTriplets) -> None:
        self.base = base
        self.texts = texts
        self.columns = (rows.query, rows.positive, rows.negative)

    def __call__(self, numbers: list[int]) -> dict[str, torch.Tensor]:
        """Return the inputs of `BatchLoss`, as the trainer passes them on."""
        triplets = np.stack([column[numbers] for column in self.columns], axis=1)
        papers, places = np.unique(triplets, return_inverse=True)
        tokenizer = self.base.tokenizer
        texts = [self.base.text(self.texts[row]) for row in papers]
        tokens = tokenizer(texts, truncation=True, max_length=self.base.max_length)
        order = np.argsort([len(ids) for ids in tokens["input_ids"]], kind="stable")
        padded = tokenizer.pad(
            {name: [values[place] for place in order] for name, values in tokens.items()},
            return_tensors="pt",
        )
        label = np.stack([np.argsort(order)[places.reshape(triplets.shape)], triplets])
        return {**{f"text_{k}": v for k, v in padded.items()}, "label": torch.from_numpy(label)}


class BatchLoss(CachedLossMixin, torch.nn.Module):  # type: ignore[misc]
    """Encodes the texts of a `UniqueTextCollator`, each once, and compares them in triplets.

    The contrastive loss compares a whole batch, which passes through memory in parts: its gradients
    are cached at the vectors (Gao et al. 2021). With several processes the batch is theirs
    together.
    """

    def __init__(self, model: SentenceTransformer, settings: FullSettings) -> None:
        super().__init__()
        self.model = model
        self.settings = settings
        self.mini_batch_size = 3 * settings.micro_batch
        # Smaller parts have less padding, and on CPUs they stay in the caches.
        tokens = self.mini_batch_size * (model.max_seq_length or MAX_LENGTH)
        self.mini_batch_num_tokens = min(TOKENS[model.device.type], tokens)

    def forward(self, features: list[dict[str, torch.Tensor]], label: torch.Tensor) -> torch.Tensor:
        """Return the mean loss of a batch."""
        cached: Any = self  # torch declares unknown attributes as tensors
        loss: torch.Tensor
        if self.settings.loss == "contrastive":
            loss = cached.forward_cached(features, label)
        else:
            (texts,) = features
            parts = cached.embed_minibatch_iter(texts, with_grad=True, copy_random_state=False)
            loss = self.calculate_loss([[vectors for vectors, _ in parts]], label)
        return loss

    def calculate_loss(
        self, reps: list[list[torch.Tensor]], labels: torch.Tensor, *, with_backward: bool = False
    ) -> torch.Tensor:
        """Return the loss of vectors that come in parts; `CachedLossMixin` calls it."""
        place, row = labels
        vectors = torch.cat(reps[0])[place]
        if self.settings.loss == "contrastive" and process_count() > 1:
            vectors, row = all_gather_with_grad(vectors), all_gather_with_grad(row)
        loss = batch_loss(vectors, row, self.settings)
        if with_backward:
            loss.backward()  # type: ignore[no-untyped-call]
            loss = loss.detach()
        return loss


def batch_loss(vectors: torch.Tensor, row: torch.Tensor, settings: FullSettings) -> torch.Tensor:
    """Return the mean loss of b triplets: vectors (b, 3, d) and rows of the corpus (b, 3).

    Negatives of the contrastive loss are neither the query itself nor a paper that it cites or that
    cites it according to the triplets of the batch.
    """
    excluded = None
    if settings.loss == "contrastive":
        columns = row.cpu().numpy().T
        known = KnownCitations((columns[0], columns[1]))
        excluded = torch.from_numpy(known.excluded(*columns)).to(vectors.device)

    def loss(cut: torch.Tensor) -> torch.Tensor:
        query, positive, negative = cut.unbind(1)
        if settings.loss == "triplet":
            return triplet_margin_loss(
                query, positive, negative, settings.margin, settings.distance
            )
        return contrastive_loss(
            query,
            positive,
            negative,
            excluded,
            settings.temperature,
            symmetric=settings.symmetric,
        )

    return over_prefixes(loss, vectors, settings.matryoshka, normalize=settings.normalized)


class _Validation(BaseEvaluator):  # type: ignore[misc]
    """Scores a model on triplets, encoding each of their papers once."""

    def __init__(
        self,
        base: BaseModel,
        texts: Sequence[PaperText],
        held_out: IndexedTriplets,
        settings: FullSettings,
    ) -> None:
        super().__init__()
        self.texts = [base.text(texts[row]) for row in held_out.papers]
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
    """Draws our batches, and makes no model card: gathering its examples shows a progress bar.

    Both methods are meant to be overridden, see their documentation in sentence-transformers.
    """

    def __init__(self, *, triplets: DataLoader[int], **options: Any) -> None:  # noqa: ANN401
        super().__init__(**options)
        self.triplets = triplets

    def get_train_dataloader(self) -> DataLoader[int]:
        """Return the batches; each process draws a share of them."""
        prepared: DataLoader[int] = self.accelerator.prepare(self.triplets)
        return prepared

    def add_model_card_callback(self, default_args_dict: dict[str, Any]) -> None:
        """Add nothing."""


class _Callback(TrainerCallback):  # type: ignore[misc]
    """Reports progress, writes the log, and saves between the ends of epochs, hours on a CPU.

    At the end of an epoch the trainer itself saves, after the validation.
    """

    def __init__(self, order: TripletOrder, stage: str, minutes: float, progress: Progress) -> None:
        self.order = order
        self.stage = stage
        self.seconds = minutes * 60
        self.progress = progress
        self.saved = time.monotonic()

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ANN401
        # accelerate does not set the epoch when several processes resume within one.
        self.order.set_epoch(state.global_step // self.order.steps)

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ANN401
        steps = self.order.steps
        late = torch.tensor(time.monotonic() - self.saved > self.seconds, device=args.device)
        save = bool(broadcast(late).item()) and state.global_step % steps != 0
        control.should_save |= save
        # A save logs, too: the loss since the last entry would be lost in an interruption.
        control.should_log |= save or state.global_step % max(1, steps // ENTRIES) == 0
        self.progress(self.stage, state.global_step, state.max_steps)

    def on_log(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ANN401
        if is_main_process():
            write_csv(Path(args.output_dir) / LOG_FILE, _entries(state.log_history))

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:  # noqa: ANN401
        self.saved = time.monotonic()


def _device_batch(settings: FullSettings) -> int:
    """Return the triplets of a process at a time; the contrastive loss divides them itself."""
    triplet = settings.loss == "triplet"
    return settings.micro_batch if triplet else settings.batch // process_count()


def _arguments(
    folder: Path, steps: int, validated: bool, checkpoint: str | None, settings: FullSettings
) -> SentenceTransformerTrainingArguments:
    device = best_device()
    total = settings.epochs * steps
    return SentenceTransformerTrainingArguments(
        output_dir=str(folder),
        num_train_epochs=settings.epochs,
        per_device_train_batch_size=_device_batch(settings),
        gradient_accumulation_steps=settings.batch // (_device_batch(settings) * process_count()),
        learning_rate=settings.learning_rate,
        lr_scheduler_type="linear",
        # The first step has a rate of 0: a training of one step would learn nothing.
        warmup_steps=min(math.ceil(settings.warmup * total), total - 1),
        optim="adamw_torch",
        weight_decay=0.0,  # without decay AdamW is Adam
        bf16=has_fast_bfloat16(device),
        dataloader_drop_last=True,  # all batches are complete; otherwise several processes warn
        use_cpu=device.type == "cpu",
        dataloader_pin_memory=device.type == "cuda",
        eval_strategy="epoch" if validated else "no",
        eval_on_start=validated and not checkpoint,
        save_strategy="epoch",
        logging_strategy="epoch",
        load_best_model_at_end=validated,
        metric_for_best_model="eval_validation_accuracy" if validated else None,
        greater_is_better=True if validated else None,
        save_total_limit=2,
        report_to=[],
        disable_tqdm=True,
        seed=settings.seed,
        data_seed=settings.seed,
    )


def _last_checkpoint(folder: Path) -> str | None:
    """Return the last complete checkpoint, and remove those that a kill left incomplete."""
    step = {path: int(path.name.rpartition("-")[2]) for path in folder.glob("checkpoint-*")}
    for path in sorted(step, key=step.__getitem__, reverse=True):
        try:
            json.loads((path / _STATE_FILE).read_text())
            return str(path)
        except (OSError, ValueError):
            if is_main_process():
                shutil.rmtree(path, ignore_errors=True)
    return None


def _entries(history: list[dict[str, Any]]) -> list[LogEntry]:
    """Convert the trainer's log to one entry a step; of repeated measures the first counts."""
    names = {
        "loss": "loss",
        "learning_rate": "learning_rate",
        "eval_validation_loss": "validation_loss",
        "eval_validation_accuracy": "validation_accuracy",
    }
    entries: dict[int, dict[str, float]] = {}
    for record in history:
        entry = entries.setdefault(record["step"], {"epoch": record.get("epoch", 0)})
        for key, name in names.items():
            if key in record:
                entry.setdefault(name, record[key])
    return [LogEntry(step, **entry) for step, entry in sorted(entries.items())]


def _metrics(log: list[LogEntry], steps: int) -> list[EpochMetrics]:
    """Return a record of each epoch of `steps` steps; epoch 0 is before training."""
    epochs: dict[int, dict[str, float]] = {0: {}}
    previous = 0
    for entry in log:
        metrics = epochs.setdefault(-(-entry.step // steps), {})
        if entry.loss is not None:
            share = entry.loss * (entry.step - previous) / steps
            metrics["training_loss"] = metrics.get("training_loss", 0.0) + share
            previous = entry.step
        for name in ("validation_loss", "validation_accuracy"):
            if (value := getattr(entry, name)) is not None:
                metrics[name] = value
    return [EpochMetrics(epoch=epoch, **metrics) for epoch, metrics in sorted(epochs.items())]
