"""Test the texts of messages."""

import ast
import pickle
import re
import traceback
from pathlib import Path

import pytest

import specter_graph
from specter_graph.core.errors import InputError, counted, text_list

PACKAGE = Path(specter_graph.__file__).parent
NO_LIBRARY = ("cli", "service")
"""Packages whose users have the flags of commands."""


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


def test_errors_of_the_library_name_settings_or_commands_instead_of_flags():
    wrong = []
    folders = [each.resolve() for each in PACKAGE.iterdir() if each.name not in NO_LIBRARY]
    modules = [path for folder in folders for path in folder.rglob("*.py")]
    for path in [*modules, *PACKAGE.glob("*.py")]:
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Call) and re.search(
                "Error$|SkippedRow", ast.unparse(node.func)
            ):
                texts = [text_of(value) for value in node.args]
                wrong += [f"{path.name}: {text}" for text in texts if has_lone_flag(text)]
    assert wrong == []
    assert has_lone_flag("use another --port")
    assert not has_lone_flag("specter-graph clear --instance a, or in a command, --yes")


def has_lone_flag(text: str) -> bool:
    before, flag, _ = text.partition(" --")
    return bool(flag) and not re.search("specter-graph|ray start|in a command", before)


def text_of(node: ast.expr) -> str:
    """Return the constant text of an argument, such as an f-string."""
    parts = (each.value for each in ast.walk(node) if isinstance(each, ast.Constant))
    return " " + " ".join(part for part in parts if isinstance(part, str))
