"""The texts of a JATS article: its abstract, its body, and the sentences in which it cites."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from specter_graph.loaders.formats.citation_contexts import Sentences
from specter_graph.loaders.formats.jats_ids import References
from specter_graph.loaders.parsing.xml_stream import Element
from specter_graph.loaders.parsing.xml_text import Parts, each, name_of, text_of

LONGEST_CONTEXT = 1_000
"""Characters; of a longer sentence only what is around the citation is kept."""

_BLOCKS = frozenset({"code", "disp-formula", "p", "preformat", "term", "title", "verse-line"})
_SKIPPED = frozenset(
    {
        "attrib", "fn", "graphic", "inline-graphic", "label", "media", "object-id", "permissions",
        "supplementary-material", "table", "table-wrap-foot", "xref-group",
    }
)  # fmt: skip
_NO_ABSTRACT = frozenset({"graphical", "toc", "web-summary", "video", "teaser"})
_ONLY_A_DOI = re.compile(r"DOI:?\s*\S+", re.IGNORECASE)

_OPEN, _NAMED, _CLOSE = "\U0010fff0", "\U0010fff1", "\U0010fff2"
"""Characters for private use, put around the citations in a text while it is made plain."""
_MENTION = re.compile(rf"{_OPEN}(\d+){_NAMED}([^{_OPEN}{_CLOSE}]*+){_CLOSE}")
_JOINS = re.compile(r"[\])\s]*[-\u2010-\u2015\u2212][\[(\s]*")
"""What stands between the first and the last of several citations: [3]-[7]."""
_LONGEST_RANGE = 50
_MOST_WORKS = 10
"""Of an entry that names more works than that, only the first get contexts."""
_PUNCTUATION = re.compile(r"[\s,;()\[\]\u2010-\u2015\u2212-]{0,5}")
_AFTER_END = re.compile(r"(?<=[.?!])[\s(\[]*\Z")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Mention:
    """A citation in a text: which characters it takes, and the ids of the entries it points to."""

    start: int
    end: int
    entries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """A heading or a paragraph."""

    text: str
    mentions: tuple[Mention, ...]


def abstract(meta: Parts) -> str | None:
    """The abstract, a paragraph each for paragraphs and titled sections.

    Of several the one without a type counts, or else the first that is a text to read.
    """
    found = list(each(meta.get("abstract")))
    plain = [one for one in found if one.get("abstract-type") is None]
    typed = [one for one in found if one.get("abstract-type") not in _NO_ABSTRACT]
    texts = ("\n\n".join(_paragraphs(one)) for one in plain + typed)
    return next(filter(None, texts), None)


def _paragraphs(element: Element) -> Iterator[str]:
    for child in element:
        name = name_of(child)
        if name == "sec":
            title, *rest = [text_of(block, _SKIPPED) for block in _blocks(child)] or [""]
            untitled = child.find("title") is None
            body = " ".join([title, *rest] if untitled else rest)
            if body:
                yield body if untitled or not title else f"{title.rstrip(' .:')}: {body}"
        elif name not in _SKIPPED and name != "title":
            text = text_of(child, _SKIPPED)
            if text and not _ONLY_A_DOI.fullmatch(text):
                yield text


def read_body(body: Element | None) -> list[Block]:
    """The headings and paragraphs of a full text; tables, footnotes and figures are left out."""
    if body is None:
        return []
    pointers: list[tuple[str, ...]] = []
    for xref in body.iter("xref"):
        if xref.get("ref-type") == "bibr":
            xref.text = f"{_OPEN}{len(pointers)}{_NAMED}{xref.text or ''}"
            xref.tail = f"{_CLOSE}{xref.tail or ''}"
            pointers.append(tuple(xref.get("rid", "").split()))
    marked = (text_of(block, _SKIPPED) for block in _blocks(body))
    return [_unmarked(text, pointers) for text in marked if text]


def _blocks(element: Element) -> Iterator[Element]:
    for child in element:
        name = name_of(child)
        if name in _BLOCKS:
            yield child
        elif name not in _SKIPPED:
            yield from _blocks(child)


def _unmarked(marked: str, pointers: list[tuple[str, ...]]) -> Block:
    """The text without the marks, and where they were."""
    pieces: list[str] = []
    mentions: list[Mention] = []
    position = length = 0
    for found in _MENTION.finditer(marked):
        pieces += [marked[position : found.start()], found[2]]
        start = length + found.start() - position
        length = start + len(found[2])
        position = found.end()
        mentions.append(Mention(start, length, pointers[int(found[1])]))
    return Block("".join([*pieces, marked[position:]]), tuple(mentions))


def contexts(blocks: list[Block], references: References) -> dict[str, tuple[str, ...]]:
    """For each id that is cited the sentences that cite it, in order, each once."""
    found: dict[str, dict[str, None]] = {}
    for block in blocks:
        sentences = Sentences(_masked(block)) if block.mentions else None
        before: Mention | None = None
        for mention in block.mentions:
            assert sentences
            context = _cut(block.text, mention, sentences.span(mention.start, mention.end))
            for number in _numbers(block.text, before, mention, references):
                for key in references.entries[number][:_MOST_WORKS]:
                    found.setdefault(key, {})[context] = None
            before = mention
    return {key: tuple(sentences) for key, sentences in found.items()}


def _numbers(
    text: str, before: Mention | None, mention: Mention, references: References
) -> list[int]:
    """The entries that a mention points to, and those between the one before and it in a range."""
    places = references.places
    numbers = [places[entry] for entry in mention.entries if entry in places]
    if before and numbers and _JOINS.fullmatch(text, before.end, mention.start):
        first = max((places[entry] + 1 for entry in before.entries if entry in places), default=-1)
        if first >= 0 and numbers[0] - first <= _LONGEST_RANGE:
            numbers = [*range(first, numbers[0]), *numbers]
    return numbers


def _cut(text: str, mention: Mention, span: tuple[int, int]) -> str:
    start, end = span
    if end - start > LONGEST_CONTEXT:
        start = max(start, mention.start - LONGEST_CONTEXT // 2)
        end = min(end, start + LONGEST_CONTEXT)
    return text[start:end].strip()


def _masked(block: Block) -> str:
    """The text with closing brackets for citation numbers, so that they hide no sentence's end.

    "It is so.3,4 But" and "It is so. [3] But" are two sentences, and the citations belong to the
    first. Names stay: with "Smith (1999)" a sentence can begin.
    """
    text = list(block.text)
    before = -1
    for mention in block.mentions:
        written = block.text[mention.start : mention.end]
        if not _LETTER.search(written):
            start = mention.start
            if before >= 0 and _PUNCTUATION.fullmatch(block.text, before, start):
                start = before
            elif after_end := _AFTER_END.search(block.text, max(0, start - 5), start):
                start = after_end.start()
            text[start : mention.end] = ")" * (mention.end - start)
        before = mention.end
    return "".join(text)
