"""Submissions and reviewers in, affinities and an assignment out."""
