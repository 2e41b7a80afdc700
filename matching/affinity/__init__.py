"""Affinities: how well reviewers fit submissions, by their papers."""
