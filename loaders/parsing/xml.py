"""Streams of XML records, protected against attacks, and the text of their elements.

A document is split into its records, and each record is parsed separately. Memory is therefore
constant, and damage in one record does not affect the others. lxml's iterparse cannot do that: even
with `recover=True`, an unescaped `<`, a stray end tag or too many levels in one record lose all
records after it. The document type is never read: no entity is declared, resolved or fetched. A
record has at most MAX_RECORD_BYTES and 255 levels, and no text in it more than 10 MB (limits of
libxml2).
"""

import codecs
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from html.entities import html5
from itertools import chain
from pathlib import Path
from xml.sax.saxutils import escape

from lxml import etree

from specter_graph.loaders.corpus_files import MAX_LINE_BYTES, DamagedFileError, read_contents
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

_TOO_LONG = f"it is longer than {MAX_RECORD_BYTES // 2**20} MiB"
_MAX_HEAD = 2**16
_HIDING = {b"!--": b"-->", b"![CDATA[": b"]]>"}
"""The beginnings and the ends of comments and CDATA sections, in which tags do not count."""

_DECLARATION = re.compile(rb"""\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.-]+)["']""")
_MAX_DECLARATION = 256
_ASCII_SUPERSETS = re.compile(
    r"iso8859-\d+|cp125\d|koi8-[ru]|gb2312|gbk|gb18030|big5|shift_jis|euc_jp|euc_kr"
)
_PREFIXES = (
    b' xmlns:mml="http://www.w3.org/1998/Math/MathML" xmlns:xlink="http://www.w3.org/1999/xlink"'
    b' xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"'
)
_START_TAG = re.compile(rb"<([A-Za-z_][\w.-]*+)(?!:)")
_NAMED = re.compile(rb"&([A-Za-z][A-Za-z0-9]{1,31});")
_UNKNOWN = re.compile(rb"&amp;([A-Za-z][A-Za-z0-9]{1,31});")
_NUMBER = re.compile(rb"&#(?:x([0-9A-Fa-f]{1,8})|([0-9]{1,9}));")
_CONTROLS = re.compile(rb"[\x00-\x08\x0b\x0c\x0e-\x1f]|\xef\xbf[\xbe\xbf]")
_CHARACTERS = (
    (0x9, 0xA, 0xD), range(0x20, 0xD800), range(0xE000, 0xFFFE), range(0x10000, 0x110000),
)  # fmt: skip
"""The characters that XML allows (XML 1.0, section 2.2)."""
_PREDEFINED = frozenset([b"amp", b"lt", b"gt", b"quot", b"apos"])
_ISO_GREEK = {
    name: character
    for names, first in (
        ("a b g d e z ee th i k l m n x o p r sf s t u ph kh ps oh", 0x3B1),
        ("A B G D E Z EE TH I K L M N X O P R - S T U PH KH PS OH", 0x391),
    )
    for name, character in ((f"{n}gr", chr(at)) for at, n in enumerate(names.split(), first))
}
"""The Greek letters of ISO 8879 (ISOgrk1), which JATS allows and HTML lacks."""
_PLACE = re.compile(r"\s*, line \d+, column \d+\s*$")

_COMMENTS = re.compile(rb"<!--(?:[^-]|-(?!-))*+-->")
_FIRST_TAG = re.compile(rb"<(?:[\w.-]+:)?([A-Za-z_][\w.-]*)")
_NAMESPACE = re.compile(rb"""\s(xmlns(?::[\w.-]+)?)\s*=\s*("[^"<]*"|'[^'<]*')""")

BLOCKS = frozenset({
    "break", "def", "def-item", "disp-formula", "disp-quote", "list", "list-item", "p", "sec",
    "table-wrap", "td", "term", "th", "title", "tr", "verse-line",
})  # fmt: skip
"""Elements whose text is separated by a space from the text around them."""

_NONE: frozenset[str] = frozenset()


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

    A RecordError of `convert` becomes a RecordIssue, as does a record that is not XML. A file that
    cannot be read to its end ends with a RecordIssue.

    Args:
        path: The file.
        count: Called with the numbers of bytes read.
        convert: Returns the results of the element of a record, or of an opening.
        records: The tags of the records, without prefix. Records do not contain each other.
        openings: The tags of elements around the records whose attributes matter: `convert` gets
            them as empty elements.
        known: The elements that the format has in its records; any other without a prefix is
            reported once. None: no check.
    """
    fields = None if known is None else FieldCheck(known)
    for part in _split_document(_convert_to_utf8(read_contents(path, count)), records, openings):
        try:
            if part.problem:
                raise RecordError(f"<{part.name}>: {part.problem}" if part.name else part.problem)
            text = bytes(part.text)
            if part.opening:  # only a start tag
                text = text[:-1].rstrip(b"/") + b"/>"
            element, repair = parse(text, part.namespaces)
            if repair:
                yield part.line, RecordIssue(repair, repaired=True)
            for result in convert(element):
                yield part.line, result
        except RecordError as error:
            record = part.text.decode(errors="replace")
            yield part.line, RecordIssue(str(error), error.id, record)
            continue
        if fields and not part.opening:
            names = {name.decode() for name in _START_TAG.findall(part.text)}
            for unknown in fields.unknown(names):
                yield part.line, unknown


def _convert_to_utf8(pieces: Iterator[bytes]) -> Iterator[bytes]:
    """Yield a document in UTF-8, decoded as it declares.

    A document in UTF-8 or ASCII is passed through without a check.

    Raises:
        DamagedFileError: The document is not in the encoding that it declares, or that encoding is
            not supported.
    """
    head = b""
    while len(head) < _MAX_DECLARATION and (piece := next(pieces, None)) is not None:
        head += piece
    encoding = _read_encoding(head)
    if encoding == "utf-8":
        yield head
        yield from pieces
        return
    decoder = codecs.getincrementaldecoder(encoding)()
    try:
        for piece in chain([head], pieces):
            yield decoder.decode(piece).encode()
        decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        raise DamagedFileError(f"the text is not {encoding}: {error.reason}") from error


def _read_encoding(head: bytes) -> str:
    """Return the encoding that the first line declares.

    A declaration of UTF-16 or UTF-32 that is itself readable as ASCII is wrong, or the document has
    been converted: UTF-8 is assumed.
    """
    match = _DECLARATION.match(head)
    name = match[1].decode() if match else "utf-8"
    try:
        encoding = codecs.lookup(name).name
    except LookupError:
        encoding = ""
    if encoding.startswith(("ascii", "utf-8", "utf-16", "utf-32")):
        return "utf-8"
    if _ASCII_SUPERSETS.fullmatch(encoding):
        return encoding
    raise DamagedFileError(f"the encoding {name:.40} is not supported")


@dataclass(slots=True)
class _Part:
    """An element of a document or, for an opening, only its start tag.

    `line` is the line where it begins, `name` its tag without prefix, and `problem` the reason why
    it cannot be used. `namespaces` are those of the document, as attributes.
    """

    line: int
    name: str = ""
    text: bytearray = field(default_factory=bytearray)
    namespaces: bytes = b""
    opening: bool = False
    problem: str = ""


def _split_document(
    pieces: Iterator[bytes], records: Collection[str], openings: Collection[str]
) -> Iterator[_Part]:
    """Yield the records and openings of a document in UTF-8.

    Each start tag of a record, and each end tag without a start, gives one part: a damaged document
    loses only its damaged records, and reports each of them. Anything else between the records is
    skipped.
    """
    line, head, root, namespaces = 1, bytearray(), "", b""
    is_head, is_root_open = True, False
    part: _Part | None = None  # the record that is not complete
    try:
        for text, tag in _find_tags(pieces, records, openings):
            name = (tag["start"] or tag["end"]).decode() if tag else ""
            is_end = tag is not None and tag["end"] is not None
            inner = tag if part and (is_end or name not in records) else None
            text += inner[0] if inner else b""
            if part is None:
                if is_head:
                    head += text[: _MAX_HEAD - len(head)]
                elif re.search(rb"</(?:[\w.-]+:)?%b\s*>" % root.encode(), text):
                    is_root_open = False
            elif part.problem or len(part.text) + len(text) > MAX_RECORD_BYTES:
                part.text, part.problem = bytearray(), _TOO_LONG
            else:
                part.text += text
            line += text.count(b"\n")
            if part and inner and is_end and name == part.name:
                yield part
                part = None
            if tag is None or inner:
                continue
            if is_head:
                is_head = False
                root, namespaces = _read_head(bytes(head), name)
            is_root_open = root not in records
            if part:
                part.problem = part.problem or "its end tag is missing"
                yield part
            part = _Part(line, name, bytearray(tag[0]), namespaces, name not in records)
            if is_end:
                part.problem = "its start tag is missing"
            elif part.opening and not tag[0].endswith(b">"):
                part.problem = "its start tag is broken"
            if part.opening or part.problem or tag[0].endswith(b"/>"):
                yield part
                part = None
            line += tag[0].count(b"\n")
    except DamagedFileError as error:
        yield _Part(part.line if part else line, problem=file_issue(error).reason)
        return
    if part:
        part.problem = part.problem or "the document ends inside it"
        yield part
    elif is_head:
        yield _Part(line, problem=f"there is no <{'>, <'.join(records)}>")
    elif is_root_open:
        yield _Part(line, problem=f"the document ends inside <{root}>")


def _read_head(head: bytes, first: str) -> tuple[str, bytes]:
    """Return the name of the root, and the namespaces that are declared before the first tag."""
    visible = _COMMENTS.sub(b"", head)
    tag = _FIRST_TAG.search(visible)
    namespaces = dict(_NAMESPACE.findall(visible))
    return (
        tag[1].decode() if tag else first,
        b"".join(b" %b=%b" % declaration for declaration in namespaces.items()),
    )


def _find_tags(
    pieces: Iterator[bytes], records: Collection[str], openings: Collection[str]
) -> Iterator[tuple[bytes, re.Match[bytes] | None]]:
    """Yield the text before each tag of a record or an opening, and the tag if it is complete.

    The groups of a tag are `start`, or `end` for the end tag of a record. Tags in comments and
    CDATA sections are text; unclosed ones hide nothing. A flood of marks takes linear time.
    """
    prefix = r"(?:[\w.-]++:)?+"
    starts, ends = ("|".join(map(re.escape, names)) for names in ((*records, *openings), records))
    start, end = rf"(?P<start>{starts})(?=[\s/>])[^<>]*+>?", rf"/{prefix}(?P<end>{ends})\s*>"
    pattern = re.compile(rf"<(?:(?P<mark>!--|!\[CDATA\[)|{end}|{prefix}{start})".encode())
    text, is_last = b"", False
    while not is_last:
        piece = next(pieces, None)
        text, is_last = text + (piece or b""), piece is None
        begin, at, limit = 0, 0, len(text)
        cut = text.rfind(b"<")  # a tag that may continue in the next piece
        if not is_last and cut > text.rfind(b">") and limit - cut <= MAX_RECORD_BYTES:
            limit = cut
        last_ends = {mark: text.rfind(closing) for mark, closing in _HIDING.items()}
        while tag := pattern.search(text, at, limit):
            at = tag.end()
            if not (mark := tag["mark"]):
                yield text[begin : tag.start()], tag
                begin = at
            elif last_ends[mark] >= at:
                at = text.index(_HIDING[mark], at) + 3
            elif not is_last and len(text) - at <= MAX_RECORD_BYTES:
                limit = tag.start()
        yield text[begin:limit], None
        text = text[limit:]


def parse(text: bytes, namespaces: bytes = b"") -> tuple[Element, str]:
    """Return the element in a text in UTF-8, and what was repaired in it, if anything.

    If the text is not XML, common errors are repaired: control characters and references to them
    are left out, and named characters of HTML (`&eacute;`) and common prefixes are recognized.
    Unknown names stay in the text (`&fdg;`), and line breaks in namespaces are removed.

    Args:
        text: The element.
        namespaces: Declarations that apply to it, written as attributes.

    Raises:
        RecordError: The text is not XML even so.
    """
    try:
        return _parse(text, namespaces), ""
    except etree.XMLSyntaxError:
        allowed = _NUMBER.sub(_keep_allowed, _CONTROLS.sub(b"", text))
        repaired = _NAMED.sub(_replace_entity, _NAMESPACE.sub(_remove_space, allowed))
        namespaces = _NAMESPACE.sub(_remove_space, namespaces)
    unknown = b"" if repaired == allowed else min(_UNKNOWN.findall(repaired), default=b"")
    try:
        wrapped = b"<x%b>%b</x>" % (namespaces, repaired)
        element = _parse(wrapped, _PREFIXES)[0]
    except etree.XMLSyntaxError as error:
        raise RecordError(f"the XML is broken: {_PLACE.sub('', error.msg)}") from error
    if unknown:
        return element, f"the unknown character &{unknown.decode()}; was read as text"
    return element, "" if allowed == text else "forbidden characters left out"


def _parse(text: bytes, namespaces: bytes) -> Element:
    # A new parser for each record: it is cheap, and a parser that is used again keeps names.
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


def _keep_allowed(number: re.Match[bytes]) -> bytes:
    """Return a character reference, or nothing if XML forbids the character."""
    code = int(number[1], 16) if number[1] else int(number[2])
    return number[0] if any(code in characters for characters in _CHARACTERS) else b""


def _remove_space(declaration: re.Match[bytes]) -> bytes:
    """Return a declaration of a namespace whose address has no line break."""
    return b" %b=%b" % (declaration[1], b"".join(declaration[2].split()))


def _replace_entity(entity: re.Match[bytes]) -> bytes:
    """Return a named character of HTML or of ISO's Greek; an unknown name as text."""
    if entity[1] in _PREDEFINED:
        return entity[0]
    name = entity[1].decode()
    return escape(html5.get(f"{name};") or _ISO_GREEK.get(name) or f"&{name};").encode()


def text_of(element: Element | None, skipped: Collection[str] = _NONE) -> str:
    """Return all text of an element on one line; "" without an element.

    Markup is removed: `H<sub>2</sub>O` becomes H2O. `skipped` elements contribute no text. Of the
    alternative notations of a formula, only the characters of its MathML are returned, or its TeX.
    """
    if element is None:
        return ""
    if not len(element):
        return " ".join((element.text or "").split())
    return " ".join("".join(text_pieces(element, skipped)).split())


def text_pieces(element: Element, skipped: Collection[str]) -> Iterator[str]:
    """Yield the unchanged text of an element in pieces."""
    if element.text:
        yield element.text
    for child in _choose_alternative(element) if name_of(element) == "alternatives" else element:
        name = name_of(child)
        if name in BLOCKS:
            yield " "
        if name == "tex-math":
            yield _read_tex(child)
        elif name not in skipped and name not in ("annotation", "annotation-xml"):
            yield from text_pieces(child, skipped)
        if name in BLOCKS:
            yield " "
        if child.tail:
            yield child.tail


def parts_of(element: Element | None) -> Parts:
    """Return the first child of each name: much faster than searching for each."""
    parts: Parts = {}
    for child in () if element is None else element:
        parts.setdefault(child.tag, child)
    return parts


def iter_children(first: Element | None) -> Iterator[Element]:
    """Yield an element and its following siblings of the same name; nothing without an element."""
    if first is not None:
        yield first
        yield from first.itersiblings(first.tag)


def name_of(element: Element) -> str:
    """Return the name of an element without its namespace."""
    tag: str = element.tag
    return tag[tag.rfind("}") + 1 :]


def remove_namespaces(element: Element) -> None:
    """Reduce the tags of an element and its descendants to their local names."""
    for descendant in element.iter():
        descendant.tag = name_of(descendant)


def _choose_alternative(alternatives: Element) -> list[Element]:
    """Return the most readable of alternative notations, in a list."""
    names = [name_of(child) for child in alternatives]
    best = next((names.index(name) for name in ("math", "tex-math") if name in names), 0)
    return list(alternatives)[best : best + 1]


def _read_tex(element: Element) -> str:
    """Return a formula between dollar signs, without the document that publishers put around it."""
    text = "".join(map(str, element.itertext()))
    _, begin, after = text.partition(r"\begin{document}")
    formula, end, _ = after.partition(r"\end{document}")
    return f"${formula.strip().strip('$')}$" if begin and end else text
