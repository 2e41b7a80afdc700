"""Read the lists of a venue: reviewers, quotas, bids and declared conflicts.

| file      | columns (CSV, TSV) or keys (JSON Lines)                                              |
|-----------|--------------------------------------------------------------------------------------|
| reviewers | id; minimum, maximum (numbers of papers), senior (true or false), email, role,       |
|           | tracks (with semicolons between them), region                                        |
| quotas    | reviewer; minimum, maximum; an empty value does not change the bound                 |
| bids      | reviewer, submission, value: from -1 to 1, or a word of OpenReview (see BIDS); or    |
|           | paper, email, preference: the preferences of HotCRP                                  |
| conflicts | reviewer, submission; reason, which may be empty                                     |

The id of a reviewer is the id of an author of the graph, an ORCID, the OpenAlex id of an author
(A123) or the OpenReview id of a profile (~Ann_Smith1). The last three can be web addresses.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from specter_graph.core.errors import InputError
from specter_graph.loaders.format_api import RecordError
from specter_graph.loaders.parsing.field_values import text
from specter_graph.loaders.review_records import (
    REVIEWER,
    Bid,
    Conflict,
    Quota,
    Reviewer,
    parse_person_id,
)
from specter_graph.matching.io.hotcrp import read_preferences
from specter_graph.matching.io.rows import (
    Record,
    Row,
    first_line,
    key,
    listed,
    parse_bool,
    parse_int,
    read_records,
)

BIDS = {"very high": 1.0, "high": 0.5, "neutral": 0.0, "low": -0.5, "very low": -1.0}
"""Words of OpenReview with their values in OpenReview's matcher; "no bid" is skipped."""


def read_reviewers(path: Path, ignored: list[str] | None = None) -> list[Reviewer]:
    """Read reviewers; raise InputError for the first row that cannot be used."""
    columns = ("id", "minimum", "maximum", "senior", "email", "role", "tracks", "region")
    reviewers = read_records(path, _unique("id", _reviewer), columns, "id", ignored)
    if not reviewers:
        raise InputError(f"{path} has no reviewers", "write one a line, with the column id")
    return reviewers


def read_quotas(path: Path, ignored: list[str] | None = None) -> list[Quota]:
    """Read quotas; raise InputError for the first row that cannot be used."""
    columns = ("reviewer", "minimum", "maximum")
    return read_records(path, _unique("reviewer", _quota), columns, "reviewer", ignored)


def with_quotas(reviewers: Iterable[Reviewer], quotas: Iterable[Quota]) -> list[Reviewer]:
    """Return the reviewers with the bounds of their quotas.

    Raises InputError for a quota of an unknown reviewer, and for a minimum above the maximum.
    """
    by_id = {reviewer.id: reviewer for reviewer in reviewers}
    for quota in quotas:
        reviewer = by_id.get(quota.reviewer)
        if reviewer is None:
            raise InputError(
                f"the quota of {quota.reviewer!r} has no reviewer",
                "use the ids of the list of reviewers",
            )
        minimum = reviewer.minimum if quota.minimum is None else quota.minimum
        maximum = reviewer.maximum if quota.maximum is None else quota.maximum
        if minimum is not None and maximum is not None and minimum > maximum:
            raise InputError(
                f"the minimum load {minimum} of {quota.reviewer!r} is above the maximum {maximum}",
                "correct the quota or the list of reviewers",
            )
        by_id[reviewer.id] = replace(reviewer, minimum=minimum, maximum=maximum)
    return list(by_id.values())


def _unique(column: str, convert: Callable[[str, Row], Record]) -> Callable[[Row], Record]:
    """Wrap `convert` so that it refuses a second row with the same person."""
    seen: set[str] = set()

    def convert_once(row: Row) -> Record:
        name = parse_person_id(key(row, column))
        try:
            if name in seen:
                raise RecordError("the id occurs twice")
            record = convert(name, row)
        except RecordError as error:
            error.id = name
            raise
        seen.add(name)
        return record

    return convert_once


def _reviewer(name: str, row: Row) -> Reviewer:
    minimum, maximum = _bounds(row)
    return Reviewer(
        name,
        minimum,
        maximum,
        parse_bool(row, "senior"),
        text(row, "email"),
        role=text(row, "role") or REVIEWER,
        tracks=listed(row, "tracks"),
        region=text(row, "region"),
    )


def _quota(name: str, row: Row) -> Quota:
    return Quota(name, *_bounds(row))


def _bounds(row: Row) -> tuple[int | None, int | None]:
    minimum, maximum = parse_int(row, "minimum"), parse_int(row, "maximum")
    if minimum is not None and maximum is not None and minimum > maximum:
        raise RecordError(f"minimum {minimum} is above maximum {maximum}")
    return minimum, maximum


def read_bids(path: Path, ignored: list[str] | None = None) -> list[Bid]:
    """Read bids; raise InputError for the first row that cannot be used.

    A repeated bid must have the same value. A file with a column `preference` has the format of
    HotCRP.
    """
    if b"preference" in first_line(path):
        return read_preferences(path, ignored)
    values: dict[tuple[str, str], float] = {}

    def convert(row: Row) -> Bid | None:
        pair = _pair(row)
        try:
            value = _bid(row.get("value"))
            if value is not None and values.setdefault(pair, value) != value:
                raise RecordError(f"bids both {values[pair]:g} and {value:g} on {pair[1]!r}")
        except RecordError as error:
            error.id = pair[0]
            raise
        return Bid(*pair, value) if value is not None else None

    columns = ("reviewer", "submission", "value")
    return list(dict.fromkeys(read_records(path, convert, columns, " ".join(columns), ignored)))


def read_conflicts(path: Path, ignored: list[str] | None = None) -> list[Conflict]:
    """Read declared conflicts; raise InputError for the first row that cannot be used."""

    def convert(row: Row) -> Conflict:
        reviewer, submission = _pair(row)
        return Conflict(reviewer, submission, "declared", text(row, "reason") or "declared")

    columns = ("reviewer", "submission", "reason")
    return list(dict.fromkeys(read_records(path, convert, columns, "reviewer submission", ignored)))


def _pair(row: Row) -> tuple[str, str]:
    return parse_person_id(key(row, "reviewer")), key(row, "submission")


def _bid(value: object) -> float | None:
    """Return the value of a bid, None for "no bid"."""
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
        raise RecordError(f"the bid {value!s:.40} is neither a number from -1 to 1 nor {words}")
    return number
