"""A tiny real BERT, and a corpus whose citations follow its words."""

import random

import numpy as np
import pyarrow as pa

from specter_graph.loaders.records import PaperText

TOPICS = ("quark gluon jet", "dwarf galaxy halo", "neutrino flavor mass", "string brane dual")
WORDS = sorted({word for topic in TOPICS for word in topic.split()} | {"the", "of", "and", "in"})


def write_bert(folder, dimension, tokens, words=WORDS):
    """Save a random BERT of two layers and a small WordPiece; the folder must be new."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizer

    folder.mkdir()
    letters = [chr(code) for code in range(ord("a"), ord("z") + 1)]
    pieces = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *words, *letters]
    pieces += [f"##{letter}" for letter in letters]
    vocab = folder / "vocab.txt"
    vocab.write_text("\n".join(pieces))
    tokenizer = BertTokenizer(
        vocab={piece: place for place, piece in enumerate(pieces)}, model_max_length=tokens
    )
    tokenizer.save_pretrained(folder)
    torch.manual_seed(7)
    config = BertConfig(
        vocab_size=len(pieces),
        hidden_size=dimension,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=tokens,
        initializer_range=0.2,  # otherwise the first token hardly depends on the text
    )
    BertModel(config).save_pretrained(folder)
    return folder


def topic_papers():
    """Return 80 papers, 20 per topic, each with one of its topic's three words and random letters.

    No text shows which words belong to the same topic: a model must learn it from triplets.
    """
    rng = random.Random(3)

    def noise():
        return " ".join(rng.choices("abcdefghijkl", k=2))

    return [
        PaperText(
            f"p{number:02}",
            f"the {TOPICS[number % 4].split()[number // 4 % 3]} of {noise()}",
            f"in {noise()}" if number % 7 else None,
        )
        for number in range(80)
    ]


def triplet_table(numbers, per_query=5):
    """Positives have the query's topic, easy negatives another, hard ones that after the next."""
    rows = []
    for number in numbers:
        for repetition in range(per_query):
            hard = repetition < 2
            positive = (number + 4 * (repetition + 1)) % 80
            negative = (number + (2 if hard else 1) + 4 * repetition) % 80
            rows.append((f"p{number:02}", f"p{positive:02}", f"p{negative:02}", hard))
    query, positive, negative, hard = zip(*rows, strict=True)
    return pa.table({"query": query, "positive": positive, "negative": negative, "hard": hard})


class KilledError(Exception):
    """Raised in place of a kill."""


def kill_at(step):
    """Return a progress callback that ends a training after this many steps or triplets."""

    def kill(stage, done, total):
        if stage == "train" and done >= step:
            raise KilledError

    return kill


def validation_accuracy(encoder, papers, validation):
    """Return the share of triplets whose positive is nearer to the query than the negative."""
    vectors = dict(zip((p.id for p in papers), encoder.encode(papers), strict=True))
    return np.mean(
        [
            np.linalg.norm(vectors[t["query"]] - vectors[t["positive"]])
            < np.linalg.norm(vectors[t["query"]] - vectors[t["negative"]])
            for t in validation.to_pylist()
        ]
    )
