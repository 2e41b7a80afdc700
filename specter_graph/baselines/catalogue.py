"""Every baseline of SPECTER's tables and some more: what it is, and what it needs."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from specter_graph.core.errors import InputError
from specter_graph.encoder.baselines.pretrained import PRETRAINED
from specter_graph.encoder.baselines.term_weighting import WEIGHTINGS
from specter_graph.graph.embeddings.spaces import EmbeddingSpace
from specter_graph.pipelines.sgc import KS

Settings = dict[str, Any]
Way = Literal["texts", "weights", "citations", "ranking", "open"]


@dataclass(frozen=True, slots=True)
class Baseline:
    """A row: what it `needs` beyond the papers; the first settings of its `grid` are the default.

    `way` is how it is made: of the papers' texts, by released weights, of a space and the
    citations; `ranking` makes no space, and `open` is not made here, for the reason in `needs`.
    What is made of texts and `sees_edges` learns from the citations among the training papers.
    """

    about: str
    way: Way
    needs: str = ""
    grid: Sequence[Settings] = ({},)
    sees_edges: bool = False


_GENSIM = "the package gensim, of the extra baselines"
_GDS = "the Graph Data Science library"
_ON_BASE = f"the space base and {_GDS}"

_WEIGHTINGS: list[Settings] = [asdict(each) for each in WEIGHTINGS]
_SIF: list[Settings] = [{"a": a} for a in (1e-4, 1e-5, 10**-4.5, 10**-3.5, 1e-3)]
_DOC2VEC: list[Settings] = [
    {"sample": sample, "epochs": epochs}
    for sample in (1e-5, 1e-6, 0.0)
    for epochs in (100, 50, 200)
]
_INFERSENT = "the weights of InferSent and its word vectors in a folder (--model)"

_TUNED: list[Settings] = [
    {"epochs": epochs, "rate": rate} for epochs in (1, 2) for rate in (1e-4, 1e-5, 1e-3)
]
_CITEOMATIC: list[Settings] = [
    {"epochs": epochs, "rate": rate} for epochs in (10, 20) for rate in (0.01, 0.003, 0.03)
]
_SGC: list[Settings] = [{"k": k} for k in KS]

CATALOGUE: dict[str, Baseline] = {
    "random": Baseline("zero-mean vectors of 25 dimensions", "texts"),
    "tfidf": Baseline("TF-IDF, reduced to 300 dimensions by SVD", "texts", grid=_WEIGHTINGS),
    "doc2vec": Baseline("Doc2Vec, distributed bag of words", "texts", _GENSIM, _DOC2VEC),
    "fasttext-sum": Baseline(
        "weighted sum of fastText's vectors of the words", "texts", _GENSIM, _WEIGHTINGS
    ),
    "sif": Baseline(
        "fastText's vectors by smooth inverse frequency, without their main direction",
        "texts", _GENSIM, _SIF,
    ),
    "citeomatic": Baseline(
        "Citeomatic: weighted sums over title and abstract, trained on citations, 75 dimensions",
        "texts", grid=_CITEOMATIC, sees_edges=True,
    ),
    "infersent": Baseline("InferSent, a BiLSTM with max pooling, as given", "texts", _INFERSENT),
    "infersent-tuned": Baseline(
        "InferSent, fine-tuned with the triplet loss", "texts", _INFERSENT, _TUNED, True
    ),
    "sgc-sif": Baseline(
        "SGC: the space sif smoothed over the citations", "citations",
        f"the space sif and {_GDS}", _SGC,
    ),
    **{
        name: Baseline(told.about, "weights", f"the weights {told.hub} (--model)")
        for name, told in PRETRAINED.items()
    },
    "fastrp": Baseline("FastRP over citations and texts", "citations", _ON_BASE),
    "node2vec": Baseline("node2vec over citations alone", "citations", _GDS),
    "hashgnn": Baseline("HashGNN over citations and texts", "citations", _ON_BASE),
    "graphsage": Baseline("GraphSAGE over citations and texts", "citations", _ON_BASE),
    "bm25": Baseline(
        "BM25 of title and abstract", "ranking", "the package bm25s, of the extra baselines"
    ),
    "coupling": Baseline("bibliographic coupling: shared references", "ranking"),
    "cocitation": Baseline("co-citation: shared citing papers", "ranking"),
    "specter2-proximity": Baseline(
        "SPECTER2 with its adapter", "open",
        "the package adapters for transformers 5; that of today (1.3) wants 4.57",
    ),
}  # fmt: skip
"""By name; a baseline's space is named after it, `_` for `-`, or by --space."""


def baseline(name: str, *ways: Way) -> Baseline:
    """The row of a name; raises InputError where there is none, or none that is made in a way."""
    found = CATALOGUE.get(name)
    if found is None or found.way not in ways:
        reason = f": it needs {found.needs}" if found and found.way == "open" else ""
        names = [each for each, row in CATALOGUE.items() if row.way in ways]
        raise InputError(
            f"there is no baseline {name!r} to be had here{reason}",
            f"there are {', '.join(names)}: specter-graph baseline --list",
        )
    return found


def space_name(name: str) -> str:
    """The space that a baseline makes where none is named."""
    return name.replace("-", "_")


def open_rows(made: Iterable[EmbeddingSpace]) -> dict[str, str]:
    """Of the baselines that no space is of: why they are open, and what would make them.

    A space counts whatever its name, by what its record says that it was made from.
    """
    records = [*made]
    kinds = {each.property: each.kind for each in records}
    return {
        name: f"open: needs {row.needs}" if row.needs else f"open: specter-graph baseline {name}"
        for name, row in CATALOGUE.items()
        if row.way != "ranking" and not any(_is_of(each, name, row.way, kinds) for each in records)
    }


def _is_of(record: EmbeddingSpace, name: str, way: Way, kinds: Mapping[str, str]) -> bool:
    """Whether a space is of a baseline; `kinds` are those of all spaces, by their names."""
    if name == "sgc-sif":
        source = json.loads(record.sources).get("space", "")
        return record.kind == "sgc" and kinds.get(source, record.base) == "sif"
    if way == "weights":
        return _is_released(record, name)
    return (record.property == space_name(name)) if way == "open" else record.kind == name


def _is_released(record: EmbeddingSpace, name: str) -> bool:
    """By the hub's name and the pooling; a folder is of the baseline that the space is named after.

    A model that reads papers in a way of its own has no name to be opened by.
    """
    told = PRETRAINED[name]
    made_by = (record.kind, record.pooling, record.model == "")
    if made_by != ("base", told.pooling, told.reading != "paper"):
        return False
    if record.base in {each.hub for each in PRETRAINED.values()}:
        return record.base == told.hub
    return record.property == space_name(name)
