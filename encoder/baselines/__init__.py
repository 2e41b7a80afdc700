"""Baselines of the SPECTER paper that encode texts."""
