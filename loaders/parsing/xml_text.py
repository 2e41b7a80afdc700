"""The text of XML elements, as a reader sees it: no markup, single spaces."""

from collections.abc import Collection, Iterator

from specter_graph.loaders.parsing.xml_stream import Element

Parts = dict[str, Element]

APART = frozenset(
    [
        "break",
        "def",
        "def-item",
        "disp-formula",
        "disp-quote",
        "list",
        "list-item",
        "p",
        "sec",
        "table-wrap",
        "td",
        "term",
        "th",
        "title",
        "tr",
        "verse-line",
    ]
)
"""Elements that stand by themselves: a space parts them from the text around them."""

_NONE: frozenset[str] = frozenset()


def text_of(element: Element | None, skipped: Collection[str] = _NONE) -> str:
    """All text in an element on one line; empty if there is no element.

    Markup vanishes: `H<sub>2</sub>O` is H2O. Elements that are `skipped` leave nothing. A formula
    that is written in several ways is told once: the characters of its MathML, or else its TeX.
    """
    if element is None:
        return ""
    if not len(element):
        return " ".join((element.text or "").split())
    return " ".join("".join(text_pieces(element, skipped)).split())


def text_pieces(element: Element, skipped: Collection[str] = _NONE) -> Iterator[str]:
    """The text in an element piece by piece, as it is."""
    if element.text:
        yield element.text
    for child in _ways(element) if name_of(element) == "alternatives" else element:
        name = name_of(child)
        if name in APART:
            yield " "
        if name == "tex-math":
            yield _tex(child)
        elif name not in skipped and name not in ("annotation", "annotation-xml"):
            yield from text_pieces(child, skipped)
        if name in APART:
            yield " "
        if child.tail:
            yield child.tail


def parts_of(element: Element | None) -> Parts:
    """The first child of each name: much quicker than looking for them one by one."""
    parts: Parts = {}
    for child in () if element is None else element:
        parts.setdefault(child.tag, child)
    return parts


def each(first: Element | None) -> Iterator[Element]:
    """An element and those of the same name behind it; nothing where there is no element."""
    if first is not None:
        yield first
        yield from first.itersiblings(first.tag)


def name_of(element: Element) -> str:
    """The name of an element without its namespace."""
    tag: str = element.tag
    return tag[tag.rfind("}") + 1 :]


def forget_namespaces(element: Element) -> None:
    """Leave only the local names of an element and of all in it."""
    for each_one in element.iter():
        each_one.tag = name_of(each_one)


def _ways(alternatives: Element) -> list[Element]:
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
