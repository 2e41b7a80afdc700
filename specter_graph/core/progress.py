"""The callback that reports the progress of long work."""

from collections.abc import Callable

Progress = Callable[[str, int, int | None], None]
"""A function called as (stage, done, total) with running counts; total is None if unknown."""


def silent(stage: str, done: int, total: int | None) -> None:
    """Ignore progress."""
