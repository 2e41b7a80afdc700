"""Pipelines that combine the graph and an encoder: training, SGC, files of vectors."""
