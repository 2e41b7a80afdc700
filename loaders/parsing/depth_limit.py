"""How deep JSON is nested that comes in pieces: parsers may take memory with its square."""

import re

_BRACKET = re.compile(
    rb'[^"{}\[\]]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"{}\[\]]*+)*+([{}\[\]])', re.DOTALL
)
"""The next bracket outside of strings."""
_UNCLOSED = re.compile(rb'[^"]*+(?:"[^"\\]*+(?:\\.[^"\\]*+)*+"[^"]*+)*+"', re.DOTALL)
"""Up to the quote of a string that goes on in the next piece."""
_STRING_END = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_OPENING = b"[{"


class Nesting:
    """Follows the brackets of a text down to `most` levels."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._depth = 0
        self._in_string = False
        self._escaped = False  # the next byte is behind a backslash

    def fits(self, piece: bytes) -> int:
        """How many bytes of the next piece come before what is nested too deep.

        If these are not all, the next piece is to be what follows them.
        """
        at = 0
        if self._in_string and piece:
            end = _STRING_END.match(piece, int(self._escaped))
            if end is None:
                self._escaped = _ends_in_escape(piece[int(self._escaped) :])
                return len(piece)
            at, self._in_string, self._escaped = end.end(), False, False
        while found := _BRACKET.match(piece, at):
            if piece[found.start(1)] not in _OPENING:
                self._depth -= 1
            elif self._depth == self._most:
                return found.start(1)
            else:
                self._depth += 1
            at = found.end()
        if unclosed := _UNCLOSED.match(piece, at):
            self._in_string = True
            self._escaped = _ends_in_escape(piece[unclosed.end() :])
        return len(piece)


def _ends_in_escape(piece: bytes) -> bool:
    return (len(piece) - len(piece.rstrip(b"\\"))) % 2 == 1
