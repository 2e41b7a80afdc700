"""Read the lists of a venue: reviewers, quotas, bids and declared conflicts.

| file      | columns (CSV, TSV) or keys (JSON Lines)                                              |
|-----------|--------------------------------------------------------------------------------------|
| reviewers | id; minimum, maximum (numbers of papers), senior (true or false)                     |
| quotas    | reviewer; minimum, maximum; an empty one leaves the bound as it is                   |
| bids      | reviewer, submission, value: from -1 to 1, or a word of OpenReview (see BIDS)        |
| conflicts | reviewer, submission; reason, which may be empty                                     |

The id of a reviewer is that of an author of the graph, an ORCID, the OpenAlex id of an author
(A123) or the OpenReview id of a profile (~Ann_Smith1); the last three may be given as addresses.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from specter_graph.core.errors import InputError
from specter_graph.loaders.format_api import RecordError
from specter_graph.loaders.parsing.field_values import text
from specter_graph.loaders.review_records import Bid, Conflict, Quota, Reviewer, parse_person_id
from specter_graph.matching.io.rows import Record, Row, key, read_records, whole, yes

BIDS = {"very high": 1.0, "high": 0.5, "neutral": 0.0, "low": -0.5, "very low": -1.0}
"""The words of OpenReview as numbers, as OpenReview's matcher weighs them; "no bid" is no bid."""


def read_reviewers(path: Path, ignored: list[str] | None = None) -> list[Reviewer]:
    """All reviewers of a file; raises InputError for the first that cannot be used."""
    columns = ("id", "minimum", "maximum", "senior")
    found = read_records(path, _each_once("id", _reviewer), columns, "id", ignored)
    if not found:
        raise InputError(f"there is no reviewer in {path}", "one a line, with the column id")
    return found


def read_quotas(path: Path, ignored: list[str] | None = None) -> list[Quota]:
    """All quotas of a file; raises InputError for the first that cannot be used."""
    columns = ("reviewer", "minimum", "maximum")
    return read_records(path, _each_once("reviewer", _quota), columns, "reviewer", ignored)


def with_quotas(reviewers: Iterable[Reviewer], quotas: Iterable[Quota]) -> list[Reviewer]:
    """The reviewers with the bounds that quotas set.

    Raises InputError for the quota of somebody who is no reviewer, and where the least is more than
    the most.
    """
    of = {reviewer.id: reviewer for reviewer in reviewers}
    for quota in quotas:
        reviewer = of.get(quota.reviewer)
        if reviewer is None:
            raise InputError(
                f"there is a quota for {quota.reviewer!r}, who is no reviewer",
                "name reviewers as the list of reviewers does",
            )
        least = reviewer.minimum if quota.minimum is None else quota.minimum
        most = reviewer.maximum if quota.maximum is None else quota.maximum
        if least is not None and most is not None and least > most:
            raise InputError(
                f"{quota.reviewer!r} is to have at least {least} papers and at most {most}",
                "put right the quota or the list of reviewers",
            )
        of[reviewer.id] = replace(reviewer, minimum=least, maximum=most)
    return list(of.values())


def _each_once(column: str, convert: Callable[[str, Row], Record]) -> Callable[[Row], Record]:
    """Make records of rows, of which no two may be of one parse_person_id."""
    seen: set[str] = set()

    def once(row: Row) -> Record:
        name = parse_person_id(key(row, column))
        try:
            if name in seen:
                raise RecordError("stands twice")
            made = convert(name, row)
        except RecordError as error:
            error.id = name
            raise
        seen.add(name)
        return made

    return once


def _reviewer(name: str, row: Row) -> Reviewer:
    minimum, maximum = _bounds(row)
    return Reviewer(name, minimum, maximum, yes(row, "senior"))


def _quota(name: str, row: Row) -> Quota:
    return Quota(name, *_bounds(row))


def _bounds(row: Row) -> tuple[int | None, int | None]:
    minimum, maximum = whole(row, "minimum"), whole(row, "maximum")
    if minimum is not None and maximum is not None and minimum > maximum:
        raise RecordError(f"minimum {minimum} is more than maximum {maximum}")
    return minimum, maximum


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
