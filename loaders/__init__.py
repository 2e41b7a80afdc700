"""Corpora on disk, from an API, or generated, as streams of records.

Input: paths of files (plain, .gz, .zst). Output: the types of `records`: papers, citations, labels
and reading events, and a `records.Reject` for each record that cannot be used. No module uses the
database. Each format is a module in `formats/`, imported by its name. `formats` imports `parsing`
and the modules of this folder; `parsing` imports only those; they import neither.
"""

from specter_graph.loaders.corpus import Corpus, open_corpus

__all__ = ["Corpus", "open_corpus"]
