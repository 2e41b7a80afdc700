"""Embedding spaces: their records, vectors, indexes, and the texts that are embedded."""
