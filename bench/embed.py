"""Embedding speed: `Encoder.encode` beside `SentenceTransformer.encode` at its defaults.

    python bench/embed.py --corpus papers.jsonl.gz [--base NAME] [--texts 256] [--rounds 5]
        [--json FILE]

Both load the same base folder on the same device, get the same texts, and take turns; the median
round counts. SentenceTransformer computes in float32, 32 texts a batch. Ours is timed in every
precision that the device computes in. Cosines are to SentenceTransformer's vectors.

The texts are papers evenly spread over the corpus (title, separator, abstract), and longer ones:
each is a paper's text followed by the abstract of the next paper. Without --corpus they are
generated noise.

The share of the time in which the Transformer was at work, in one thread or more, comes from a
round of its own. Of a CPU's features those are listed that PyTorch knows and that make a
difference here.
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

import click
import numpy as np
import torch
from corpus import random_corpus
from sentence_transformers import SentenceTransformer
from sentence_transformers.models import Transformer
from torch.nn.modules import module
from transformers import PreTrainedModel, logging

from specter_graph.encoder.device import Precision, best_device, fast_precisions
from specter_graph.encoder.encoder import Encoder
from specter_graph.encoder.model import Vectors
from specter_graph.loaders import open_corpus
from specter_graph.loaders.records import Paper, PaperText

FEATURES = ("avx2", "avx512", "vnni", "avx512_bf16", "amx_tile")

Method = Callable[[], Vectors]


def read_texts(corpus: Path | None, largest: int) -> list[PaperText]:
    """Papers with an abstract, evenly spread over the corpus."""
    reads = (
        open_corpus("jsonl", corpus).read(()) if corpus else random_corpus(largest, 10 * largest)
    )
    texts = [
        PaperText(each.id, each.title, each.abstract)
        for each in reads
        if isinstance(each, Paper) and each.abstract
    ]
    return texts[:: max(1, len(texts) // largest)][:largest]


def joined(texts: list[PaperText]) -> list[PaperText]:
    """Longer texts: each followed by the next one's abstract."""
    after = [*texts[1:], texts[0]]
    return [
        PaperText(text.id, text.title, f"{text.abstract} {other.abstract}")
        for text, other in zip(texts, after, strict=True)
    ]


def device_name(device: torch.device) -> str:
    """The GPU's name, or the CPU's features."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    has = [name for name in FEATURES if getattr(torch.cpu, f"_is_{name}_supported", bool)()]
    return f"{device.type} with {', '.join(has) or 'none'} of {', '.join(FEATURES)}"


@contextmanager
def model_at_work() -> Iterator[list[tuple[float, int]]]:
    """Notes when a pass through a Transformer begins (1) and ends (-1), in whatever thread."""
    noted: list[tuple[float, int]] = []

    def note(network: object, change: int) -> None:
        # SentenceTransformer goes around the hooks of the network that is in its Transformer.
        if isinstance(network, (PreTrainedModel, Transformer)):
            if torch.cuda.is_available():
                torch.cuda.synchronize()
            noted.append((time.perf_counter(), change))

    hooks = [
        module.register_module_forward_pre_hook(lambda network, *_: note(network, 1)),
        module.register_module_forward_hook(lambda network, *_: note(network, -1)),
    ]
    yield noted
    for hook in hooks:
        hook.remove()


def seconds_at_work(noted: list[tuple[float, int]]) -> float:
    """The time in which one pass or more was under way."""
    seconds, active, since = 0.0, 0, 0.0
    for now, change in sorted(noted):
        seconds += (now - since) * (active > 0)
        active, since = active + change, now
    return seconds


def measure(ways: dict[str, Method], papers: int, rounds: int) -> dict[str, Any]:
    """Time the ways in turn; the first is what the others are compared with."""
    vectors, shares = {}, {}
    for name, method in ways.items():
        method()
        with model_at_work() as noted:
            started = time.perf_counter()
            vectors[name] = method()
            shares[name] = seconds_at_work(noted) / (time.perf_counter() - started)
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for _ in range(rounds):
        for name, method in ways.items():
            started = time.perf_counter()
            method()
            seconds[name].append(time.perf_counter() - started)
    first = next(iter(ways))
    figures = {}
    for name in ways:
        cosine = cosines(vectors[name], vectors[first])
        ratios = [a / b for a, b in zip(seconds[first], seconds[name], strict=True)]
        figures[name] = {
            "papers/s": papers / median(seconds[name]),
            "ratio": median(ratios),
            "mean cosine": float(cosine.mean()),
            "min cosine": float(cosine.min()),
            "share in model": shares[name],
        }
    return figures


def cosines(vectors: Vectors, others: Vectors) -> Vectors:
    """The cosine of each row with the other's."""
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(others, axis=1)
    return (vectors * others).sum(axis=1) / lengths


def ways_of(base: str | None, texts: list[PaperText]) -> dict[str, Method]:
    """What is timed."""
    encoder = Encoder.base(base)
    other = SentenceTransformer(str(encoder.model.folder.path), device=str(best_device()))
    other.max_seq_length = encoder.model.max_length
    plain = [encoder.model.text(text) for text in texts]

    def ours(precision: Precision) -> Method:
        own = Encoder.base(base)
        own.model.precision = precision
        return lambda: own.encode(texts)

    ways: dict[str, Method] = {"SentenceTransformer": lambda: other.encode(plain)}
    ways["float32"] = ours("float32")
    return ways | {each: ours(each) for each in fast_precisions(best_device())}


@click.command()
@click.option(
    "--corpus", type=click.Path(path_type=Path, exists=True), help="A file of JSON lines."
)
@click.option("--base", metavar="NAME", help="A hub name or a path.  [default: offline MiniLM]")
@click.option("--texts", default=256, show_default=True)
@click.option("--rounds", default=5, show_default=True)
@click.option("--json", "output", type=click.Path(path_type=Path), help="Keep the figures here.")
def main(
    corpus: Path | None, base: str | None, texts: int, rounds: int, output: Path | None
) -> None:
    """Measure on papers and on longer texts, and print a table of each."""
    logging.disable_progress_bar()
    device = best_device()
    figures: dict[str, Any] = {
        "device": device_name(device),
        "threads": torch.get_num_threads(),
        "texts": texts,
    }
    print(figures)
    papers = list(islice(read_texts(corpus, texts), texts))
    for kind, sample in (("papers", papers), ("longer texts", joined(papers))):
        figures[kind] = measure(ways_of(base, sample), len(sample), rounds)
        print(f"{kind:22} papers/s   ratio   mean cosine   min cosine   share in model")
        for name, row in figures[kind].items():
            print(
                f"  {name:20} {row['papers/s']:8.1f} {row['ratio']:7.2f} {row['mean cosine']:13.5f}"
                f" {row['min cosine']:12.5f} {row['share in model']:16.1%}"
            )
    if output:
        output.write_text(json.dumps(figures, indent=2) + "\n")


if __name__ == "__main__":
    main()
