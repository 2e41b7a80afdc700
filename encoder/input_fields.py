"""The parts of a paper that a model reads, and the scripts that a tokenizer covers."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Literal, TypeAlias

from specter_graph.loaders.records import PaperText

Part: TypeAlias = Literal["title", "abstract", "venue", "authors", "references", "body"]
"""SPECTER reads title and abstract (section 2.2) and evaluates venue and authors (section 6); it
leaves full text and citations to future work (sections 7 and 8)."""

Parts: TypeAlias = tuple[Part, ...]

TITLE_AND_ABSTRACT: Parts = ("title", "abstract")

_EDITION = re.compile(
    r"\b(\d+(st|nd|rd|th)?|(19|20)\d\d|proceedings|proc|of the|annual|vol(ume)?|in)\b|[^\w\s]",
    re.IGNORECASE,
)

_PIECES = 100
_CHARACTERS = 1_000
"""Minimum number of longer pieces, or else of characters, of a script that is covered."""

_RUN = re.compile(r"[^\W\d_]{2,}")
"""Two or more letters; a single one is a symbol, such as a Greek letter in a formula."""


def texts_of(paper: PaperText, parts: Parts) -> list[str]:
    """Return the text of each part; a missing part is empty."""
    return [_TEXT[part](paper) for part in parts]


def words_of(papers: Sequence[PaperText], parts: Parts) -> list[str]:
    """Return the parts of each paper as one text, for word counts."""
    return [" ".join(texts_of(paper, parts)) for paper in papers]


def venue_name(name: str) -> str:
    """Return the name of a venue without its edition (SPECTER, footnote 14).

    `Proc. of the 57th Annual Meeting of the ACL, 2019` is `meeting acl`.
    """
    return " ".join(_EDITION.sub(" ", name).casefold().split())


_TEXT: dict[Part, Callable[[PaperText], str]] = {
    "title": lambda paper: paper.title,
    "abstract": lambda paper: paper.abstract or "",
    "venue": lambda paper: venue_name(paper.venue or ""),
    "authors": lambda paper: ", ".join(paper.authors),
    "references": lambda paper: "; ".join(paper.references),
    "body": lambda paper: paper.body or "",
}


def covers(tokenizer: Any, scripts: frozenset[str], text: str) -> bool:  # noqa: ANN401
    """Return True if a tokenizer covers at least half of a text.

    Args:
        tokenizer: A tokenizer of transformers.
        scripts: The scripts of its vocabulary, see `scripts_of`.
        text: The text.
    """
    pieces = tokenizer(text, add_special_tokens=False, truncation=True)["input_ids"]
    if 2 * pieces.count(tokenizer.unk_token_id) > len(pieces):
        return False
    letters = Counter(script(letter) for run in _RUN.findall(text) for letter in run)
    return 2 * sum(letters[name] for name in letters.keys() - scripts) <= letters.total()


def scripts_of(tokenizer: Any) -> frozenset[str]:  # noqa: ANN401
    """Return the scripts that a vocabulary covers beyond single characters.

    For scripts with a character per syllable or word, such as Chinese, many characters suffice.
    """
    pieces: Counter[str] = Counter()
    characters: Counter[str] = Counter()
    for piece in tokenizer.backend_tokenizer.decode_batch([[n] for n in range(len(tokenizer))]):
        letters = [letter for letter in piece if letter.isalpha()]
        counts = pieces if len(letters) > 1 else characters
        counts.update({script(letter) for letter in letters})
    return frozenset(
        name
        for name in pieces | characters
        if pieces[name] >= _PIECES or characters[name] >= _CHARACTERS
    )


@lru_cache(maxsize=4_096)
def script(letter: str) -> str:
    """Return the first word of the Unicode name of a letter: LATIN, GREEK, CYRILLIC, CJK."""
    return unicodedata.name(letter, "").partition(" ")[0].partition("-")[0]
