"""The formats, one module each: its `FORMAT` has the name, the reader and the detector.

`web_sources` reads the answers of web services with them.
"""

import tomllib
from functools import cache
from pathlib import Path
from typing import Any


@cache
def read_toml(name: str) -> dict[str, Any]:
    """Return the contents of a file NAME.toml in this folder."""
    return tomllib.loads(Path(__file__).with_name(f"{name}.toml").read_text(encoding="utf-8"))


@cache
def known_fields(section: str) -> frozenset[str]:
    """Return the fields of a format: all names in a section of known_fields.toml."""
    return frozenset(" ".join(read_toml("known_fields")[section].values()).split())


def field_map(source: str) -> dict[str, Any]:
    """Return the names from which papers of a source get their values; see field_maps.toml."""
    section: dict[str, Any] = read_toml("field_maps")[source]
    return section
