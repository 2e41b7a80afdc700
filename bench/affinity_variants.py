"""Compare variants of the affinity on rated expertise by leaving one researcher out.

    python bench/affinity_variants.py --dataset reviewers --evaluations evaluations.csv \
        --model all-mpnet-base-v2

For each family of variants and each researcher, the variant with the lowest loss on the other
researchers is applied to the researcher. Therefore, the loss of a family includes the cost of
selection, and nothing is fitted to the researcher who is scored. Each family is compared with the
default (cosine of MiniLM, mean of the best 3 papers) by a paired bootstrap over the researchers.
`--model` adds a family that averages the model with MiniLM. `--vectors` is a folder in which
vectors are stored and reused.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click
import numpy as np
import orjson

from specter_graph.core.statistics import bootstrap_interval
from specter_graph.core.vectors import Vectors, unit
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.head import TextFeatures
from specter_graph.encoder.model_files import BaseOptions
from specter_graph.encoder.recipe import FeatureSettings
from specter_graph.loaders.records import PaperText
from specter_graph.matching.affinity.aggregation import (
    DEFAULT,
    Aggregation,
    aggregate,
    recency_weights,
)
from specter_graph.matching.evaluation import order_sums, read_evaluations, read_gold_papers

SHARES = (0.25, 0.5, 0.75, 1.0)
"""Shares of another space in the mean cosine."""
WORD_SHARES = (0.05, 0.1, 0.2, 0.3)
"""Shares of the cosine of word counts."""
AGGREGATIONS = {f"best {k}": Aggregation(k=k) for k in (1, 2, 3, 4, 5, 8)}
WEIGHTED = {f"{t:g}": Aggregation("softmax", temperature=t) for t in (0.05, 0.1, 0.15, 0.2, 0.3)}
FIELDS: dict[str, BaseOptions] = {
    "title": {"parts": ("title",)},
    "abstract": {"parts": ("abstract",)},
    "128 tokens": {"max_length": 128},
    "512 tokens": {"max_length": 512},
}
LATEST = (3, 5, 8, 10)
"""Lengths of shortened profiles, in years and in papers."""
HALF_LIVES = (3.0, 5.0, 10.0, 20.0)
SHRINKAGES = (0.3, 0.5, 0.7, 0.9)
"""Shares of the identity in the covariance of a trained space."""

Similarities = Callable[[str], Vectors]
"""The similarities of a researcher's papers and all submissions, (papers, submissions)."""


@dataclass(frozen=True)
class Data:
    """Distinct texts, the rows of submissions and of each researcher's papers, and the ratings."""

    submissions: dict[str, int]
    texts: list[PaperText]
    papers: dict[str, list[int]]
    years: dict[str, list[float]]
    ratings: dict[str, dict[str, float]]

    @classmethod
    def read(cls, folder: Path, evaluations: Path) -> "Data":
        """Read a data set; submissions come first among the texts."""
        papers, ratings = read_gold_papers(folder), read_evaluations(evaluations)
        rows: dict[tuple[str, str | None], int] = {}
        own: dict[str, list[int]] = {}
        years: dict[str, list[float]] = {}
        for submission in papers.submissions.values():
            rows.setdefault((submission.title, submission.abstract), len(rows))
        for who, archive in papers.archives.items():
            notes = map(orjson.loads, (folder / "archives" / f"~{who}.jsonl").open())
            year_of = {note["id"]: note["content"].get("year") for note in notes}
            own[who] = [
                rows.setdefault((paper.title, paper.abstract), len(rows)) for paper in archive
            ]
            years[who] = [float(year_of.get(paper.id) or np.nan) for paper in archive]
        submissions = {
            key: rows[paper.title, paper.abstract] for key, paper in papers.submissions.items()
        }
        texts = [PaperText("", title, abstract) for title, abstract in rows]
        return cls(submissions, texts, own, years, ratings)

    def sums(self, similarities: Similarities, aggregation: Aggregation = DEFAULT) -> np.ndarray:
        """Return lost and total weight of each researcher, (researchers, 2)."""
        rows = []
        for who, own in self.ratings.items():
            scores = aggregate(similarities(who).copy(), aggregation)
            predicted = dict(zip(self.submissions, scores.tolist(), strict=True))
            rows.append(order_sums(own, predicted)[:2])
        return np.array(rows)


def cosines(data: Data, vectors: Vectors) -> Similarities:
    """Return the cosines in one space."""
    normalized = unit(vectors)
    queries = normalized[[*data.submissions.values()]].T
    return lambda who: normalized[data.papers[who]] @ queries


def averaged(first: Similarities, second: Similarities, share: float) -> Similarities:
    """Return weighted means of two similarities."""
    return lambda who: (1 - share) * first(who) + share * second(who)


def recent(data: Data, similarities: Similarities, half_life: float) -> Similarities:
    """Return similarities weighted by the age of papers in the newest year of the data."""
    newest = np.nanmax(np.concatenate([*data.years.values()]))

    def weighted(who: str) -> Vectors:
        weights = recency_weights(newest - np.array(data.years[who]), half_life)
        evidence = similarities(who)
        return np.minimum(evidence, evidence * weights[:, None])

    return weighted


def latest(data: Data, similarities: Similarities, years: int) -> Similarities:
    """Return the similarities of the papers of the last years, or of all if fewer than 3 remain."""
    newest = np.nanmax(np.concatenate([*data.years.values()]))

    def shortened(who: str) -> Vectors:
        is_recent = newest - np.array(data.years[who]) < years
        return similarities(who)[is_recent if is_recent.sum() >= DEFAULT.k else slice(None)]

    return shortened


def newest(data: Data, similarities: Similarities, papers: int) -> Similarities:
    """Return the similarities of the newest papers; papers without a year come last."""
    return lambda who: similarities(who)[np.argsort(-np.nan_to_num(data.years[who]))[:papers]]


def word_cosines(data: Data, *, sublinear: bool) -> Similarities:
    """Return the cosines of TF-IDF; `sublinear` takes the logarithm of counts."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    words = [f"{text.title} {text.abstract or ''}" for text in data.texts]
    matrix = TfidfVectorizer(sublinear_tf=sublinear).fit_transform(words)
    queries = matrix[[*data.submissions.values()]].T
    return lambda who: (matrix[data.papers[who]] @ queries).toarray().astype(np.float32)


def axes_without(data: Data, normalized: Vectors) -> dict[str, tuple[Vectors, Vectors]]:
    """Return the principal variances and axes within the profiles of the other researchers."""
    axes = {}
    for who in data.ratings:
        within = [
            normalized[own] - normalized[own].mean(axis=0)
            for other, own in data.papers.items()
            if other != who
        ]
        differences = np.concatenate(within)
        values, vectors = np.linalg.eigh(differences.T @ differences)
        axes[who] = values / values.mean(), vectors
    return axes


def trained(
    data: Data, normalized: Vectors, axes: Mapping[str, tuple[Vectors, Vectors]], shrinkage: float
) -> Similarities:
    """Return cosines in a space trained on the other researchers' profiles.

    Directions in which the papers of one researcher differ count less: vectors are whitened by the
    covariance within profiles, mixed with the identity.
    """

    def similarities(who: str) -> Vectors:
        values, vectors = axes[who]
        mixed = (1 - shrinkage) * values + shrinkage
        whitened = unit((normalized @ vectors / np.sqrt(mixed)).astype(np.float32))
        return whitened[data.papers[who]] @ whitened[[*data.submissions.values()]].T

    return similarities


def leave_one_out(variants: Mapping[str, np.ndarray]) -> tuple[np.ndarray, dict[str, int]]:
    """Return the sums with the variant selected without each researcher, and the selections."""
    table = np.stack([*variants.values()])  # (variants, researchers, 2)
    remaining = table.sum(axis=1, keepdims=True) - table
    chosen = np.argmin(remaining[..., 0] / remaining[..., 1], axis=0)
    names = [*variants]
    counts = {names[c]: int(n) for c, n in zip(*np.unique(chosen, return_counts=True), strict=True)}
    return table[chosen, np.arange(table.shape[1])], counts


def loss(sums: np.ndarray) -> float:
    """Return the loss over all researchers."""
    lost, total = sums.sum(axis=0)
    return float(lost / total)


def tfidf(data: Data, dimension: int = 50) -> Vectors:
    """Return vectors of word counts, by a truncated SVD of all texts."""
    words = [f"{text.title} {text.abstract or ''}" for text in data.texts]
    settings = FeatureSettings(dimension=dimension)
    return TextFeatures.fit(words, settings).transform(words)


def encoded(
    data: Data,
    name: str | None,
    folder: Path,
    variant: str = "",
    options: BaseOptions | None = None,
) -> Vectors:
    """Return the vectors of a model, from the folder if it has them."""
    path = folder / f"{Path(name or 'minilm').name}{variant and '-'}{variant}.npy"
    if not path.exists():
        model = Encoder.base(None, **options) if options else Encoder.load(name)
        # The rounding of other precisions changes the third digit of the loss.
        model.model.precision = "float32"
        folder.mkdir(parents=True, exist_ok=True)
        np.save(path, model.encode(data.texts))
    return np.asarray(np.load(path))


def families(
    data: Data, models: Sequence[str], folder: Path
) -> Iterable[tuple[str, dict[str, np.ndarray]]]:
    """Yield each family with the sums of its variants."""
    base = encoded(data, None, folder)
    plain, normalized = cosines(data, base), unit(base)
    for kind, methods in (("number of papers", AGGREGATIONS), ("softmax of papers", WEIGHTED)):
        yield kind, {name: data.sums(plain, method) for name, method in methods.items()}
    texts = {
        name: cosines(data, encoded(data, None, folder, name, options))
        for name, options in FIELDS.items()
    }
    texts |= {
        "all": plain,
        "mean of title and abstract": averaged(texts["title"], texts["abstract"], 0.5),
        "mean of all and abstract": averaged(plain, texts["abstract"], 0.5),
    }
    yield "text", {name: data.sums(similarities) for name, similarities in texts.items()}
    for kind, sublinear in (("TF-IDF", False), ("TF-IDF of logarithms", True)):
        words = word_cosines(data, sublinear=sublinear)
        yield (
            f"MiniLM averaged with {kind}",
            {f"{share:g}": data.sums(averaged(plain, words, share)) for share in WORD_SHARES},
        )
    yield (
        "shorter profiles",
        {f"{n} years": data.sums(latest(data, plain, n)) for n in LATEST}
        | {f"{n} papers": data.sums(newest(data, plain, n)) for n in LATEST},
    )
    axes = axes_without(data, normalized)
    profiles = {
        f"{shrinkage:g}": data.sums(trained(data, normalized, axes, shrinkage))
        for shrinkage in SHRINKAGES
    }
    yield "trained on the profiles, without citations", profiles
    spaces = {Path(name).name: encoded(data, name, folder) for name in models}
    for name, vectors in (spaces | {"SVD of word counts": tfidf(data)}).items():
        other = cosines(data, vectors)
        yield (
            f"MiniLM averaged with {name}",
            {f"{share:g}": data.sums(averaged(plain, other, share)) for share in SHARES},
        )
    yield (
        "weights by age",
        {f"{years:g} years": data.sums(recent(data, plain, years)) for years in HALF_LIVES},
    )


@click.command()
@click.option("--dataset", type=click.Path(path_type=Path), required=True, help="Data folder.")
@click.option(
    "--evaluations", type=click.Path(path_type=Path), required=True, help="CSV file of ratings."
)
@click.option("--model", "models", multiple=True, help="MODEL_DIR or base to average; repeatable.")
@click.option(
    "--vectors",
    type=click.Path(path_type=Path),
    default=Path("vectors"),
    show_default=True,
    help="Folder in which vectors are stored.",
)
def main(dataset: Path, evaluations: Path, models: Sequence[str], vectors: Path) -> None:
    """Print the loss of each family and its difference from the default."""
    data = Data.read(dataset, evaluations)
    default = data.sums(cosines(data, encoded(data, None, vectors)))
    print(f"default {loss(default):.4f}", flush=True)
    for name, variants in families(data, models, vectors):
        sums, chosen = leave_one_out(variants)
        difference = bootstrap_interval(
            lambda rows, sums=sums: loss(sums[rows]) - loss(default[rows]), len(sums), seed=0
        )
        each = {variant: round(loss(own), 3) for variant, own in variants.items()}
        print(
            f"{name}: {loss(sums):.3f}, {difference.value:+.3f}"
            f" ({difference.low:+.3f} to {difference.high:+.3f}), each {json.dumps(each)},"
            f" chosen {json.dumps(chosen)}",
            flush=True,
        )


if __name__ == "__main__":
    main()
