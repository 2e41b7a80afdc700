"""Lines of text files, plain text of marked-up strings, and sentences."""

import html
import re
import tomllib
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path

from specter_graph.loaders.corpus_files import MAX_LINE_BYTES, DamagedFileError, read_lines
from specter_graph.loaders.format_api import Count, RecordIssue, file_issue

NOT_UTF8 = RecordIssue("the line is not UTF-8 but Windows-1252", repaired=True)
_NUL = RecordIssue("NUL characters left out", repaired=True)
_TOO_LONG = RecordIssue(f"a line longer than {MAX_LINE_BYTES // 2**20} MiB left out", repaired=True)

SEMICOLON = re.compile("[;\N{FULLWIDTH SEMICOLON}]")
COMMA = re.compile("[,\N{FULLWIDTH COMMA}\N{IDEOGRAPHIC COMMA}]")
MARKUP = tomllib.loads(Path(__file__).with_name("markup.toml").read_text(encoding="utf-8"))
_ELEMENTS = MARKUP["elements"]
_ATTRIBUTES = r"""(?:\s++[\w:.-]++\s*+=\s*+(?:"[^"<>]*+"|'[^'<>]*+'))*+\s*+"""

_IS_MATH = re.compile(r"<(?:mml:|m:)?math\b", re.IGNORECASE)
_ALTERNATIVES = ("tex-math", "annotation", "annotation-xml")
"""Elements that repeat a formula beside its MathML."""
_ESCAPED = re.compile(r"&(?:amp;)?lt;/?[a-z]|&amp;#?\w+;", re.IGNORECASE)
_ABSTRACT_HEADING = re.compile(r"(?:abstract|summary)\s*[:.]?", re.IGNORECASE)
_END = "\x1e"

_SENTENCE_END = re.compile(
    r"(?<!\bal)(?<!\bcf)(?<!\bvs)(?<!\bFig)(?<!\bEqs)(?<!\bEq)(?<!\bRef)(?<!\bRefs)"
    r"(?<!\b[A-Z])(?<!\be\.g)(?<!\bi\.e)[.?!][\"')\]]*+\s++(?=[\"'(\[]*+[A-ZÀ-Þ])"
    r"|\n\s*\n\s*"
)


def read_text_lines(path: Path, count: Count) -> Iterator[tuple[int, str | RecordIssue]]:
    """Yield the number, from 1, and the text of each line, after a RecordIssue for each repair.

    Lines end with LF, CR LF or CR. A line that is not UTF-8 is read as Windows-1252, the usual
    encoding of older files. A line that is too long is left out. A file that cannot be read to its
    end ends with a RecordIssue.
    """
    number = 0
    try:
        for number, line in enumerate(read_lines(path, count), 1):
            if line is None:
                yield number, _TOO_LONG
                continue
            text, repairs = decode_line(line)
            for repair in repairs:
                yield number, repair
            for part in text.removesuffix("\r").split("\r"):
                yield number, part
    except DamagedFileError as error:
        yield number + 1, file_issue(error)


def decode_line(line: bytes) -> tuple[str, list[RecordIssue]]:
    """Return the text of a line in UTF-8 or else Windows-1252, without NUL, and its repairs."""
    repairs = []
    try:
        text = line.decode()
    except UnicodeDecodeError:
        text = line.decode("cp1252", errors="replace")
        repairs.append(NOT_UTF8)
    if "\0" in text:
        text = text.replace("\0", "")
        repairs.append(_NUL)
    return text, repairs


def _compile_tag(names: str) -> re.Pattern[str]:
    return re.compile(rf"</?(?:{names})(?![\w:.-]){_ATTRIBUTES}/?>", re.IGNORECASE)


_BLOCK_TAG = _compile_tag(rf"(?:jats:)?(?:{'|'.join(_ELEMENTS['block'].split())})")
_OTHERS = f"{_ELEMENTS['inline']} {_ELEMENTS['math']}"
_OTHER_TAG = _compile_tag(rf"(?:jats|mml|m):[a-z][\w.-]*+|{'|'.join(_OTHERS.split())}")


def strip_markup(tagged: str) -> str:
    """Return the text on one line, without JATS, MathML and HTML tags, with entities resolved.

    Other text between angle brackets ("a<b and c>d") is unchanged. White space is collapsed.
    """
    if "<" in tagged or "&" in tagged:
        tagged = _remove_tags(tagged).replace(_END, " ")
    return " ".join(tagged.split())


def paragraphs(tagged: str) -> str | None:
    """Return the text of `strip_markup` with empty lines between paragraphs; None if it is empty.

    A first heading "Abstract" or "Summary" is removed.
    """
    blocks = (" ".join(block.split()) for block in _remove_tags(tagged).split(_END))
    texts = [block for block in blocks if block]
    if texts and _ABSTRACT_HEADING.fullmatch(texts[0]):
        del texts[0]
    return "\n\n".join(texts) or None


def _remove_tags(tagged: str) -> str:
    """Return the text with _END at the beginning and the end of each block."""
    text = _unescape(tagged.replace(_END, " "))
    return _unescape(text) if _ESCAPED.search(tagged) else text  # "&lt;i&gt;E. coli&lt;/i&gt;"


def _unescape(text: str) -> str:
    if "<" in text:
        text = "".join(_cut_between(text, "<!--", "-->"))
        if _IS_MATH.search(text):
            for name in _ALTERNATIVES:
                for prefix in ("", "mml:", "jats:"):
                    text = "".join(_cut_between(text, f"<{prefix}{name}", f"</{prefix}{name}>"))
        text = _OTHER_TAG.sub("", _BLOCK_TAG.sub(_END, text))
    return html.unescape(text) if "&" in text else text


def _cut_between(text: str, opening: str, closing: str) -> Iterator[str]:
    """Yield the text outside pairs of marks; an unclosed mark is kept."""
    at = 0
    while (start := text.find(opening, at)) >= 0 and (end := text.find(closing, start)) >= 0:
        yield text[at:start]
        at = end + len(closing)
    yield text[at:]


class Sentences:
    """The sentences of a text, found by a heuristic.

    A sentence ends at an empty line, and at a full stop, question mark or exclamation mark before a
    capital letter, unless that ends an initial or a common abbreviation ("et al.", "Fig.").
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = [0, *(match.end() for match in _SENTENCE_END.finditer(text))]

    def around(self, start: int, end: int) -> str:
        """Return the sentences that contain the characters from `start` to `end`, exclusive."""
        first, last = self.span(start, end)
        return self._text[first:last].strip()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the beginning and the end of these sentences."""
        first = bisect_right(self._starts, start) - 1
        after = bisect_right(self._starts, max(start, end - 1))
        ends = self._starts[after] if after < len(self._starts) else len(self._text)
        return self._starts[first], ends
