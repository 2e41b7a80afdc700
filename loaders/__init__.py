"""Corpora on disk, or generated, as streams of Paper records.

In: paths (plain, .gz, .zst). Out: `records.Paper`, and a `records.Reject` for what cannot be used.
Knows formats; knows no database.
"""
