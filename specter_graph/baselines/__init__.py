"""Baselines: systems that SPECTER is compared with.

A baseline builds an embedding space, or ranks papers without vectors. `registry` lists all of them
with what they need.
"""
