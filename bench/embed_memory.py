"""Measure the resident memory of `embed` as the corpus grows; it should be constant.

    python bench/embed_memory.py [--papers 200000] [--json FILE]

CLEARS the local instance `bench` (or --instance NAME) and loads generated papers. The model is a
real BERT of 2 layers and 32 dimensions with random weights, so that most time goes into the other
steps. The resident memory of this process is printed every 20,000 papers; the first value includes
the model and the libraries.
"""

import json
import string
import tempfile
import time
from pathlib import Path

import click
import psutil
import torch
from corpus import random_corpus, text_and_references
from transformers import BertConfig, BertModel, BertTokenizer

from specter_graph.cli.options import open_graph
from specter_graph.encoder.encoder import Encoder
from specter_graph.graph.embeddings.embed import embed
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.maintenance.delete import clear

_INTERVAL = 20_000


def tiny_bert(folder: Path) -> Encoder:
    """Create a BERT whose tokens are letters, with a maximum of 128 tokens."""
    letters = string.ascii_lowercase + string.punctuation
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters]
    pieces += [f"##{letter}" for letter in letters]
    vocabulary = {piece: index for index, piece in enumerate(pieces)}
    BertTokenizer(vocab=vocabulary, model_max_length=128).save_pretrained(folder)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(pieces),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=128,
    )
    BertModel(config).save_pretrained(folder)
    return Encoder.base(str(folder))


@click.command()
@click.option("--papers", default=200_000, show_default=True, help="Number of papers.")
@click.option("--instance", default="bench", show_default=True, help="Local instance.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="File for the figures.")
def main(papers: int, instance: str, output: Path | None) -> None:
    """Load and embed the papers, and print the memory."""
    process = psutil.Process()
    samples: list[dict[str, float]] = []

    def watch(_stage: str, done: int, _total: int | None) -> None:
        if done < _INTERVAL * (len(samples) + 1):
            return
        resident = process.memory_info().rss / 2**20
        seconds = time.monotonic() - started
        samples.append({"papers": done, "seconds": seconds, "resident MiB": resident})
        print({key: round(value) for key, value in samples[-1].items()}, flush=True)

    with tempfile.TemporaryDirectory() as folder, open_graph(instance, create=True) as graph:
        clear(graph.database)
        load_papers(graph.database, text_and_references(random_corpus(papers, papers)))
        encoder = tiny_bert(Path(folder))
        started = time.monotonic()
        embed(graph.database, encoder, "base", watch)
        clear(graph.database)
    if output:
        output.write_text(json.dumps(samples, indent=2) + "\n")


if __name__ == "__main__":
    main()
