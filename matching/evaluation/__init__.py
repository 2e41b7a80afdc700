"""Affinities against rated expertise."""
