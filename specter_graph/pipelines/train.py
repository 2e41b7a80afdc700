"""Training of an encoder on triplets, texts and vectors from the graph."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import pyarrow as pa

from specter_graph.core.errors import GraphError, InputError, LeakError, ModelError, counted, extra
from specter_graph.core.progress import Progress, silent
from specter_graph.core.triplet_settings import Source, validation_source
from specter_graph.core.vectors import Vectors
from specter_graph.encoder.device import is_main_process
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.finetune import train_full
from specter_graph.encoder.head_training import train_head
from specter_graph.encoder.input_fields import Parts
from specter_graph.encoder.model_dir import TrainingJob, check_output
from specter_graph.encoder.model_record import BaseRecord, ModelRecord, Provenance
from specter_graph.encoder.recipe import FullSettings, HeadSettings, Recipe, RerankerSettings
from specter_graph.encoder.reranker_training import train_reranker
from specter_graph.encoder.triplets import TripletTable
from specter_graph.graph.contents import corpus_fingerprint, stats
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.embed import embed
from specter_graph.graph.embeddings.paper_texts import paper_texts
from specter_graph.graph.embeddings.spaces import find_space, get_space, read_vectors
from specter_graph.graph.split import HOLDOUT, held_out_among, split_digest
from specter_graph.graph.triplets.mine import mine_triplets
from specter_graph.graph.triplets.sources import learned_from
from specter_graph.graph.triplets.triplet_files import read_triplets
from specter_graph.loaders.records import PaperText


def train(
    db: Database,
    output: Path,
    recipe: Recipe,
    *,
    triplets: Path | str | None = None,
    validation: Path | str | None = None,
    base_space: str = "base",
    holdout: float = HOLDOUT,
    resume: bool = False,
    progress: Progress = silent,
) -> ModelRecord:
    """Mine or read triplets and train on them; see `LiteratureGraph.train`."""
    settings = recipe.training
    check_output(output)  # before hours of embedding
    if isinstance(settings, FullSettings) and settings.lora:
        with extra("lora"):
            import peft  # noqa: F401
    triplet_file, validation_file = (
        TripletFile(path) if path else None for path in (triplets, validation)
    )
    # The queries of validation triplets are validation papers: only test papers are an error.
    for file, share in ((triplet_file, holdout), (validation_file, holdout / 2)):
        if file:
            file.check(db, share)
    if not triplets:
        _require_citations(db, recipe.triplets)
    if resume and isinstance(settings, RerankerSettings):
        raise ModelError("the training of a reranker has no checkpoints", "leave out resume")
    encoder = Encoder.base(**dict(recipe.base))
    split = split_digest(db)
    _require_hidden(encoder, holdout, split)
    if isinstance(settings, HeadSettings):
        _require_same_base(db, encoder, base_space)
        encoder.model.precision = encoder.model.default_precision
        embed(db, encoder, base_space, progress, holdout=holdout)
    mine = partial(mine_triplets, db, seed=settings.seed, holdout=holdout)
    progress = progress if is_main_process() else silent
    table: TripletTable
    if triplet_file:
        table = triplet_file
        mined, sources = {"source": "file", "file": Path(triplet_file.path).name}, {"file"}
    else:
        table = mine(recipe.triplets, progress=progress)
        mined, sources = recipe.triplets.model_dump(), learned_from(db, recipe.triplets)
    validation_table: TripletTable | None = validation_file
    if holdout and not validation_file:
        validation_table = mine(validation_source(recipe.triplets), split="validation")
    provenance = Provenance(
        corpus=corpus_fingerprint(db),
        holdout=holdout,
        split=split,
        mined=mined,
        learned_from=sorted(
            {*encoder.card.learned_from, *sources} | ({"venue"} & {*encoder.parts})
        ),
    )
    texts = CorpusTexts(db, encoder.parts, holdout)
    job = TrainingJob(output, table, validation_table, provenance, resume, progress)
    if isinstance(settings, RerankerSettings):
        return train_reranker(job, list(texts), encoder.model, settings)
    if isinstance(settings, FullSettings):
        return train_full(job, list(texts), encoder.model, settings)
    base_vectors = partial(_read_base_vectors, db, base_space)
    base = BaseRecord.of(encoder.model.folder, get_space(db, base_space).precision)
    return train_head(job, texts, base_vectors, base, settings)


@dataclass(frozen=True, slots=True)
class TripletFile:
    """The triplets of a file, read again in each iteration."""

    path: Path | str

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        return read_triplets(self.path)

    def check(self, db: Database, holdout: float) -> None:
        """Read the whole file.

        Args:
            db: The graph.
            holdout: The hold-out; half of it holds out only the test papers, not the validation
                papers.

        Raises:
            InputError: The file has no triplets.
            LeakError: A triplet has a paper that is held out.
        """
        rows = 0
        for batch in self:
            rows += batch.num_rows
            columns = [batch.column(name) for name in ("query", "positive", "negative")]
            papers = pa.chunked_array(columns).unique().to_pylist()
            for held_out in held_out_among(db, papers, holdout):
                raise LeakError(
                    f"{self.path}: the paper {held_out} is held out",
                    "use triplets mined with the same hold-out, or holdout 0 (then"
                    " `evaluate` rejects the model)",
                )
        if not rows:
            raise InputError(
                f"{self.path} has no triplets", "mine some: specter-graph triplets -o FILE"
            )


@dataclass(frozen=True, slots=True)
class CorpusTexts:
    """The texts of all papers, read from the graph again in each iteration."""

    db: Database
    parts: Parts
    holdout: float

    def __iter__(self) -> Iterator[PaperText]:
        return paper_texts(self.db, None, self.parts, self.holdout)


def _read_base_vectors(db: Database, space: str, texts: Sequence[PaperText]) -> Vectors:
    """Read the vectors of papers; raises GraphError if a paper has none."""
    ids, vectors = read_vectors(db, space, [text.id for text in texts])
    if len(ids) < len(texts):
        raise GraphError(
            f"{counted(len(texts) - len(ids), 'paper has', 'papers have')} no vector in {space!r},"
            " loaded during the training",
            "run the training again",
        )
    return vectors


def _require_citations(db: Database, source: Source) -> None:
    """Raise ModelError if the triplets come from citations and the graph has none."""
    if source.source not in ("citations", "co_citation", "coupling"):
        return
    counts = stats(db)
    if counts.papers and not counts.citations:
        raise ModelError(
            "there are no triplets to train on: no paper cites another paper of the graph",
            f"add references with `specter-graph enrich{db.option}`, or use a pretrained model:"
            f" specter-graph embed --space base{db.option}",
        )


def _require_hidden(encoder: Encoder, holdout: float, split: str) -> None:
    """Raise LeakError if a trained model has seen citations that the hold-out hides."""
    if (record := encoder.record) is None:
        return
    if record.split != split and holdout:
        raise LeakError(
            f"{encoder.name} was trained with another split of the papers",
            "use holdout 0, or restore that split with `evaluate split`",
        )
    if record.holdout < holdout:
        raise LeakError(
            f"{encoder.name} (hold-out {record.holdout:g}) was trained on citations that a"
            f" hold-out of {holdout:g} hides",
            f"use holdout {record.holdout:g}, or train the model again with holdout {holdout:g}",
        )


def _require_same_base(db: Database, encoder: Encoder, base_space: str) -> None:
    """Raise GraphError if the space has vectors of another base."""
    record = find_space(db, base_space)
    if record and record.digest != encoder.digest:
        raise GraphError(
            f"the space {base_space!r} holds vectors of another base"
            f" ({record.model or record.origin})",
            "store the vectors of this base in another base_space, such as base_2",
        )
