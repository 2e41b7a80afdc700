"""Compare the speed of a fine-tuning step with encoding one column of texts at a time.

    python bench/train_speed.py hepph.jsonl.gz [--micro-batch 16] [--batches 2] [--rounds 3]
    python bench/train_speed.py hepph.jsonl.gz --scibert --micro-batch 32 --batches 10   # on a GPU

Takes steps of Adam on random triplets of the first 3,000 papers. sentence-transformers' TripletLoss
encodes a column at once, padded to its longest text. Our step encodes each distinct text of a batch
once, in parts of similar length. Both methods alternate; the fastest round counts. On a CPU the
model is MiniLM, and the time is that of one core; on a GPU both compute in bfloat16, and the peak
of the GPU's memory is printed. --scibert takes a model of SciBERT's size with random weights, and
texts of 512 tokens.
"""

import tempfile
import time
from itertools import islice
from pathlib import Path

import click
import numpy as np
import torch
from sentence_transformers.sentence_transformer.losses import TripletLoss
from sentence_transformers.util import batch_to_device
from transformers import BertConfig, BertModel

from specter_graph.encoder.device import best_device, has_fast_bfloat16
from specter_graph.encoder.finetune_batches import BatchLoss, UniqueTextCollator
from specter_graph.encoder.model import TransformerModel
from specter_graph.encoder.recipe import FullSettings
from specter_graph.encoder.sentence_modules import build_sentence_transformer
from specter_graph.encoder.static_model import load_base
from specter_graph.encoder.triplets import IndexedTriplets
from specter_graph.loaders import open_corpus
from specter_graph.loaders.records import Paper, PaperText


def first_texts(corpus: Path, count: int = 3_000) -> list[PaperText]:
    """Return the texts of the first papers of a corpus."""
    papers = (each for each in open_corpus("jsonl", corpus) if isinstance(each, Paper))
    return [PaperText(each.id, each.title, each.abstract) for each in islice(papers, count)]


def random_scibert(base: TransformerModel, folder: Path) -> TransformerModel:
    """Return a model of SciBERT's size with random weights and the tokenizer of a base."""
    base.tokenizer.save_pretrained(folder)
    BertModel(BertConfig(vocab_size=len(base.tokenizer))).save_pretrained(folder)
    return load_base(str(folder), pooling="cls", max_length=512)


def seconds_used(device: torch.device) -> float:
    """Return processor seconds, or on a GPU the time of the clock."""
    if device.type == "cuda":
        torch.cuda.synchronize()
        return time.perf_counter()
    return time.process_time()


@click.command()
@click.argument("corpus", type=click.Path(path_type=Path, exists=True))
@click.option("--base", help="Folder of a base; by default MiniLM.")
@click.option("--scibert", is_flag=True, help="Take random weights of SciBERT's size.")
@click.option("--micro-batch", default=16, show_default=True, help="Triplets per batch.")
@click.option("--batches", default=2, show_default=True, help="Batches per round.")
@click.option("--rounds", default=3, show_default=True, help="Runs of each method.")
def main(
    corpus: Path, base: str | None, scibert: bool, micro_batch: int, batches: int, rounds: int
) -> None:
    """Measure both methods and print the ratio."""
    torch.set_num_threads(1)
    texts, transformer = first_texts(corpus), load_base(base)
    with tempfile.TemporaryDirectory() as folder:
        if scibert:
            transformer = random_scibert(transformer, Path(folder))
        compare(transformer, texts, micro_batch, batches, rounds)


def compare(
    transformer: TransformerModel,
    texts: list[PaperText],
    micro_batch: int,
    batches: int,
    rounds: int,
) -> None:
    """Time the steps of both methods."""
    device = best_device()
    model = build_sentence_transformer(transformer).eval()  # equal losses without dropout
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-9, weight_decay=0)
    settings = FullSettings(batch=micro_batch, micro_batch=micro_batch)
    generator = np.random.default_rng(0)
    samples = [generator.integers(0, len(texts), (micro_batch, 3)) for _ in range(batches)]

    def columns(triplets: np.ndarray) -> torch.Tensor:
        texts_by_column = [
            [transformer.text(texts[row]) for row in column] for column in triplets.T
        ]
        features = [model.preprocess(each) for each in texts_by_column]
        batch = [batch_to_device(each, device) for each in features]
        loss: torch.Tensor = TripletLoss(model, triplet_margin=1)(batch, None)
        return loss

    def distinct(triplets: np.ndarray) -> torch.Tensor:
        query, positive, negative = triplets.T
        rows = IndexedTriplets(query, positive, negative, np.zeros(len(triplets), np.bool_), "")
        batch = UniqueTextCollator(transformer, texts, rows)([*range(len(triplets))])
        label = batch.pop("label")
        features = {name.removeprefix("text_"): each.to(device) for name, each in batch.items()}
        return BatchLoss(model, settings).forward([features], label.to(device))

    seconds: dict[str, list[float]] = {"columns": [], "distinct": []}
    for _ in range(rounds):
        for name, loss_of in {"columns": columns, "distinct": distinct}.items():
            if device.type == "cuda":
                torch.cuda.reset_peak_memory_stats()
            started, total = seconds_used(device), 0.0
            for triplets in samples:
                with torch.autocast(device.type, torch.bfloat16, enabled=has_fast_bfloat16(device)):
                    loss = loss_of(triplets)
                loss.backward()  # type: ignore[no-untyped-call]
                optimizer.step()
                optimizer.zero_grad()
                total += loss.item()
            seconds[name].append(seconds_used(device) - started)
            memory = torch.cuda.max_memory_allocated() >> 20 if device.type == "cuda" else 0
            print(
                f"{name}: {seconds[name][-1] / batches:.3f} s per step, loss {total / batches:.6f}"
                + (f", {memory:,} MiB of the GPU" if memory else ""),
                flush=True,
            )
    ratio = min(seconds["columns"]) / min(seconds["distinct"])
    print(f"distinct texts in parts of similar length: {ratio:.2f} times as fast")


if __name__ == "__main__":
    main()
