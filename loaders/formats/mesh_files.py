"""Reads the vocabulary files of MeSH: the descriptors in ASCII (d2025.bin), and mtrees2025.bin."""

import re
from collections.abc import Iterator
from pathlib import Path

from specter_graph.loaders.format_api import Count, Found, Problem
from specter_graph.loaders.parsing.text_lines import read_text_lines
from specter_graph.loaders.records import Field

SCHEME = "mesh"

_NEW = "*NEWRECORD"
_ELEMENT = re.compile(r"([A-Z][A-Z0-9]*) = (.*)")
_NAMES = ("MH", "SH", "NM")
_TREE = re.compile(rb"(?:[^;\r\n]+;[A-Z]\d\d(?:\.\d{3})*\r?\n){2}")
_NODE = re.compile(r"(.+);([A-Z]\d\d(?:\.\d+)*)")


def looks_like_ascii(head: bytes) -> bool:
    """Whether a file begins as MeSH in ASCII does."""
    return head.lstrip()[: len(_NEW)] == _NEW.encode()


def looks_like_tree(head: bytes) -> bool:
    """Whether a file begins with lines such as "Body Regions;A01"."""
    return _TREE.match(head) is not None


def read_ascii(path: Path, count: Count) -> Iterator[tuple[int, Found]]:
    """The headings (MH), qualifiers (SH) or supplementary concepts (NM) by their unique ids (UI).

    What is broader follows from the tree numbers (MN), so that headings come when all are known.
    """
    headings: list[tuple[int, Field, list[str]]] = []
    places: dict[str, str] = {}
    for line, record in _records(path, count):
        if isinstance(record, Problem):
            yield line, record
            continue
        key = next(iter(record.get("UI", ())), "")
        name = next((record[element][0] for element in _NAMES if element in record), "")
        if not key or not name:
            written = "\n".join(f"{e} = {v}" for e, values in record.items() for v in values)
            yield line, Problem("UI or name is missing", key or None, written[:10_000])
            continue
        numbers = record.get("MN", [])
        places.update(dict.fromkeys(numbers, key))
        headings.append((line, Field(SCHEME, key, name), numbers))
    for line, field, numbers in headings:
        yield line, Field(SCHEME, field.id, field.name, _above(numbers, places, field.id))


def read_tree(path: Path, count: Count) -> Iterator[tuple[int, Found]]:
    """The headings of mtrees, by their names, since the file has no ids."""
    headings: dict[str, tuple[int, list[str]]] = {}
    places: dict[str, str] = {}
    for line, text in read_text_lines(path, count):
        if isinstance(text, Problem):
            yield line, text
        elif node := _NODE.fullmatch(text.strip()):
            name = node[1].strip()
            headings.setdefault(name, (line, []))[1].append(node[2])
            places[node[2]] = name
        elif text.strip():
            yield line, Problem("the line is not name;number", record=text[:10_000])
    for name, (line, numbers) in headings.items():
        yield line, Field(SCHEME, name, name, _above(numbers, places, name))


def _above(numbers: list[str], places: dict[str, str], itself: str) -> tuple[str, ...]:
    """What stands at the tree numbers just above these."""
    above = (places.get(number.rpartition(".")[0]) for number in numbers)
    return tuple(dict.fromkeys(key for key in above if key and key != itself))


def _records(path: Path, count: Count) -> Iterator[tuple[int, dict[str, list[str]] | Problem]]:
    begin, record = 0, dict[str, list[str]]()
    for number, line in read_text_lines(path, count):
        if isinstance(line, Problem):
            yield number, line
        elif line.strip() == _NEW:
            if begin:
                yield begin, record
            begin, record = number, {}
        elif begin and (element := _ELEMENT.fullmatch(line.strip())):
            record.setdefault(element[1], []).append(element[2].strip())
    if begin:
        yield begin, record
