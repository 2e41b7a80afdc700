"""The sentences in which a full text cites others."""

import re
from bisect import bisect_right

_END = re.compile(
    r"(?<!\bal)(?<!\bcf)(?<!\bvs)(?<!\bFig)(?<!\bEqs)(?<!\bEq)(?<!\bRef)(?<!\bRefs)"
    r"(?<!\b[A-Z])(?<!\be\.g)(?<!\bi\.e)[.?!][\"')\]]*+\s++(?=[\"'(\[]*+[A-ZÀ-Þ])"
    r"|\n\s*\n\s*"
)


class Sentences:
    """A text cut into sentences, by a rule of thumb.

    A sentence ends at an empty line, and at a full stop, a question or an exclamation mark before
    a capital letter, unless an initial or a common abbreviation ("et al.", "Fig.") stands there.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(found.end() for found in _END.finditer(text))]

    def around(self, start: int, end: int) -> str:
        """What stands from the sentence with the character `start` to that before `end`."""
        first, last = self.span(start, end)
        return self._text[first:last].strip()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Where that begins, and where it ends."""
        first = bisect_right(self._starts, start) - 1
        after = bisect_right(self._starts, max(start, end - 1))
        ends = self._starts[after] if after < len(self._starts) else len(self._text)
        return self._starts[first], ends
