"""Baselines beside the Transformer: simplified graph convolution (SGC)."""

from specter_graph.encoder.sgc import sgc

__all__ = ["sgc"]
