"""Screening for systematic reviews, simulated on labeled data: work saved, and the stopping rule.

    python bench/screening.py FOLDER [--seeds 3]

FOLDER has a review of ASReview in RIS (SCHOOT: the candidates for full-text screening, and the
included ones) and the test collection CACM (the relevant papers of a query count as included). A
simulation begins with a random included and a random excluded paper. The classifier then ranks the
other papers; the first ones are labeled, and the classifier learns from all labels. WSS@95 is the
share of papers that need not be read to find 95 % of the included ones, minus the 5 % that a random
order saves on average.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from specter_graph import Encoder, PaperText, open_corpus
from specter_graph.core.statistics import recall_p_value
from specter_graph.groups.screening import rank_unlabeled, screening_features
from specter_graph.loaders.records import Paper

SCHOOT = "real/ris/asr_datasets/datasets_van_de_Schoot_2017_raw_schoot-lgmm-ptsd-included-{}.ris"
MIN_INCLUDED = 20
MAX_REVIEWS = 6
MIN_BATCH = 10
RECALL = 0.95

Labels = NDArray[np.bool_]
Rank = Callable[[list[bool | None], int], list[int]]


def papers(path: Path) -> list[Paper]:
    """Read the papers of a file."""
    return [item for item in open_corpus("auto", path) if isinstance(item, Paper)]


def schoot(folder: Path) -> tuple[list[Paper], Labels]:
    """Return the papers of the review, and their labels by the letters of the titles."""
    candidates, included = (papers(folder / SCHOOT.format(number)) for number in (1, 2))
    titles = {_letters(paper.title) for paper in included}
    return candidates, np.array([_letters(paper.title) in titles for paper in candidates])


def _letters(title: str) -> str:
    return "".join(filter(str.isalnum, title.lower()))


def cacm(folder: Path) -> tuple[list[Paper], dict[str, set[str]]]:
    """Return the papers, and the relevant ones by query."""
    relevant = defaultdict(set)
    for line in (folder / "real/cacm/cacm_cacm.qrels").read_text().splitlines():
        query, _, paper, _ = line.split()
        relevant[query].add(f"cacm:{paper}")
    return papers(folder / "real/cacm/papers.jsonl"), relevant


def reviews(folder: Path) -> Iterator[tuple[str, list[Paper], list[Labels]]]:
    """Yield the name of a collection, its papers, and the labels of each review."""
    candidates, labels = schoot(folder)
    yield "van de Schoot 2017", candidates, [labels]
    candidates, sets = cacm(folder)
    all_labels = (np.array([each.id in ids for each in candidates]) for ids in sets.values())
    large = (labels for labels in all_labels if labels.sum() >= MIN_INCLUDED)
    yield "CACM", candidates, [*islice(large, MAX_REVIEWS)]


def simulate(truth: Labels, rank: Rank, seed: int) -> list[int]:
    """Return all papers in the order of screening."""
    generator = np.random.default_rng(seed)
    order = [int(generator.choice(np.flatnonzero(truth == label))) for label in (True, False)]
    labels: list[bool | None] = [None] * len(truth)
    while True:
        for row in order:
            labels[row] = bool(truth[row])
        if all(labels[row] for row in np.flatnonzero(truth)):  # the order of the rest is the same
            return order + rank(labels, seed)
        order += rank(labels, seed)[: max(MIN_BATCH, len(order) // 10)]


def saved(truth: Labels) -> float:
    """Return WSS@95 of labels in the order of screening."""
    needed = np.ceil(RECALL * truth.sum())
    return float(1 - (np.searchsorted(np.cumsum(truth), needed) + 1) / len(truth) - (1 - RECALL))


def stop(truth: Labels) -> tuple[float, float]:
    """Return recall and share of screened papers where the stopping rule first applies."""
    labels, size = truth.tolist(), len(truth)
    step = max(MIN_BATCH, len(truth) // 100)
    places = [*range(step, len(truth), step), len(truth)]
    place = next(n for n in places if recall_p_value(labels[:n], size, RECALL) < 1 - RECALL)
    return float(truth[:place].sum() / truth.sum()), place / len(truth)


def at_random(labels: list[bool | None], seed: int) -> list[int]:
    """Rank the papers without a label in random order."""
    rows = [row for row, label in enumerate(labels) if label is None]
    return [int(row) for row in np.random.default_rng([seed, len(rows)]).permutation(rows)]


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@click.option("--seeds", default=3, help="Simulations of each review.")
def main(folder: Path, seeds: int) -> None:
    """Print WSS@95 of each ranking, and how often the stopping rule stopped in time."""
    encoder = Encoder.base()
    for name, candidates, all_labels in reviews(folder):
        texts = [f"{paper.title} {paper.abstract or ''}" for paper in candidates]
        vectors = encoder.encode([PaperText(p.id, p.title, p.abstract) for p in candidates])
        both, words = screening_features(texts, vectors), screening_features(texts)
        only_vectors = screening_features([""] * len(texts), vectors)
        included = [int(labels.sum()) for labels in all_labels]
        print(f"{name}: {len(texts):,} papers, {len(all_labels)} reviews, included: {included}")
        rankings: dict[str, Rank] = {
            title: lambda labels, seed, features=features: [  # type: ignore[misc]
                row for row, _ in rank_unlabeled(features, labels, seed)
            ]
            for title, features in (("both", both), ("words", words), ("vectors", only_vectors))
        }
        for title, rank in (rankings | {"random": at_random}).items():
            started = time.monotonic()
            runs = [
                [truth[simulate(truth, rank, seed)] for truth in all_labels]
                for seed in range(seeds)
            ]
            figures = np.array([[saved(each) for each in row] for row in runs])
            recalls, screened = np.array([stop(each) for row in runs for each in row]).T
            print(
                f"  {title:8} WSS@95 {figures.mean():.3f}, "
                f"by review {figures.mean(0).min():.3f} to {figures.mean(0).max():.3f}, "
                f"standard deviation of seeds {figures.std(0, ddof=1).mean():.3f}; "
                f"stop at {screened.mean():.2f} of the papers, with a recall of "
                f"{recalls.mean():.3f}, at least 95 % in {(recalls >= RECALL).sum()} of "
                f"{len(recalls)} ({time.monotonic() - started:.0f} s)",
                flush=True,
            )


if __name__ == "__main__":
    main()
