"""README.md of a model, or of an exported one: what it is, how it was made, how it is called."""

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from specter_graph.encoder.encoder import Encoder
    from specter_graph.encoder.model_dir import EpochMetrics, ModelRecord

ExportForm = Literal["sentence-transformers", "onnx"]

_HEADER = """\
---
{library}pipeline_tag: feature-extraction
tags:
- specter-graph
- scientific-papers
---

# {title}

Vectors of scientific papers, {dimension} numbers each, float32.
"""

_SENTENCE = """\
## Use

{needs}

```python
from sentence_transformers import SentenceTransformer

model = SentenceTransformer("FOLDER"{trust})
vectors = model.encode([{text}])
```
"""

_ONNX = """\
## Use

```python
import onnxruntime
from transformers import AutoTokenizer

tokenizer = AutoTokenizer.from_pretrained("FOLDER")
model = onnxruntime.InferenceSession("FOLDER/model.onnx")
texts = [{text}]
tokens = tokenizer(texts, padding=True, truncation=True, return_tensors="np")
(vectors,) = model.run(None, {{name: tokens[name] for name in ("input_ids", "attention_mask")}})
```

`input_ids` and `attention_mask` are (papers, tokens) int64; `vector` is (papers, {dimension})
float32.
"""

_DIRECTORY = """\
## Use

```python
from specter_graph.encoder import Encoder

encoder = Encoder.load("FOLDER")
vectors = encoder.encode(papers)  # papers, or strings
```

`specter-graph embed --model FOLDER` writes them onto the papers of a graph.{cuts}
"""

_TEXT = """\
A text is these parts of a paper, with the tokenizer's separator `{separator}` between, a part that
a paper does not have being empty: {parts}. The first {max_length} tokens are read. Without the
separators the vectors are others.
"""


def model_card(encoder: "Encoder", form: ExportForm) -> str:
    """The Markdown text of README.md."""
    record, separator = encoder.record, encoder.model.tokenizer.sep_token or " "
    facts = {"dimension": encoder.dimension, "text": _joined(encoder, separator)}
    return "\n".join(
        [
            _HEADER.format(
                title="Paper vectors by specter-graph",
                library="" if form == "onnx" else "library_name: sentence-transformers\n",
                **facts,
            ),
            _ONNX.format(**facts) if form == "onnx" else _sentence(encoder, separator),
            _TEXT.format(
                separator=separator,
                parts=", ".join(encoder.parts),
                max_length=encoder.model.max_length,
            ),
            "## How it was made\n",
            _table(_training(record) if record else _untrained(encoder)),
        ]
    )


def directory_card(record: "ModelRecord") -> str:
    """The Markdown text of README.md in a model directory."""
    sizes = ", ".join(map(str, sorted(record.settings.get("matryoshka", []))))
    cuts = f"\nIt learned to be cut to {sizes} dimensions: `truncate_dim=N`, `--dimension N`."
    header = _HEADER.format(
        title="Paper vectors by specter-graph", library="", dimension=record.dimension
    )
    return "\n".join(
        [
            header,
            _DIRECTORY.format(cuts=cuts if sizes else ""),
            "## How it was made\n",
            _table(_training(record)),
            "![Losses and accuracy](training.svg)\n",
            "Every setting is in `specter-graph.json`, the curves are in `training.csv`.\n",
        ]
    )


def _sentence(encoder: "Encoder", separator: str) -> str:
    own = encoder.head is not None and encoder.head.features is not None
    needs = (
        "Its features of words are read by a module of specter-graph, which must be installed;"
        "\n`trust_remote_code` lets sentence-transformers import it."
        if own
        else "Nothing but sentence-transformers is needed."
    )
    return _SENTENCE.format(
        needs=needs,
        trust=", trust_remote_code=True" if own else "",
        text=_joined(encoder, separator),
    )


def _joined(encoder: "Encoder", separator: str) -> str:
    """How a text is made, in Python."""
    parts = ('(abstract or "")' if part == "abstract" else part for part in encoder.parts)
    return f' + "{separator}" + '.join(parts)


def _untrained(encoder: "Encoder") -> dict[str, str]:
    return {
        "base": _named(encoder.base_name, encoder.revision),
        "trained": "no: these are the vectors of the base",
        "pooling": encoder.pooling,
        "digest": encoder.digest,
    }


def _training(record: "ModelRecord") -> dict[str, str]:
    base, mined, holdout = record.base, record.triplets, record.holdout
    told = {
        "base": _named(base.name, base.revision),
        "mode": {"head": "a linear head on the frozen base", "full": "the whole Transformer"}[
            record.mode
        ],
        **({"loss": record.settings["loss"]} if "loss" in record.settings else {}),
        "triplets": f"{mined.triplets:,} of {mined.queries:,} queries, {mined.hard:,} with a hard"
        f" negative, mined from {record.mined.get('source', 'a table')}",
        "hold-out": f"{holdout:g} of the papers for test and again for validation"
        if holdout
        else "none: it has seen all citations",
        "before training": _metrics(record.epochs[0]),
        f"epoch {record.best_epoch}, kept": _metrics(record.best),
    }
    if record.distilled is not None:
        told["with distilled SGC, as here"] = (
            f"{record.distilled:.1%} of the validation triplets right"
        )
    told |= {f"control: {n.replace('_', ' ')}": _metrics(m) for n, m in record.controls.items()}
    return told | {
        "pooling of the base": base.pooling,
        **({"precision of the base vectors": base.precision} if base.precision else {}),
        "corpus fingerprint": record.corpus or "not told",
        "written": f"{record.created:%Y-%m-%d}, {_versions(record.versions)}",
        "digest": record.digest,
    }


def _metrics(epoch: "EpochMetrics") -> str:
    if epoch.validation_accuracy is None or epoch.validation_loss is None:
        return "no validation triplets"
    return (
        f"{epoch.validation_accuracy:.1%} of the validation triplets right,"
        f" loss {epoch.validation_loss:.4f}"
    )


def _named(name: str, revision: str | None) -> str:
    return f"{name}, revision {revision}" if revision else name


def _versions(versions: dict[str, str]) -> str:
    return ", ".join(f"{name} {version}" for name, version in versions.items())


def _table(rows: dict[str, str]) -> str:
    return "\n".join(["| | |", "|---|---|", *(f"| {k} | {v} |" for k, v in rows.items()), ""])
