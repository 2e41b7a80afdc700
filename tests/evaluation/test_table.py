"""Test the report as tables for people."""

import io

import pytest
from rich.console import Console

from specter_graph.core.statistics import Interval
from specter_graph.evaluation.protocols.held_out import METRICS, HeldOutResult
from specter_graph.evaluation.report.table import (
    Cell,
    ResultTable,
    embolden_best,
    held_out_table,
    percent_cell,
    text_cell,
)


def means(value):
    return {
        task: {metric: Interval(value, value - 0.02, value + 0.02) for metric in METRICS[task]}
        for task in METRICS
    }


@pytest.fixture
def report():
    difference = {"sgc": means(0.1), "odd": means(-0.01)}
    spaces = {"base": means(0.6), "sgc": means(0.7), "odd": means(0.59)}
    queries = {"cite": 1234, "cocite": 20, "retrieval": 30}
    return HeldOutResult(spaces, queries, means(0.25), "base", difference)


def test_markdown_has_a_row_per_space_with_the_best_in_bold_and_differences_marked(report):
    lines = held_out_table(report).markdown().splitlines()
    assert lines[0].startswith("| space | cite MAP | cite nDCG | cocite MAP |")
    assert {line.count("|") for line in lines[:6]} == {10}
    assert lines[2].startswith("| (random) | 25.0 (23.0-27.0) |")
    assert lines[3].startswith("| base | 60.0 (58.0-62.0) |")
    assert lines[4].startswith("| sgc | **70.0** ▲ (68.0-72.0) |")
    assert lines[5].startswith("| odd | 59.0 (57.0-61.0) |")
    assert lines[7].startswith("Percent, with 95% bootstrap intervals; queries: cite 1,234,")


def test_the_table_fits_a_terminal_of_80_columns(report):
    out = io.StringIO()
    Console(file=out, width=80).print(held_out_table(report).without("retrieval nDCG@10").rich())
    assert "…" not in out.getvalue()
    for part in ("cocite", "R@100", "(random)", "70.0 ▲", "68.0-72.0", "worse than base"):
        assert part in out.getvalue()


def test_figures_of_many_columns_are_wrapped_and_not_cut():
    cell = Cell(0.5, "123.4", "100.0-100.0")
    table = ResultTable(
        ["task", *(f"space_{n}" for n in range(12))], [[text_cell("a"), *[cell] * 12]]
    )
    out = io.StringIO()
    Console(file=out, width=100).print(table.rich())
    assert "…" not in out.getvalue()


def test_json_has_the_values_and_people_the_texts():
    rows = [
        [text_cell("a"), percent_cell(0.12345), Cell(7, "7")],
        [text_cell("b"), percent_cell(None), Cell(8, "8")],
    ]
    table = ResultTable(["name", "share", "papers"], rows, ["a note"])
    assert table.records() == [
        {"name": "a", "share": 0.12345, "papers": 7},
        {"name": "b", "share": None, "papers": 8},
    ]
    assert table.markdown().splitlines()[2:] == ["| a | 12.3 | 7 |", "| b | - | 8 |", "", "a note"]
    assert table.without("share").records()[1] == {"name": "b", "papers": 8}


def test_the_best_of_several_rows_is_bold():
    shares = [percent_cell(value) for value in (0.5001, None, 0.5002, 0.4)]
    assert [cell.bold for cell in embolden_best(shares)] == [True, False, True, False]
    assert not embolden_best([percent_cell(0.5), percent_cell(None)])[0].bold
