"""Mode `full`: the whole Transformer is fine-tuned on triplets (SPECTER, sections 2.3 and 4)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pydantic

from specter_graph.core.errors import ModelError
from specter_graph.core.progress import Progress, silent
from specter_graph.core.vectors import require_prefixes
from specter_graph.encoder.distances import Distance
from specter_graph.encoder.distributed import (
    first_goes_ahead,
    is_first,
    processes,
    wait_for_all,
)
from specter_graph.encoder.lora import LoraSettings
from specter_graph.encoder.model import BaseModel
from specter_graph.encoder.model_dir import (
    BaseRecord,
    EpochMetrics,
    ModelRecord,
    Provenance,
    TripletsRecord,
    check_output,
    discard_training,
    library_versions,
    now,
    read_record,
    require_same_training,
    training_folder,
    write_model_dir,
)
from specter_graph.encoder.model_files import read_base
from specter_graph.encoder.training_log import LogEntry
from specter_graph.encoder.triplet_cache import store_triplets, stored_triplets
from specter_graph.encoder.triplets import (
    Indexing,
    PaperRows,
    TripletRows,
    TripletTable,
    control_tables,
)
from specter_graph.loaders.records import PaperText

TRANSFORMER_FOLDER = "transformer"


class FullSettings(pydantic.BaseModel):
    """The recipe of the paper (section 4): its defaults are the paper's.

    The contrastive loss compares every query with all positives and negatives of its batch, by the
    cosine, but for those that the batch knows it to cite; its vectors are normalised.
    """

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)

    mode: Literal["full"] = "full"
    loss: Literal["triplet", "contrastive"] = "triplet"
    distance: Distance = pydantic.Field(default="l2", description="of the triplet loss")
    margin: float = pydantic.Field(default=1.0, gt=0, description="of the triplet loss")
    temperature: float = pydantic.Field(default=0.05, gt=0, description="of the contrastive loss")
    symmetric: bool = pydantic.Field(
        default=False, description="the contrastive loss also finds queries from positives"
    )
    matryoshka: list[int] = pydantic.Field(
        default=[], description="dimensions that vectors can be cut to: the loss counts these too"
    )
    epochs: int = pydantic.Field(default=2, ge=1)
    batch: int = pydantic.Field(default=32, ge=1, description="triplets a step of Adam")
    micro_batch: int = pydantic.Field(
        default=4, ge=1, description="triplets in memory at once; their gradients add up to a batch"
    )
    learning_rate: float = pydantic.Field(default=2e-5, gt=0, description="of Adam, at its peak")
    warmup: float = pydantic.Field(
        default=0.1, ge=0, lt=1, description="share of steps it rises for"
    )
    lora: LoraSettings | None = pydantic.Field(
        default=None, description="train adapters beside the frozen weights, or all of these"
    )
    gradient_checkpointing: bool = pydantic.Field(
        default=False, description="less memory for a third more time"
    )
    checkpoint_minutes: float = pydantic.Field(
        default=10, gt=0, description="longest work lost by a kill"
    )
    seed: int = pydantic.Field(default=0, ge=0)
    controls: bool = pydantic.Field(
        default=False,
        description="also train without hard negatives and on shuffled positives: 3 x time",
    )

    @property
    def normalized(self) -> bool:
        """Whether vectors are scaled to length 1, so that L2 ranks them as the loss does."""
        return self.loss == "contrastive" or self.distance == "cosine"

    @pydantic.model_validator(mode="after")
    def _of_one_loss(self) -> "FullSettings":
        if self.loss == "triplet" and self.symmetric:
            raise ValueError("symmetric is of the contrastive loss")
        return self

    @pydantic.model_validator(mode="after")
    def _whole_batches(self) -> "FullSettings":
        if self.batch % self.micro_batch:
            raise ValueError(f"batch {self.batch} is no multiple of micro_batch {self.micro_batch}")
        return self


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

    `texts` are the papers that the triplets name. Vectors are the base's pooled hidden states, with
    the triplet loss not normalised (the paper's loss needs lengths). `validation` triplets choose
    the epoch that is kept; without any the last one is. With `resume` a killed training goes on
    from its last checkpoint in `.OUTPUT.training` beside it. Raises ModelError as
    `head.train_head` does.
    """
    from specter_graph.encoder.finetune import fine_tune

    settings, provenance = settings or FullSettings(), provenance or Provenance()
    check_output(output)
    try:
        require_prefixes(settings.matryoshka, base.dimension)
    except ValueError as error:
        raise ModelError(str(error), "--set matryoshka=[64,128]") from error
    _require_shares(settings)
    with first_goes_ahead():
        checkpoints = training_folder(output, resume=resume or not is_first())
        rows = _stored(checkpoints / "triplets", triplets, texts)
        judged = _stored(checkpoints / "validation", validation or [], texts)
        held = judged if len(judged) else None  # none was mined: a small corpus
        require_same_training(
            checkpoints,
            base=base.digest,
            corpus=provenance.corpus,
            triplets=rows.digest,
            validation=held.digest if held else None,
            settings=settings.model_dump(exclude={"checkpoint_minutes"}),
        )
    progress = progress if is_first() else silent
    controls = control_tables(rows, settings.seed) if settings.controls else {}
    tables = {"train": rows, **controls}
    done: dict[str, tuple[list[EpochMetrics], int, list[LogEntry]]] = {}
    for name, table in tables.items():
        done[name] = fine_tune(
            checkpoints / name, base, texts, table, held, settings, name, progress
        )
    epochs, best, log = done.pop("train")
    if is_first():
        write_model_dir(
            output,
            lambda folder: _move(checkpoints / "train" / TRANSFORMER_FOLDER, folder),
            lambda folder: ModelRecord(
                mode="full",
                digest=transformer(folder, BaseRecord.of(base.folder)).digest,
                dimension=base.dimension,
                base=BaseRecord.of(base.folder),
                settings=settings.model_dump(),
                seed=settings.seed,
                mined=provenance.mined,
                learned_from=provenance.learned_from,
                triplets=TripletsRecord.of(rows),
                validation=TripletsRecord.of(held) if held else None,
                epochs=epochs,
                best_epoch=best,
                controls={name: metrics[kept] for name, (metrics, kept, _) in done.items()},
                corpus=provenance.corpus,
                holdout=provenance.holdout,
                versions=library_versions(),
                created=now(),
            ),
            log,
        )
        discard_training(output)
    wait_for_all()
    return read_record(output)


def _require_shares(settings: FullSettings) -> None:
    """Raise ModelError unless a batch can be dealt out to the processes."""
    least = settings.micro_batch if settings.loss == "triplet" else 1
    if settings.batch % (least * processes()):
        raise ModelError(
            f"a batch of {settings.batch} cannot be dealt out to {processes()} processes,"
            f" {least} at a time",
            f"--set batch={least * processes() * -(-settings.batch // (least * processes()))}",
        )


def _stored(folder: Path, triplets: TripletTable, texts: Sequence[PaperText]) -> TripletRows:
    """Mine triplets in the first process; the others open what it wrote."""
    if is_first():
        return store_triplets(folder, triplets, Indexing(PaperRows.of(texts)))
    return stored_triplets(folder)


def transformer(folder: Path, base: BaseRecord) -> BaseModel:
    """The fine-tuned Transformer of a model directory, which reads as its base did."""
    path = folder / TRANSFORMER_FOLDER
    length, parts = base.max_length, base.parts
    return BaseModel(read_base(str(path.resolve()), None, path, max_length=length, parts=parts))


def _move(source: Path, folder: Path) -> None:
    source.rename(folder / TRANSFORMER_FOLDER)
