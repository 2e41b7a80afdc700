"""Reads files of XML records as streams, safely, and the text of their elements.

A document is cut into its records first, and each is parsed by itself. So memory stays flat, and
damage in one record leaves the others alone: lxml's own iterparse ends at the first excess of a
limit, and with `recover` it drops text silently. The document type is never read: no entity is
declared, resolved or fetched. A record has at most MAX_RECORD_BYTES and 255 levels, and no text in
it more than 10 MB (limits of libxml2).
"""

import codecs
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from html.entities import html5
from pathlib import Path
from xml.sax.saxutils import escape

from lxml import etree

from specter_graph.loaders.files import MAX_LINE_BYTES, DamagedFileError, read_contents
from specter_graph.loaders.format_api import (
    Count,
    FieldCheck,
    ParseResult,
    RecordError,
    RecordIssue,
    Results,
    file_issue,
)

Element = etree._Element
Convert = Callable[[Element], Iterable[ParseResult]]
Parts = dict[str, Element]

MAX_RECORD_BYTES = MAX_LINE_BYTES
"""A longer element is skipped without being held in memory."""

_MAX_HEAD = 2**16
_MAX_PIECE = 2**20  # bytes that are taken in at once: compressed data may give far more
_OVERLAP = 2**10  # bytes that are searched again with the next piece: a tag may lie across both

_DECLARATION = re.compile(rb"""\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.-]+)["']""")
_MAX_DECLARATION = 256
_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark is its beginning
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_LIKE_ASCII = re.compile(
    r"iso8859-\d+|cp125\d|koi8-[ru]|gb2312|gbk|gb18030|big5|shift_jis|euc_jp|euc_kr"
)
_PREFIXES = (
    b' xmlns:mml="http://www.w3.org/1998/Math/MathML" xmlns:xlink="http://www.w3.org/1999/xlink"'
    b' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
)
_START_TAG = re.compile(rb"<([A-Za-z_][\w.-]*+)(?!:)")
_NAMED = re.compile(rb"&([A-Za-z][A-Za-z0-9]{1,31});")
_NUMBER = re.compile(rb"&#(?:x([0-9A-Fa-f]{1,8})|([0-9]{1,9}));")
_CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|\xef\xbf[\xbe\xbf]")
_OF_XML = frozenset([b"amp", b"lt", b"gt", b"quot", b"apos"])
_PLACE = re.compile(r"\s*, line \d+, column \d+\s*$")

_COMMENT = rb"!--(?:[^-]|-(?!-))*+"
_CDATA = rb"!\[CDATA\[(?:[^\]<]|\](?!\]>)|<(?!!\[CDATA\[))*+"
_HIDDEN = rb"|(?=!)(?:(?P<hidden>%b-->|%b\]\]>)|(?P<open>(?:%b-?|%b\]?)\Z))" % (
    (_COMMENT, _CDATA) * 2
)
"""Comments and CDATA sections, behind their `<`, which hide the tags in them. Without an end by the
rules they hide nothing. No pattern steps back: a flood of marks takes time in proportion."""
_COMMENTS = re.compile(b"<" + _COMMENT + b"-->")
_TAG_END = re.compile(rb"<[^<>]*+([<>])")
_FIRST_TAG = re.compile(rb"<(?:[\w.-]+:)?([A-Za-z_][\w.-]*)")
_NAMESPACE = re.compile(rb"""\s(xmlns(?::[\w.-]+)?)\s*=\s*("[^"<]*"|'[^'<]*')""")


def read_records(
    path: Path,
    count: Count,
    convert: Convert,
    records: Collection[str],
    *,
    openings: Collection[str] = (),
    known: Collection[str] | None = None,
) -> Results:
    """Yield the results of each record of a file, with the line where it begins.

    A RecordError of `convert` becomes a RecordIssue, as does a record that is not XML. A file whose
    rest cannot be read ends with a RecordIssue.

    Args:
        path: The file.
        count: Gets the numbers of bytes that have been read.
        convert: Gets the element of each record, and of each opening.
        records: The tags of the records, without prefix. Records do not lie inside each other.
        openings: The tags of elements around the records, whose attributes matter: `convert` gets
            them as empty elements.
        known: The elements that the format has in its records; any other without a prefix is
            reported once. None: no check.
    """
    cutter = _Cutter(as_utf8(read_contents(path, count)), records, openings)
    fields = None if known is None else FieldCheck(known)
    seen: set[bytes] = set()
    try:
        for cut in cutter:
            try:
                element, corrected = _parse_cut(cut, cutter.namespaces)
                if corrected:
                    yield (
                        cut.line,
                        RecordIssue("characters that XML forbids left out", repaired=True),
                    )
                for result in convert(element):
                    yield cut.line, result
            except RecordError as error:
                yield cut.line, RecordIssue(str(error), error.id, cut.text.decode(errors="replace"))
                continue
            if fields and not cut.opening and (new := {*_START_TAG.findall(cut.text)} - seen):
                seen |= new
                for unknown in fields.unknown([name.decode() for name in new]):
                    yield cut.line, unknown
    except (DamagedFileError, OSError) as error:
        yield cutter.line, file_issue(error)


def as_utf8(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield a document in UTF-8, by its byte order mark or else its declaration.

    Raises DamagedFileError where the document is not in the encoding that it declares, or declares
    one that is not known. What is declared as ASCII, or says UTF-8, is passed on as it is.
    """
    head = b""
    while len(head) < _MAX_DECLARATION and (piece := next(pieces, None)) is not None:
        head += piece
    mark = next((mark for mark in _BYTE_ORDER_MARKS if head.startswith(mark)), b"")
    encoding = _BYTE_ORDER_MARKS.get(mark) or _declared(head)
    if encoding == "utf-8":
        yield head.removeprefix(mark)
        yield from pieces
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        yield decoder.decode(head).encode()
        for piece in pieces:
            yield decoder.decode(piece).encode()
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise DamagedFileError(f"the text is not {encoding}: {error.reason}") from error


def _declared(head: bytes) -> str:
    """Return the encoding that the first line declares.

    UTF-16 and UTF-32 cannot be declared in bytes that read as ASCII: that declaration is wrong, and
    the document taken for UTF-8.
    """
    match = _DECLARATION.match(head)
    name = match[1].decode() if match else "utf-8"
    try:
        encoding = codecs.lookup(name).name
    except LookupError:
        encoding = ""
    if encoding.startswith(("ascii", "utf-8", "utf-16", "utf-32")):
        return "utf-8"
    if _LIKE_ASCII.fullmatch(encoding):
        return encoding
    raise DamagedFileError(f"the encoding {name:.40} is not one that is read here")


@dataclass(frozen=True, slots=True)
class Cut:
    """An element of a document or, for an opening, only its start tag.

    `line` is where it begins, `name` its tag without prefix; `problem` is why it is not complete.
    """

    line: int
    name: str
    text: bytes
    opening: bool = False
    problem: str | None = None


class _Cutter:
    """Iterate over it, once, to get the records and openings of a document in UTF-8.

    Attributes:
        line: The line up to which the document has been read.
        namespaces: The namespaces declared before the first record, as attributes.

    Every start tag of a record, and every end tag without a start, gives one Cut: a damaged
    document loses its damaged records and no others, and none of them silently. All else between
    the records is skipped.
    """

    def __init__(
        self, pieces: Iterator[bytes], records: Collection[str], openings: Collection[str]
    ) -> None:
        self.line = 1
        self.namespaces = b""
        self._pieces = (
            piece[start : start + _MAX_PIECE]
            for piece in pieces
            for start in range(0, len(piece), _MAX_PIECE)
        )
        self._text = bytearray()
        self._head: bytes | None = b""
        self._records = tuple(records)
        self._starts = (*records, *openings)
        self._root: str | None = None
        self._root_is_open = False

    def __iter__(self) -> Iterator[Cut]:
        outside = _tags(self._starts, self._records)
        while match := self._next_outside(outside):
            name = (match["end_name"] or match["name"]).decode()
            if self._head is not None:
                self._read_head(name)
                outside = _tags(self._starts, (*self._records, self._root or name))
            self._root_is_open = self._root is not None
            if match["end"] and name == self._root:
                self._take(match.end())
                self._root_is_open = False
            elif match["end"]:
                yield Cut(
                    self.line, name, self._take(match.end()), problem="its start tag is missing"
                )
            else:
                yield self._element(name)
        if self._head is not None:
            yield Cut(self.line, "", b"", problem=f"there is no <{'>, <'.join(self._records)}>")
        elif self._root_is_open:
            yield Cut(self.line, "", b"", problem=f"the document ends inside <{self._root}>")

    def _read_head(self, first: str) -> None:
        """Learn the namespaces, and the name of the root, whose end tag must come in the end."""
        head = _COMMENTS.sub(b"", self._head or b"")
        self._head = None
        declared = dict(_NAMESPACE.findall(head))
        self.namespaces = b"".join(b" %b=%b" % declaration for declaration in declared.items())
        tag = _FIRST_TAG.search(head)
        root = tag[1].decode() if tag else first
        self._root = None if root in self._records else root

    def _next_outside(self, tags: re.Pattern[bytes]) -> re.Match[bytes] | None:
        """Skip to the next tag of a record, an opening or the root."""
        while True:
            match = self._search(tags, 0)
            size = match.start() if match else max(0, len(self._text) - _OVERLAP)
            if self._head is not None and len(self._head) < _MAX_HEAD:
                self._head += bytes(self._text[:size])
            self._take(size)
            if match or not self._grow():
                return match and tags.match(self._text)

    def _element(self, name: str) -> Cut:
        """Return the element that begins here."""
        line, opening = self.line, name not in self._records
        start = self._search(_TAG_END, 0)
        if start and (opening or self._text[start.end() - 2 : start.end()] == b"/>"):
            broken = start[1] == b"<"
            text = self._take(start.end(1) - broken)
            problem = "its start tag is broken" if broken else None
            return Cut(line, name, text, opening and not broken, problem)
        tags = _tags(self._records, (name,))
        match = self._search(tags, start.start(1)) if start else None
        if match and match["end"] and match.end() <= MAX_RECORD_BYTES:
            return Cut(line, name, self._take(match.end()))
        if match and match.start() <= MAX_RECORD_BYTES:
            return Cut(line, name, self._take(match.start()), problem="its end tag is missing")
        if len(self._text) <= MAX_RECORD_BYTES:
            self._root_is_open = False  # one report is enough
            text = self._take(len(self._text))
            return Cut(line, name, text, problem="the document ends inside it")
        self._skip(_tags(self._records, (name,), hidden=False))
        problem = f"it is longer than {MAX_RECORD_BYTES // 2**20} MiB"
        return Cut(line, name, b"", problem=problem)

    def _skip(self, tags: re.Pattern[bytes]) -> None:
        """Skip a record that is too long, up to its end or the next record."""
        self._take(1)
        while not (match := tags.search(self._text)):
            self._take(max(0, len(self._text) - _OVERLAP))
            if not self._grow():
                return
        self._take(match.end() if match["end"] else match.start())

    def _search(self, pattern: re.Pattern[bytes], at: int) -> re.Match[bytes] | None:
        """Find the next tag that is not hidden, reading on while a record may still fit."""
        while True:
            match, size = pattern.search(self._text, at), len(self._text)
            hides = match and pattern.groups > 1 and match["name"] is None and not match["end"]
            if match and not hides:
                return match
            if match and match["hidden"] is not None:
                at = match.end()
            elif size <= MAX_RECORD_BYTES and self._grow():
                at = at if match else max(at, size - _OVERLAP)
            elif match:
                at = match.start() + 4  # it has no end
            else:
                return None

    def _grow(self) -> bool:
        """Read on until there is twice as much, or the next piece of a long record."""
        size, wanted = len(self._text), min(2 * len(self._text), len(self._text) + _MAX_PIECE)
        while len(self._text) <= wanted and (piece := next(self._pieces, None)) is not None:
            self._text += piece
        return len(self._text) > size

    def _take(self, size: int) -> bytes:
        with memoryview(self._text) as text:
            taken = bytes(text[:size])
        self.line += taken.count(b"\n")
        del self._text[:size]
        return taken


@cache
def _tags(
    starts: tuple[str, ...], ends: tuple[str, ...], *, hidden: bool = True
) -> re.Pattern[bytes]:
    """Compile a pattern for start and end tags; of a start tag it matches only `<name`."""
    prefix = r"(?:[\w.-]++:)?+"
    start, end = ("|".join(map(re.escape, names)) for names in (starts, ends))
    tag = rf"(?P<end>/){prefix}(?P<end_name>{end})\s*>|{prefix}(?P<name>{start})(?=[\s/>])"
    return re.compile(b"<(?:%b%b)" % (tag.encode(), _HIDDEN if hidden else b""))


def _parse_cut(cut: Cut, namespaces: bytes) -> tuple[Element, bool]:
    if cut.problem:
        raise RecordError(f"<{cut.name}>: {cut.problem}" if cut.name else cut.problem)
    text = cut.text[:-1].rstrip(b"/") + b"/>" if cut.opening else cut.text
    return parse(text, namespaces)


def parse(text: bytes, namespaces: bytes = b"") -> tuple[Element, bool]:
    """Return the element that a text in UTF-8 holds, and whether forbidden characters are left out.

    `namespaces` are declarations, written as attributes, that hold for it. A text that is no XML is
    read once more with what is often wrong in it mended: control characters, and references to
    them, are left out; named characters of HTML (`&eacute;`) and usual prefixes are understood.
    Raises RecordError when that does not help.
    """
    try:
        return _parse(text, namespaces), False
    except etree.XMLSyntaxError:
        allowed = _NUMBER.sub(_allowed, _CONTROLS.sub(b"", text))
        named = _NAMED.sub(_character, allowed)
    try:
        wrapped = b"<x%b>%b</x>" % (namespaces, named)
        return _parse(wrapped, _PREFIXES)[0], allowed != text
    except etree.XMLSyntaxError as error:
        raise RecordError(f"the XML is broken: {_PLACE.sub('', error.msg)}") from error


def _parse(text: bytes, namespaces: bytes) -> Element:
    # A parser costs less than a record, and one that is used again keeps what it has seen.
    parser = etree.XMLParser(
        encoding="utf-8",
        resolve_entities=False,
        load_dtd=False,
        dtd_validation=False,
        no_network=True,
        huge_tree=False,
        remove_comments=True,
        remove_pis=True,
    )
    if not namespaces:
        return etree.fromstring(text, parser)
    return etree.fromstring(b"<x%b>%b</x>" % (namespaces, text), parser)[0]


def _allowed(number: re.Match[bytes]) -> bytes:
    """Return a character reference, or nothing for one that XML forbids (XML 1.0, section 2.2)."""
    code = int(number[1], 16) if number[1] else int(number[2])
    allowed = (
        code in (0x9, 0xA, 0xD)
        or 0x20 <= code <= 0xD7FF
        or 0xE000 <= code <= 0xFFFD
        or 0x10000 <= code <= 0x10FFFF
    )
    return number[0] if allowed else b""


def _character(entity: re.Match[bytes]) -> bytes:
    if entity[1] in _OF_XML or not (character := html5.get(f"{entity[1].decode()};")):
        return entity[0]
    return escape(character).encode()


BLOCKS = frozenset({
    "break", "def", "def-item", "disp-formula", "disp-quote", "list", "list-item", "p", "sec",
    "table-wrap", "td", "term", "th", "title", "tr", "verse-line",
})  # fmt: skip
"""Elements that a space separates from the text around them."""

_NONE: frozenset[str] = frozenset()


def text_of(element: Element | None, skipped: Collection[str] = _NONE) -> str:
    """Return all text in an element on one line; empty if there is no element.

    Markup vanishes: `H<sub>2</sub>O` is H2O. Elements that are `skipped` leave nothing. A formula
    that is written in several ways is told once: the characters of its MathML, or else its TeX.
    """
    if element is None:
        return ""
    if not len(element):
        return " ".join((element.text or "").split())
    return " ".join("".join(text_pieces(element, skipped)).split())


def text_pieces(element: Element, skipped: Collection[str] = _NONE) -> Iterator[str]:
    """Yield the text in an element piece by piece, as it is."""
    if element.text:
        yield element.text
    for child in _best_alternative(element) if name_of(element) == "alternatives" else element:
        name = name_of(child)
        if name in BLOCKS:
            yield " "
        if name == "tex-math":
            yield _tex(child)
        elif name not in skipped and name not in ("annotation", "annotation-xml"):
            yield from text_pieces(child, skipped)
        if name in BLOCKS:
            yield " "
        if child.tail:
            yield child.tail


def parts_of(element: Element | None) -> Parts:
    """Return the first child of each name: much quicker than looking for them one by one."""
    parts: Parts = {}
    for child in () if element is None else element:
        parts.setdefault(child.tag, child)
    return parts


def iter_children(first: Element | None) -> Iterator[Element]:
    """Yield an element and those of the same name behind it; nothing where there is no element."""
    if first is not None:
        yield first
        yield from first.itersiblings(first.tag)


def name_of(element: Element) -> str:
    """Return the name of an element without its namespace."""
    tag: str = element.tag
    return tag[tag.rfind("}") + 1 :]


def forget_namespaces(element: Element) -> None:
    """Leave only the local names of an element and of all in it."""
    for each_one in element.iter():
        each_one.tag = name_of(each_one)


def _best_alternative(alternatives: Element) -> list[Element]:
    """Of several ways to write the same, the one that is best to read."""
    names = [name_of(child) for child in alternatives]
    best = next((names.index(name) for name in ("math", "tex-math") if name in names), 0)
    return list(alternatives)[best : best + 1]


def _tex(element: Element) -> str:
    """TeX without the document that PubMed Central wraps around it."""
    text = "".join(map(str, element.itertext()))
    _, begun, rest = text.partition(r"\begin{document}")
    inside, ended, _ = rest.partition(r"\end{document}")
    return inside.strip().strip("$") if begun and ended else text
