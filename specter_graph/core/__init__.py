"""Errors, files, vectors, nearest neighbors, statistics and progress, used by every package."""
