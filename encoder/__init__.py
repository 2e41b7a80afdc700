"""Triplets and texts in, a trained model and vectors out; knows no database."""
