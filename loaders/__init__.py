"""Corpora on disk, from an API, or generated, as streams of records.

In: paths (plain, .gz, .zst). Out: the types of `records`: papers, citations, labels, readings, and
a `records.Reject` for each record that cannot be used. No module knows the database. Each format is
a module in `formats/`, which is loaded by its name: `formats` imports `parsing` and the modules in
this folder, `parsing` imports only the latter, and these import neither.
"""

from specter_graph.loaders.corpus import Corpus, open_corpus

__all__ = ["Corpus", "open_corpus"]
