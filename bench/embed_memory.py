"""Resident memory of an embedding as the corpus grows; it should stay flat.

    python bench/embed_memory.py [--papers 200000] [--json FILE]

Works in the local instance `bench` (or --instance NAME), which it CLEARS. The papers are generated;
the model is a real BERT of 2 layers and 32 dimensions with random weights, made on the way, so that
the time goes into all that is around a model. Every 20,000 papers it notes the resident memory of
this process; the first note has the model and the libraries in it.
"""

import json
import string
import tempfile
import time
from pathlib import Path

import click
import psutil
import torch
from corpus import bare, random_corpus
from transformers import BertConfig, BertModel, BertTokenizer

from specter_graph.cli.options import open_graph
from specter_graph.encoder.encoder import Encoder
from specter_graph.graph.embeddings.embed import embed
from specter_graph.graph.loading.loader import load_papers
from specter_graph.graph.maintenance.delete import clear

_EACH = 20_000


def tiny_bert(folder: Path) -> Encoder:
    """A BERT that reads letters, 128 of them."""
    letters = string.ascii_lowercase + string.punctuation
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters]
    pieces += [f"##{letter}" for letter in letters]
    vocabulary = {piece: place for place, piece in enumerate(pieces)}
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
@click.option("--papers", default=200_000, show_default=True)
@click.option("--instance", default="bench", show_default=True, help="The local server to use.")
@click.option("--json", "output", type=click.Path(path_type=Path), help="Keep the figures here.")
def main(papers: int, instance: str, output: Path | None) -> None:
    """Load, embed and print what was noted."""
    process = psutil.Process()
    noted: list[dict[str, float]] = []

    def watch(_stage: str, done: int, _total: int | None) -> None:
        if done < _EACH * (len(noted) + 1):
            return
        resident = process.memory_info().rss / 2**20
        seconds = time.monotonic() - started
        noted.append({"papers": done, "seconds": seconds, "resident MiB": resident})
        print({key: round(value) for key, value in noted[-1].items()}, flush=True)

    with tempfile.TemporaryDirectory() as folder, open_graph(instance) as graph:
        clear(graph.database)
        load_papers(graph.database, bare(random_corpus(papers, papers)))
        encoder = tiny_bert(Path(folder))
        started = time.monotonic()
        embed(graph.database, encoder, "base", watch)
        clear(graph.database)
    if output:
        output.write_text(json.dumps(noted, indent=2) + "\n")


if __name__ == "__main__":
    main()
