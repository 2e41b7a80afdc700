"""How the rooms report long work, without knowing who listens."""

from collections.abc import Callable

Progress = Callable[[str, int, int | None], None]
"""Called as (stage, done, total) with running counts; total is None while it is unknown."""


def silent(stage: str, done: int, total: int | None) -> None:
    """Report to nobody."""
