"""Plain text of titles and abstracts that publishers wrote with tags in them."""

import html
import re
from collections.abc import Iterator

_INLINE = """
a alternatives b bold em emphasis ext-link fn i inf inline-formula inline-graphic italic italics
graphic monospace overline sans-serif sc scp small span strike strong styled-content sub sup tt u
underline uri xref
"""
_BLOCK = """
abstract br disp-formula disp-quote div formula h1 h2 h3 h4 h5 h6 label li list list-item ol p sec
section td title tr ul
"""
_MATH = """
annotation annotation-xml math maction menclose merror mfenced mfrac mi mmultiscripts mn mo mover
mpadded mphantom mprescripts mroot mrow ms mspace msqrt mstyle msub msubsup msup mtable mtd mtext
mtr munder munderover none semantics tex-math
"""
_ATTRIBUTES = r"""(?:\s++[\w:.-]++\s*+=\s*+(?:"[^"<>]*+"|'[^'<>]*+'))*+\s*+"""


def _tag(names: str) -> re.Pattern[str]:
    return re.compile(rf"</?(?:{names})(?![\w:.-]){_ATTRIBUTES}/?>", re.IGNORECASE)


_BLOCK_TAG = _tag(rf"(?:jats:)?(?:{'|'.join(_BLOCK.split())})")
_OTHER_TAG = _tag(rf"(?:jats|mml|m):[a-z][\w.-]*+|{'|'.join(f'{_INLINE} {_MATH}'.split())}")
_IS_MATH = re.compile(r"<(?:mml:|m:)?math\b", re.IGNORECASE)
_AGAIN = ("tex-math", "annotation", "annotation-xml")
"""Beside MathML they say the formula a second time."""
_ESCAPED = re.compile(r"&(?:amp;)?lt;/?[a-z]|&amp;#?\w+;", re.IGNORECASE)
_HEADING = re.compile(r"(?:abstract|summary)\s*[:.]?", re.IGNORECASE)
_END = "\x1e"


def plain(tagged: str) -> str:
    """The text on one line, without JATS, MathML and HTML tags, entities resolved.

    What merely looks like a tag ("a<b and c>d") stays. White space is made single.
    """
    if "<" in tagged or "&" in tagged:
        tagged = _untagged(tagged).replace(_END, " ")
    return " ".join(tagged.split())


def paragraphs(tagged: str) -> str | None:
    """An abstract: as `plain`, but with an empty line between paragraphs; None if it is empty.

    A first heading that says only "Abstract" or "Summary" is left out.
    """
    blocks = (" ".join(block.split()) for block in _untagged(tagged).split(_END))
    found = [block for block in blocks if block]
    if found and _HEADING.fullmatch(found[0]):
        del found[0]
    return "\n\n".join(found) or None


def _untagged(tagged: str) -> str:
    """The text with _END where a block begins or ends."""
    text = _unescaped(tagged.replace(_END, " "))
    return _unescaped(text) if _ESCAPED.search(tagged) else text  # "&lt;i&gt;E. coli&lt;/i&gt;"


def _unescaped(text: str) -> str:
    if "<" in text:
        text = "".join(_without(text, "<!--", "-->"))
        if _IS_MATH.search(text):
            for name in _AGAIN:
                for prefix in ("", "mml:", "jats:"):
                    text = "".join(_without(text, f"<{prefix}{name}", f"</{prefix}{name}>"))
        text = _OTHER_TAG.sub("", _BLOCK_TAG.sub(_END, text))
    return html.unescape(text) if "&" in text else text


def _without(text: str, opening: str, closing: str) -> Iterator[str]:
    """The pieces around what stands between two marks, as far as it is closed."""
    at = 0
    while (start := text.find(opening, at)) >= 0 and (end := text.find(closing, start)) >= 0:
        yield text[at:start]
        at = end + len(closing)
    yield text[at:]
