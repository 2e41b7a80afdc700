"""Protocols: which papers a system is asked for, and how its answers are scored."""
