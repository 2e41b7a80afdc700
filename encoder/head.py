"""Mode `head`: a linear head on frozen base vectors, optionally with text features beside them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

import pydantic

from specter_graph.core.errors import ModelError
from specter_graph.core.progress import Progress, silent
from specter_graph.core.vectors import Vectors, require_prefixes, unit
from specter_graph.encoder.distillation import DistilSettings, with_distilled
from specter_graph.encoder.distributed import processes
from specter_graph.encoder.features import NUMBERS_FILE, WORDS_FILE, FeatureSettings, TextFeatures
from specter_graph.encoder.head_inputs import (
    BaseVectors,
    HeadCorpus,
    fitted_features,
    head_inputs,
    stored_inputs,
)
from specter_graph.encoder.model_dir import (
    BaseRecord,
    ModelRecord,
    Provenance,
    TripletsRecord,
    check_output,
    discard_training,
    library_versions,
    now,
    require_same_training,
    training_folder,
    write_model_dir,
)
from specter_graph.encoder.model_files import file_sha256
from specter_graph.encoder.triplets import (
    PaperRows,
    TripletTable,
    control_tables,
    index_triplets,
)
from specter_graph.loaders.records import PaperText

HEAD_FILE = "head.safetensors"


class HeadSettings(pydantic.BaseModel):
    """The recipe of a head; the defaults are the ones chosen on hepph's validation papers."""

    model_config = pydantic.ConfigDict(extra="forbid", frozen=True)

    mode: Literal["head"] = "head"
    dimension: int = pydantic.Field(default=768, ge=1, description="length of the vectors made")
    features: FeatureSettings | None = pydantic.Field(
        default=FeatureSettings(),
        description="TF-IDF/SVD features beside the base vectors, or none",
    )
    feature_weight: float = pydantic.Field(
        default=1.0, gt=0, description="their length; a base's is 1"
    )
    distil: DistilSettings | None = pydantic.Field(
        default=DistilSettings(),
        description="a part of the vectors predicts SGC's from the text, or none does",
    )
    loss: Literal["contrastive", "triplet"] = "contrastive"
    temperature: float = pydantic.Field(default=0.05, gt=0, description="of the contrastive loss")
    symmetric: bool = pydantic.Field(
        default=False, description="the contrastive loss also finds queries from positives"
    )
    random_negatives: int = pydantic.Field(
        default=0, ge=0, description="papers drawn for each batch, beside the mined negatives"
    )
    matryoshka: list[int] = pydantic.Field(
        default=[], description="dimensions that vectors can be cut to: the loss counts these too"
    )
    margin: float = pydantic.Field(default=0.3, gt=0, description="of the triplet loss")
    epochs: int = pydantic.Field(default=1, ge=1)
    epoch_triplets: int = pydantic.Field(
        default=5_000_000, ge=1, description="triplets of an epoch at most; more are drawn from"
    )
    batch: int = pydantic.Field(default=256, ge=2, description="triplets a step")
    learning_rate: float = pydantic.Field(default=5e-4, gt=0, description="of Adam")
    seed: int = pydantic.Field(default=0, ge=0)
    controls: bool = pydantic.Field(
        default=False,
        description="also train without hard negatives and on shuffled positives: 3 x time",
    )

    @property
    def distilled_dimension(self) -> int:
        """How many of the dimensions predict SGC's vectors."""
        return int(self.dimension * self.distil.share) if self.distil else 0

    @property
    def learned_dimension(self) -> int:
        """How many of the dimensions, the first ones, are learned on triplets."""
        return self.dimension - self.distilled_dimension

    @pydantic.model_validator(mode="after")
    def _of_one_loss(self) -> "HeadSettings":
        if self.loss == "triplet" and (self.symmetric or self.random_negatives):
            raise ValueError("symmetric and random_negatives are of the contrastive loss")
        require_prefixes(self.matryoshka, self.learned_dimension)
        return self


@dataclass(frozen=True)
class Head:
    """`weight` W (d_in, dimension); d_in is the base's dimension and that of the features."""

    weight: Vectors
    features: TextFeatures | None
    feature_weight: float

    def apply(self, base_vectors: Vectors, texts: Sequence[str]) -> Vectors:
        """Vectors (n, dimension), L2-normalised; the texts are read for their features only."""
        inputs = head_inputs(base_vectors, texts, self.features, self.feature_weight)
        return unit(inputs @ self.weight)

    def save(self, folder: Path) -> None:
        """Write the head's files into a folder."""
        from safetensors.numpy import save_file

        save_file({"weight": self.weight}, folder / HEAD_FILE)
        if self.features:
            self.features.save(folder)

    @classmethod
    def load(cls, folder: Path, record: ModelRecord) -> "Head":
        """Read a head; raises ModelError when its files are not those of the record."""
        from safetensors.numpy import load_file

        if _digest(folder, record.base.digest) != record.digest:
            raise ModelError(
                f"the files in {folder} are not the ones that training wrote",
                "copy the whole model directory again, or train again",
            )
        settings = HeadSettings.model_validate(record.settings)
        features = TextFeatures.load(folder) if settings.features else None
        return cls(load_file(folder / HEAD_FILE)["weight"], features, settings.feature_weight)


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

    `texts` are all papers of the corpus; they are read three times, so give a list, or an object
    that reads them anew each time. `base_vectors` (n, d) are theirs under `base`, row by row, or a
    function that returns those of some papers. Word features are fitted on papers of the training
    triplets, 100,000 at most. What the head sees of all papers is written to a file of float16
    in the folder of the checkpoints and read from there.
    `validation` triplets choose the epoch that is kept; without any the last one is. A training
    that was killed goes on where it stood with `resume` (a checkpoint an epoch, in
    `.OUTPUT.training` beside it). Deterministic under `settings.seed`. Raises ModelError for
    triplets without texts, an output that is something else, or a checkpoint of another training.
    """
    from specter_graph.encoder.head_training import Course

    settings, provenance = settings or HeadSettings(), provenance or Provenance()
    check_output(output)
    if processes() > 1:
        raise ModelError("a head is trained by one process", "start it without torchrun")
    papers = PaperRows.of(texts)
    read_base = base_vectors if callable(base_vectors) else _by_row(base_vectors, papers)
    rows = index_triplets(triplets, papers)
    if not len(rows):
        raise ModelError("there are no triplets to train on", "mine some: specter-graph triplets")
    held = index_triplets(validation, papers) if validation is not None else None
    held = held or None  # none was mined: a small corpus
    checkpoints = training_folder(output, resume=resume)
    require_same_training(
        checkpoints,
        base=base.digest,
        corpus=provenance.corpus,
        triplets=rows.digest,
        validation=held.digest if held else None,
        settings=settings.model_dump(exclude={"epochs"}),
    )
    corpus = HeadCorpus(texts, papers, read_base, base.parts)
    features = None
    if settings.features:
        features = fitted_features(
            corpus, rows, settings.features, settings.seed, checkpoints, progress
        )
    inputs = stored_inputs(corpus, features, settings.feature_weight, checkpoints, progress)
    course = Course(inputs, held, settings, checkpoints, progress)
    tables = control_tables(rows, settings.seed) if settings.controls else {}
    trained = course.run("train", rows)
    controls = {name: course.run(name, table).best for name, table in tables.items()}
    weight, distilled = trained.weight, None
    if settings.distil and settings.distilled_dimension:
        progress("distil", 0, 1)
        weight = with_distilled(weight, inputs, rows, settings.distilled_dimension, settings.distil)
        distilled = course.accuracy(weight)
        progress("distil", 1, 1)
    head = Head(weight, features, settings.feature_weight)
    record = write_model_dir(
        output,
        head.save,
        lambda folder: ModelRecord(
            mode="head",
            digest=_digest(folder, base.digest),
            dimension=weight.shape[1],
            base=base,
            settings=settings.model_dump(),
            seed=settings.seed,
            mined=provenance.mined,
            learned_from=provenance.learned_from,
            triplets=TripletsRecord.of(rows),
            validation=TripletsRecord.of(held) if held else None,
            epochs=trained.epochs,
            best_epoch=trained.best.epoch,
            distilled=distilled,
            controls=controls,
            corpus=provenance.corpus,
            holdout=provenance.holdout,
            versions=library_versions(),
            created=now(),
        ),
        trained.log,
    )
    discard_training(output)
    return record


def _by_row(base_vectors: Vectors, papers: PaperRows) -> BaseVectors:
    if len(base_vectors) != len(papers):
        raise ModelError(f"{len(base_vectors)} base vectors for {len(papers)} papers")
    return lambda texts: base_vectors[[papers.row_of[text.id] for text in texts]]


def _digest(folder: Path, base_digest: str) -> str:
    """SHA-256 over the base's digest and the head's files."""
    digest = sha256(base_digest.encode())
    for name in (HEAD_FILE, WORDS_FILE, NUMBERS_FILE):
        if (folder / name).exists():
            digest.update(file_sha256(folder / name).encode())
    return digest.hexdigest()
