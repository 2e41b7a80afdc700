"""Scripts of texts and of vocabularies: whether a tokenizer has the words of a text."""

import re
import unicodedata
from collections import Counter
from functools import lru_cache
from typing import Any

_PIECES = 100
_CHARACTERS = 1_000
"""Pieces of two letters or more, or else characters, of a script that a vocabulary covers."""

_RUN = re.compile(r"[^\W\d_]{2,}")
"""Letters side by side: one alone is a symbol, such as a Greek letter in a formula."""


def covers(tokenizer: Any, scripts: frozenset[str], text: str) -> bool:  # noqa: ANN401
    """Return whether a tokenizer has words for at least half of a text.

    Args:
        tokenizer: A tokenizer of transformers.
        scripts: Those of its vocabulary, see `scripts_of`.
        text: The text.
    """
    pieces = tokenizer(text, add_special_tokens=False, truncation=True)["input_ids"]
    if 2 * pieces.count(tokenizer.unk_token_id) > len(pieces):
        return False
    letters = Counter(script(letter) for run in _RUN.findall(text) for letter in run)
    return 2 * sum(letters[name] for name in letters.keys() - scripts) <= letters.total()


def scripts_of(tokenizer: Any) -> frozenset[str]:  # noqa: ANN401
    """Return the scripts of which a vocabulary has more than single characters.

    A script that has a character for a syllable or a word, such as Chinese, may have only these.
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
