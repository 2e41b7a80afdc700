"""The formats, one module each: its `FORMAT` has the name, the reader and the detector.

`web_sources` reads the answers of web services with them.
"""

import tomllib
from functools import cache
from pathlib import Path


@cache
def known_fields(section: str) -> frozenset[str]:
    """Return the fields of a format: all names in a section of known_fields.toml."""
    text = Path(__file__).with_name("known_fields.toml").read_text(encoding="utf-8")
    return frozenset(" ".join(tomllib.loads(text)[section].values()).split())
