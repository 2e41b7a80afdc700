"""Test the texts of messages."""

import pickle
import traceback

import pytest

from specter_graph.core.errors import InputError, counted, text_list


class CountedList(list):
    """A list that counts how often it is read."""

    reads = 0

    def __iter__(self):
        self.reads += 1
        return super().__iter__()


def test_the_entries_of_a_list_are_read_once():
    texts = CountedList(["a", "b"])
    assert (text_list("ids", texts), texts.reads) == (["a", "b"], 1)
    assert text_list("ids", iter("ab")) == ["a", "b"]
    for wrong in ("ab", ["a", 1], iter(["a", None]), {"a": 1}, 3):
        with pytest.raises(InputError, match=r"^ids "):
            text_list("ids", wrong)


def test_a_number_has_its_noun_in_singular_or_plural():
    assert [counted(number, "paper") for number in (0, 1, 1_200)] == [
        "0 papers", "1 paper", "1,200 papers",
    ]  # fmt: skip
    assert [counted(number, "query has", "queries have") for number in (1, 2)] == [
        "1 query has", "2 queries have",
    ]  # fmt: skip


def test_a_traceback_shows_the_hint_once():
    error = InputError("the query is empty", "give a text")
    for each in (error, pickle.loads(pickle.dumps(error))):
        assert "".join(traceback.format_exception(each)).endswith(
            "InputError: the query is empty\ntry: give a text\n"
        )
    assert traceback.format_exception_only(InputError("no hint"))[1:] == []
