"""Matching of reviewers and submissions: files, affinities, assignments, evaluation."""
