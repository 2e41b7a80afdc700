"""Evaluation of affinities on rated expertise."""
