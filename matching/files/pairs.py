"""Reads what is said of pairs of a reviewer and a submission: bids and declared conflicts.

| file             | columns (CSV, TSV) or keys (JSON Lines)                                       |
|------------------|-------------------------------------------------------------------------------|
| bids             | reviewer, submission, value: from -1 to 1, or a word of OpenReview (see BIDS) |
| conflicts        | reviewer, submission; reason, which may be empty                              |
"""

import math
from pathlib import Path

from specter_graph.loaders.format_api import RecordError
from specter_graph.loaders.parsing.field_values import text
from specter_graph.loaders.review_records import Bid, Conflict, parse_person_id
from specter_graph.matching.files.rows import Row, key, read_records

BIDS = {"very high": 1.0, "high": 0.5, "neutral": 0.0, "low": -0.5, "very low": -1.0}
"""The words of OpenReview as numbers, as OpenReview's matcher weighs them; "no bid" is no bid."""


def read_bids(path: Path, ignored: list[str] | None = None) -> list[Bid]:
    """All bids of a file; one that is told again must be the same.

    Raises InputError for the first that cannot be used.
    """
    told: dict[tuple[str, str], float] = {}

    def convert(row: Row) -> Bid | None:
        pair = _pair(row)
        try:
            value = _bid(row.get("value"))
            if value is not None and told.setdefault(pair, value) != value:
                raise RecordError(f"bids both {told[pair]:g} and {value:g} on {pair[1]!r}")
        except RecordError as error:
            error.id = pair[0]
            raise
        return Bid(*pair, value) if value is not None else None

    columns = ("reviewer", "submission", "value")
    return list(dict.fromkeys(read_records(path, convert, columns, " ".join(columns), ignored)))


def read_conflicts(path: Path, ignored: list[str] | None = None) -> list[Conflict]:
    """All declared conflicts of a file; raises InputError for the first that cannot be used."""

    def convert(row: Row) -> Conflict:
        reviewer, submission = _pair(row)
        return Conflict(reviewer, submission, "declared", text(row, "reason") or "declared")

    columns = ("reviewer", "submission", "reason")
    return list(dict.fromkeys(read_records(path, convert, columns, "reviewer submission", ignored)))


def _pair(row: Row) -> tuple[str, str]:
    return parse_person_id(key(row, "reviewer")), key(row, "submission")


def _bid(value: object) -> float | None:
    """The number of a bid; None for "no bid"."""
    if isinstance(value, str):
        word = " ".join(value.lower().split())
        if word == "no bid":
            return None
        if word in BIDS:
            return BIDS[word]
    try:
        number = float(value) if isinstance(value, str | int | float) else math.nan
    except (ValueError, OverflowError):
        number = math.nan
    if isinstance(value, bool) or not -1 <= number <= 1:
        words = ", ".join(word.title() for word in BIDS)
        raise RecordError(f"the bid {value!s:.40} is neither from -1 to 1 nor one of {words}")
    return number
