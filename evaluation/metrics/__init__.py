"""Ranking metrics, and results with their intervals and significance tests; arrays only."""
