"""Corpora on disk, or generated, as streams of Paper records.

In: paths (plain, .gz, .zst). Out: `records.Paper`, and a `records.Reject` for what cannot be used.
Knows formats; knows no database.
"""

from specter_graph.loaders.corpus import FORMATS, Corpus, open_corpus

__all__ = ["FORMATS", "Corpus", "open_corpus"]
