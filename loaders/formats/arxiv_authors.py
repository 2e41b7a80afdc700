"""The authors of an arXiv paper, from names in parts or from one line."""

import re
from collections.abc import Iterable

from specter_graph.loaders.parsing.field_values import LONGEST_NAME, clean_name
from specter_graph.loaders.parsing.latex import plain_text
from specter_graph.loaders.records import Affiliation, Author

SOURCE = "arxiv"

_BETWEEN = re.compile(r" ?[,;] ?(?:and )?| and | for the | on behalf of (?:the )?")
_SUFFIX = re.compile(r"(?:jr|sr)\.?|ii|iii|iv|ph\.?\s?d\.?", re.IGNORECASE)


def author(name: str, affiliations: Iterable[str], wrong: list[str]) -> Author | None:
    """An author with the names of his or her institutions; None without a name."""
    name = clean_name(name)
    if not name:
        wrong.append("an author without a name")
        return None
    names = dict.fromkeys(map(clean_name, affiliations))
    if any(len(one) > LONGEST_NAME for one in names):
        wrong.append(f"an affiliation of more than {LONGEST_NAME:,} characters")
    kept = [one for one in names if 0 < len(one) <= LONGEST_NAME]
    return Author(
        f"{SOURCE}:{name}",
        name,
        affiliations=tuple(Affiliation(f"{SOURCE}:{one}", one) for one in kept),
    )


def once(authors: Iterable[Author | None]) -> tuple[Author, ...]:
    """Authors in order, each once."""
    found: dict[str, Author] = {}
    for one in authors:
        if one:
            found.setdefault(one.id, one)
    return tuple(found.values())


def from_line(line: str, wrong: list[str]) -> tuple[Author, ...]:
    """Authors from a line such as "A. One (Univ. X), B. Two, Jr. and C. Three for the D Group".

    What is in brackets is left out: it may be affiliations, or numbers that point to them. Accents
    may be written in TeX.
    """
    names: list[str] = []
    for part in _BETWEEN.split(" ".join(_without_brackets(line).split())):
        if names and _SUFFIX.fullmatch(part):
            names[-1] += f" {part}"
        elif part.strip():
            names.append(part)
    return once(author(_plain(name), (), wrong) for name in names)


def _plain(name: str) -> str:
    return plain_text(name) if "\\" in name and len(name) <= LONGEST_NAME else name


def _without_brackets(line: str) -> str:
    kept: list[str] = []
    depth = 0
    for piece in re.split(r"([()])", line):
        if piece == "(":
            depth += 1
        elif piece == ")":
            depth = max(0, depth - 1)
        elif not depth:
            kept.append(piece)
    return "".join(kept)
