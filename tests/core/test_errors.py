"""Test the texts of messages."""

from specter_graph.core.errors import counted


def test_a_number_has_its_noun_in_singular_or_plural():
    assert [counted(number, "paper") for number in (0, 1, 1_200)] == [
        "0 papers", "1 paper", "1,200 papers",
    ]  # fmt: skip
    assert [counted(number, "query has", "queries have") for number in (1, 2)] == [
        "1 query has", "2 queries have",
    ]  # fmt: skip
