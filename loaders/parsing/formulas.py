"""Cells of CSV files that a spreadsheet would run as formulas.

A spreadsheet evaluates a cell that begins with =, +, -, @, a tab or a carriage return, quoted or
not. In CSV files that people open, `escape_formula` puts an apostrophe before the value of such a
cell, and `unescape_formula` takes it off when the file is read again. Numbers stay as they are, and
so do names of letters, digits, - and _ alone ("-5VpIqr", an id of OpenReview), which call nothing.
"""

import re

_RISKY = re.compile(r"'*[=+\-@\t\r]")
_HARMLESS = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|-[\w-]*", re.ASCII)


def escape_formula(value: str) -> str:
    """Return the value with an apostrophe before it, if a spreadsheet could run it.

    Values that look escaped already get another one, so that reading the file gives them back.
    """
    if not _RISKY.match(value) or _HARMLESS.fullmatch(value):
        return value
    return f"'{value}"


def unescape_formula(value: str) -> str:
    """Return the value that `escape_formula` was given."""
    if value.startswith("'") and escape_formula(value[1:]) == value:
        return value[1:]
    return value
