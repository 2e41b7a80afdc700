"""Reads files of XML records as streams, safely: for all formats that come so.

A document is cut into its records first (see `xml_cut`), and each is parsed by itself. So memory
stays flat, and damage in one record leaves the others alone. The document type is never looked at:
no entity is declared, resolved or fetched. A record is no larger than `xml_cut.LONGEST_RECORD`, no
deeper than 255 elements, and no text in it is longer than 10 MB (limits of libxml2).
"""

import codecs
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from html.entities import html5
from pathlib import Path
from xml.sax.saxutils import escape

from lxml import etree

from specter_graph.loaders.files import DamagedFileError, read_contents
from specter_graph.loaders.format_api import Count, Found, Ignored, Problem, RecordError
from specter_graph.loaders.parsing.xml_cut import Cut, Cutter

Element = etree._Element
Convert = Callable[[Element], Iterable[Found]]

_DECLARATION = re.compile(rb"""\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.-]+)["']""")
_LONGEST_DECLARATION = 256
_BYTE_ORDER_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark it begins with
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
_MOST_NAMES = 1_000


def read_records(
    path: Path,
    count: Count,
    convert: Convert,
    records: Collection[str],
    *,
    openings: Collection[str] = (),
    known: Collection[str] | None = None,
) -> Iterator[tuple[int, Found]]:
    """What `convert` makes of each record of a file, with the line where it begins, from 1.

    `records` are the tags of the elements to convert, `openings` those of elements around them,
    which `convert` gets as empty elements, for their attributes (see `xml_cut.Cutter`). A
    RecordError that `convert` raises becomes a Problem, as does a record that is no XML.

    `known` are the names of elements that the format has in its records; the first appearance of
    any other is told, unless a prefix says that it belongs to another vocabulary (None: no check).
    A file whose rest cannot be read ends with a Problem.
    """
    cutter = Cutter(as_utf8(read_contents(path, count)), records, openings)
    names = None if known is None else {name.encode() for name in known}
    try:
        for cut in cutter:
            try:
                element, mended = _parse_cut(cut, cutter.namespaces)
                if mended:
                    yield cut.line, Problem("characters that XML forbids left out", repaired=True)
                for found in convert(element):
                    yield cut.line, found
            except RecordError as error:
                yield cut.line, Problem(str(error), error.id, cut.text.decode(errors="replace"))
                continue
            for name in _unknown(cut, names):
                yield cut.line, Ignored(name)
    except DamagedFileError as error:
        yield cutter.line, Problem(f"{error}; the rest of the file is not loaded")
    except OSError as error:
        yield cutter.line, Problem(f"the file cannot be read: {error.strerror}")


def _unknown(cut: Cut, names: set[bytes] | None) -> list[str]:
    """The names of elements that are not yet among `names`; they are added, up to a limit."""
    if names is None or cut.opening:
        return []
    found = _START_TAG.findall(cut.text)
    if names.issuperset(found):
        return []
    unknown = sorted(set(found) - names)[: _MOST_NAMES - len(names)]
    names.update(unknown)
    return [name.decode() for name in unknown]


def as_utf8(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """A document in UTF-8, by its byte order mark or else its declaration.

    Raises DamagedFileError where the document is not in the encoding that it declares, or declares
    one that is not known. What is declared as ASCII, or says UTF-8, is passed on as it is.
    """
    head = b""
    while len(head) < _LONGEST_DECLARATION and (piece := next(pieces, None)) is not None:
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
    """The encoding that the first line declares.

    UTF-16 and UTF-32 cannot be declared in bytes that read as ASCII: that declaration is wrong, and
    the document taken for UTF-8.
    """
    found = _DECLARATION.match(head)
    name = found[1].decode() if found else "utf-8"
    try:
        encoding = codecs.lookup(name).name
    except LookupError:
        encoding = ""
    if encoding.startswith(("ascii", "utf-8", "utf-16", "utf-32")):
        return "utf-8"
    if _LIKE_ASCII.fullmatch(encoding):
        return encoding
    raise DamagedFileError(f"the encoding {name:.40} is not one that is read here")


def _parse_cut(cut: Cut, namespaces: bytes) -> tuple[Element, bool]:
    if cut.problem:
        raise RecordError(f"<{cut.name}>: {cut.problem}" if cut.name else cut.problem)
    return parse(_closed(cut.text) if cut.opening else cut.text, namespaces)


def _closed(tag: bytes) -> bytes:
    return tag[:-1].rstrip(b"/") + b"/>"


def parse(text: bytes, namespaces: bytes = b"") -> tuple[Element, bool]:
    """The element that a text in UTF-8 holds, and whether forbidden characters are left out.

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
    """A character reference, or nothing for one that XML forbids (XML 1.0, section 2.2)."""
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
