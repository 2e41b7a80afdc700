"""Makes the space of a baseline: of texts, by released weights, or of the citations."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path

from specter_graph.baselines.catalogue import Settings, baseline, space_name
from specter_graph.baselines.ranking import judge
from specter_graph.baselines.texts import Corpus
from specter_graph.core.errors import GraphError, InputError
from specter_graph.core.progress import Progress, silent
from specter_graph.core.vectors import Vectors
from specter_graph.graph.database import Database
from specter_graph.graph.embeddings.paper_texts import count_papers
from specter_graph.graph.embeddings.spaces import (
    EmbeddingSpace,
    property_name,
    spaces,
    usual_holdout,
    write_space,
)
from specter_graph.graph.maintenance.corpus_digest import corpus_fingerprint
from specter_graph.pipelines.sgc import KS, smooth


@dataclass(frozen=True, slots=True)
class MadeBaseline:
    """A space that was made, with which settings, and what each tried came to on validation."""

    space: str
    papers: int
    dimension: int
    settings: Settings
    tried: list[tuple[Settings, float]]


def make_baseline(
    db: Database,
    name: str,
    *,
    space: str | None = None,
    tune: bool = False,
    least: int = 25,
    word_vectors: Path | None = None,
    model: str | None = None,
    holdout: float | None = None,
    seed: int = 0,
    progress: Progress = silent,
) -> MadeBaseline:
    """Make the space of a baseline, by default of its name with `_` for `-`.

    What is learnt is learnt from the training papers alone: papers are held out under `holdout`, by
    default under the smallest that a space of the graph was made under. With `tune` all settings of
    the grid are tried, and those with the highest mean of all figures of `evaluate` on the
    validation papers are kept. `least` is how often a word must occur for fastText to learn it;
    `word_vectors` is a `.bin` of fastText to take instead. `model` is the folder of released
    weights, or another hub name.

    Raises InputError for another name, a space that something else made, or `tune` with too few
    validation papers; ModelError without the weights or packages that it needs.
    """
    row = baseline(name, "texts", "weights", "citations")
    target = property_name(space or space_name(name))
    if model and "--model" not in row.needs:
        raise InputError(f"{name} has no weights to be read: it takes no --model")
    if row.way == "weights":
        return _embed(db, name, target, model, progress)
    holdout = usual_holdout(spaces(db)) if holdout is None else holdout
    if name == "sgc-sif":
        return _smooth(db, target, tune, holdout, progress)
    if row.way == "citations":
        return _by_gds(db, name, target, holdout, seed, progress)
    if any(each.property == target and each.kind != name for each in spaces(db)):
        raise _taken(target)
    grid = row.grid if tune else row.grid[:1]
    chosen = len(grid) > 1
    how = {"least": least, "word_vectors": word_vectors, "model": model, "seed": seed}
    corpus = Corpus.read(db, holdout, **how)
    judged_by = judge(db, holdout) if chosen else lambda _ids, _vectors: 0.0
    ids = corpus.ids
    tried: list[tuple[Settings, float]] = []

    def judged() -> Iterator[tuple[float, Settings, Vectors]]:
        progress(f"make {name}", 0, len(grid))
        for settings, vectors in corpus.candidates(name, grid):
            tried.append((settings, judged_by(ids, vectors)))
            progress(f"make {name}", len(tried), len(grid))
            yield tried[-1][1], settings, vectors

    _, settings, vectors = max(judged(), key=lambda each: each[0])  # of equals the first
    made_by = {"baseline": name, "settings": settings, "seed": seed, **corpus.made_of(name)}
    seen = holdout if row.sees_edges or chosen else 0.0
    record = _record(db, target, made_by, vectors.shape[1], seen, sees_edges=row.sees_edges)
    write_space(db, record, ids, vectors)
    return MadeBaseline(
        target,
        len(corpus.papers),
        vectors.shape[1],
        settings,
        tried if chosen else [],
    )


def _embed(
    db: Database, name: str, target: str, model: str | None, progress: Progress
) -> MadeBaseline:
    """By released weights; papers that have their vector are left as they are."""
    from specter_graph.encoder.baselines.pretrained import load_pretrained
    from specter_graph.graph.embeddings.embed import embed

    encoder = load_pretrained(name, model)
    made_by = (encoder.kind, encoder.base_name, encoder.pooling)
    there = (each for each in spaces(db) if each.property == target)
    if any((each.kind, each.base, each.pooling) != made_by for each in there):
        raise _taken(target)
    made = embed(db, encoder, target, progress)
    settings = {"model": encoder.base_name, "pooling": encoder.pooling}
    return MadeBaseline(target, made.embedded + made.kept, encoder.dimension, settings, [])


def _smooth(
    db: Database, target: str, tune: bool, holdout: float, progress: Progress
) -> MadeBaseline:
    """SGC over the space `sif` as it was made: with a = 1e-4, unless it was tuned."""
    base = next((each for each in spaces(db) if each.property == "sif"), None)
    if base is None or base.kind != "sif":
        raise GraphError("sgc-sif smooths the space sif", "specter-graph baseline sif")
    record, tried = smooth(
        db,
        target,
        base.property,
        KS if tune else KS[:1],
        holdout=holdout,
        judged_by=partial(judge, db, holdout) if tune else None,
        progress=progress,
    )
    k = json.loads(record.sources)["k"]
    settings = {"k": k, **json.loads(base.sources)["settings"]}
    told = [({"k": k}, value) for k, value in tried]
    return MadeBaseline(target, count_papers(db), record.dimension, settings, told)


def _by_gds(
    db: Database, name: str, target: str, holdout: float, seed: int, progress: Progress
) -> MadeBaseline:
    """By the server's library, over the space `base` where the algorithm takes one."""
    from specter_graph.graph import algorithms as gds

    base = "base" if gds.ALGORITHMS[name].takes_base else None
    record = gds.make_space(
        db, name, target, base=base, holdout=holdout, seed=seed, progress=progress
    )
    settings = json.loads(record.sources)
    return MadeBaseline(target, count_papers(db), record.dimension, settings, [])


def _taken(space: str) -> InputError:
    return InputError(
        f"the space {space!r} was made by something else", "name another with --space"
    )


def _record(
    db: Database,
    space: str,
    made_by: Settings,
    dimension: int,
    holdout: float,
    *,
    sees_edges: bool,
) -> EmbeddingSpace:
    """Describe the space; `holdout` is 0 where it was made without a look at citations."""
    fingerprint = corpus_fingerprint(db)
    told = json.dumps(made_by)
    return EmbeddingSpace(
        property=space,
        kind=made_by["baseline"],
        dimension=dimension,
        model="",
        base=made_by["baseline"],
        digest=sha256(f"{told}{fingerprint}{holdout}".encode()).hexdigest(),
        sees_edges=sees_edges,
        holdout=holdout,
        learned_from=("citations",) if sees_edges else (),
        trained_on=fingerprint,
        sources=told,
    )
