"""Corpora on disk, from an API, or generated, as streams of records.

In: paths (plain, .gz, .zst). Out: what `records` names: papers, citations, labels, readings, and a
`records.Reject` for what cannot be used. Knows formats (one module each in `formats/`); knows no
database.
"""

from specter_graph.loaders.corpus import Corpus, open_corpus

__all__ = ["Corpus", "open_corpus"]
