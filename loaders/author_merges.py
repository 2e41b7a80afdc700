"""Curated lists of authors: the ids that belong to one person."""

import csv
from pathlib import Path

import orjson

from specter_graph.core.errors import InputError
from specter_graph.loaders.corpus_files import DamagedFileError, find_file, read_lines
from specter_graph.loaders.format_api import RecordError
from specter_graph.loaders.validation import MAX_NAME_LENGTH


def read_author_groups(path: Path | str) -> list[list[str]]:
    """Return the groups of ids in a file, the canonical id first.

    A line has two or more ids of authors: separated by commas (CSV, with double quotes around ids
    that contain commas), or as a JSON list. Blank lines are skipped. The list is written by hand,
    so nothing in it is repaired.

    Raises:
        InputError: A line is not a group of ids; the message names the first such line.
    """
    file = find_file(Path(path))
    groups, number = [], 0
    try:
        for line in read_lines(file, lambda size: None):
            number += 1
            if group := _parse_group(b"\xff" if line is None else line):
                groups.append(group)
    except DamagedFileError as error:
        raise InputError(f"{path}: {error}") from error
    except RecordError as error:
        raise InputError(
            f"{path}, line {number}: {error}",
            "write two or more ids of authors on each line, the canonical id first",
        ) from error
    return groups


def _parse_group(line: bytes) -> list[str]:
    """Return the ids of a line; none if it is blank."""
    try:
        text = line.decode().strip()
        if text.startswith("["):
            values = orjson.loads(text)
        else:
            values = next(csv.reader([text], skipinitialspace=True, strict=True), [])
    except (UnicodeDecodeError, orjson.JSONDecodeError, csv.Error) as error:
        raise RecordError("not CSV or a JSON list") from error
    if not all(isinstance(value, str) for value in values):
        raise RecordError("an id is not a string")
    ids = [value.strip() for value in values]
    if not any(ids):
        return []
    if len(ids) < 2:
        raise RecordError("only one id")
    if not all(0 < len(key) <= MAX_NAME_LENGTH for key in ids):
        raise RecordError(f"an id is empty or longer than {MAX_NAME_LENGTH:,} characters")
    return ids
