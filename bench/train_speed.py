"""Compare the speed of a fine-tuning step with encoding one column of texts at a time.

    python bench/train_speed.py hepph.jsonl.gz [--micro-batch 16] [--batches 2] [--rounds 3]

Runs the offline MiniLM on random triplets of the first 3,000 papers, forward and backward, on one
core. sentence-transformers' TripletLoss encodes a column at once, padded to its longest text. Our
step encodes each distinct text of a batch once, in parts of similar length. Both methods alternate;
the fastest round counts, in processor seconds.
"""

import time
from itertools import islice
from pathlib import Path

import click
import numpy as np
import torch
from sentence_transformers.sentence_transformer.losses import TripletLoss

from specter_graph.encoder.finetune import BatchLoss, UniqueTextCollator, build_sentence_transformer
from specter_graph.encoder.model import TransformerModel
from specter_graph.encoder.recipe import FullSettings
from specter_graph.encoder.triplets import IndexedTriplets
from specter_graph.loaders import open_corpus
from specter_graph.loaders.records import Paper, PaperText


def first_texts(corpus: Path, count: int = 3_000) -> list[PaperText]:
    """Return the texts of the first papers of a corpus."""
    papers = (each for each in open_corpus("jsonl", corpus) if isinstance(each, Paper))
    return [PaperText(each.id, each.title, each.abstract) for each in islice(papers, count)]


@click.command()
@click.argument("corpus", type=click.Path(path_type=Path, exists=True))
@click.option("--micro-batch", default=16, show_default=True, help="Triplets per batch.")
@click.option("--batches", default=2, show_default=True, help="Batches per round.")
@click.option("--rounds", default=3, show_default=True, help="Runs of each method.")
def main(corpus: Path, micro_batch: int, batches: int, rounds: int) -> None:
    """Measure both methods and print the ratio."""
    torch.set_num_threads(1)
    texts, base = first_texts(corpus), TransformerModel.load()
    model = build_sentence_transformer(base).cpu().eval()  # both losses are equal without dropout
    settings = FullSettings(batch=micro_batch, micro_batch=micro_batch)
    generator = np.random.default_rng(0)
    samples = [generator.integers(0, len(texts), (micro_batch, 3)) for _ in range(batches)]

    def columns(triplets: np.ndarray) -> torch.Tensor:
        texts_by_column = [[base.text(texts[row]) for row in column] for column in triplets.T]
        return TripletLoss(model, triplet_margin=1)(
            [model.preprocess(each) for each in texts_by_column], None
        )

    def distinct(triplets: np.ndarray) -> torch.Tensor:
        rows = IndexedTriplets(*triplets.T, np.zeros(len(triplets), np.bool_), "")
        batch = UniqueTextCollator(base, texts, rows)([*range(len(triplets))])
        label = batch.pop("label")
        features = {name.removeprefix("text_"): value for name, value in batch.items()}
        return BatchLoss(model, settings)([features], label)

    seconds: dict[str, list[float]] = {"columns": [], "distinct": []}
    for _ in range(rounds):
        for name, loss_of in {"columns": columns, "distinct": distinct}.items():
            started, total = time.process_time(), 0.0
            for triplets in samples:
                loss = loss_of(triplets)
                loss.backward()
                total += loss.item()
            seconds[name].append(time.process_time() - started)
            print(f"{name}: {seconds[name][-1]:.1f} s, loss {total / batches:.6f}", flush=True)
    ratio = min(seconds["columns"]) / min(seconds["distinct"])
    print(f"distinct texts in parts of similar length: {ratio:.2f} times as fast")


if __name__ == "__main__":
    main()
