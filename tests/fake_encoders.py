"""Encoders whose vectors are easy to verify."""

from dataclasses import dataclass, field, fields

import numpy as np

from specter_graph.core.encoder_card import NO_PROMPTS, EncoderCard, Prompts
from specter_graph.core.progress import silent


@dataclass
class LetterCounts:
    """Text model that is easy to verify: the counts of `a` and `b` in title and abstract.

    As a head, it adds one to the base vectors.
    """

    digest: str = "letters"
    kind: str = "base"
    name: str = "letters"
    base: str = "letters"
    base_digest: str = "letters"
    dimension: int = 2
    parts: tuple[str, ...] = ("title", "abstract")
    pooling: str = "count"
    split: str | None = None
    revision: str | None = None
    holdout: float = 0.0
    trained_on: str = ""
    precision: str = "float32"
    mined: dict[str, object] = field(default_factory=dict)
    learned_from: tuple[str, ...] = ()
    prompts: Prompts = NO_PROMPTS
    fail_after: int = 1_000
    encoded: list[str] = field(default_factory=list)
    reused: list[str] = field(default_factory=list)

    @property
    def card(self):
        facts = {each.name: getattr(self, each.name) for each in fields(EncoderCard)}
        return EncoderCard(**facts)

    def encode(self, texts, progress=silent):
        if len(self.encoded) >= self.fail_after:
            raise KeyboardInterrupt
        self.encoded += [text.id for text in texts]
        words = [f"{text.title} {text.abstract or ''}" for text in texts]
        counts = [[each.count("a"), each.count("b")] for each in words]
        return np.array(counts, dtype=np.float32) + (self.kind == "head")

    def apply_head(self, papers, base_vectors):
        self.encoded += [paper.id for paper in papers]
        self.reused += [paper.id for paper in papers]
        return base_vectors + 1
