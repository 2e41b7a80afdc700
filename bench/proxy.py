r"""What each step of the default affinity gains, on stand-ins for rated expertise.

    python bench/proxy.py hepph.jsonl.gz citeulike.jsonl.gz --readers citeulike-users.jsonl.gz \
        --cache FOLDER [--json FILE]

Encodes the corpora with the offline MiniLM (about 10 minutes on two cores; kept in FOLDER) and
scores ways to make an affinity of vectors. The first corpus has authors and citations: `graded`,
`read` and `reviewers` are those of `matching.proxy`. The second has readers: in `library`, a reader
orders papers of the own library (5), those that go with them in others' libraries (3) and others
(1); the rest of the library is the profile. Losses are weighted Kendall tau; beside each stand the
95 % bounds of its difference to the default (paired bootstrap; above zero the default is better).

`plain` is the mean of the top 3 cosines. A fifth of the papers are given without their abstract.
"""

import gzip
import json
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Any

import click
import numpy as np

from specter_graph.encoder import Encoder
from specter_graph.loaders import open_corpus
from specter_graph.loaders.records import Paper, PaperText, draw
from specter_graph.matching.affinity import DEFAULT, Aggregation
from specter_graph.matching.calibration import Reference, Vectors
from specter_graph.matching.expertise import compare_losses, evaluate_expertise
from specter_graph.matching.prediction import predict
from specter_graph.matching.proxy import Literature, Proxy, graded, read, reviewers, transposed

SEEDS = range(3)
SHORT, LONG = 12, 20  # papers of a library, and of a profile

Scores = dict[str, dict[str, float]]
Way = tuple[Callable[[Vectors], Reference], Aggregation]


def centre_alone(vectors: Vectors) -> Reference:
    """A reference corpus without a spread for each submission."""
    found = Reference.of(vectors)
    return replace(
        found, shift=np.zeros_like(found.shift), covariance=np.zeros_like(found.covariance)
    )


def of_first(papers: int) -> Callable[[Vectors], Reference]:
    """A reference corpus of so many papers."""
    return lambda vectors: Reference.of(vectors[:papers])


WAYS: dict[str, Way] = {
    "default": (Reference.of, DEFAULT),
    "plain": (of_first(0), DEFAULT),
    "centred, no spread": (centre_alone, DEFAULT),
    "reference of 30": (of_first(30), DEFAULT),
    "reference of 100": (of_first(100), DEFAULT),
    "reference of 1000": (of_first(1_000), DEFAULT),
    "max": (Reference.of, Aggregation("max")),
    "top 2": (Reference.of, Aggregation("top", k=2)),
    "top 5": (Reference.of, Aggregation("top", k=5)),
    "mean": (Reference.of, Aggregation("mean")),
    "percentile 75": (Reference.of, Aggregation("percentile", percentile=75)),
    "percentile 90": (Reference.of, Aggregation("percentile", percentile=90)),
    "softmax 0.05": (Reference.of, Aggregation("softmax", temperature=0.05)),
    "softmax 0.1": (Reference.of, Aggregation("softmax", temperature=0.1)),
    "softmax 0.2": (Reference.of, Aggregation("softmax", temperature=0.2)),
}


def libraries(path: Path, known: set[str], seed: int) -> Proxy:
    """Readers' libraries as a proxy."""
    with gzip.open(path) as file:
        owned = [[p for p in json.loads(line)["papers"] if p in known] for line in file]
    readers: dict[str, list[int]] = defaultdict(list)
    for number, own in enumerate(owned):
        for paper in own:
            readers[paper].append(number)
    draws, proxy = np.random.default_rng(seed), Proxy({}, {})
    for number, own in enumerate(owned):
        if len(own) < SHORT:
            continue
        held, profile = np.split(draws.permutation(own), [4])
        beside = Counter(p for paper in own for other in readers[paper] for p in owned[other])
        near = [p for p, _ in beside.most_common() if p not in own][:100]
        rest = sorted(known - {*own, *near})
        grades = dict.fromkeys(held.tolist(), 5.0)
        grades |= dict.fromkeys(draws.choice(near, 3, replace=False).tolist(), 3.0)
        grades |= dict.fromkeys(draws.choice(rest, 3, replace=False).tolist(), 1.0)
        proxy.profiles[f"reader {number}"] = profile[:LONG].tolist()
        proxy.grades[f"reader {number}"] = grades
    return proxy


def encode(papers: list[Paper], cache: Path) -> Vectors:
    """Vectors of the papers, a fifth of them without abstract, kept from run to run."""
    texts = [PaperText(p.id, p.title, None if draw(p.id) % 5 == 0 else p.abstract) for p in papers]
    encoder = Encoder.base()
    key = sha256(f"{encoder.digest} {texts}".encode()).hexdigest()[:16]
    path = cache / f"{key}.npy"
    if not path.is_file():
        cache.mkdir(parents=True, exist_ok=True)
        np.save(path, encoder.encode(texts))
    return np.load(path)


def score(proxy: Proxy, ids: dict[str, int], vectors: Vectors, way: Way, turned: bool) -> Scores:
    """Predictions of what is graded."""
    reference, aggregation = way
    profiles = {who: [ids[p] for p in own] for who, own in proxy.profiles.items()}
    asked = proxy.grades if turned else {p: 0 for own in proxy.grades.values() for p in own}
    found = predict(
        {paper: ids[paper] for paper in asked},
        profiles,
        vectors,
        aggregation=aggregation,
        reference=reference(np.random.default_rng(0).permutation(vectors)),
    )
    return transposed(found) if turned else found


def measure(
    proxies: list[Proxy], ids: dict[str, int], vectors: Vectors, turned: bool = False
) -> dict[str, Any]:
    """The measures of each way over several draws of a proxy."""
    grades = {f"{n} {who}": own for n, p in enumerate(proxies) for who, own in p.grades.items()}

    def scores(way: Way) -> Scores:
        each = [score(proxy, ids, vectors, way, turned) for proxy in proxies]
        return {f"{n} {who}": own for n, found in enumerate(each) for who, own in found.items()}

    base, table = scores(WAYS["default"]), {}
    for name, way in WAYS.items():
        own = scores(way)
        more = compare_losses(grades, own, base)
        found = evaluate_expertise(grades, own)
        table[name] = {
            "loss": round(found.loss.value, 4),
            "more": [round(more.low, 4), round(more.high, 4)],
            "easy": round(found.easy.value, 3),
            "hard": found.hard.value and round(found.hard.value, 3),
        }
        print(f"  {name:20}", json.dumps(table[name]), flush=True)
    return {"tasks": len(grades), **table}


def papers_of(path: Path) -> list[Paper]:
    """The papers of a corpus that have a title."""
    return [item for item in open_corpus("jsonl", path).read(()) if isinstance(item, Paper)]


@click.command()
@click.argument("cited", type=click.Path(path_type=Path, exists=True))
@click.argument("kept", type=click.Path(path_type=Path, exists=True))
@click.option("--readers", type=click.Path(path_type=Path, exists=True), required=True)
@click.option("--cache", type=click.Path(path_type=Path), required=True, help="For the vectors.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="Keep the figures here.")
def main(cited: Path, kept: Path, readers: Path, cache: Path, output: Path | None) -> None:
    """Measure all ways on all proxies."""
    papers = papers_of(cited)
    ids, vectors = {p.id: n for n, p in enumerate(papers)}, encode(papers, cache)
    literature, figures = Literature(papers), {}
    for name, made in {"graded": graded, "read": read, "reviewers": reviewers}.items():
        print(name)
        proxies = [made(literature, seed=seed) for seed in SEEDS]
        figures[name] = measure(proxies, ids, vectors, turned=name == "reviewers")
    papers = papers_of(kept)
    ids, vectors = {p.id: n for n, p in enumerate(papers)}, encode(papers, cache)
    print("library")
    figures["library"] = measure([libraries(readers, {*ids}, seed) for seed in SEEDS], ids, vectors)
    if output:
        output.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
