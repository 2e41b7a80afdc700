"""Dates that come in parts."""

import re

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = re.compile(r"0?[1-9]|1[0-2]", re.ASCII)
_DAY = re.compile(r"0?[1-9]|[12]\d|3[01]", re.ASCII)


def exact_date(year: int, month: str, day: str) -> str:
    """A date as exactly as its parts tell it: "2018-12-05", "2018-12", "2018".

    A month is a number or an English name, in full or begun.
    """
    if month[:3].lower() in _MONTHS:
        month = str(_MONTHS.index(month[:3].lower()) + 1)
    if not _MONTH.fullmatch(month):
        return str(year)
    return f"{year}-{month:0>2}-{day:0>2}" if _DAY.fullmatch(day) else f"{year}-{month:0>2}"
