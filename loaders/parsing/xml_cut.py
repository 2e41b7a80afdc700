"""Cuts the records out of a stream of XML: each can be parsed, and can be broken, by itself."""

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from specter_graph.loaders.files import LONGEST_LINE

LONGEST_RECORD = LONGEST_LINE
"""Bytes; a longer element is no record, and is skipped without being held in memory."""

_LONGEST_HEAD = 2**16
_LONGEST_PIECE = 2**20  # bytes that are taken in at once: compressed data may give far more
_OVERLAP = 2**10  # bytes that are looked at again with the next piece: a tag may lie across both

_TAG_ENDS = re.compile(rb"[<>]")
_CDATA_ENDS = re.compile(rb"\]\]>")
_COMMENT = re.compile(rb"<!--(?:[^-]|-(?!-))*+-->")
_COMMENT_ENDS = re.compile(rb"--(.)", re.DOTALL)
_FIRST_TAG = re.compile(rb"<(?:[\w.-]+:)?([A-Za-z_][\w.-]*)")
_NAMESPACE = re.compile(rb"""\s(xmlns(?::[\w.-]+)?)\s*=\s*("[^"<]*"|'[^'<]*')""")
_NAME = re.compile(rb"</?(?:[\w.-]+:)?([\w.-]+)")


@dataclass(frozen=True, slots=True)
class Cut:
    """A piece of a document: an element with all that is in it or, `opening`, only its start tag.

    `line` is where it begins, from 1; `name` its tag without prefix. `problem` says why it is no
    whole element.
    """

    line: int
    name: str
    text: bytes
    opening: bool = False
    problem: str | None = None


class Cutter:
    """Iterate over it, once, to get the pieces of a document that is given in UTF-8.

    `line` is where it stands; `namespaces`, known with the first piece, are those that are declared
    before it, written as attributes.

    `whole` are the tags of the records, `openings` those of elements around the records whose
    attributes matter; all without prefix. Records do not lie inside each other: a second start tag
    means that an end tag is missing. What is between the pieces is passed over; so is what is in
    comments. Nothing of the document type is used, so that no entity can be declared.

    Every start tag of a record, and every end tag without a start, gives one piece: a damaged
    document loses its damaged records and no others, and none of them silently.
    """

    def __init__(
        self, pieces: Iterator[bytes], whole: Collection[str], openings: Collection[str] = ()
    ) -> None:
        self.line = 1
        self.namespaces = b""
        self._head = b""
        self._pieces = _slices(pieces)
        self._buffer = bytearray()
        self._whole = tuple(whole)
        self._openings = tuple(openings)
        self._set_outside(whole)
        self._inside = {name: _tokens(whole, [name], "<!--", r"<!\[CDATA\[") for name in whole}
        self._only_tags = {name: _tokens(whole, [name]) for name in whole}
        self._root: str | None = None
        self._root_is_open = False
        self._at_head = True

    def __iter__(self) -> Iterator[Cut]:
        found = self._next_tag()
        if not found:
            yield Cut(self.line, "", b"", problem=f"there is no <{'>, <'.join(self._whole)}>")
            return
        self._read_head(_name(found[0]))
        while found:
            tag = found[0]
            self._drop(found.start())
            yield from self._piece(tag)
            found = self._next_tag()
        if self._root_is_open:
            yield Cut(self.line, "", b"", problem=f"the document ends inside <{self._root}>")

    def _read_head(self, first: str) -> None:
        """Learn the namespaces, and the name of the root, whose end tag must come in the end."""
        self._at_head = False
        head = _COMMENT.sub(b"", self._head)
        declared = dict(_NAMESPACE.findall(head))
        self.namespaces = b"".join(b" %b=%b" % declaration for declaration in declared.items())
        tag = _FIRST_TAG.search(head)
        root = tag[1].decode() if tag else first
        if root not in self._whole:
            self._root = root
            self._set_outside([*self._whole, root])

    def _set_outside(self, ends: Collection[str]) -> None:
        starts = [*self._whole, *self._openings]
        self._outside = _tokens(starts, ends, "<!--")
        self._outside_tags = _tokens(starts, ends)

    def _piece(self, tag: bytes) -> Iterator[Cut]:
        """The piece that begins with a tag, which is at the front of the buffer."""
        name = _name(tag)
        self._root_is_open = self._root is not None
        if not tag.startswith(b"</"):
            yield self._start_tag(name) if name in self._openings else self._element(name)
        elif name == self._root:
            self._drop(len(tag))
            self._root_is_open = False
        else:
            yield Cut(self.line, name, self._take(len(tag)), problem="its start tag is missing")

    def _start_tag(self, name: str) -> Cut:
        line = self.line
        ends = self._search(_TAG_ENDS, 1)
        if not ends:
            return self._unended(line, name, 1)
        if ends[0] == b"<":
            return Cut(line, name, self._take(ends.start()), problem="its start tag is broken")
        return Cut(line, name, self._take(ends.end()), opening=True)

    def _element(self, name: str) -> Cut:
        line, tokens, position = self.line, self._inside[name], 1
        if ends := self._search(_TAG_ENDS, position):
            if self._buffer[ends.start() - 1 : ends.end()] == b"/>":
                return Cut(line, name, self._take(ends.end()))
            position = ends.start()
        while found := self._search(tokens, position):
            if found[0].startswith(b"<!"):
                ends = self._hidden(found)
                position = ends.end() if ends else found.end()
                tokens = tokens if ends else self._only_tags[name]
            elif found.end() > LONGEST_RECORD:
                break
            elif found[0].startswith(b"</"):
                return Cut(line, name, self._take(found.end()))
            else:
                return Cut(line, name, self._take(found.start()), problem="its end tag is missing")
        return self._unended(line, name, position)

    def _hidden(self, begins: re.Match[bytes]) -> re.Match[bytes] | None:
        """The end of a comment or a CDATA section; None where it is none by the rules.

        Then it hides nothing, and no other is looked for: a flood of them would take too long.
        """
        if begins[0] != b"<!--":
            return self._search(_CDATA_ENDS, begins.end())
        ends = self._search(_COMMENT_ENDS, begins.end())
        return ends if ends and ends[1] == b">" else None

    def _unended(self, line: int, name: str, position: int) -> Cut:
        """A piece that goes on to the end of the document, or for too long."""
        if len(self._buffer) <= LONGEST_RECORD:
            self._root_is_open = False  # said once is enough
            return Cut(
                line, name, self._take(len(self._buffer)), problem="the document ends inside it"
            )
        tokens = self._only_tags.get(name, self._outside)
        while not (found := tokens.search(self._buffer, position)):
            self._drop(max(position, len(self._buffer) - _OVERLAP))
            position = 0
            if not self._grow():
                break
        if found:
            self._drop(found.end() if found[0].startswith(b"</") else found.start())
        return Cut(line, name, b"", problem=f"it is longer than {LONGEST_RECORD // 2**20} MiB")

    def _next_tag(self) -> re.Match[bytes] | None:
        """The next tag outside records; what is before it is forgotten."""
        tokens, position = self._outside, 0
        while True:
            found = tokens.search(self._buffer, position)
            if not found:
                self._drop_outside(max(position, len(self._buffer) - _OVERLAP))
                position = 0
                if not self._grow():
                    return None
            elif found[0] == b"<!--":
                ends = self._hidden(found)
                position = ends.end() if ends else found.end()
                tokens = tokens if ends else self._outside_tags
            else:
                self._remember_head(found.start())
                return found

    def _drop_outside(self, size: int) -> None:
        self._remember_head(size)
        self._drop(size)

    def _remember_head(self, size: int) -> None:
        if self._at_head and len(self._head) < _LONGEST_HEAD:
            self._head += self._buffer[:size]

    def _search(self, pattern: re.Pattern[bytes], position: int) -> re.Match[bytes] | None:
        """Look on until something is found, the document ends, or a record would be too long."""
        while not (found := pattern.search(self._buffer, position)):
            position = max(position, len(self._buffer) - _OVERLAP)
            if len(self._buffer) > LONGEST_RECORD or not self._grow():
                return None
        return found

    def _grow(self) -> bool:
        piece = next(self._pieces, None)
        if piece is not None:
            self._buffer += piece
        return piece is not None

    def _take(self, size: int) -> bytes:
        taken = bytes(self._buffer[:size])
        self._drop(size)
        return taken

    def _drop(self, size: int) -> None:
        self.line += self._buffer.count(b"\n", 0, size)
        del self._buffer[:size]


def _name(tag: bytes) -> str:
    found = _NAME.match(tag)
    assert found
    return found[1].decode()


def _slices(pieces: Iterator[bytes]) -> Iterator[bytes]:
    for piece in pieces:
        for start in range(0, len(piece), _LONGEST_PIECE):
            yield piece[start : start + _LONGEST_PIECE]


def _tokens(starts: Collection[str], ends: Collection[str], *others: str) -> re.Pattern[bytes]:
    """What finds these start and end tags, and other marks; of a start tag only `<name`."""
    prefix = r"(?:[\w.-]++:)?+"
    start, end = ("|".join(map(re.escape, names)) for names in (starts, ends))
    tags = rf"</{prefix}(?:{end})\s*>", rf"<{prefix}(?:{start})(?=[\s/>])"
    return re.compile("|".join((*others, *tags)).encode())
