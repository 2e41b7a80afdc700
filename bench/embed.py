"""Measure embedding speed: `Encoder.encode` against `SentenceTransformer.encode` at its defaults.

    python bench/embed.py --corpus papers.jsonl.gz [--base NAME] [--texts 256] [--rounds 5]
        [--json FILE]

Both load the same base folder on the same device, encode the same texts, and alternate. The ratio
is the median over the rounds. SentenceTransformer computes in float32, 32 texts per batch.
`Encoder` is timed in each precision that the device supports. Cosines compare its vectors with
those of SentenceTransformer.

The texts are papers evenly spaced over the corpus (title, separator, abstract). Longer texts are a
paper's text followed by the abstract of the next paper. Without --corpus, the texts are generated
noise.

"share in model" is the share of time during which at least one thread runs the Transformer,
measured in a separate round. The CPU features listed are those that PyTorch can detect and that
affect the speed.
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
from sentence_transformers.sentence_transformer.modules import Transformer
from torch.nn.modules import module
from transformers import PreTrainedModel, logging

from specter_graph.core.vectors import Vectors
from specter_graph.encoder.device import Precision, best_device, fast_precisions
from specter_graph.encoder.encoder import Encoder
from specter_graph.loaders import open_corpus
from specter_graph.loaders.records import Paper, PaperText

FEATURES = ("avx2", "avx512_f", "avx512_vnni", "avx512_bf16", "amx_bf16")

Method = Callable[[], Vectors]


def read_texts(corpus: Path | None, count: int) -> list[PaperText]:
    """Return `count` papers with an abstract, evenly spaced over the corpus."""
    items = open_corpus("jsonl", corpus).read(()) if corpus else random_corpus(count, 10 * count)
    texts = [
        PaperText(each.id, each.title, each.abstract)
        for each in items
        if isinstance(each, Paper) and each.abstract
    ]
    return texts[:: max(1, len(texts) // count)][:count]


def lengthen(texts: list[PaperText]) -> list[PaperText]:
    """Append the abstract of the next text to each text."""
    after = [*texts[1:], texts[0]]
    return [
        PaperText(text.id, text.title, f"{text.abstract} {other.abstract}")
        for text, other in zip(texts, after, strict=True)
    ]


def device_name(device: torch.device) -> str:
    """Return the name of the GPU, or the features of the CPU."""
    if device.type == "cuda":
        return torch.cuda.get_device_name(device)
    has = [name for name in FEATURES if torch.cpu.get_capabilities().get(name)]
    return f"{device.type} with {', '.join(has) or 'none'} of {', '.join(FEATURES)}"


@contextmanager
def record_passes() -> Iterator[list[tuple[float, int]]]:
    """Record the start (1) and the end (-1) of each pass through a Transformer, in any thread."""
    events: list[tuple[float, int]] = []

    def record(network: object, change: int) -> None:
        # SentenceTransformer does not call the hooks of the network within its Transformer.
        if isinstance(network, (PreTrainedModel, Transformer)):
            if torch.cuda.is_available():
                torch.cuda.synchronize()
            events.append((time.perf_counter(), change))

    hooks = [
        module.register_module_forward_pre_hook(lambda network, *_: record(network, 1)),
        module.register_module_forward_hook(lambda network, *_: record(network, -1)),
    ]
    yield events
    for hook in hooks:
        hook.remove()


def busy_seconds(events: list[tuple[float, int]]) -> float:
    """Return the time during which at least one pass was active."""
    seconds, active, since = 0.0, 0, 0.0
    for now, change in sorted(events):
        seconds += (now - since) * (active > 0)
        active, since = active + change, now
    return seconds


def measure(methods: dict[str, Method], papers: int, rounds: int) -> dict[str, Any]:
    """Time the methods in turn, and compare each with the first one."""
    vectors, shares = {}, {}
    for name, method in methods.items():
        method()
        with record_passes() as events:
            started = time.perf_counter()
            vectors[name] = method()
            shares[name] = busy_seconds(events) / (time.perf_counter() - started)
    seconds: dict[str, list[float]] = {name: [] for name in methods}
    for _ in range(rounds):
        for name, method in methods.items():
            started = time.perf_counter()
            method()
            seconds[name].append(time.perf_counter() - started)
    first = next(iter(methods))
    figures = {}
    for name in methods:
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


def cosines(vectors: Vectors, reference: Vectors) -> Vectors:
    """Return the cosine of each row with the row of the reference."""
    lengths = np.linalg.norm(vectors, axis=1) * np.linalg.norm(reference, axis=1)
    products: Vectors = (vectors * reference).sum(axis=1) / lengths
    return products


def methods_of(base: str | None, texts: list[PaperText]) -> dict[str, Method]:
    """Return the methods to time, by name."""
    encoder = Encoder.base(base)
    other = SentenceTransformer(str(encoder.model.folder.path), device=str(best_device()))
    other.max_seq_length = encoder.model.folder.max_length
    plain = [encoder.model.text(text) for text in texts]

    def ours(precision: Precision) -> Method:
        copy = Encoder.base(base)
        copy.model.precision = precision
        return lambda: copy.encode(texts)

    methods: dict[str, Method] = {"SentenceTransformer": lambda: other.encode(plain)}
    methods["float32"] = ours("float32")
    return methods | {each: ours(each) for each in fast_precisions(best_device())}


@click.command()
@click.option("--corpus", type=click.Path(path_type=Path, exists=True), help="JSON Lines file.")
@click.option("--base", metavar="NAME", help="Hub name or path.  [default: offline MiniLM]")
@click.option("--texts", default=256, show_default=True, help="Number of texts.")
@click.option("--rounds", default=5, show_default=True, help="Timed runs of each method.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="File for the figures.")
def main(
    corpus: Path | None, base: str | None, texts: int, rounds: int, output: Path | None
) -> None:
    """Measure on papers and on longer texts, and print a table for each."""
    logging.disable_progress_bar()
    device = best_device()
    figures: dict[str, Any] = {
        "device": device_name(device),
        "threads": torch.get_num_threads(),
        "texts": texts,
    }
    print(figures)
    papers = list(islice(read_texts(corpus, texts), texts))
    for kind, sample in (("papers", papers), ("longer texts", lengthen(papers))):
        figures[kind] = measure(methods_of(base, sample), len(sample), rounds)
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
