"""Build a tiny real BERT, and a corpus whose citations follow its words."""

import random
from importlib.util import find_spec

import numpy as np
import pyarrow as pa
import pytest

from specter_graph.encoder.static_model import load_base
from specter_graph.loaders.records import PaperText

TOPICS = ("quark gluon jet", "dwarf galaxy halo", "neutrino flavor mass", "string brane dual")
WORDS = sorted({word for topic in TOPICS for word in topic.split()} | {"the", "of", "and", "in"})


@pytest.fixture(scope="session", autouse=True)
def _one_thread():
    """Two threads of a tiny network mostly wait for each other, especially on a busy machine."""
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="session")
def openvino():
    """Skip without OpenVINO; importing it in this process would send usage data."""
    if find_spec("openvino") is None:
        pytest.skip("OpenVINO is not installed")


@pytest.fixture
def float32(monkeypatch):
    """Compute in float32, also on devices that are faster in other precisions."""
    import torch

    from specter_graph.encoder import device

    monkeypatch.setattr(device, "_has", lambda *probes: False)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda **options: False)


@pytest.fixture(scope="session")
def tiny_bert(tmp_path_factory):
    """Return a folder with a random BERT (2 layers, 32 dimensions) and a small WordPiece."""
    return write_bert(tmp_path_factory.mktemp("tiny") / "bert", 32, 64)


@pytest.fixture(scope="session")
def bert_without_dropout(tmp_path_factory, tiny_bert):
    """Return a folder with the same BERT without dropout, which is random."""
    from transformers import AutoConfig, AutoModel, AutoTokenizer

    folder = tmp_path_factory.mktemp("still") / "bert"
    config = AutoConfig.from_pretrained(
        tiny_bert, hidden_dropout_prob=0.0, attention_probs_dropout_prob=0.0
    )
    AutoModel.from_pretrained(tiny_bert, config=config).save_pretrained(folder)
    AutoTokenizer.from_pretrained(tiny_bert).save_pretrained(folder)
    return folder


@pytest.fixture(scope="module")
def base(tiny_bert):
    return load_base(str(tiny_bert))


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


@pytest.fixture(scope="session")
def papers():
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


@pytest.fixture(scope="session")
def triplets():
    return triplet_table(range(64))


@pytest.fixture(scope="session")
def validation():
    return triplet_table(range(64, 80))


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
