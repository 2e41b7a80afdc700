"""Variants of the affinity on rated expertise, chosen and scored by leaving one researcher out.

    python bench/affinity_variants.py --dataset reviewers --evaluations evaluations.csv \
        --model all-mpnet-base-v2 --model head

For each family of variants and each researcher, the variant with the lowest loss on the other
researchers is applied to the researcher. So the loss of a family includes the cost of choosing, and
nothing is fitted to the researcher who is scored. Each family is compared with the default (cosine
of MiniLM, mean of the best 3 papers) by a paired bootstrap over the researchers. `--model` adds a
family that averages the model with MiniLM; vectors are kept in `--vectors`.
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
from specter_graph.encoder import Encoder
from specter_graph.encoder.head import TextFeatures
from specter_graph.encoder.recipe import FeatureSettings
from specter_graph.loaders.records import PaperText
from specter_graph.matching.affinity.aggregation import DEFAULT, aggregate, recency_weights
from specter_graph.matching.evaluation.expertise_metrics import order_sums
from specter_graph.matching.evaluation.gold_standard import read_evaluations, read_papers

SHARES = (0.25, 0.5, 0.75, 1.0)
"""Shares of another space in the mean cosine."""
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
        papers, ratings = read_papers(folder), read_evaluations(evaluations)
        rows: dict[tuple[str, str | None], int] = {}
        own: dict[str, list[int]] = {}
        years: dict[str, list[float]] = {}
        for submission in papers.submissions.values():
            rows.setdefault((submission.title, submission.abstract), len(rows))
        for who, archive in papers.archives.items():
            notes = map(orjson.loads, (folder / "archives" / f"~{who}.jsonl").open())
            year_of = {note["id"]: note["content"].get("year") for note in notes}
            texts = [(paper.title, paper.abstract) for paper in archive]
            own[who] = [rows.setdefault(text, len(rows)) for text in texts]
            years[who] = [float(year_of.get(paper.id) or np.nan) for paper in archive]
        submissions = {
            key: rows[paper.title, paper.abstract] for key, paper in papers.submissions.items()
        }
        texts = [PaperText("", title, abstract) for title, abstract in rows]
        return cls(submissions, texts, own, years, ratings)

    def sums(self, similarities: Similarities) -> np.ndarray:
        """Return lost and total weight of each researcher, (researchers, 2)."""
        rows = []
        for who, own in self.ratings.items():
            scores = aggregate(similarities(who).copy(), DEFAULT)
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
    """Return similarities with weights by the age of papers, from the newest year of all."""
    newest = np.nanmax(np.concatenate([*data.years.values()]))

    def weighted(who: str) -> Vectors:
        weights = recency_weights(newest - np.array(data.years[who]), half_life)
        evidence = similarities(who)
        return np.minimum(evidence, evidence * weights[:, None])

    return weighted


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
    """Return the sums of the variant that is chosen without each researcher, and the choices."""
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


def encoded(data: Data, name: str | None, folder: Path) -> Vectors:
    """Return the vectors of a model, from the folder if they are there."""
    path = folder / f"{Path(name or 'minilm').name}.npy"
    if not path.exists():
        # The rounding of other precisions changes the third digit of the loss.
        model = Encoder.load(name, precision="float32")
        folder.mkdir(parents=True, exist_ok=True)
        np.save(path, model.encode(data.texts))
    return np.asarray(np.load(path))


def families(data: Data, models: Sequence[str], folder: Path) -> Iterable[tuple[str, dict]]:
    """Yield each family with the sums of its variants."""
    base = encoded(data, None, folder)
    plain, normalized = cosines(data, base), unit(base)
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
@click.option("--dataset", type=click.Path(path_type=Path), required=True)
@click.option("--evaluations", type=click.Path(path_type=Path), required=True)
@click.option("--model", "models", multiple=True, help="A MODEL_DIR or base to average with.")
@click.option("--vectors", type=click.Path(path_type=Path), default=Path("vectors"))
def main(dataset: Path, evaluations: Path, models: Sequence[str], vectors: Path) -> None:
    """Print the loss of each family, and its difference from the default."""
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
