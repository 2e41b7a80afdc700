"""Vectors and held-out facts in, a table of scores out."""
