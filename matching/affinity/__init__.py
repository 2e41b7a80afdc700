"""Affinities: scores of reviewers for submissions, from the papers of the reviewers."""
