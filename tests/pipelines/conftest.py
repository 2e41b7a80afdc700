"""The tiny model and the papers of the encoder's tests."""

from tests.encoder.conftest import papers, tiny_bert

__all__ = ["papers", "tiny_bert"]
