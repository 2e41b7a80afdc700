"""Baselines beside the Transformer: simplified graph convolution (SGC)."""

from specter_graph.encoder.baselines.sgc import sgc

__all__ = ["sgc"]
