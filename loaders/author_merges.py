"""Curated lists of authors: the ids that belong to one person."""

import csv
from collections.abc import Iterator
from pathlib import Path

import orjson

from specter_graph.core.errors import InputError
from specter_graph.loaders.corpus_files import DamagedFileError, find_files, read_lines
from specter_graph.loaders.validation import MAX_NAME_LENGTH


def read_author_groups(path: Path | str) -> list[list[str]]:
    """Return the groups of ids in a file, the canonical id first.

    A line has two or more ids of authors: separated by commas (CSV, with double quotes around ids
    that contain commas), or as a JSON list. Blank lines are skipped. The list is written by hand,
    so nothing in it is repaired.

    Raises:
        InputError: A line is not a group of ids; the message names the first such line.
    """
    path = Path(path)
    return [_group(path, number, ids) for number, ids in _lines(path) if any(ids)]


def _lines(path: Path) -> Iterator[tuple[int, list[str]]]:
    [file] = find_files([path])
    try:
        for number, line in enumerate(read_lines(file, lambda size: None), 1):
            yield number, _ids(path, number, line)
    except DamagedFileError as error:
        raise InputError(f"{path}: {error}") from error


def _ids(path: Path, number: int, line: bytes | None) -> list[str]:
    try:
        text = (b"\xff" if line is None else line).decode().lstrip("\ufeff").strip()
        if text.startswith("["):
            values = orjson.loads(text)
        else:
            values = next(csv.reader([text], skipinitialspace=True, strict=True), [])
    except (UnicodeDecodeError, orjson.JSONDecodeError, csv.Error) as error:
        raise _line_error(path, number, "not CSV or a JSON list") from error
    if not all(isinstance(value, str) for value in values):
        raise _line_error(path, number, "an id is not a string")
    return [value.strip() for value in values]


def _group(path: Path, number: int, ids: list[str]) -> list[str]:
    if len(ids) < 2:
        raise _line_error(path, number, "only one id")
    if not all(0 < len(key) <= MAX_NAME_LENGTH for key in ids):
        raise _line_error(
            path, number, f"an id is empty or longer than {MAX_NAME_LENGTH:,} characters"
        )
    return ids


def _line_error(path: Path, number: int, reason: str) -> InputError:
    return InputError(
        f"{path}, line {number}: {reason}",
        "write two or more ids of authors on each line, the canonical id first",
    )
