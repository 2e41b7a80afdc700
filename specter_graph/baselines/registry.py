"""All baselines of SPECTER's tables and some more: how they are built, and what they need."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Any

from specter_graph.baselines import build as building
from specter_graph.baselines.build import Build, BuildRequest, BuiltBaseline, Settings
from specter_graph.baselines.rankers import (
    RankedBaseline,
    Ranker,
    rank_by_bm25,
    rank_by_cocitation,
    rank_by_coupling,
)
from specter_graph.core.errors import InputError
from specter_graph.encoder.baselines.pretrained import PRETRAINED
from specter_graph.encoder.baselines.text_vectors import WEIGHTINGS
from specter_graph.evaluation.metrics.ranking import require_trec_eval
from specter_graph.evaluation.protocols.held_out import (
    Intervals,
    nonempty_rankings,
    score_intervals,
    score_rows,
)
from specter_graph.evaluation.protocols.space_evaluation import citation_data
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.index import property_name
from specter_graph.graph.embeddings.spaces import EmbeddingSpace, list_spaces, usual_holdout
from specter_graph.graph.split import HeldOutSplit

_GENSIM = "the package gensim, of the extra baselines"
_INFERSENT = "the weights of InferSent and its word vectors in a folder"

SETTINGS = ("tune", "min_count", "word_vectors", "model")
"""Settings that only some baselines use."""
_OF_WORDS = ("tune", "min_count", "word_vectors")

_SIF: list[Settings] = [{"a": a} for a in (1e-4, 1e-5, 10**-4.5, 10**-3.5, 1e-3)]
_DOC2VEC: list[Settings] = [
    {"sample": sample, "epochs": epochs}
    for sample in (1e-5, 1e-6, 0.0)
    for epochs in (100, 50, 200)
]
_INFERSENT_TUNED: list[Settings] = [
    {"epochs": epochs, "rate": rate} for epochs in (1, 2) for rate in (1e-4, 1e-5, 1e-3)
]
_CITEOMATIC: list[Settings] = [
    {"epochs": epochs, "rate": rate} for epochs in (10, 20) for rate in (0.01, 0.003, 0.03)
]


def space_name(name: str) -> str:
    """Return the default name of the space of a baseline."""
    return name.replace("-", "_")


@dataclass(frozen=True, slots=True)
class Baseline:
    """A baseline, which has `build` or `rank`.

    Attributes:
        about: A description.
        needs: Requirements beyond the papers.
        build: Builds its space.
        rank: Ranks papers without a space.
        blind_to: Tasks that a ranker is not scored on, because it knows the answers.
        takes: The settings that it uses, of `SETTINGS`.
    """

    about: str
    needs: str = ""
    build: Build | None = None
    rank: Ranker | None = None
    blind_to: Sequence[str] = ()
    takes: Sequence[str] = ()


def _learned(make: building.VectorMaker, **options: Any) -> Build:  # noqa: ANN401
    return partial(building.build_learned, make=make, **options)


BASELINES: dict[str, Baseline] = {
    "random": Baseline("zero-mean vectors of 25 dimensions", build=_learned(building.random)),
    "tfidf": Baseline(
        "TF-IDF, reduced to 300 dimensions by SVD",
        build=_learned(building.tfidf, grid=WEIGHTINGS), takes=("tune",),
    ),
    "doc2vec": Baseline(
        "Doc2Vec, distributed bag of words", _GENSIM,
        _learned(building.doc2vec, grid=_DOC2VEC), takes=("tune",),
    ),
    "fasttext-sum": Baseline(
        "weighted sum of fastText vectors of words", _GENSIM,
        _learned(building.fasttext_sum, grid=WEIGHTINGS, of_words=True), takes=_OF_WORDS,
    ),
    "sif": Baseline(
        "fastText vectors by smooth inverse frequency, without their main direction", _GENSIM,
        _learned(building.sif, grid=_SIF, of_words=True), takes=_OF_WORDS,
    ),
    "citeomatic": Baseline(
        "Citeomatic: weighted sums over title and abstract, trained on citations, 75 dimensions",
        build=_learned(building.citeomatic, grid=_CITEOMATIC, sees_edges=True), takes=("tune",),
    ),
    "infersent": Baseline(
        "InferSent, a BiLSTM with max pooling, as published", _INFERSENT,
        _learned(building.infersent), takes=("model",),
    ),
    "infersent-tuned": Baseline(
        "InferSent, fine-tuned with the triplet loss", _INFERSENT,
        _learned(building.infersent, grid=_INFERSENT_TUNED, sees_edges=True),
        takes=("tune", "model"),
    ),
    "sgc-sif": Baseline(
        "SGC: the space sif, smoothed over the citations", "the space sif",
        building.build_smoothed_sif, takes=("tune",),
    ),
    **{
        name: Baseline(
            pretrained.about, f"the weights {pretrained.hub}",
            building.build_pretrained, takes=("model",),
        )
        for name, pretrained in PRETRAINED.items()
    },
    "fastrp": Baseline(
        "FastRP over citations and texts", "the space base and the Graph Data Science library",
        building.build_fastrp,
    ),
    "bm25": Baseline(
        "BM25 of title and abstract", "the package bm25s, of the extra baselines",
        rank=rank_by_bm25,
    ),
    "coupling": Baseline("bibliographic coupling: shared references", rank=rank_by_coupling),
    "cocitation": Baseline(
        "co-citation: shared citing papers", rank=rank_by_cocitation, blind_to=("cocite",)
    ),
}  # fmt: skip
"""Baselines by name."""


def build_baseline(
    db: Database,
    name: str,
    *,
    space: str | None = None,
    holdout: float | None = None,
    **settings: Any,  # noqa: ANN401
) -> BuiltBaseline:
    """Build the space of a baseline, which learns only from the training papers.

    Args:
        db: The graph.
        name: One of `BASELINES`.
        space: The space to write, by default the name with `_` for `-`.
        holdout: The share that is held out, by default the smallest of the spaces.
        **settings: Further settings: `tune`, `min_count`, `word_vectors`, `model`, `seed` and
            `progress`, as in `BuildRequest`.

    Raises:
        InputError: The baseline is unknown or does not use a setting, the space was made by another
            model, there are too few validation papers to tune, or a package is missing.
        ModelError: Weights are missing.
    """
    row = BASELINES.get(name)
    if row is None or row.build is None:
        raise _unavailable(name, [other for other, each in BASELINES.items() if each.build])
    holdout = usual_holdout(list_spaces(db)) if holdout is None else holdout
    space = property_name(space or space_name(name))
    request = BuildRequest(db, name, space, holdout, **settings)
    for each in fields(request):
        is_given = getattr(request, each.name) != each.default
        if is_given and each.name in SETTINGS and each.name not in row.takes:
            raise InputError(f"{each.name} has no effect with {name}", "leave it out")
    return row.build(request)


def rank_baseline(
    db: Database,
    name: str,
    *,
    split: HeldOutSplit = "test",
    holdout: float | None = None,
    seed: int = 0,
) -> RankedBaseline:
    """Score a baseline that ranks on the held-out tasks, except those whose answers it knows.

    Args:
        db: The graph.
        name: One of `BASELINES` with `rank`.
        split: The held-out papers to score on.
        holdout: The share that is held out, by default the smallest of the spaces.
        seed: Random seed of candidates and resamples.

    Raises:
        InputError: The baseline is unknown, or no held-out paper can be scored.
    """
    row = BASELINES.get(name)
    if row is None or row.rank is None:
        raise _unavailable(name, [other for other, each in BASELINES.items() if each.rank])
    require_trec_eval()
    holdout = usual_holdout(list_spaces(db)) if holdout is None else holdout
    data = citation_data(db, split, holdout)
    tasks = nonempty_rankings(data, seed)
    tasks = {task: queries for task, queries in tasks.items() if task not in row.blind_to}
    scores = score_rows(row.rank(db, data, holdout), tasks)
    return RankedBaseline(
        score_intervals(scores, seed), {task: len(queries) for task, queries in tasks.items()}
    )


def rank_all(
    db: Database, *, split: HeldOutSplit, holdout: float | None, seed: int
) -> tuple[dict[str, Intervals], dict[str, str]]:
    """Score all rankers; also return the reasons why others cannot be scored."""
    ranked, missing = {}, {}
    for name in (name for name, row in BASELINES.items() if row.rank):
        try:
            ranked[name] = rank_baseline(db, name, split=split, holdout=holdout, seed=seed).scores
        except InputError as error:
            missing[name] = f"open: {error.message}"
    return ranked, missing


def missing_baselines(records: Sequence[EmbeddingSpace]) -> dict[str, str]:
    """Return the baselines without a space, with what they need or the command to run.

    Spaces are recognized by their records, whatever their names.
    """
    kinds = {record.name: record.kind for record in records}
    built = set[str]().union(*(_makers(record, kinds) for record in records))
    return {
        name: f"open: needs {row.needs}"
        if row.needs
        else f"open: specter-graph baseline run {name}"
        for name, row in BASELINES.items()
        if not row.rank and name not in built
    }


def _makers(record: EmbeddingSpace, kinds: Mapping[str, str]) -> set[str]:
    """Return the baselines that may have made a space; `kinds` are those of all spaces."""
    if record.kind == "sgc":
        source = json.loads(record.sources).get("space", "")
        return {"sgc-sif"} if kinds.get(source, record.base) == "sif" else set()
    if record.kind != "base":
        return {record.kind}
    is_from_hub = any(record.base == each.hub for each in PRETRAINED.values())
    return {
        name
        for name, each in PRETRAINED.items()
        # Weights from a folder are known by the name of the space only.
        if (record.base == each.hub if is_from_hub else record.name == space_name(name))
        # Encoders of sentences or tokens record no model.
        and (record.pooling, record.model == "") == (each.pooling, each.reading != "paper")
    }


def _unavailable(name: str, names: Sequence[str]) -> InputError:
    return InputError(
        f"the baseline {name!r} is not available",
        f"choose one of {', '.join(names)}; see specter-graph baseline list",
    )
