"""The description of an encoder, which its embedding spaces record."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Prompts:
    """The texts that an encoder puts before papers and before queries, such as `query: `."""

    document: str = ""
    query: str = ""

    @classmethod
    def of(cls, texts: Mapping[str, str], default: str | None = None) -> "Prompts":
        """Choose the prompts of a sentence-transformers model: the first that is not empty.

        That of papers is named document, passage or corpus, as in `encode_document`. The library
        itself adds an empty `document`, which is not preferred to `passage` here.

        Args:
            texts: The prompts of the model by name.
            default: The name of its default prompt.
        """
        document, query = (
            next((texts[name] for name in [*names, default] if name and texts.get(name)), "")
            for names in (("document", "passage", "corpus"), ("query",))
        )
        return cls(document, query)


NO_PROMPTS = Prompts()


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderCard:
    """The facts about an encoder; equal digests mean comparable vectors.

    Attributes:
        name: The name with which the encoder can be loaded; empty if it exists in memory only.
        digest: Changes whenever the vectors of papers would change.
        dimension: Length of a vector.
        kind: "base", "head" or "full"; only a head starts from base vectors.
        base: The name of the base model.
        base_digest: The digest of the base model.
        revision: The revision of the base model; None without one.
        pooling: The pooling of tokens; empty if unknown.
        precision: The precision in which the Transformer computed last; empty without one.
        parts: The parts of a paper that it reads.
        prompts: Its prompts; `digest` covers the one of papers.
        mined: The settings with which its triplets were mined.
        learned_from: Everything it has learned from (see `EmbeddingSpace`).
        trained_on: The fingerprint of the corpus of its training.
        holdout: The hold-out of its training.
        split: The digest of the split of its training; None if it was not trained.
    """

    name: str
    digest: str
    dimension: int
    kind: str = "base"
    base: str = ""
    base_digest: str = ""
    revision: str | None = None
    pooling: str = ""
    precision: str = ""
    parts: tuple[str, ...] = ("title", "abstract")
    prompts: Prompts = NO_PROMPTS
    mined: Mapping[str, object] = field(default_factory=dict)
    learned_from: tuple[str, ...] = ()
    trained_on: str = ""
    holdout: float = 0.0
    split: str | None = None
