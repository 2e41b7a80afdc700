"""Baselines beside the Transformer: simplified graph convolution (SGC)."""
