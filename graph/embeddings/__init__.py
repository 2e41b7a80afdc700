"""Embedding spaces: records, vectors, indexes, and the texts of papers."""
