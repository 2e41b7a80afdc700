"""The ids, references and texts of a JATS article, and the sentences in which it cites.

PubMed Central has PubMed ids for its articles and for most references, but fewer DOIs. Publishers
have DOIs for their articles, and DOIs or both for references. Therefore an article that has an id
of PubMed or PubMed Central is identified by its PubMed id, and so are its references; other
articles and their references are identified by DOIs. All other ids of the article become
Identifiers, for deduplication.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from specter_graph.loaders import identifiers
from specter_graph.loaders.parsing.plain_text import Sentences
from specter_graph.loaders.parsing.xml import Element, Parts, iter_children, name_of, text_of
from specter_graph.loaders.records import Identifier

PMC_ORDER = ("pmid", "doi", "pmcid", "arxiv")
PUBLISHER_ORDER = ("doi", "pmid", "pmcid", "arxiv")
HREF = "{http://www.w3.org/1999/xlink}href"

_CITATIONS = (
    "citation", "citation-alternatives", "element-citation", "mixed-citation", "nlm-citation",
)  # fmt: skip
_AFTER_DOI = ".,;:)]}>\"'"
_DOI_IN_TEXT = re.compile(r"doi:\s*((?:https?://(?:dx\.)?doi\.org/)?10\.\S+)", re.IGNORECASE)
MAX_CONTEXT_LENGTH = 1_000
"""Characters; a longer sentence is reduced to the text around the citation."""

_BLOCKS = frozenset(["code", "disp-formula", "p", "preformat", "term", "title", "verse-line"])
_SKIPPED = frozenset({
    "attrib", "fn", "graphic", "inline-graphic", "label", "media", "object-id", "permissions",
    "supplementary-material", "table", "table-wrap-foot", "xref-group",
})  # fmt: skip
_PARAGRAPHS = frozenset({"p", "sec"})
_NOT_ABSTRACTS = ("graphical", "toc", "web-summary", "video", "teaser")
_HEADING = re.compile(r"(?:abstract|summary)\W*", re.IGNORECASE)
_ONLY_A_DOI = re.compile(r"DOI:?\s*\S+", re.IGNORECASE)

_OPEN, _NAMED, _CLOSE = "\U0010fff0", "\U0010fff1", "\U0010fff2"
"""Private-use characters that mark the citations in a text while its markup is removed."""
_MENTION = re.compile(rf"{_OPEN}(\d+){_NAMED}([^{_OPEN}{_CLOSE}]*+){_CLOSE}")
_JOINS = re.compile(r"[\])\s]*[-\u2010-\u2015\u2212][\[(\s]*")
"""The text between the first and the last citation of a range: [3]-[7]."""
_MAX_RANGE = 50
_MAX_WORKS = 10
"""Maximum number of works of an entry that get contexts."""
_PUNCTUATION = re.compile(r"[\s,;()\[\]\u2010-\u2015\u2212-]{0,5}")
_AFTER_END = re.compile(r"(?<=[.?!])[\s(\[]*\Z")
_LETTER = re.compile(r"[^\W\d_]")


@dataclass(frozen=True, slots=True)
class Ids:
    """The ids of an article; `order` has the preferred schemes, for its references too."""

    key: str | None
    identifiers: tuple[Identifier, ...]
    order: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class References:
    """The list of references of an article.

    Attributes:
        entries: The paper ids of each entry: none without a usable id, several for several works.
        numbers: The number of each entry, by the XML ids that the text uses for it.
    """

    entries: tuple[tuple[str, ...], ...]
    numbers: dict[str, int]

    @property
    def keys(self) -> tuple[str, ...]:
        """All paper ids, in order."""
        return tuple(key for entry in self.entries for key in entry)


def article_ids(meta: Parts, omitted: list[str]) -> Ids:
    """Return the ids in the article-meta of an article."""
    elements = list(iter_children(meta.get("article-id")))
    ids: dict[Identifier, None] = {}
    for element in elements:
        kind = element.get("pub-id-type", "")
        known = _read_id(kind, text_of(element))
        if known is None:
            omitted.append(f"{kind} {text_of(element):.100} is not valid")
        ids |= dict.fromkeys(known or ())
    schemes = {identifier.scheme for identifier in ids}
    order = PMC_ORDER if schemes & {"pmid", "pmcid"} else PUBLISHER_ORDER
    return Ids(identifiers.first_key(ids, order) or _publisher_key(elements), tuple(ids), order)


def read_references(back: Element | None, ids: Ids) -> References:
    """Return the reference list of an article."""
    entries: list[tuple[str, ...]] = []
    numbers: dict[str, int] = {}
    for entry in () if back is None else back.iter("ref"):
        works = [child for child in entry if name_of(child) in _CITATIONS] or [entry]
        keys = (identifiers.first_key(_read_cited(work, ids.order[0]), ids.order) for work in works)
        for element in (entry, *works):
            if element.get("id"):
                numbers[element.get("id", "")] = len(entries)
        entries.append(tuple(key for key in keys if key))
    return References(tuple(entries), numbers)


def _read_cited(work: Element, best: str) -> dict[Identifier, None]:
    """Return the tagged identifiers of a work, and the linked ones unless `best` is tagged."""
    ids: dict[Identifier, None] = {}
    for element in work.iter("pub-id"):
        ids |= dict.fromkeys(_read_id(element.get("pub-id-type", ""), text_of(element)) or ())
    if any(identifier.scheme == best for identifier in ids):
        return ids
    return ids | dict.fromkeys(_read_linked(work))


def _read_linked(work: Element) -> Iterator[Identifier]:
    """Yield the identifiers in links, and after "doi:" in the text."""
    for element in work.iter("ext-link", "uri", "object-id"):
        target = element.get(HREF) or text_of(element)
        if "doi" in target or element.get("ext-link-type") == "doi":
            yield from identifiers.dois(target.rstrip(_AFTER_DOI))
        elif "arxiv.org/" in target and (paper := identifiers.arxiv(target)):
            yield paper
    if named := _DOI_IN_TEXT.search(text_of(work)):
        yield from identifiers.dois(named[1].rstrip(_AFTER_DOI))


def _read_id(kind: str, text: str) -> Iterable[Identifier] | None:
    """Return the identifiers of a tagged id: () for other kinds, None if it is not valid."""
    if kind == "doi":
        return identifiers.dois(text) or None
    if kind not in ("pmid", "pmc", "pmcid", "arxiv"):
        return ()
    result = identifiers.parse_identifier(f"{'pmcid' if kind == 'pmc' else kind}:{text}")
    return (result,) if result else None


def _publisher_key(elements: list[Element]) -> str | None:
    """Return the publisher's own id."""
    for element in elements:
        if element.get("pub-id-type") == "publisher-id" and text_of(element):
            return f"jats:{text_of(element)}"
    return None


@dataclass(frozen=True, slots=True)
class Mention:
    """A citation in a text: its range of characters, and the XML ids of the cited entries."""

    start: int
    end: int
    entries: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Block:
    """A heading or a paragraph."""

    text: str
    mentions: tuple[Mention, ...]


def abstract(meta: Parts) -> str | None:
    """Return the abstract, with one paragraph for each paragraph or titled section.

    Of several abstracts, the one without a type is preferred, then the first with a textual type.
    """
    results = list(iter_children(meta.get("abstract")))
    plain = [one for one in results if one.get("abstract-type") is None]
    typed = [one for one in results if one.get("abstract-type") not in _NOT_ABSTRACTS]
    texts = ("\n\n".join(_split_paragraphs(one)) for one in plain + typed)
    return next(filter(None, texts), None)


def _split_paragraphs(element: Element) -> Iterator[str]:
    if not any(name_of(each) in _PARAGRAPHS for each in element.iter()):
        if text := text_of(element, {*_SKIPPED, "title"}):  # SPIE writes text without <p>
            yield text
        return
    for child in element:
        name = name_of(child)
        if name == "sec":
            title, *paragraphs = [text_of(block, _SKIPPED) for block in _find_blocks(child)] or [""]
            untitled = child.find("title") is None
            if not untitled and _HEADING.fullmatch(title):
                title = ""
            body = " ".join([title, *paragraphs] if untitled else paragraphs)
            if body:
                yield body if untitled or not title else f"{title.rstrip(' .:')}: {body}"
        elif name not in _SKIPPED and name != "title":
            text = text_of(child, _SKIPPED)
            if text and not _ONLY_A_DOI.fullmatch(text):
                yield text


def read_body(body: Element | None) -> list[Block]:
    """Return the headings and paragraphs of a full text, without tables, footnotes and figures."""
    if body is None:
        return []
    pointers: list[tuple[str, ...]] = []
    for xref in body.iter("xref"):
        if xref.get("ref-type") == "bibr":
            xref.text = f"{_OPEN}{len(pointers)}{_NAMED}{xref.text or ''}"
            xref.tail = f"{_CLOSE}{xref.tail or ''}"
            pointers.append(tuple(xref.get("rid", "").split()))
    marked = (text_of(block, _SKIPPED) for block in _find_blocks(body))
    return [_remove_marks(text, pointers) for text in marked if text]


def _find_blocks(element: Element) -> Iterator[Element]:
    for child in element:
        name = name_of(child)
        if name in _BLOCKS:
            yield child
        elif name not in _SKIPPED:
            yield from _find_blocks(child)


def _remove_marks(marked: str, pointers: list[tuple[str, ...]]) -> Block:
    """Return the text without the marks, and the positions of the citations."""
    pieces: list[str] = []
    mentions: list[Mention] = []
    position = length = 0
    for match in _MENTION.finditer(marked):
        pieces += [marked[position : match.start()], match[2]]
        start = length + match.start() - position
        length = start + len(match[2])
        position = match.end()
        mentions.append(Mention(start, length, pointers[int(match[1])]))
    return Block("".join([*pieces, marked[position:]]), tuple(mentions))


def contexts(blocks: list[Block], references: References) -> dict[str, tuple[str, ...]]:
    """Return the sentences that cite each paper id, in order, each once."""
    sentences_by_id: dict[str, dict[str, None]] = {}
    for block in blocks:
        sentences = Sentences(_mask_numbers(block)) if block.mentions else None
        before: Mention | None = None
        for mention in block.mentions:
            assert sentences
            context = _cut_context(block.text, mention, sentences.span(mention.start, mention.end))
            for number in _find_numbers(block.text, before, mention, references):
                for key in references.entries[number][:_MAX_WORKS]:
                    sentences_by_id.setdefault(key, {})[context] = None
            before = mention
    return {key: tuple(sentences) for key, sentences in sentences_by_id.items()}


def _find_numbers(
    text: str, before: Mention | None, mention: Mention, references: References
) -> list[int]:
    """Return the numbers of the entries of a citation, with those of a range that ends with it."""

    def numbers_of(mention: Mention) -> list[int]:
        return [references.numbers[id_] for id_ in mention.entries if id_ in references.numbers]

    numbers = numbers_of(mention)
    if before and numbers and _JOINS.fullmatch(text, before.end, mention.start):
        first = max(numbers_of(before), default=-2) + 1
        if first >= 0 and numbers[0] - first <= _MAX_RANGE:
            numbers = [*range(first, numbers[0]), *numbers]
    return numbers


def _cut_context(text: str, mention: Mention, span: tuple[int, int]) -> str:
    start, end = span
    if end - start > MAX_CONTEXT_LENGTH:
        start = max(start, mention.start - MAX_CONTEXT_LENGTH // 2)
        end = min(end, start + MAX_CONTEXT_LENGTH)
    return text[start:end].strip()


def _mask_numbers(block: Block) -> str:
    """Return the text with closing brackets in place of citation numbers, which hide sentence ends.

    "It is so.3,4 But" and "It is so. [3] But" are two sentences, and the citations belong to the
    first. Names are unchanged: a sentence can begin with "Smith (1999)".
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
